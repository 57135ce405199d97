/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/paired_test.h"

#include <math.h>

#include "gate/two_sample.h"
#include "stats/describe.h"
#include "stats/process_interval.h"

static const char *const anchor_kinds[] = {
    [PAWL_ANCHOR_UNKNOWN] = "unknown",
    [PAWL_ANCHOR_BASELINE] = "the baseline's commit",
    [PAWL_ANCHOR_MERGE_BASE] = "the merge base",
    [PAWL_ANCHOR_REVISION] = "the revision asked for",
    [PAWL_ANCHOR_PARAMETERS] = "the current parameters",
};

const char *pawl_anchor_kind_name(enum pawl_anchor_kind kind) {
  return kind == PAWL_ANCHOR_UNKNOWN ? NULL : anchor_kinds[kind];
}

const char *pawl_origin_name(enum pawl_origin origin) {
  static const char *const names[] = {"unknown", "caused here", "inherited"};
  return names[origin];
}

struct pawl_sequential_policy pawl_gate_policy(const struct pawl_gate_spec *gate, int comparisons) {
  return (struct pawl_sequential_policy){.rule = PAWL_SEQUENTIAL_RULE,
                                         .tolerate = gate->tolerate,
                                         .detect = gate->detect,
                                         .false_alarm = gate->false_alarm,
                                         .miss = gate->miss,
                                         .max_blocks = gate->max_blocks,
                                         .comparisons = comparisons,
                                         .discovery = gate->control == PAWL_CONTROL_FDR};
}

void pawl_paired_test_init(struct pawl_paired_test *paired) {
  *paired = (struct pawl_paired_test){.policy = pawl_sequential_default_policy(),
                                      .decision = PAWL_DECISION_CONTINUE,
                                      .slowdown = {NAN, NAN, NAN},
                                      .p = NAN,
                                      .e_value = NAN,
                                      .block_sd = NAN,
                                      .detectable = NAN,
                                      .confirmed_slowdown = NAN,
                                      .confirmed_ms = NAN};
}

enum pawl_arm_order pawl_paired_next_order(const struct pawl_paired_block *blocks, size_t count,
                                           enum pawl_arm_order coin) {
  size_t counted = 0;
  enum pawl_arm_order last = PAWL_ORDER_UNKNOWN;
  for (size_t i = 0; i < count; i++) {
    if (!blocks[i].spoiled) last = blocks[i].order, counted++;
  }
  if (counted % 2 == 0) return coin;
  return last == PAWL_ORDER_BASE_FIRST ? PAWL_ORDER_CANDIDATE_FIRST : PAWL_ORDER_BASE_FIRST;
}

/* Computes the result of the confirmation's blocks alone. */
static pawl_status judge_confirmation(struct pawl_paired_test *paired, struct pawl_error *err) {
  paired->confirmed_slowdown = paired->confirmed_ms = NAN;
  if (!paired->confirmation_count) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer)
  double *ratios = pawl_alloc(paired->confirmation_count, sizeof *ratios);
  PAWL_CLEANUP(pawl_free_pointer)
  double *times = pawl_alloc(paired->confirmation_count, sizeof *times);
  size_t counted = 0;
  for (size_t i = 0; i < paired->confirmation_count; i++) {
    const struct pawl_paired_block *block = &paired->confirmation[i];
    if (block->spoiled) continue;
    ratios[counted] = block->candidate_ms / block->base_ms;
    times[counted++] = block->candidate_ms;
  }
  if (!counted || counted < paired->counted) return PAWL_OK;
  struct pawl_summary ratio, candidate;
  /* The stored time must not contradict its samples. */
  const bool samples = paired->confirmed_sample_count > 0;
  PAWL_TRY(pawl_summarize(ratios, counted, &ratio, err));
  PAWL_TRY(pawl_summarize(samples ? paired->confirmed_samples_ms : times,
                          samples ? paired->confirmed_sample_count : counted, &candidate, err));
  paired->confirmed_slowdown = ratio.median - 1;
  paired->confirmed_ms = candidate.median;
  return PAWL_OK;
}

/* Returns the reason. By rule 1, a busy machine is the reason only if it spoiled most blocks. By
   rule 2, it ends the measurement. */
static const char *inconclusive_reason(const struct pawl_paired_test *paired,
                                       const struct pawl_sequential *test, size_t spoiled) {
  if (paired->policy.rule == 1)
    return spoiled > paired->counted ? "too many blocks were disturbed: the machine was too busy"
                                     : pawl_doubt_text(PAWL_DOUBT_NOISE);
  struct pawl_slowdown slowdown;
  pawl_sequential_estimate(test, &slowdown);
  /* the change is near 0, not near a threshold */
  if (test->doubt == PAWL_DOUBT_NOISE && fabs(slowdown.estimate) < paired->policy.tolerate)
    return "the noise is too large for this number of blocks";
  if (test->doubt != PAWL_DOUBT_NONE) return pawl_doubt_text(test->doubt);
  return "more blocks were spoiled than a quarter of max_blocks: the machine was too busy";
}

/* Computes the figures of the blocks, without the answer. */
static void paired_test_describe(struct pawl_paired_test *paired,
                                 const struct pawl_sequential *test) {
  pawl_sequential_estimate(test, &paired->slowdown);
  paired->p = pawl_sequential_p(test);
  if (paired->policy.discovery) paired->e_value = pawl_sequential_e_value(test);
  if (paired->policy.rule == 1) return;
  const bool answered = paired->decision != PAWL_DECISION_CONTINUE;
  paired->equivalent = paired->decision == PAWL_DECISION_MAINTAINED && test->fast_excluded;
  paired->block_sd = pawl_sequential_block_sd(test);
  paired->detectable = answered
                           ? pawl_sequential_detectable(test, paired->block_sd, PAWL_PAIRED_POWER)
                           : (double)NAN;
}

pawl_status pawl_paired_test_judge(struct pawl_paired_test *paired, struct pawl_error *err) {
  if (paired->identical) {
    paired->decision = PAWL_DECISION_MAINTAINED;
    paired->equivalent = paired->policy.rule > 1;
    paired->slowdown = (struct pawl_slowdown){0, 0, 0};
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_sequential_release) struct pawl_sequential test = {0};
  PAWL_TRY(pawl_sequential_init(&test, &paired->policy, err));
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  size_t counted = 0, spoiled = 0;
  for (size_t i = 0; i < paired->block_count && decision == PAWL_DECISION_CONTINUE; i++) {
    const struct pawl_paired_block *block = &paired->blocks[i];
    if (!block->spoiled) {
      PAWL_TRY(
          pawl_sequential_add(&test, log(block->candidate_ms / block->base_ms), &decision, err));
      counted++;
    } else if (++spoiled > pawl_paired_spoiled_limit(&paired->policy) && paired->policy.rule > 1) {
      decision = PAWL_DECISION_INCONCLUSIVE;
    }
  }
  paired->decision = decision;
  paired->fewest_more = pawl_sequential_fewest_more(&test);
  paired->counted = counted;
  paired->drifts = test.drifts;
  paired->reason =
      decision == PAWL_DECISION_INCONCLUSIVE ? inconclusive_reason(paired, &test, spoiled) : NULL;
  paired_test_describe(paired, &test);
  return judge_confirmation(paired, err);
}

static enum pawl_verdict paired_test_verdict(enum pawl_decision decision) {
  switch (decision) {
    case PAWL_DECISION_REGRESSION: return PAWL_VERDICT_REGRESSION;
    case PAWL_DECISION_IMPROVEMENT: return PAWL_VERDICT_IMPROVEMENT;
    case PAWL_DECISION_MAINTAINED: return PAWL_VERDICT_MAINTAINED;
    case PAWL_DECISION_CONTINUE:
    case PAWL_DECISION_INCONCLUSIVE: break;
  }
  return PAWL_VERDICT_INCONCLUSIVE;
}

/* Returns the times of one arm in the blocks that count, to be freed. */
static double *counted_times(const struct pawl_paired_test *paired, bool candidate, size_t *count) {
  double *times = pawl_alloc(paired->block_count + 1, sizeof *times);
  *count = 0;
  for (size_t i = 0; i < paired->block_count; i++) {
    const struct pawl_paired_block *block = &paired->blocks[i];
    if (!block->spoiled) times[(*count)++] = candidate ? block->candidate_ms : block->base_ms;
  }
  return times;
}

/* Returns the median time of one arm over the blocks that count, or NaN without any. */
static double paired_test_median(const struct pawl_paired_test *paired, bool candidate) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer) double *times = counted_times(paired, candidate, &count);
  struct pawl_summary summary;
  return pawl_summarize(times, count, &summary, NULL) == PAWL_OK ? summary.median : (double)NAN;
}

void pawl_paired_test_figures(const struct pawl_paired_test *paired, struct pawl_comparison *out) {
  if (isnan(paired->slowdown.estimate) || paired->identical) return;
  out->baseline_ms = paired_test_median(paired, false);
  out->current_ms = paired_test_median(paired, true);
  out->delta_pct = -100 * paired->slowdown.estimate;
  out->speedup = 1 / (1 + paired->slowdown.estimate);
}

const char *pawl_paired_test_beside_bench(const struct pawl_paired_test *paired, double bench_ms,
                                          double paired_cpus, double bench_cpus,
                                          struct pawl_arena *arena) {
  const double paired_ms = paired->identical ? (double)NAN : paired_test_median(paired, true);
  if (isnan(paired_ms) || isnan(bench_ms)) return NULL;
  if (fmax(paired_ms, bench_ms) <= (1 + PAWL_PAIRED_BESIDE_BENCH) * fmin(paired_ms, bench_ms))
    return NULL;
  const char *cpus = "";
  if (isfinite(paired_cpus) && isfinite(bench_cpus))
    cpus = pawl_arena_printf(arena, ", on %.1f and %.1f CPUs", paired_cpus, bench_cpus);
  return pawl_arena_printf(
      arena,
      "a call took %.4g ms in the paired blocks and %.4g ms alone (%+.0f %%)%s: the change in the "
      "blocks may differ from that of the kernel alone",
      paired_ms, bench_ms, (paired_ms / bench_ms - 1) * 100, cpus);
}

const char *pawl_paired_test_beside_entry(const struct pawl_paired_test *paired,
                                          const struct pawl_baseline_entry *entry,
                                          struct pawl_arena *arena) {
  double low, high;
  size_t count;
  if (paired->anchor_kind != PAWL_ANCHOR_BASELINE || paired->identical) return NULL;
  PAWL_CLEANUP(pawl_free_pointer) double *times = counted_times(paired, false, &count);
  pawl_process_interval(times, count, &low, &high);
  const double now = paired_test_median(paired, false), then = entry->median_ms;
  if (!(low > entry->process_ci_95_high || high < entry->process_ci_95_low)) return NULL;
  if (!(fmax(now, then) > (1 + PAWL_PAIRED_BESIDE_BENCH) * fmin(now, then))) return NULL;
  return pawl_arena_printf(
      arena,
      "the base %.12s, built and timed again, took %.4g ms [%.4g, %.4g] and not the %.4g ms "
      "[%.4g, %.4g] of the baseline (%+.0f %%): the machine or its state has changed; the verdict "
      "compares times of this run alone",
      paired->anchor, now, low, high, then, entry->process_ci_95_low, entry->process_ci_95_high,
      (now / then - 1) * 100);
}

pawl_status pawl_paired_test_compare(const struct pawl_paired_test *paired,
                                     struct pawl_arena *arena, struct pawl_comparison *out,
                                     struct pawl_error *err) {
  if (paired->base_sample_count && paired->candidate_sample_count) {
    const struct pawl_sample_side base = {.median_ms = NAN,
                                          .fastest_least = NAN,
                                          .fastest_greatest = NAN,
                                          .mean_ms = NAN,
                                          .ci_low = NAN,
                                          .ci_high = NAN,
                                          .samples_ms = paired->base_samples_ms,
                                          .sample_count = paired->base_sample_count};
    struct pawl_sample_side candidate = base;
    candidate.samples_ms = paired->candidate_samples_ms;
    candidate.sample_count = paired->candidate_sample_count;
    PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
    PAWL_TRY(pawl_two_sample_compare(&plans, &base, &candidate, arena, out, err));
  }
  pawl_paired_test_figures(paired, out);
  out->verdict = paired_test_verdict(paired->decision);
  out->reason =
      paired->identical && !paired->reason ? "the machine code is the same" : paired->reason;
  return PAWL_OK;
}
