// SPDX-License-Identifier: Apache-2.0
// Pictures of one measurement, as SVG: samples, blocks of a verdict, roofline, shares in percent. Each says in words what
// it shows, for those who do not see it.
"use strict";

pawl.pictures = {};

{
  const SVG = "http://www.w3.org/2000/svg";
  const LEFT = 12, RIGHT = 12;
  // In units of the picture, so that letters keep their size on a narrow screen. Each picture asks once.
  let width = 640;
  const fit = () => { width = Math.max(280, Math.min(640, document.documentElement.clientWidth - 24)); };

  const shape = (name, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const text = (x, y, anchor, words, kind = "") => shape("text", {x, y, "text-anchor": anchor, class: kind}, words);
  const line = (x1, y1, x2, y2, kind) => shape("line", {x1, y1, x2, y2, class: kind});

  const picture = (height, label, caption, ...children) => pawl.element("figure", {},
    shape("svg", {viewBox: `0 0 ${width} ${height}`, class: "picture", role: "img", "aria-label": label}, ...children),
    pawl.element("figcaption", {}, caption));

  // A scale from values to places, and marks at 4 round values.
  const scale = (low, high) => {
    const span = high > low ? high - low : Math.abs(low) || 1, from = low - 0.04 * span, to = high + 0.04 * span;
    const place = (value) => LEFT + (width - LEFT - RIGHT) * (value - from) / (to - from);
    return Object.assign(place, {from, to});
  };
  const round_step = (span) => {
    const raw = span / 4, power = 10 ** Math.floor(Math.log10(raw));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
  };
  const axis = (place, y, words) => {
    const step = round_step(place.to - place.from), marks = [];
    for (let value = Math.ceil(place.from / step) * step; value <= place.to; value += step)
      marks.push(line(place(value), y, place(value), y + 4, "axis"), text(place(value), y + 16, "middle", words(value), "small"));
    return [line(LEFT, y, width - RIGHT, y, "axis"), ...marks];
  };

  const median_of = (values) => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };

  // Every sample is a dot in the row of its process; above them the histogram of all.
  pawl.pictures.samples = (processes, unit) => {
    const ROWS = 12, BINS = 48, HILL = 70, ROW = 13;
    fit();
    const all = processes.flat(), rows = processes.slice(0, ROWS);
    const low = all.reduce((a, b) => Math.min(a, b)), high = all.reduce((a, b) => Math.max(a, b));
    const place = scale(low, high), counts = new Array(BINS).fill(0), step = (place(high) - place(low)) / BINS;
    for (const value of all) counts[Math.min(BINS - 1, Math.floor(BINS * (value - low) / (high - low || 1)))]++;
    const most = Math.max(...counts), bottom = HILL + 8 + ROW * rows.length + 4;
    const bars = counts.map((count, i) => shape("rect", {x: place(low) + i * step, y: HILL - 60 * count / most, width: Math.max(step, 1), height: 60 * count / most, class: "bar"}));
    const dots = rows.flatMap((samples, i) => {
      const y = HILL + 14 + ROW * i, middle = place(median_of(samples));
      return [...samples.slice(0, 400).map((value) => shape("circle", {cx: place(value), cy: y, r: 2, class: "dot"})), line(middle, y - 5, middle, y + 5, "mark")];
    });
    const words = `${all.length} samples of ${processes.length} ${processes.length === 1 ? "process" : "processes"}: median ${pawl.figure(median_of(all), unit)}, least ${pawl.figure(low, unit)}, largest ${pawl.figure(high, unit)}`;
    const left_out = processes.length > ROWS ? ` Rows: the first ${ROWS} processes.` : "";
    return picture(bottom + 22, words, `${words}. Each row is a process with its median.${left_out}`, ...bars, ...dots, ...axis(place, bottom, (value) => pawl.figure(value, unit)));
  };

  // The change of the candidate in each block, in the order measured, with the interval of the verdict.
  pawl.pictures.blocks = (blocks, interval) => {
    const ROW = blocks.length > 30 ? 6 : 10;
    fit();
    const changes = blocks.map((block) => 100 * (block.candidate_ms / block.base_ms - 1));
    const known = [...changes, 0, interval.low, interval.high].filter(Number.isFinite);
    const place = scale(Math.min(...known), Math.max(...known)), bottom = 14 + ROW * blocks.length;
    const band = Number.isFinite(interval.low) && Number.isFinite(interval.high)
      ? [shape("rect", {x: place(interval.low), y: 4, width: Math.max(place(interval.high) - place(interval.low), 1), height: bottom - 4, class: "band"})] : [];
    const dots = changes.map((change, i) => shape("circle", {cx: place(change), cy: 12 + ROW * i, r: 3.2, class: blocks[i].spoiled ? "spoiled" : change > 0 ? "dot worse" : "dot better"}));
    const spoiled = blocks.filter((block) => block.spoiled).length;
    const words = `${blocks.length - spoiled} blocks count${spoiled ? `, ${spoiled} do not` : ""}; the change is ${Number.isFinite(interval.middle) ? pawl.percent(interval.middle) : "unknown"}` +
      (band.length ? `, ${pawl.percent(interval.low)} to ${pawl.percent(interval.high)}` : "");
    return picture(bottom + 24, words, `${words}. Each dot is a block, the first on top: a fresh process of each version. Right of 0 the candidate is slower. A ring does not count.`,
      ...band, line(place(0), 2, place(0), bottom, "zero"), ...dots, ...axis(place, bottom, (value) => pawl.percent(value)));
  };

  // Where the kernel stands below the limits of the machine, both axes logarithmic.
  pawl.pictures.roofline = (kernel, limits) => {
    fit();
    const HEIGHT = 190, BOTTOM = 160, ridge = limits.gflops / limits.bandwidth;
    const log = Math.log10, x_low = log(Math.min(kernel.intensity, ridge) / 8), x_high = log(Math.max(kernel.intensity, ridge) * 8);
    const y_high = log(Math.max(limits.gflops, kernel.gflops) * 1.5), y_low = Math.min(log(kernel.gflops / 4), log(limits.bandwidth) + x_low);
    const x = (value) => 60 + (width - 80) * (log(value) - x_low) / (x_high - x_low);
    const y = (value) => BOTTOM - (BOTTOM - 10) * (log(value) - y_low) / (y_high - y_low);
    const first = 10 ** x_low, last = 10 ** x_high, marks = [];
    for (let power = Math.ceil(x_low); power <= x_high; power++) marks.push(text(x(10 ** power), BOTTOM + 14, "middle", String(Number((10 ** power).toPrecision(1))), "small"));
    for (let power = Math.ceil(y_low); power <= y_high; power++) marks.push(text(54, y(10 ** power) + 4, "end", String(Number((10 ** power).toPrecision(1))), "small"));
    const limit = Math.min(limits.gflops, limits.bandwidth * kernel.intensity);
    const words = `${pawl.figure(kernel.gflops, "GFLOP/s")} at ${pawl.figure(kernel.intensity, "FLOP per byte")}, ${(100 * kernel.gflops / limit).toFixed(1)} % of the ${kernel.intensity < ridge ? "memory's bandwidth" : "peak"}`;
    return picture(HEIGHT, words, `${words}. Limits: ${pawl.figure(limits.bandwidth, "GB/s")}, ${pawl.figure(limits.gflops, "GFLOP/s")}.`,
      line(60, BOTTOM, width - 20, BOTTOM, "axis"), line(60, 10, 60, BOTTOM, "axis"), ...marks,
      text(width - 20, HEIGHT - 4, "end", "FLOP per byte", "small"), text(66, 16, "start", "GFLOP/s", "small"),
      shape("path", {d: `M${x(first)} ${y(limits.bandwidth * first)}L${x(ridge)} ${y(limits.gflops)}L${x(last)} ${y(limits.gflops)}`, class: "roof"}),
      line(x(kernel.intensity), y(kernel.gflops), x(kernel.intensity), y(limit), "gap"),
      shape("circle", {cx: x(kernel.intensity), cy: y(kernel.gflops), r: 5, class: "point"}));
  };

  // Shares of 100 %, one bar a row: [["DRAM", 91], ...].
  pawl.pictures.shares = (rows, label) => {
    fit();
    const ROW = 20, START = Math.min(190, 0.42 * width);
    const bars = rows.flatMap(([name, value], i) => [text(START - 8, ROW * i + 15, "end", name, "small"),
      shape("rect", {x: START, y: ROW * i + 5, width: (width - START - 60) * Math.min(Math.max(value, 0), 100) / 100, height: ROW - 8, class: "bar"}),
      text(START + (width - START - 60) * Math.min(value, 100) / 100 + 6, ROW * i + 15, "start", `${value.toFixed(0)} %`, "small")]);
    return picture(ROW * rows.length + 6, `${label}: ${rows.map(([name, value]) => `${name} ${value.toFixed(0)} %`).join(", ")}`, label, ...bars);
  };
}
