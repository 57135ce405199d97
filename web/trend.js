// SPDX-License-Identifier: Apache-2.0
// One series over time: values with their interval, changes, the ratchet's line, the commit under the cursor, and what
// lies behind the run that was chosen.
"use strict";

pawl.views.trend = async (place) => {
  const LISTED = 100, PAUSE = 120;  // rows; milliseconds that the cursor rests before its environment is asked for
  const query = {series: place.series};
  for (const key of ["from", "to", "branch"]) if (place[key]) query[key] = place[key];
  const trend = (await pawl.get("trend", query)).series[0];
  const {branch: _, ...span} = query;
  const others = await pawl.chart_others(place, span);
  const {points, unit} = trend;
  const subject = (row) => row.subject === null || row.dirty ? null : pawl.subject(row.subject);
  const size = (change) => pawl.element("span", {class: change.loss_pct > 0 ? "worse" : "better"}, pawl.percent(change.loss_pct));
  const shown_branch = (name) => name || "no branch";

  // The last run of each commit carries the commit's median; the line goes through these.
  const same_place = (a, b) => a && b && a.at === b.at && a.commit === b.commit;
  const counted = points.filter((point) => point.place_value !== null);
  const ends = new Map();  // by that run: all runs of the commit
  for (let i = 0, first = 0; i < counted.length; i++) {
    if (same_place(counted[i], counted[i + 1])) continue;
    ends.set(counted[i], counted.slice(first, i + 1));
    first = i + 1;
  }
  const scale = pawl.chart_scale(place, ends.keys().next().value?.place_value), spread = pawl.chart_spread(points);
  const given = points.findIndex((point) => String(point.id) === place.point);

  // --- the chart ---

  const hover = pawl.element("div", {class: "hover", role: "status"}, "Point at the chart, or press the arrow keys on it. Enter or a click chooses a run: its details are below, and the others are compared with it. Drag to zoom.");
  const box = pawl.element("div", {class: "chart", tabindex: "0", role: "img",
    "aria-label": `${points.length} points; the tables below have the same figures`});
  let chart = null, pinned = given >= 0 ? given : null, at = null, resting = null;

  const compare = (point) => {
    if (pinned === null || points[pinned] === point || points[pinned].value === null || point.value === null) return null;
    const before = points[pinned];
    const loss = trend.bigger_is_better ? before.value / point.value - 1 : point.value / before.value - 1;
    return pawl.element("p", {}, `Against ${pawl.commit(before.commit, before.dirty)} (${pawl.figure(before.value, unit)}): `,
      size({loss_pct: 100 * loss}), loss > 0 ? " worse" : "");
  };

  // The environment comes later than the rest, so it has a line of its own, whose place is kept.
  const tell_environment = (point, line) => {
    clearTimeout(resting);
    resting = setTimeout(async () => {
      const words = await pawl.details.read(point.id).then(pawl.details.environment_line, (error) => `environment unknown: ${error.message}`);
      line.replaceChildren(pawl.name(words));
    }, PAUSE);
  };

  const tell = (i) => {
    at = i;
    const point = points[i];
    if (!point) return;
    const interval = point.low === null ? "" : ` (${pawl.figure(point.low, unit)} to ${pawl.figure(point.high, unit)})`;
    const said = [point.outcome === "ok" ? null : point.outcome, point.verdict, point.identical ? "identical code" : null,
      point.limit_pct === null ? null : `${pawl.figure(point.limit_pct, "%")} of the limit`].filter(Boolean);
    const environment = pawl.element("span", {class: "faint environment"}, "…");
    hover.replaceChildren(...[
      pawl.element("strong", {}, pawl.figure(point.value, unit)), interval, ` · ${pawl.date(point.time)} · `,
      pawl.element("code", {}, pawl.name(pawl.commit(point.commit, point.dirty))), " ", subject(point),
      pawl.element("br"),
      pawl.element("span", {class: "faint"}, [...said, point.source].join(", "), point.branch ? ", branch " : "", point.branch ? pawl.name(point.branch) : ""),
      point.place_runs > 1 ? `, ${point.place_runs} runs of this commit, median ${pawl.figure(point.place_value, unit)}` : null,
      pawl.element("br"), environment, compare(point)].filter((child) => child !== null));
    tell_environment(point, environment);
  };

  const pin = () => {
    if (at === null) return;
    pinned = at;
    history.replaceState(null, "", pawl.link({...pawl.place(), point: points[at].id}));
    tell(at);
    chart.redraw(false);
    show_details(points[at].id);
  };

  const FAILED = ["wrong", "build_failed", "crashed", "hung", "no_times"];

  // Vertical lines where the level changed, and the levels; crosses where a run failed; the steps of the ratchet; a ring
  // around the chosen run.
  const draw_marks = (chart) => {
    const {ctx, bbox} = chart;
    const x = (time) => chart.valToPos(time, "x", true), y = (value) => chart.valToPos(scale(value), "y", true);
    const right = bbox.left + bbox.width, bottom = bbox.top + bbox.height;
    const stroke = (colour, dash, width, path) => {
      ctx.strokeStyle = pawl.colour(colour);
      ctx.setLineDash(dash);
      ctx.lineWidth = width * devicePixelRatio;
      ctx.beginPath();
      path();
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const [i, change] of trend.changes.entries()) {
      const after = trend.changes[i + 1];
      stroke(!pawl.is_open(change) ? "faint" : change.loss_pct > 0 ? "worse" : "better", [4, 4], 2, () => { ctx.moveTo(x(change.at), bbox.top); ctx.lineTo(x(change.at), bottom); });
      stroke("ink", [], 1, () => {
        if (!i) { ctx.moveTo(bbox.left, y(change.before)); ctx.lineTo(x(change.at), y(change.before)); }
        ctx.moveTo(x(change.at), y(change.after));
        ctx.lineTo(after ? x(after.at) : right, y(change.after));
      });
    }
    for (const [i] of [...points.entries()].filter(([, point]) => FAILED.includes(point.outcome)))
      stroke("worse", [], 2, () => {
        const [left, up, size] = [x(spread[i]), bottom - 10 * devicePixelRatio, 4 * devicePixelRatio];
        ctx.moveTo(left - size, up - size);
        ctx.lineTo(left + size, up + size);
        ctx.moveTo(left - size, up + size);
        ctx.lineTo(left + size, up - size);
      });
    stroke("ratchet", [], 2, () => {
      let level = null;
      for (const move of unit === "ms" ? trend.moves : []) {
        const time = Date.parse(`${move.timestamp}`.replace(" ", "T") + "Z") / 1000;
        if (!Number.isFinite(time) || move.to_ms === null) continue;
        if (level === null) ctx.moveTo(x(time), y(move.to_ms));
        else { ctx.lineTo(x(time), y(level)); ctx.lineTo(x(time), y(move.to_ms)); }
        level = move.to_ms;
      }
      if (level !== null) ctx.lineTo(right, y(level));
    });
    if (pinned !== null && points[pinned].value !== null)
      stroke("ink", [], 2, () => ctx.arc(x(spread[pinned]), y(points[pinned].value), 7 * devicePixelRatio, 0, 2 * Math.PI));
    ctx.restore();
  };

  const zoom = (chart) => {
    const {left, width} = chart.select;
    if (width < 5) return;
    const from = Math.floor(chart.posToVal(left, "x")), to = Math.ceil(chart.posToVal(left + width, "x"));
    location.hash = pawl.link({...pawl.place(), from, to});
  };

  // Columns by the commits' time: the medians of the line with their band, single runs, and runs of other branches.
  const draw = () => {
    const rows = [...points.map((point, i) => ({at: spread[i], point, i})),
      ...others.flatMap((other, k) => other.points.map(({at, value}) => ({at, other: k, value})))].sort((a, b) => a.at - b.at);
    const column = (value) => rows.map(({point}) => point ? scale(value(point)) : null);
    const beside = others.map((other, k) => {
      const other_scale = pawl.chart_scale(place, other.points[0]?.value);
      return rows.map((row) => row.other === k ? other_scale(row.value) : null);
    });
    const at_end = (value) => column((point) => ends.has(point) ? value(point) : null);
    const limit = (choose, key) => at_end((point) => choose(...ends.get(point).map((run) => run[key] ?? run.value)));
    const dots = (colour, size) => ({stroke: "transparent", paths: () => null, points: {show: true, size, fill: pawl.colour(colour), stroke: pawl.colour(colour)}});
    const lone = (point) => ends.has(point) && point.place_runs === 1;
    chart = pawl.chart(box, 320, [rows.map((row) => row.at), at_end((point) => point.place_value),
      limit(Math.min, "low"), limit(Math.max, "high"),
      column((point) => point.on_line && !lone(point) ? point.value : null), column((point) => point.on_line ? null : point.value), ...beside], {
      ...pawl.chart_axis(place, unit), gaps: false,
      cursor: {drag: {x: true, y: false, setScale: false}, points: {size: 9}},
      series: [{stroke: "transparent", spanGaps: true, points: {show: false}}, {stroke: "transparent", spanGaps: true, points: {show: false}}, dots("accent", 4), dots("rule", 5),
        ...others.map((_, k) => ({stroke: pawl.colour(`line${k + 1}`), width: 1.5, spanGaps: true, points: {show: false}}))],
      bands: [{series: [3, 2], fill: pawl.colour("band")}],
      hooks: {drawSeries: [(made, index) => { if (index === 5) draw_marks(made); }], setSelect: [zoom],
        setCursor: [(made) => { const row = rows[made.cursor.idx ?? -1]; if (row?.point) tell(row.i); }]},
    });
    const move = (step) => {
      const next = Math.max(0, Math.min(points.length - 1, (at ?? points.length) + step));
      chart.setCursor({left: chart.valToPos(spread[next], "x"), top: 10});
      tell(next);
    };
    box.addEventListener("keydown", (event) => {
      const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity};
      if (event.key === "Enter") pin();
      else if (event.key in steps) move(steps[event.key]);
      else return;
      event.preventDefault();
    });
    box.addEventListener("click", pin);
  };

  // What the marks of this chart mean.
  const marks = pawl.element("ul", {class: "legend marks"}, ...[
    ["median", "median of a commit, with its 95 % interval", ends.size],
    ["run", "one of several runs of a commit", points.some((point) => point.on_line && point.value !== null && !(ends.has(point) && point.place_runs === 1))],
    ["other", "run of another branch", points.some((point) => !point.on_line)],
    ["level", "level: the median of the commits since the last change", trend.changes.length],
    ["change", "commit that changed the level", trend.changes.length],
    ["ratchet", "time that the baseline keeps", unit === "ms" && trend.moves.length],
    ["failed", "failed run", points.some((point) => FAILED.includes(point.outcome))],
  ].filter(([, , shown]) => shown).map(([kind, words]) => pawl.element("li", {class: kind}, words)));

  // --- what lies behind a run ---

  const details = pawl.element("div", {class: "details"});
  const chosen = pawl.element("h2", {tabindex: "-1"});
  let wanted = null;

  const show_details = async (id) => {
    wanted = id;
    const title = (point) => {
      chosen.replaceChildren("Run of ", pawl.element("code", {}, pawl.name(pawl.commit(point?.commit, point?.dirty))), point ? ` at ${pawl.date(point.time)}` : "",
        points.some((shown) => shown.id === id) ? "" : ", which the chart does not show");
      const page = point ? pawl.commit_page(point.commit, point.dirty) : null;
      if (page) chosen.append(" ", page);
    };
    title(points.find((candidate) => candidate.id === id));
    const shown = await pawl.details.read(id).then((document) => { if (wanted === id) title(document); return pawl.details.show(document); },
      (error) => [pawl.element("p", {class: "faint"}, `Details unknown: ${error.message}`)]);
    if (wanted === id) details.replaceChildren(...shown);
  };

  // --- the tables ---

  const heading = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);
  const cell = (kind, ...children) => pawl.element("td", {class: kind}, ...children.filter((child) => child !== null));
  const commit_link = (id, words) => pawl.element("a", {href: pawl.link({...pawl.place(), point: id})}, pawl.element("code", {}, pawl.name(words)));

  // Whoever has the token says what a change is; the others see it.
  const form = pawl.element("div");
  const note_button = (change) => pawl.site.may_note ? pawl.element("button", {"aria-label": `Note on ${pawl.commit(change.commit, change.dirty)}`, onclick: (event) => {
    const query = {series: place.series, ...(place.branch ? {branch: place.branch} : {})};
    form.replaceChildren(pawl.note_form(query, change, () => { form.replaceChildren(); event.target.focus(); }));
    form.querySelector("select").focus();
  }}, "Note") : null;
  const host = (row) => [" ", pawl.commit_page(row.commit, row.dirty)];
  const change_rows = [...trend.changes].reverse().map((change) => pawl.element("tr", {},
    cell("", pawl.date(change.at)), cell("", commit_link(change.point, pawl.commit(change.commit, change.dirty)), ...host(change)),
    cell("number", size(change)), cell("number", `${pawl.figure(change.before, unit)} → ${pawl.figure(change.after, unit)}`),
    cell("said", ...pawl.said(change), " ", note_button(change)), cell("said", change.environment === null ? "unknown" : pawl.name(change.environment || "the same")),
    cell("text", subject(change))));
  const changes = trend.changes.length
    ? pawl.table([heading("time (UTC)"), heading("commit"), heading("loss", "number"), heading("level", "number"), heading("state"), heading("environment"), heading("subject")], change_rows, "Changes")
    : pawl.element("p", {class: "faint"}, !trend.searched ? "Unknown: there are fewer than 7 commits."
      : "None that lasts: a level that only noise or single runs leave is no change. A verdict is about one run.");
  const searched = trend.searched && trend.searched < trend.commits
    ? pawl.element("p", {class: "faint"}, `pawl looked in the newest ${trend.searched} of ${trend.commits} commits.`) : null;

  const KINDS = {new: "first entry", improvement: "confirmed improvement", accepted: "accepted loss"};
  const move_rows = [...trend.moves].reverse().map((move) => pawl.element("tr", {}, cell("", pawl.name(move.timestamp ?? "unknown")),
    cell("", pawl.element("code", {}, pawl.name(pawl.commit(move.git_commit)))), cell("", KINDS[move.kind] ?? "unknown"),
    cell("number", `${move.from_ms === null ? "–" : pawl.figure(move.from_ms, "ms")} → ${pawl.figure(move.to_ms, "ms")}`), cell("text", move.reason ? pawl.name(move.reason) : null)));
  const moves = trend.moves.length
    ? [pawl.element("h2", {}, "Moves of the baseline"), pawl.table([heading("time (UTC)"), heading("anchor"), heading("kind"), heading("baseline", "number"), heading("reason")], move_rows, "Moves of the baseline")]
    : [pawl.fold("Moves of the baseline: none", pawl.element("p", {class: "faint"}, "The baseline of this kernel and case has no entry in the history."))];

  const ratio = (row) => trend.latest === null || !(row.value > 0) ? "–" : `${(trend.bigger_is_better ? trend.latest / row.value : row.value / trend.latest).toFixed(2)} ×`;
  const same_case = trend.beside.filter((row) => row.role);  // a benchmark without a role may compute something else
  const beside_rows = same_case.map((row) => pawl.element("tr", {},
    cell("name", pawl.element("a", {href: pawl.link({series: String(row.series), q: place.q, sort: place.sort})}, pawl.name(row.kernel_name))),
    cell("", row.role), cell("number", pawl.figure(row.value, unit)), cell("number", ratio(row)), cell("", pawl.date(row.time))));
  const beside = same_case.length ? [pawl.element("h2", {}, "On the same case"),
    pawl.table([heading("kernel"), heading("role"), heading("newest", "number"), heading(`${trend.kernel_name.slice(0, 40)} is faster by`, "number"), heading("measured (UTC)")], beside_rows, "Other kernels on the same case"),
    pawl.element("p", {class: "faint"}, "A run that keeps the result of a reference does not measure it anew: the date is that of its measurement.")] : [];

  const point_rows = points.slice(-LISTED).reverse().map((point) => pawl.element("tr", {class: point.on_line ? null : "other"},
    cell("", pawl.date(point.time)), cell("", commit_link(point.id, pawl.commit(point.commit, point.dirty))),
    cell("number", pawl.figure(point.value, unit)), cell("", point.outcome === "ok" ? point.verdict ?? "–" : point.outcome, point.identical ? ", identical code" : "", point.on_line ? "" : " on ", point.on_line ? "" : pawl.name(shown_branch(point.branch))),
    cell("text", subject(point))));

  // Another branch can be the line; its changes are then shown.
  const names = [...new Set([trend.line, ...trend.branches.map(({name}) => name)])];
  const branches = names.length > 1 ? pawl.element("label", {}, "Line ", pawl.element("select",
    {onchange: (event) => { location.hash = pawl.link({...pawl.place(), branch: event.target.value, point: ""}); }},
    ...names.filter((name) => name || name === trend.line).map((name) => pawl.element("option", {value: name, selected: name === trend.line ? "" : null}, pawl.name(shown_branch(name)).textContent)))) : null;

  const newest_at = trend.newest_at || points.at(-1)?.at || 0;
  const zoomed = place.from || place.to;
  const reset = zoomed ? pawl.element("button", {onclick: () => { location.hash = pawl.link({...pawl.place(), from: "", to: ""}); }}, "Show the whole time") : null;
  const facts = [trend.shape, trend.hardware_name ?? trend.hardware, trend.level === null ? null : `level ${pawl.figure(trend.level, unit)}`,
    trend.best === null ? null : `best level ${pawl.figure(trend.best, unit)}`, `${trend.commits} commits`, trend.noise_pct === null ? null : `noise ${trend.noise_pct.toFixed(2)} %`,
    points.length < trend.stored ? `${points.length} of ${trend.stored} points${zoomed ? "" : ", every extreme among them"}` : `${points.length} points`].filter(Boolean);

  return () => {
    pawl.show([pawl.name(trend.kernel_name), " on ", pawl.name(trend.case)], ...[
      pawl.element("p", {}, pawl.all_kernels(place)),
      pawl.element("h2", {}, pawl.name(trend.kernel_name), " on ", pawl.name(trend.case)),
      pawl.element("p", {class: "facts"}, pawl.name(facts.join(" · "))), branches, ...pawl.chart_choices(place, trend, others, newest_at, () => chart), reset, box, marks, hover,
      pawl.element("h2", {}, "Changes"), changes, form, searched, chosen, details,
      ...moves, ...beside,
      pawl.element("h2", {}, "Newest points"),
      pawl.table([heading("time (UTC)"), heading("commit"), heading("value", "number"), heading("verdict"), heading("subject")], point_rows, "Newest points"),
      points.some((point) => point.change_pct !== null) ? pawl.element("p", {class: "faint"}, "A value is the one under “Measurements” of the run's report. A verdict compares medians over blocks, which differ a little.") : null]
      .filter((child) => child !== null));
    if (points.length) draw();
    else {
      marks.remove();
      box.replaceWith(pawl.element("p", {}, "Nothing was measured in this time."));
    }
    if (given >= 0) tell(given);
    const first = place.point ? Number(place.point) : (points.findLast((point) => point.on_line && !point.dirty) ?? points.at(-1))?.id;
    if (Number.isFinite(first)) show_details(first);
    if (given >= 0 && !zoomed) chosen.focus();  // somebody followed a link to this run
  };
};
