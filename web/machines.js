// SPDX-License-Identifier: Apache-2.0
// The noise of every machine over time, and the false alarms that the gate allowed.
"use strict";

pawl.views.machines = async () => {
  const NOISY = 1.5, NEWEST = 10, LEAST = 3;  // times the noise that it is compared with; runs that are its present; runs of a past
  const {machines, most_comparisons: most} = await pawl.get("machines");
  const natural = new Intl.Collator("en", {numeric: true});
  machines.sort((a, b) => natural.compare(a.machine, b.machine));
  const runs = machines.flatMap((machine) => machine.runs);
  const sum = (key) => runs.reduce((total, run) => total + (run[key] ?? 0), 0);
  const compared = sum("comparisons");

  // Each run's noise is relative to the usual of its kernels and cases, so that runs of other kernels can be compared.
  const median = (values) => {
    const known = values.filter(Number.isFinite).sort((a, b) => a - b);
    return known.length ? known[known.length >> 1] : null;
  };
  const relatives = (some) => some.map((run) => run.relative ?? NaN);
  const present = new Map(machines.map((machine) => [machine, median(relatives(machine.runs.slice(-NEWEST)))]));
  const times = (noise, usual) => noise === null || !(usual > 0) ? null : noise / usual;
  const past = (machine) => machine.runs.length < NEWEST + LEAST ? null : times(present.get(machine), median(relatives(machine.runs.slice(0, -NEWEST))));
  const others = (machine) => times(present.get(machine), median(machines.filter((other) => other !== machine).map((other) => present.get(other) ?? NaN)));
  const judged = (ratio) => ratio === null ? "unknown" : `${ratio.toFixed(2)} times${ratio >= NOISY ? ": noisier" : ""}`;
  const tone = (ratio) => ratio !== null && ratio >= NOISY ? "worse" : "";
  const percent = (value) => Number.isFinite(value) ? `${value.toPrecision(3)} %` : "unknown";
  const cell = (kind, ...children) => pawl.element("td", {class: kind}, ...children);
  const heading = (text, kind = "") => pawl.element("th", {class: kind, scope: "col"}, text);

  const rows = machines.map((machine) => {
    const newest = machine.runs[machine.runs.length - 1];
    return pawl.element("tr", {}, cell("name", pawl.name(machine.machine)), cell("name", pawl.name(machine.hardware_name ?? "–")),
      cell("number", String(machine.runs.length)), cell("number", percent(newest.base_sd_pct)), cell("number", percent(newest.block_sd_pct)),
      ...[past(machine), others(machine)].map((ratio) => cell(`number ${tone(ratio)}`, judged(ratio))), cell("", pawl.date(newest.time)));
  });
  const table = pawl.table([heading("machine"), heading("hardware"), heading("runs", "number"), heading("newest noise", "number"),
    heading("of the ratio", "number"), heading("against its past", "number"), heading("against the others", "number"), heading("newest run (UTC)")], rows, "Machines");

  const charts = machines.map((machine) => ({machine, box: pawl.element("div", {class: "chart small", role: "img",
    "aria-label": `Noise of ${machine.machine}; the table has the figures`})}));

  // The same axes for all machines.
  const at = runs.map((run) => run.time), span = [Math.min(...at), Math.max(...at)], top = Math.max(...runs.map((run) => run.base_sd_pct ?? 0));
  const draw = ({machine, box}) => {
    const column = (key) => machine.runs.map((run) => run[key] ?? null);
    pawl.chart(box, 180, [column("time"), column("base_sd_pct")], {values: (tick) => `${Number(tick.toPrecision(2))} %`, from_zero: true, top, span});
  };

  const since = runs.length ? pawl.date(Math.min(...runs.map((run) => run.time))).slice(0, 10) : null;
  const budget = () => pawl.element("p", {}, `In ${compared} comparisons since ${since} the gate allowed at most `,
    pawl.element("strong", {}, `${sum("false_alarm").toPrecision(2)} false alarms`), ` in all. It reported ${sum("regressions")} regressions and ${sum("improvements")} improvements.`,
    compared >= most ? ` These are the newest ${most} comparisons.` : "");

  return () => {
    const about = [pawl.element("p", {}, pawl.all_kernels()), pawl.element("h2", {}, "Machines")];
    if (!runs.length) {
      pawl.show(["machines"], ...about, pawl.element("p", {}, "The noise of the machines is unknown. ", pawl.element("code", {}, "pawl run"),
        " records it with each verdict that it measures; runs of an older pawl and imports have none."));
      return;
    }
    pawl.show(["machines"], ...about,
      pawl.element("p", {class: "facts"}, `Noise is the spread of the base's times from block to block, in percent: fresh processes of the same code, so only the machine differs. The newest ${NEWEST} runs are compared with the runs before them, and with the newest of the other machines: medians, each in relation to the mean of the same kernel and case. All charts have the same axes. Runs of an older pawl and imports have no noise.`),
      table, ...charts.flatMap(({machine, box}) => [pawl.element("h3", {}, pawl.name(machine.machine)), box]),
      pawl.element("h2", {}, "False alarms"), budget());
    charts.forEach(draw);
  };
};
