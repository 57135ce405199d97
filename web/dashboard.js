// SPDX-License-Identifier: Apache-2.0
// What the views share: elements, figures, the address, the documents. Texts of the history reach the page through
// textContent alone.
"use strict";

const pawl = {views: {}};

// An element with attributes and children; a text among the children stays a text.
pawl.element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

// A name that somebody else chose: control characters are shown, its direction ends where it ends.
pawl.name = (text) => {
  const shown = String(text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return pawl.element("bdi", {}, shown);
};

// Shows the shape of a row where another of these rows has the same kernel, case and hardware.
pawl.shapes = (rows) => {
  const named = (row) => JSON.stringify([row.kernel_name, row.case, row.hardware_name ?? row.hardware]), found = new Map();
  for (const row of rows) found.set(named(row), (found.get(named(row)) ?? 0) + 1);
  return (row) => found.get(named(row)) > 1 ? [pawl.element("span", {class: "faint lines"}, pawl.name(row.shape || "no shape"))] : [];
};

pawl.figure = (value, unit) => {
  if (value === null || value === undefined) return "–";
  if (unit !== "ms") return `${Number(value.toPrecision(4))} ${unit}`;
  const [scale, name] = value < 1e-3 ? [1e6, "ns"] : value < 1 ? [1e3, "µs"] : value < 1e3 ? [1, "ms"] : [1e-3, "s"];
  return `${(value * scale).toPrecision(4)} ${name}`;
};

pawl.percent = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value).toFixed(1);
  return `${Number(size) === 0 ? "" : value > 0 ? "+" : "−"}${size} %`;
};

// A commit did nothing of what an uncommitted tree above it does.
pawl.commit = (commit, dirty) => `${dirty ? "uncommitted, on " : ""}${commit ? commit.slice(0, 8) : "–"}`;

pawl.date = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");

// How long ago, in whole units.
pawl.ago = (seconds) => {
  const days = Math.floor((Date.now() / 1000 - seconds) / 86400);
  if (days < 1) return "today";
  const [count, unit] = days < 60 ? [days, "day"] : days < 730 ? [Math.floor(days / 30.44), "month"] : [Math.floor(days / 365.25), "year"];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
};

// A table that turns into cards on a narrow screen, where each cell shows its heading. The roles keep it a table for
// screen readers then.
pawl.table = (headings, rows, label) => {
  const table = pawl.element("table", {role: "table", "aria-label": label},
    pawl.element("thead", {role: "rowgroup"}, pawl.element("tr", {role: "row"}, ...headings)), pawl.element("tbody", {role: "rowgroup"}));
  for (const heading of headings) heading.setAttribute("role", "columnheader");
  pawl.fill(table, rows);
  return pawl.element("div", {class: "wide"}, table);
};

pawl.fill = (table, rows) => {
  const names = [...table.querySelectorAll("th")].map((heading) => heading.textContent);
  for (const row of rows) {
    row.setAttribute("role", "row");
    [...row.children].forEach((cell, i) => { cell.setAttribute("role", "cell"); cell.dataset.label = names[i]; });
  }
  table.querySelector("tbody").replaceChildren(...rows);
};

// A part of the page that has nothing to show, or that few people read.
pawl.fold = (title, ...children) => pawl.element("details", {}, pawl.element("summary", {}, title), ...children);

pawl.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Columns over time: [times, values, ...]. values: a tick of the y axis as text; the rest goes to uPlot.
pawl.chart = (box, height, columns, {values, from_zero = false, top = null, span = null, log = false, gaps = true, series = [], ...rest}) => {
  const axis = {stroke: pawl.colour("ink"), grid: {stroke: pawl.colour("rule"), width: 1}, ticks: {stroke: pawl.colour("rule"), width: 1}};
  const day = (tick, step) => step < 86400 ? pawl.date(tick).slice(5) : pawl.date(tick).slice(0, 10);
  const chart = new uPlot({
    width: box.clientWidth, height, legend: {show: false}, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    scales: {x: {time: true, ...(span ? {range: span} : {})}, y: log ? {distr: 3} : from_zero ? {range: (_, low, high) => [0, ((top ?? high) || 1) * 1.1]} : {}},
    axes: [{...axis, space: 100, values: (_, ticks, __, ___, step) => ticks.map((tick) => day(tick, step))}, {...axis, size: 80, values: (_, ticks) => ticks.map(values)}],
    series: [{}, {stroke: pawl.colour("accent"), width: 1.5, spanGaps: !gaps, points: {show: columns[0].length < 300, size: 4, fill: pawl.colour("accent")}}, ...series],
    ...rest,
  }, columns, box);
  new ResizeObserver(() => chart.setSize({width: box.clientWidth, height})).observe(box);
  return chart;
};

// The address behind #, which a link carries along: {series: "12", from: "..."}.
pawl.place = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
pawl.link = (place) => "#" + new URLSearchParams(Object.entries(place).filter(([, value]) => value)).toString();

pawl.show = (title, ...children) => {
  document.getElementById("where").replaceChildren(...title);
  document.title = `${document.getElementById("where").textContent} - pawl`;
  document.getElementById("main").replaceChildren(...children);
};

pawl.all_kernels = (place = {}) => pawl.element("a", {href: pawl.link({view: "kernels", q: place.q, sort: place.sort})}, "All kernels");

pawl.view_of = (place) => {
  if (place.series) return pawl.views.trend;
  return ["machines", "report", "compare"].includes(place.view) ? pawl.views[place.view] : pawl.views.overview;
};

pawl.route = async () => {
  const place = pawl.place();
  const shown = location.hash;
  pawl.site ??= await pawl.get("site").catch(() => ({}));
  try {
    const draw = await pawl.view_of(place)(place);
    if (shown === location.hash) draw();  // the visitor may have gone on meanwhile
  } catch (error) {
    pawl.show(["history"], pawl.element("p", {role: "alert"}, `The dashboard cannot show this: ${error.message}`),
      pawl.element("p", {}, pawl.all_kernels()));
  }
};

window.addEventListener("hashchange", pawl.route);
window.addEventListener("DOMContentLoaded", pawl.route);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", pawl.route);
