// SPDX-License-Identifier: Apache-2.0
// All series: what changed, in which commit, and what needs a person. The level is the median since the last change.
"use strict";

pawl.views.overview = async (place) => {
  const SVG = "http://www.w3.org/2000/svg";
  const SHOWN = 200;  // rows until somebody asks for all
  const {series, series_count: count, report} = await pawl.get("overview");
  if (report && !Object.keys(place).length) return pawl.views.report();

  const sparkline = (values) => {
    const picture = document.createElementNS(SVG, "svg");
    const path = document.createElementNS(SVG, "path");
    const low = Math.min(...values), high = Math.max(...values);
    const y = (value) => high > low ? 22 - 20 * (value - low) / (high - low) : 12;
    const x = (i) => values.length > 1 ? 120 * i / (values.length - 1) : 60;
    picture.setAttribute("class", "spark");
    picture.setAttribute("viewBox", "0 0 120 24");
    picture.setAttribute("aria-hidden", "true");
    path.setAttribute("d", values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""));
    picture.append(path);
    return picture;
  };

  const tone = (loss) => loss > 0 ? "worse" : loss < 0 ? "better" : "";
  const cell = (kind, ...children) => pawl.element("td", {class: kind}, ...children);
  const last = (row) => row.changes[0] ?? null;

  // Each cell names the change and leads to its run.
  const change_of = (row) => {
    const change = last(row);
    if (!change) return [cell("faint", row.searched ? "none" : "unknown"), cell("faint", "")];
    const link = pawl.element("a", {href: pawl.link({series: String(row.id), q: place.q, sort: place.sort, point: String(change.point)})},
      pawl.element("code", {}, pawl.name(pawl.commit(change.commit, change.dirty))));
    return [cell("", pawl.element("span", {class: pawl.is_open(change) ? tone(change.loss_pct) : "faint"}, pawl.percent(change.loss_pct)), " ", link, change.state === "new" ? "" : ` ${change.state}`),
      cell("text", pawl.ago(change.at), `, ${change.commits} ${change.commits === 1 ? "commit" : "commits"}`, change.subject && !change.dirty ? ": " : "",
        change.subject && !change.dirty ? pawl.subject(change.subject) : "")];
  };

  const newest_of = (row) => cell(row.attention === "failed" || row.verdict === "regression" ? "worse" : "",
    row.outcome === "ok" ? row.verdict ?? "–" : row.outcome ?? "–", row.uncommitted ? " (uncommitted)" : "");

  const line = (row) => pawl.element("tr", {},
    pawl.element("td", {class: "name"}, pawl.element("a", {href: pawl.link({series: String(row.id), q: place.q, sort: place.sort})}, pawl.name(row.kernel_name))),
    cell("name", pawl.name(row.case)),
    cell("name", pawl.name(row.hardware_name ?? row.hardware ?? "–")),
    ...change_of(row),
    newest_of(row),
    cell("number", pawl.figure(row.level ?? row.latest, row.unit)),
    cell("number", pawl.percent(row.loss_pct)),
    cell("", row.recent.length > 1 ? sparkline(row.recent) : "–"));

  // A failure needs a person first, then the newest loss, then the newest gain.
  const RANKS = {failed: 3, slower: 2, worse: 2, faster: 1, better: 1};
  const seen = (row) => last(row)?.state === "acknowledged" ? 0.5 : 0;  // somebody works on it
  const rank = (row) => RANKS[row.attention] ?? 0;
  const natural = new Intl.Collator("en", {numeric: true});
  const by_name = (a, b) => natural.compare(a.kernel_name, b.kernel_name) || natural.compare(a.case, b.case) || a.id - b.id;
  const newer = (a, b) => (last(b)?.at ?? -Infinity) - (last(a)?.at ?? -Infinity) || 0;
  const orders = {
    look: (a, b) => rank(b) - seen(b) - rank(a) + seen(a) || newer(a, b) || by_name(a, b),
    kernel: by_name,
    change: (a, b) => newer(a, b) || by_name(a, b),
    best: (a, b) => (b.loss_pct ?? -Infinity) - (a.loss_pct ?? -Infinity) || by_name(a, b),
  };
  const order = Object.hasOwn(orders, place.sort ?? "") ? place.sort : "look";
  const sorted = (key, text, kind) => pawl.element("th", {class: kind, scope: "col", "aria-sort": order === key ? (key === "kernel" ? "ascending" : "descending") : null},
    pawl.element("button", {onclick: () => { location.hash = pawl.link({...pawl.place(), sort: key}); }}, text));
  const plain = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);

  const headings = [sorted("kernel", "kernel", ""), plain("case"), plain("hardware"), sorted("look", "last change", ""), sorted("change", "since", ""),
    plain("newest run"), plain("level", "number"), sorted("best", "from best", "number"), plain("trend")];
  const table = pawl.table(headings, [], "Kernels and cases");
  const shown = pawl.element("p", {class: "faint", role: "status"});
  const rest = pawl.element("button", {onclick: () => { most = Infinity; fill(place.q ?? ""); }}, "Show all rows");
  let most = SHOWN;

  const fill = (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = series.filter((row) => {
      const text = `${row.kernel_name} ${row.case} ${row.shape} ${row.hardware_name ?? ""} ${row.attention ?? ""} ${last(row)?.state ?? ""}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    }).sort(orders[order]);
    pawl.fill(table, rows.slice(0, most).map(line));
    rest.hidden = rows.length <= most;
    shown.textContent = `${rows.length} of ${count}${rest.hidden ? "" : `; the first ${most} are shown`}`;
  };

  const filter = pawl.element("input", {type: "search", value: place.q, autocomplete: "off", oninput: (event) => {
    place.q = event.target.value;
    history.replaceState(null, "", pawl.link({...pawl.place(), q: place.q}));
    fill(place.q);
  }});

  // One sentence: what changed in the last month, and what stands longer.
  const MONTH = 30 * 86400;
  const summary = () => {
    const now = Date.now() / 1000;
    const fresh = series.filter((row) => last(row) && now - last(row).at < MONTH);
    const number = (rows, wanted) => rows.filter((row) => rank(row) === wanted).length;
    const old = series.filter((row) => rank(row) === 2).length - number(fresh, 2);
    const words = [[number(series, 3), "failed in the newest run"], [number(fresh, 2), "became slower or worse in the last 30 days"],
      [number(fresh, 1), "became faster or better"], [old, "became slower or worse earlier and stayed so"], [series.filter((row) => last(row) && !pawl.is_open(last(row))).length, "changed as somebody explained"]].filter(([found]) => found).map(([found, word]) => `${found} ${word}`);
    return pawl.element("p", {class: "summary"}, words.length ? `${words.join("; ")}.` : "No level changed, and no newest run failed.");
  };

  const feed = report ? "" : pawl.element("p", {class: "facts"}, pawl.element("a", {href: pawl.feed, type: "application/atom+xml"}, "Feed of the changes"));
  const empty = report ? "The history has none of these kernels" : "The history is empty";
  const part = report ? pawl.element("p", {class: "faint"}, "The kernels and cases of the report. ", pawl.element("code", {}, "pawl serve"), " shows the whole history.") : "";

  return () => {
    if (!count) {
      pawl.show(["history"], pawl.element("h2", {}, empty),
        pawl.element("p", {}, pawl.element("code", {}, "pawl run"), " and ", pawl.element("code", {}, "pawl bench"),
          " fill it, and ", pawl.element("code", {}, "pawl import"), " brings what other harnesses measured."));
      return;
    }
    fill(place.q ?? "");
    pawl.show(["all kernels"], part, summary(), feed, pawl.element("label", {}, "Filter by kernel, case, shape, hardware, or failed, slower, faster, new, expected", pawl.element("br"), filter), shown, table, rest);
  };
};
