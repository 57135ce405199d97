// SPDX-License-Identifier: Apache-2.0
// What lies behind one point: verdict and blocks, samples, roofline, profile, environment. What the history does not
// know is "unknown", never left out in silence.
"use strict";

pawl.details = {};

{
  const taken = new Map();  // by id; documents of a point never change

  pawl.details.read = (id) => {
    if (!taken.has(id)) taken.set(id, pawl.get("point", {id}).catch((error) => { taken.delete(id); throw error; }));
    return taken.get(id);
  };

  const UNKNOWN = "unknown";
  const percent_or_unknown = (value) => value === null || value === undefined ? UNKNOWN : `${value.toPrecision(3)} %`;
  const list = (rows) => pawl.element("dl", {}, ...rows.flatMap(([name, ...value]) => [pawl.element("dt", {}, name), pawl.element("dd", {}, ...value)]));
  const heading = (words) => pawl.element("h3", {}, words);
  const note = (...words) => pawl.element("p", {class: "faint"}, ...words);
  const numbers = (values) => (values ?? []).filter((value) => Number.isFinite(value));

  // Device, driver, clocks, CPU, compiler: one line.
  pawl.details.environment_line = (document) => {
    const environment = document.result?.environment;
    if (!environment) return "environment unknown";
    const {device = {}, clocks, toolchain, cpu} = environment;
    return [device.name, device.driver ? `driver ${device.driver}` : null, clocks ? `clocks ${clocks}` : null, cpu, toolchain].filter(Boolean).join(" · ") || "environment unknown";
  };

  const state = (side) => side ? [side.frequency_mhz ? `${side.frequency_mhz.toFixed(0)} MHz` : null,
    side.temperature_c ? `${side.temperature_c.toFixed(0)} °C` : null, side.power_w ? `${side.power_w.toFixed(0)} W` : null,
    side.event_reasons].filter(Boolean).join(", ") || UNKNOWN : UNKNOWN;

  const environment = (document) => {
    const result = document.result, facts = result?.environment;
    if (!facts) return [note("Unknown: the run did not keep it, or it was pruned.")];
    const device = facts.device ?? {};
    const rows = [["device", pawl.name(device.name ?? UNKNOWN)], ...(device.kind === "cpu" ? [] : [["driver", pawl.name(device.driver ?? UNKNOWN)]]), ["CPU", pawl.name(facts.cpu ?? (device.kind === "cpu" ? device.name : null) ?? UNKNOWN)], ["architecture", pawl.name(device.arch ?? UNKNOWN)],
      ["clocks", pawl.name(facts.clocks ?? "not locked, or unknown")], ["compiler", pawl.name(facts.toolchain ?? UNKNOWN)],
      ["isolation", pawl.name(facts.isolation ?? UNKNOWN)], ["caches", pawl.name(facts.cache ?? UNKNOWN)],
      ["before", pawl.name(state(result.gpu_state?.before))], ["after", pawl.name(state(result.gpu_state?.after))]];
    const warnings = (result.warnings ?? []).map((words) => pawl.element("li", {}, pawl.name(words)));
    return [list(rows), warnings.length ? pawl.element("ul", {class: "worse"}, ...warnings) : null];
  };

  const gate = (document) => {
    const comparison = document.comparison, test = comparison?.paired;
    const rows = [["verdict", pawl.name(document.verdict ?? comparison?.verdict ?? "not judged")]];
    if (comparison?.reason) rows.push(["reason", pawl.name(comparison.reason)]);
    if (document.anchor ?? test?.anchor) rows.push(["anchor", pawl.element("code", {}, pawl.name(pawl.commit(document.anchor ?? test.anchor))), test?.anchor_kind ? " (" : "", pawl.name(test?.anchor_kind ?? ""), test?.anchor_kind ? ")" : ""]);
    if (test?.origin) rows.push(["origin", pawl.name(test.origin)]);
    if (comparison?.accepted?.reason) rows.push(["accepted", pawl.name(comparison.accepted.reason)]);
    if (Number.isFinite(test?.confirmed_slowdown_pct)) rows.push(["confirmed", `${pawl.percent(test.confirmed_slowdown_pct)} in ${test.confirmation.length} further blocks`]);
    rows.push(["machine", pawl.name(document.machine ?? UNKNOWN)], ["noise of the machine", percent_or_unknown(document.base_sd_pct)],
      ["noise of the ratio", percent_or_unknown(document.block_sd_pct)],
      ["false alarm allowed", document.false_alarm === null ? UNKNOWN : document.false_alarm.toPrecision(2)]);
    return list(rows);
  };

  const blocks = (document) => {
    const test = document.comparison?.paired;
    if (document.identical || test?.identical_code) return note("The machine code is the anchor's, so there was nothing to measure.");
    const all = (test?.blocks ?? []).filter((block) => block.base_ms > 0 && block.candidate_ms > 0);
    if (!all.length) return note("No blocks: the run did not compare two versions, or they were pruned.");
    return pawl.pictures.blocks(all, {low: test.slowdown_low_pct ?? NaN, middle: test.slowdown_pct, high: test.slowdown_high_pct ?? NaN});
  };

  const samples = (result) => {
    const processes = (result?.processes ?? []).map((process) => numbers(process.samples_ms)).filter((list) => list.length);
    const all = processes.length ? processes : [numbers(result?.performance?.samples_ms)].filter((list) => list.length);
    return all.length ? pawl.pictures.samples(all, "ms") : note("Unknown: the run kept no samples, or they were pruned.");
  };

  const roofline = (result) => {
    const kernel = {intensity: result?.roofline?.arithmetic_intensity, gflops: result?.performance?.throughput_gflops};
    const limits = {gflops: result?.environment?.peak_gflops, bandwidth: result?.environment?.peak_bandwidth_gb_s};
    if (![...Object.values(kernel), ...Object.values(limits)].every((value) => value > 0)) return [note("Unknown: the work of the kernel or the limits of the machine are not known.")];
    const advice = (result.roofline.recommendations ?? []).map((words) => pawl.element("li", {}, pawl.name(words)));
    return [pawl.pictures.roofline(kernel, limits), advice.length ? pawl.element("ul", {}, ...advice) : null];
  };

  const COUNTERS = {sm_pct: "SM", memory_pct: "memory system", dram_pct: "DRAM", l2_pct: "L2", l1_pct: "L1", tensor_pct: "tensor pipe", occupancy_pct: "occupancy",
    issue_pct: "issue slots", l2_hit_pct: "L2 hits", l1_hit_pct: "L1 hits", coalesced_loads_pct: "coalescing of loads", coalesced_stores_pct: "coalescing of stores"};
  const known = (names, values) => Object.entries(names).map(([key, name]) => [name, values?.[key]]).filter(([, value]) => Number.isFinite(value));

  const profiled = (kernel) => {
    const stalls = Object.entries(kernel.stalls_pct ?? {}).filter(([, value]) => value >= 1).sort((a, b) => b[1] - a[1]).slice(0, 8).map(([name, value]) => [name.replaceAll("_", " "), value]);
    const counters = known(COUNTERS, kernel.counters);
    const findings = (kernel.findings ?? []).map((finding) => pawl.element("li", {}, pawl.element("strong", {}, pawl.name(finding.title)), ": ", pawl.name(finding.evidence),
      finding.remedy ? "; " : "", pawl.name(finding.remedy ?? "")));
    return [pawl.element("h4", {}, pawl.name(kernel.name)), findings.length ? pawl.element("ul", {}, ...findings) : null,
      counters.length ? pawl.pictures.shares(counters, "Use of the GPU, percent of the limit") : null,
      stalls.length ? pawl.pictures.shares(stalls, "What warps wait for, percent of their time") : null];
  };

  const profile = (document) => {
    if (!document.profile) return [note("None of this run on this case. Where a kernel becomes slower or faster, pawl profiles the case that changed most.")];
    const kernels = document.profile.counters?.kernels ?? [];
    return [document.profile.change ? pawl.element("p", {}, pawl.name(document.profile.change)) : null, ...kernels.slice(0, 4).flatMap(profiled)];
  };

  // The whole of a point, for the page below the chart. A part that is only a note is folded.
  pawl.details.show = (document) => {
    const part = (title, ...children) => {
      const found = children.flat().filter(Boolean);
      const empty = found.every((child) => child.matches("p.faint"));
      return pawl.element("section", {}, ...(empty ? [pawl.fold(`${title}: no data`, ...found)] : [heading(title), ...found]));
    };
    return [part("Verdict", gate(document), blocks(document)), part("Samples", samples(document.result)),
      part("Roofline", roofline(document.result)), part("Profile", profile(document)), part("Environment", environment(document))];
  };
}
