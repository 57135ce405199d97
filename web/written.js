// SPDX-License-Identifier: Apache-2.0
// Where the documents come from when the page was written to disk: scripts in data/, each of which hands one over. The
// load event of a script follows its execution at once, so two that load together do not mix.
"use strict";

{
  let handed = null;
  pawl.take = (document) => { handed = document; };

  const missing = (document_name, name) => document_name === "point"
    ? "this folder has the details of the newest runs and of the runs after a change only" : `the page has no file data/${name}.js`;

  // The rows of the first page as the server sends them. The file has them in the order of names.
  const RANKS = {failed: 3, slower: 2, worse: 2, faster: 1, better: 1}, MONTH = 30 * 86400;
  const overview_part = ({series, ...rest}, {q, sort, first, count}) => {
    const seen = (row) => row.changes[0]?.state === "acknowledged" ? 0.5 : 0;  // somebody works on it
    const rank = (row) => RANKS[row.attention] ?? 0, at = (row) => row.changes[0]?.at ?? -Infinity, loss = (row) => row.loss_pct ?? -Infinity;
    const newer = (a, b) => at(b) - at(a) || 0;
    const orders = {kernel: () => 0, change: newer, best: (a, b) => loss(b) - loss(a) || 0, look: (a, b) => rank(b) - seen(b) - rank(a) + seen(a) || newer(a, b)};
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const bare = (row) => row.latest === null && row.attention !== "failed";
    const found = series.filter((row) => {
      const text = `${row.kernel_name} ${row.case} ${row.shape} ${row.hardware_name ?? ""} ${row.attention ?? ""} ${row.changes[0]?.state ?? ""}`.toLowerCase();
      return words.length ? words.every((word) => text.includes(word)) : !bare(row);
    }).sort(orders[sort]);
    const since = Date.now() / 1000 - MONTH;
    const number = (wanted, fresh) => series.filter((row) => rank(row) === wanted && (fresh === undefined || at(row) > since === fresh)).length;
    const counts = {failed: number(3), slower: number(2, true), faster: number(1, true), slower_before: number(2, false),
      explained: series.filter((row) => row.changes.length && !pawl.is_open(row.changes[0])).length};
    return {...rest, matched: found.length, hidden: words.length ? 0 : series.filter(bare).length, pending: 0, counts, series: found.slice(first, first + count)};
  };

  const load = (document_name, name) => new Promise((resolve, reject) => {
    const script = pawl.element("script", {src: `data/${name}.js`, onload: () => { script.remove(); resolve(handed); },
      onerror: () => { script.remove(); reject(new Error(missing(document_name, name))); }});
    document.head.append(script);
  });

  // The folder says which documents it has: the browser reports each missing file as an error.
  const detailed = new Set(), overview = load("overview", "overview");
  const has = async (document_name, id) => document_name === "point" ? detailed.has(id) : (await overview).series.some((row) => row.id === id);

  pawl.get = async (document_name, query = {}) => {
    if (document_name === "overview") return query.count ? overview_part(await overview, query) : overview;
    const id = {trend: query.series, point: query.id}[document_name], name = id === undefined ? document_name : `${document_name}-${Number(id)}`;
    if (id !== undefined && !await has(document_name, Number(id))) throw new Error(missing(document_name, name));
    const taken = await load(document_name, name);
    if (document_name !== "trend") return taken;
    const [series] = taken.series;
    for (const point of series.detailed) detailed.add(point);
    series.points = series.points.filter((point) => (!query.from || point.at >= query.from) && (!query.to || point.at <= query.to));
    return taken;
  };


  // A folder with the report of a run has one more view. A folder without an overview says so where it is shown.
  overview.then(({report}) => { document.getElementById("report").hidden = !report; document.getElementById("compare").hidden = true; }, () => {});
}
