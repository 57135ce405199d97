// SPDX-License-Identifier: Apache-2.0
// All series: what changed, in which commit, and what needs a person. The level is the median since the last change.
"use strict";

pawl.views.overview = async (place) => {
  const SVG = "http://www.w3.org/2000/svg";
  const PART = 100, SOON = 300;  // rows of an answer; milliseconds until the page asks for rows that pawl still looks for
  const ORDERS = ["look", "kernel", "change", "best"];
  let order = ORDERS.includes(place.sort) ? place.sort : "look";
  const ask = (first, rows = PART) => pawl.get("overview", {q: place.q ?? "", sort: order, first, count: rows});
  let {series, ...known} = await ask(0);
  const {series_count: count, report} = known;
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
    return [cell("", pawl.element("span", {class: pawl.is_open(change) ? tone(change.loss_pct) : "faint"}, pawl.percent(change.loss_pct)), " ", link),
      cell("text", pawl.element("span", {class: "lines"}, change.state === "new" ? "" : `${change.state}, `, pawl.ago(change.at), `, ${change.commits} ${change.commits === 1 ? "commit" : "commits"}`,
        change.subject && !change.dirty ? ": " : "", change.subject && !change.dirty ? pawl.subject(change.subject) : ""))];
  };

  const newest_of = (row) => cell(row.attention === "failed" || row.verdict === "regression" ? "worse" : "",
    row.outcome === "ok" ? row.verdict ?? "–" : row.outcome ?? "–", row.uncommitted ? " (uncommitted)" : "");

  const line = (shape) => (row) => pawl.element("tr", {},
    pawl.element("td", {class: "name"}, pawl.element("a", {href: pawl.link({series: String(row.id), q: place.q, sort: place.sort})}, pawl.name(row.kernel_name))),
    cell("name", pawl.name(row.case), ...shape(row)),
    cell("name", pawl.name(row.hardware_name ?? row.hardware ?? "–")),
    ...change_of(row),
    newest_of(row),
    cell("number", pawl.figure(row.level ?? row.latest, row.unit)),
    cell("number", pawl.percent(row.loss_pct)),
    cell("", row.recent.length > 1 ? sparkline(row.recent) : "–"));

  const direction = (key) => order === key ? (key === "kernel" ? "ascending" : "descending") : null;
  const sorted = (key, text, kind) => pawl.element("th", {class: kind, scope: "col", "aria-sort": direction(key), "data-sort": key},
    pawl.element("button", {onclick: () => { sort_by(key); }}, text));
  const plain = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);

  const headings = [sorted("kernel", "kernel", ""), plain("case"), plain("hardware"), sorted("look", "last change", ""), sorted("change", "since", ""),
    plain("newest run"), plain("level", "number"), sorted("best", "from best", "number"), plain("trend")];
  const table = pawl.table(headings, [], "Kernels and cases");
  const shown = pawl.element("p", {class: "faint", role: "status"});
  const rest = pawl.element("button", {onclick: () => { more(); }}, "Show more rows");

  const tell = () => {
    rest.hidden = series.length >= known.matched;
    shown.textContent = `${known.matched} of ${count}${rest.hidden ? "" : `; the first ${series.length} are shown`}`
      + (known.hidden ? `; a filter shows ${known.hidden} without a value` : "")
      + (known.pending ? `; pawl still looks at ${known.pending} more` : "");
    const summed = summary();
    if (said.textContent !== summed) said.textContent = summed;
  };

  const fill = () => {
    pawl.fill(table, series.map(line(pawl.shapes(series))));
    tell();
    if (known.pending) setTimeout(look_again, SOON);
  };

  // The newest question counts: a slow answer to an earlier one is dropped.
  let questions = 0;
  const answered = async (first, wanted) => {
    const question = ++questions;
    const answer = await ask(first, wanted).catch((error) => ({error}));
    if (question !== questions) return null;
    if (answer.error) {
      shown.textContent = `The dashboard cannot show this: ${answer.error.message}`;
      return null;
    }
    const {series: rows, ...rest_of_answer} = answer;
    known = rest_of_answer;
    return rows;
  };

  const refill = async (wanted = PART) => {
    const rows = await answered(0, wanted);
    if (!rows) return;
    series = rows;
    fill();
  };

  // New rows do not take the keyboard's place away.
  const look_again = () => {
    if (!table.isConnected || !known.pending) return;
    if (table.querySelector("tbody").contains(document.activeElement)) setTimeout(look_again, SOON);
    else refill(Math.max(PART, series.length));
  };

  const more = async () => {
    const from = series.length, rows = await answered(from, PART);
    if (!rows) return;
    series = series.concat(rows);
    fill();
    table.querySelectorAll("tbody tr")[from]?.querySelector("a").focus();  // the keyboard goes on with the new rows
  };

  // The heading stays where it is, and so does the keyboard's focus.
  const sort_by = (key) => {
    order = place.sort = key;
    history.pushState(null, "", pawl.link({...pawl.place(), sort: key}));
    for (const heading of table.querySelectorAll("th[data-sort]")) {
      const way = direction(heading.dataset.sort);
      if (way) heading.setAttribute("aria-sort", way);
      else heading.removeAttribute("aria-sort");
    }
    refill();
  };

  const filter = pawl.element("input", {type: "search", value: place.q, autocomplete: "off", oninput: (event) => {
    place.q = event.target.value;
    history.replaceState(null, "", pawl.link({...pawl.place(), q: place.q}));
    refill();
  }});

  // One sentence: what changed in the last month, and what stands longer.
  const said = pawl.element("p", {class: "summary"});
  const summary = () => {
    const {failed, slower, faster, slower_before, explained} = known.counts;
    const words = [[failed, "failed in the newest run"], [slower, "became slower or worse in the last 30 days"],
      [faster, "became faster or better"], [slower_before, "became slower or worse earlier and stayed so"], [explained, "changed as somebody explained"]].filter(([found]) => found).map(([found, word]) => `${found} ${word}`);
    return words.length ? `${words.join("; ")}.` : known.pending ? "" : "No level changed, and no newest run failed.";
  };

  const terms = pawl.element("p", {class: "faint"}, "The level is the median of the commits since the last change; a series with fewer than 7 commits shows its newest value. ",
    "“Since” is the change of the level at that commit, and “from best” the distance of the level from the best level.");
  const empty = report ? "The history has none of these kernels" : "The history is empty";
  const part = report ? pawl.element("p", {class: "faint"}, "The kernels and cases of the report. ", pawl.element("code", {}, "pawl serve"), " shows the whole history.") : "";

  return () => {
    if (!count) {
      pawl.show(["history"], pawl.element("h2", {}, empty),
        pawl.element("p", {}, pawl.element("code", {}, "pawl run"), " and ", pawl.element("code", {}, "pawl bench"),
          " fill it, and ", pawl.element("code", {}, "pawl import"), " brings what other harnesses measured."));
      return;
    }
    pawl.show(["all kernels"], part, said, pawl.element("label", {}, "Filter by kernel, case, shape, hardware, or failed, slower, faster, new, expected", pawl.element("br"), filter), shown, table, rest, terms);
    fill();
  };
};
