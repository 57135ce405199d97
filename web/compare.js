// SPDX-License-Identifier: Apache-2.0
// Two sides over all series: commits, tags, branches or machines, with the kind of evidence of each row.
"use strict";

pawl.views.compare = async (place) => {
  const SHOWN = 500;  // rows until somebody filters
  const sides = [place.a ?? "", place.b ?? ""];
  const asked = sides.every(Boolean);
  const table = asked ? await pawl.get("compare", {a: sides[0], b: sides[1]}).catch((error) => ({error: error.message})) : null;

  const inputs = sides.map((value, i) => pawl.element("input", {type: "text", value, autocomplete: "off", spellcheck: "false", required: ""}));
  const form = pawl.element("form", {class: "sides", onsubmit: (event) => {
    event.preventDefault();
    location.hash = pawl.link({view: "compare", a: inputs[0].value.trim(), b: inputs[1].value.trim(), q: pawl.place().q});
  }}, ...inputs.map((input, i) => pawl.element("label", {}, "AB"[i], pawl.element("br"), input)), pawl.element("button", {type: "submit"}, "Compare"));
  const about = pawl.element("p", {class: "facts"}, "A side is a commit, a tag, a branch or a machine. A branch has the newest commit of each series. ",
    pawl.element("code", {}, "machine:NAME"), ", ", pawl.element("code", {}, "branch:NAME"), " and ", pawl.element("code", {}, "commit:NAME"), " choose one meaning.");
  const whole = [pawl.element("p", {}, pawl.all_kernels()), pawl.element("h2", {}, "Compare"), form, about];

  if (!asked) return () => pawl.show(["compare"], ...whole);
  if (table.error) return () => pawl.show(["compare"], ...whole, pawl.element("p", {role: "alert"}, table.error));

  const cell = (kind, ...children) => pawl.element("td", {class: kind}, ...children);
  const heading = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);
  const interval = (low, high) => low === null ? "unknown" : `${pawl.percent(low)} to ${pawl.percent(high)}`;
  const TONES = {worse: "worse", better: "better"};
  const runs = (value, unit, count) => [pawl.figure(value, unit), count > 1 ? ` (${count})` : ""];

  const shape = pawl.shapes(table.rows);
  const line = (row) => pawl.element("tr", {},
    cell("name", pawl.element("a", {href: pawl.link({series: String(row.series)})}, pawl.name(row.kernel_name))), cell("name", pawl.name(row.case), ...shape(row)),
    cell("name", pawl.name(row.hardware_name ?? "–")), cell("number", ...runs(row.a, row.unit, row.a_runs)), cell("number", ...runs(row.b, row.unit, row.b_runs)),
    cell(`number ${TONES[row.answer] ?? ""}`, pawl.percent(row.loss_pct)), cell("number", interval(row.low_pct, row.high_pct)),
    cell("", row.evidence), cell(TONES[row.answer] ?? "", row.answer));

  const headings = [heading("kernel"), heading("case"), heading("hardware"), heading("A", "number"), heading("B", "number"), heading("loss of B", "number"),
    heading("95 % interval", "number"), heading("evidence"), heading("answer")];
  const shown = pawl.table(headings, [], "Comparison");
  const counted = pawl.element("p", {class: "faint", role: "status"});

  const fill = (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = table.rows.filter((row) => {
      const text = `${row.kernel_name} ${row.case} ${row.shape} ${row.hardware_name ?? ""} ${row.evidence} ${row.answer}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    pawl.fill(shown, rows.slice(0, SHOWN).map(line));
    counted.textContent = `${rows.length} of ${table.rows.length}${rows.length > SHOWN ? `; the first ${SHOWN} are shown` : ""}`;
  };
  const filter = pawl.element("input", {type: "search", value: place.q, autocomplete: "off", oninput: (event) => {
    history.replaceState(null, "", pawl.link({...pawl.place(), q: event.target.value}));
    fill(event.target.value);
  }});

  const side = ({name, kind, key}) => [pawl.name(name), ` (${kind}${name.includes(key) ? "" : " "}`, name.includes(key) ? "" : pawl.name(key.slice(0, 40)), ")"];
  const number = (answer) => table.rows.filter((row) => row.answer === answer).length;
  const mean = pawl.element("p", {class: "summary"}, ...side(table.b), " against ", ...side(table.a), ": geometric mean ",
    pawl.element("strong", {}, pawl.percent(table.mean_pct)), ` (${interval(table.mean_low_pct, table.mean_high_pct)}). `,
    `${number("worse")} worse, ${number("better")} better, ${number("open")} open.`);
  const note = pawl.element("p", {class: "facts"}, `Positive is worse. ${table.paired} rows are paired: a verdict measured both commits side by side. The others compare runs of different times, `,
    `with the noise between the commits of the series. All answers together have 5 % of false ones. ${table.only_a} series have a value of A alone, ${table.only_b} of B alone. `,
    pawl.element("a", {href: `api/compare?${new URLSearchParams({a: sides[0], b: sides[1], format: "csv"})}`, download: "comparison.csv"}, "CSV"));

  return () => {
    fill(place.q ?? "");
    pawl.show(["compare"], ...whole, mean, note,
      pawl.element("label", {}, "Filter by kernel, case, hardware, evidence or answer", pawl.element("br"), filter), counted, shown);
  };
};
