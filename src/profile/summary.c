/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/summary.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "profile/finding.h"
#include "profile/quantity.h"

#define LONGEST_NAME 100
#define MOST_CHANGES 6
#define MOST_STALLS 4

typedef const struct pawl_profile_kernel *profiled;

static void summary_add_value(struct pawl_text *out, profiled kernel, enum pawl_counter counter) {
  char text[PAWL_QUANTITY];
  pawl_text_add(
      out, pawl_quantity_text(kernel->values[counter], pawl_counter_infos[counter].unit, text));
}

/* Shortens a name, because names of templates fill pages. */
static void summary_add_name(struct pawl_text *out, const char *name) {
  pawl_text_printf(out, "%.*s%s", LONGEST_NAME, name, strlen(name) > LONGEST_NAME ? "..." : "");
}

/* "title: evidence", and of a flaw the gain that its rule expects of the remedy. */
static void summary_add_finding(struct pawl_text *out, const struct pawl_finding *finding) {
  pawl_text_printf(out, "%s: %s", finding->rule->title, finding->evidence);
  if (finding->rule->kind == PAWL_FINDING_CAUSE)
    pawl_text_printf(out, "; expected gain: %.0f %% of the time", finding->cost * 100);
}

/* Writes the line that people read first: the kernel, its time and its limit. */
static void add_headline(struct pawl_text *out, profiled kernel, const struct pawl_finding *first) {
  summary_add_name(out, kernel->name);
  pawl_text_add(out, ", ");
  summary_add_value(out, kernel, PAWL_COUNTER_DURATION);
  pawl_text_add(out, ": ");
  if (!first) {
    pawl_text_add(out, "no rule holds, or the counters that they need are unknown\n");
    return;
  }
  summary_add_finding(out, first);
  pawl_text_printf(out, "\n  try: %s\n", first->remedy);
}

/* Writes "name value, name value" for the known values. */
static void add_facts(struct pawl_text *out, profiled kernel, const char *title,
                      const enum pawl_counter *counters, size_t count) {
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    if (isnan(kernel->values[counters[i]])) continue;
    pawl_text_printf(out, "%s%s ", first ? title : ", ", pawl_counter_infos[counters[i]].label);
    summary_add_value(out, kernel, counters[i]);
    first = false;
  }
  if (!first) pawl_text_add(out, "\n");
}

static void add_stalls(struct pawl_text *out, profiled kernel) {
  struct pawl_stall_share shares[PAWL_STALLS];
  pawl_profile_stalls(kernel, shares);
  if (!(shares[0].share > 0)) return;
  for (int i = 0; i < MOST_STALLS && shares[i].share > 0; i++)
    pawl_text_printf(
        out, "%s%.0f %% %s (%s)", i ? ", " : "  a warp waits for: ", shares[i].share * 100,
        pawl_stall_infos[shares[i].stall].wait_for, pawl_stall_infos[shares[i].stall].word);
  pawl_text_add(out, "\n");
}

static void summary_add_kernel(struct pawl_text *out, profiled kernel) {
  static const enum pawl_counter units[] = {
      PAWL_COUNTER_SM,  PAWL_COUNTER_ISSUE, PAWL_COUNTER_TENSOR, PAWL_COUNTER_XU,
      PAWL_COUNTER_FMA, PAWL_COUNTER_ALU,   PAWL_COUNTER_FP64,   PAWL_COUNTER_L1,
      PAWL_COUNTER_L2,  PAWL_COUNTER_DRAM};
  static const enum pawl_counter memory[] = {
      PAWL_COUNTER_DRAM_READ, PAWL_COUNTER_DRAM_WRITE,      PAWL_COUNTER_L2_HIT,
      PAWL_COUNTER_L1_HIT,    PAWL_COUNTER_COALESCED_LOADS, PAWL_COUNTER_COALESCED_STORES};
  static const enum pawl_counter launch[] = {PAWL_COUNTER_GRID,   PAWL_COUNTER_BLOCK,
                                             PAWL_COUNTER_WAVES,  PAWL_COUNTER_REGISTERS,
                                             PAWL_COUNTER_SHARED, PAWL_COUNTER_OCCUPANCY};
  static const enum pawl_counter processor[] = {
      PAWL_COUNTER_CPU_THREADS,       PAWL_COUNTER_CPU_TIME,         PAWL_COUNTER_CPU_SYSTEM,
      PAWL_COUNTER_CPU_CYCLES,        PAWL_COUNTER_CPU_INSTRUCTIONS, PAWL_COUNTER_CPU_CACHE_MISSES,
      PAWL_COUNTER_CPU_BRANCH_MISSES, PAWL_COUNTER_CPU_TLB_MISSES,   PAWL_COUNTER_CPU_STALLED,
      PAWL_COUNTER_PAGE_FAULTS};
  struct pawl_finding *findings = pawl_alloc(pawl_rule_count, sizeof *findings);
  const size_t count = pawl_findings(kernel, findings);
  add_headline(out, kernel, count ? findings : NULL);
  for (size_t i = 1; i < count; i++) {
    pawl_text_add(out, "  also: ");
    summary_add_finding(out, &findings[i]);
    pawl_text_printf(out, "\n    try: %s\n", findings[i].remedy);
  }
  add_facts(out, kernel, "  units: ", units, PAWL_COUNT(units));
  add_stalls(out, kernel);
  add_facts(out, kernel, "  memory: ", memory, PAWL_COUNT(memory));
  add_facts(out, kernel, "  launch: ", launch, PAWL_COUNT(launch));
  add_facts(out, kernel, "  a call: ", processor, PAWL_COUNT(processor));
  pawl_free(findings);
}

void pawl_profile_summary(const struct pawl_profile *profile, struct pawl_text *out) {
  for (size_t i = 0; i < profile->count; i++) summary_add_kernel(out, &profile->kernels[i]);
  pawl_text_printf(out, "%zu kernel%s", profile->count, profile->count == 1 ? "" : "s");
  if (profile->gpu) pawl_text_printf(out, " on %s", profile->gpu);
  if (profile->profiler) pawl_text_printf(out, ", counted by %s", profile->profiler);
  pawl_text_add(out, "\n");
  if (profile->missing)
    pawl_text_printf(out, "no counters of the processor: %s\n", profile->missing);
}

void pawl_profile_limit(const struct pawl_profile *profile, struct pawl_arena *arena,
                        const char **limit, const char **remedy) {
  profiled kernel = pawl_profile_longest(profile);
  struct pawl_finding *findings = pawl_alloc(pawl_rule_count, sizeof *findings);
  const bool any = kernel && pawl_findings(kernel, findings) > 0;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (any) summary_add_finding(&text, findings);
  *limit = any ? pawl_arena_copy(arena, pawl_text_string(&text)) : NULL;
  *remedy = any ? findings->remedy : NULL;
  pawl_free(findings);
}

static void add_times(struct pawl_text *out, double before, double after) {
  char from[PAWL_QUANTITY], to[PAWL_QUANTITY];
  pawl_text_printf(out, "%s -> %s", pawl_quantity_text(before, PAWL_UNIT_SECONDS, from),
                   pawl_quantity_text(after, PAWL_UNIT_SECONDS, to));
  if (before > 0) pawl_text_printf(out, " (%+.1f %%)", (after / before - 1) * 100);
}

static void add_change(struct pawl_text *out, const struct pawl_kernel_change *row, size_t i,
                       bool shares) {
  const double total = row->candidate_seconds - row->base_seconds,
               share = row->changes[i].seconds / total;
  pawl_text_add(out, row->changes[i].text);
  if (shares && share > 0.005)
    pawl_text_printf(out, ": up to %.0f %% of the change", fmin(share, 1) * 100);
  pawl_text_add(out, "\n");
}

/* Writes a line for each of the largest findings and times, from number `from` on. Then it writes
   all facts in one line. */
static void add_changes(struct pawl_text *out, const struct pawl_kernel_change *row, size_t from,
                        bool shares) {
  size_t shown = 0, left = 0;
  bool first = true;
  for (size_t i = from; i < row->count && row->changes[i].kind != PAWL_CHANGE_FACT; i++) {
    if (shown == MOST_CHANGES) {
      left++;
      continue;
    }
    pawl_text_add(out, "  ");
    add_change(out, row, i, shares);
    shown++;
  }
  if (left) pawl_text_printf(out, "  and %zu smaller change%s\n", left, left == 1 ? "" : "s");
  for (size_t i = 0; i < row->count; i++) {
    if (row->changes[i].kind != PAWL_CHANGE_FACT) continue;
    pawl_text_printf(out, "%s%s", first ? "  also " : "; ", row->changes[i].text);
    first = false;
  }
  if (!first) pawl_text_add(out, "\n");
}

/* Returns the first change of the most changed kernel, unless it goes the other way. */
static bool has_headline(const struct pawl_profile_change *change) {
  const struct pawl_kernel_change *row = change->count ? &change->kernels[0] : NULL;
  if (!row || !row->count || row->changes[0].kind == PAWL_CHANGE_FACT) return false;
  return row->changes[0].seconds / (row->candidate_seconds - row->base_seconds) > 0;
}

/* Writes its name and times, unless the lines above have them. */
static void add_kernel_times(struct pawl_text *out, const struct pawl_kernel_change *row) {
  summary_add_name(out, (row->candidate ? row->candidate : row->base)->name);
  pawl_text_add(out, ": ");
  if (!row->base || !row->candidate)
    pawl_text_add(out, row->base ? "only in the base, " : "only in the candidate, ");
  add_times(out, row->base_seconds, row->candidate_seconds);
  pawl_text_add(out, "\n");
}

static void add_kernel_change(struct pawl_text *out, const struct pawl_kernel_change *row,
                              size_t from, bool shares) {
  add_changes(out, row, from, shares);
  if (row->base && row->candidate && row->count == 0)
    pawl_text_add(out, "  no counter changed by more than its noise\n");
}

/* The paired change comes first, because the verdict rests on it. A profile is one call of each
 * version and may show another change. */
static void add_totals(struct pawl_text *out, const struct pawl_profile_change *change,
                       bool reproduced) {
  const double paired = change->paired.estimate * 100;
  if (!isnan(paired))
    pawl_text_printf(out, "%+.*f %% in pairs%s", fabs(paired) < 99.95 ? 1 : 0, paired,
                     reproduced ? "; in the profile " : ", but the profile shows another change: ");
  add_times(out, change->base_seconds, change->candidate_seconds);
}

void pawl_profile_change_summary(const struct pawl_profile_change *change, struct pawl_text *out) {
  const bool reproduced = pawl_profile_reproduces(change);
  const bool alone = change->count == 1 && change->kernels[0].base && change->kernels[0].candidate;
  const double ratio = change->candidate_seconds / change->base_seconds;
  const bool noise = fabs(ratio - 1) < PAWL_PROFILE_NOISE,
             headline = !noise && has_headline(change);
  add_totals(out, change, reproduced);
  if (noise)
    pawl_text_printf(out,
                     ": less than %.0f %% apart: one launch of each cannot tell that from noise\n",
                     PAWL_PROFILE_NOISE * 100);
  else if (headline) {
    pawl_text_add(out, ": ");
    add_change(out, &change->kernels[0], 0, reproduced);
  } else
    pawl_text_add(out, "\n");
  for (size_t i = 0; i < change->count; i++) {
    if (!alone) add_kernel_times(out, &change->kernels[i]);
    add_kernel_change(out, &change->kernels[i], i == 0 && headline ? 1 : 0, reproduced);
  }
}
