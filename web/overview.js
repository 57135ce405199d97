// SPDX-License-Identifier: Apache-2.0
// All series: the newest value, the distance from the best, the last change, and the trend as a small picture.
"use strict";

pawl.views.overview = async (place) => {
  const SVG = "http://www.w3.org/2000/svg";
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

  const change_of = (row) => row.change === null ? cell("faint", "none")
    : cell("", pawl.element("span", {class: tone(row.change.loss_pct)}, pawl.percent(row.change.loss_pct)), " ",
      pawl.name(pawl.commit(row.change.commit, row.change.dirty)));

  const line = (row) => pawl.element("tr", {},
    pawl.element("td", {class: "name"}, pawl.element("a", {href: pawl.link({series: String(row.id), q: place.q})}, pawl.name(row.kernel_name))),
    cell("name", pawl.name(row.case)),
    cell("name", pawl.name(row.hardware_name ?? row.hardware ?? "–")),
    cell("number", pawl.figure(row.latest, row.unit)),
    pawl.element("td", {class: `number ${row.loss_pct > 5 ? "worse" : ""}`}, pawl.percent(row.loss_pct)),
    change_of(row),
    cell("", row.outcome === "ok" ? row.verdict ?? "–" : row.outcome ?? "–", row.uncommitted ? " (uncommitted)" : ""),
    cell("", row.recent.length > 1 ? sparkline(row.recent) : "–"));

  const orders = {
    kernel: (a, b) => a.kernel_name < b.kernel_name ? -1 : a.kernel_name > b.kernel_name ? 1 : a.case < b.case ? -1 : 1,
    best: (a, b) => (b.loss_pct ?? -Infinity) - (a.loss_pct ?? -Infinity),
    change: (a, b) => (b.change?.loss_pct ?? -Infinity) - (a.change?.loss_pct ?? -Infinity),
  };
  const order = Object.hasOwn(orders, place.sort ?? "") ? place.sort : "kernel";
  const sorted = (key, text, kind) => pawl.element("th", {class: kind, scope: "col", "aria-sort": order === key ? (key === "kernel" ? "ascending" : "descending") : null},
    pawl.element("button", {onclick: () => { location.hash = pawl.link({...pawl.place(), sort: key}); }}, text));
  const plain = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);

  const headings = [sorted("kernel", "kernel", ""), plain("case"), plain("hardware"), plain("newest", "number"),
    sorted("best", "from best", "number"), sorted("change", "last change", ""), plain("verdict"), plain("trend")];
  const table = pawl.table(headings, [], "Kernels and cases");
  const shown = pawl.element("p", {class: "faint", role: "status"});

  const fill = (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = series.filter((row) => {
      const text = `${row.kernel_name} ${row.case} ${row.shape} ${row.hardware_name ?? ""}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    }).sort(orders[order]);
    pawl.fill(table, rows.map(line));
    shown.textContent = `${rows.length} of ${count}`;
  };

  const filter = pawl.element("input", {type: "search", value: place.q, autocomplete: "off", oninput: (event) => {
    place.q = event.target.value;
    history.replaceState(null, "", pawl.link({...pawl.place(), q: place.q}));
    fill(place.q);
  }});

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
    pawl.show(["all kernels"], part, pawl.element("label", {}, "Filter by kernel, case, shape, hardware", pawl.element("br"), filter), shown, table);
  };
};
