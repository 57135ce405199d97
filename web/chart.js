// SPDX-License-Identifier: Apache-2.0
// What a person chooses for the chart of a series: the time, the axis, other series beside it, and a file of the figures or
// the picture. The address keeps the choice.
"use strict";

{
  const MOST = 4;  // other series in one chart
  const DAY = 86400;
  const TIMES = {"": "the whole time", 7: "the last 7 days", 30: "the last 30 days", 90: "the last 90 days", 365: "the last year"};
  const AXES = {"": "that fits", zero: "from 0", log: "logarithmic", relative: "in % of the oldest shown"};

  const go = (change) => { location.hash = pawl.link({...pawl.place(), ...change}); };
  const choice = (label, rows, chosen, take) => pawl.element("label", {}, label, pawl.element("br"), pawl.element("select", {onchange: (event) => take(event.target.value)},
    ...rows.map(([value, words]) => pawl.element("option", {value, selected: value === chosen ? "" : null}, pawl.name(words).textContent))));

  // "12" is another series, "12@topic" its branch "topic".
  const split = (key) => { const at = key.indexOf("@"); return at < 0 ? [key, ""] : [key.slice(0, at), key.slice(at + 1)]; };
  const chosen_keys = (place) => (place.with ? JSON.parse(place.with) : []).filter((key) => typeof key === "string").slice(0, MOST);

  // The series that the address names, each with a value for each commit: {key, name, unit, points: [{at, value}]}.
  pawl.chart_others = async (place, query) => {
    let keys = [];
    try { keys = chosen_keys(place); } catch { /* somebody has shortened the address */ }
    const all = await Promise.all(keys.map(async (key) => {
      const [series, branch] = split(key);
      const found = await pawl.get("trend", {...query, series, ...(branch ? {branch} : {})}).then((document) => document.series[0], () => null);
      if (!found) return null;
      const points = found.points.filter((point) => point.place_value !== null).map((point) => ({at: point.at, value: point.place_value}));
      return {key, name: [found.kernel_name, found.case, found.hardware_name, branch].filter(Boolean).join(", "), unit: found.unit, points};
    }));
    return all.filter(Boolean);
  };

  // What the axis shows of a value, by the choice. A relative axis has each series in percent of its oldest value.
  pawl.chart_scale = (place, oldest) => place.axis === "relative" && oldest ? (value) => value === null ? null : 100 * value / oldest : (value) => value;
  // Where each run stands on the axis. Runs of one commit stand beside each other, before the next commit's; if the history
  // has one commit alone, at their own times.
  pawl.chart_spread = (points) => {
    const starts = points.map((_, i) => i).filter((i) => !i || points[i].at !== points[i - 1].at);
    return starts.flatMap((first, k) => {
      const place = points.slice(first, starts[k + 1]), {at} = place[0];
      if (starts.length === 1) return place.map(({time}) => time);
      const room = starts[k + 1] ? points[starts[k + 1]].at - at : at - points[starts[k - 1]].at;
      return place.map((_, i) => at + 0.8 * room * i / place.length);
    });
  };

  pawl.chart_axis = (place, unit) => ({from_zero: place.axis === "zero", log: place.axis === "log",
    values: (tick) => place.axis === "relative" ? `${Number(tick.toPrecision(4))} %` : pawl.figure(tick, unit)});

  const save = (name, type, content) => {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
    pawl.element("a", {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  // A field that a spreadsheet takes for a formula begins with a quote.
  const field = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (trend) => {
    const COLUMNS = ["time", "commit", "branch", "value", "low", "high", "outcome", "verdict", "on_line", "dirty", "subject"];
    const lines = trend.points.map((point) => COLUMNS.map((name) => field(name === "time" ? new Date(point.time * 1000).toISOString() : point[name])).join(","));
    return [[...COLUMNS.slice(0, 3), `value_${trend.unit}`, ...COLUMNS.slice(4)].map(field).join(","), ...lines, ""].join("\r\n");
  };
  const png = (chart, name) => {
    const from = chart.ctx.canvas, canvas = pawl.element("canvas", {width: from.width, height: from.height}), paper = canvas.getContext("2d");
    paper.fillStyle = pawl.colour("paper");
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(from, 0, 0);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };

  // The row of choices above a chart. `chart` gives the chart that is drawn.
  pawl.chart_choices = (place, trend, others, newest, chart) => {
    const taken = others.map(({key}) => key);
    const free = [
      ...trend.elsewhere.map((row) => [String(row.series), `on ${row.hardware_name ?? row.hardware ?? "unknown hardware"}`]),
      ...trend.branches.filter(({name}) => pawl.send_note && name && name !== trend.line).map(({name}) => [`${place.series}@${name}`, `the branch ${name}`]),
      ...trend.beside.map((row) => [String(row.series), row.role === "reference" ? `the reference ${row.kernel_name}` : row.kernel_name]),
    ].filter(([key]) => !taken.includes(key));
    const keep = (keys) => go({with: keys.length ? JSON.stringify(keys) : ""});
    const name = `${trend.kernel_name}-${trend.case}`.replace(/[^\w.-]+/g, "_").slice(0, 80);
    const time = Object.keys(TIMES).find((days) => days && place.from === String(newest - days * DAY) && !place.to) ?? "";
    const times = Object.entries(TIMES).sort(([a], [b]) => a - b);
    const add = free.length && others.length < MOST ? choice("Compare with", [["", "add a series"], ...free], "", (key) => keep([...taken, key])) : null;
    const legend = others.length ? pawl.element("ul", {class: "legend"}, pawl.element("li", {class: "line0"}, pawl.name([trend.kernel_name, trend.case, trend.hardware_name, trend.line].filter(Boolean).join(", "))),
      ...others.map((other, i) => pawl.element("li", {class: `line${i + 1}`}, pawl.name(other.name), " ",
        pawl.element("button", {"aria-label": `Remove ${other.name.slice(0, 80)}`, onclick: () => keep(taken.filter((key) => key !== other.key))}, "×")))) : null;
    return [pawl.element("div", {class: "choices"},
      choice("Time", times, time, (days) => go({from: days ? newest - days * DAY : "", to: ""})),
      choice("Axis", Object.entries(AXES), Object.hasOwn(AXES, place.axis ?? "") ? place.axis ?? "" : "", (axis) => go({axis})), add,
      pawl.element("button", {onclick: () => save(`${name}.csv`, "text/csv", csv(trend))}, "CSV"),
      pawl.element("button", {onclick: () => png(chart(), `${name}.png`)}, "PNG")), legend].filter(Boolean);
  };
}
