/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare.h"

#include <math.h>
#include <string.h>

#include "gate/between_runs.h"
#include "gate/outcome_verdict.h"
#include "gate/row_match.h"
#include "gate/two_sample.h"

static const struct pawl_two_sample_limits compare_rule = {PAWL_COMPARE_REGRESSION_PCT,
                                                           PAWL_COMPARE_IMPROVEMENT_PCT};

static pawl_status judge_rows(struct pawl_bootstrap_plans *plans,
                              const struct pawl_result *baseline,
                              const struct pawl_result *candidate, bool same_code,
                              const struct pawl_compare_options *options, struct pawl_arena *arena,
                              struct pawl_comparison *item, struct pawl_error *err) {
  const struct pawl_sample_side b = pawl_result_sample_side(baseline),
                                c = pawl_result_sample_side(candidate);
  const char *kernel = item->kernel_name ? item->kernel_name : "?";
  const char *name = item->config.name ? item->config.name : "?";
  if (pawl_two_sample_compare(plans, &b, &c, arena, item, err) != PAWL_OK)
    return pawl_prefix(err, "cannot compare kernel '%s', case '%s'", kernel, name);
  if (options->threshold_mode) {
    item->verdict = pawl_threshold_verdict(item, options->threshold);
    return PAWL_OK;
  }
  if (same_code) {
    item->verdict = PAWL_VERDICT_NO_DIFFERENCE;
    item->reason = "the machine code is the same";
    return PAWL_OK;
  }
  if (!item->ci_known && (b.by_process || c.by_process)) {
    item->verdict = PAWL_VERDICT_INCONCLUSIVE;
    item->reason = PAWL_TOO_FEW_PROCESSES;
    return PAWL_OK;
  }
  if (!item->ci_known)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "cannot compare kernel '%s', case '%s': the %s has neither two samples nor a "
                     "median with its confidence interval; compare with --threshold",
                     kernel, name, isnan(item->baseline_ci_low) ? "baseline" : "candidate");
  item->verdict = pawl_two_sample_verdict(item, &compare_rule);
  if (isnan(item->cliffs_delta) && item->verdict == PAWL_VERDICT_MAINTAINED &&
      item->delta_pct > compare_rule.improvement_pct)
    item->reason = "without samples on both sides pawl cannot show an improvement";
  return PAWL_OK;
}

static bool equal(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Returns whether both ran the same machine code on the same hardware. Then the code is not the
   cause of any difference. */
static bool same_code(const struct pawl_results *baseline, const struct pawl_result *b,
                      const struct pawl_results *candidate, const struct pawl_result *c) {
  return equal(baseline->hardware, candidate->hardware) && equal(b->code.hash, c->code.hash);
}

static const char *pairing_note(const struct pawl_result *baseline,
                                const struct pawl_result *candidate, enum pawl_row_match_kind how,
                                struct pawl_arena *arena) {
  if (how == PAWL_MATCH_SHAPE && baseline->config.name && candidate->config.name)
    return pawl_arena_printf(arena, "the baseline has the same shape as case '%s'",
                             baseline->config.name);
  if (how == PAWL_MATCH_ONLY_ROW && baseline->kernel_name)
    return pawl_arena_printf(arena, "the comparison is with another kernel, '%s'",
                             baseline->kernel_name);
  return NULL;
}

static void join_reason(struct pawl_comparison *item, const char *note, struct pawl_arena *arena) {
  if (!note) return;
  item->reason = item->reason ? pawl_arena_printf(arena, "%s; %s", item->reason, note) : note;
}

static void name_item(struct pawl_comparison *item, const struct pawl_result *result,
                      const struct pawl_compare_options *options) {
  pawl_comparison_init(item);
  item->kernel_name = result->kernel_name;
  item->config = result->config;
  item->threshold_mode = options->threshold_mode;
  if (options->threshold_mode) item->threshold = options->threshold;
}

static struct pawl_row_set keys_of(const struct pawl_results *results, const char *what,
                                   struct pawl_arena *arena) {
  struct pawl_row_key *keys = pawl_arena_alloc(arena, results->count + 1, sizeof *keys);
  for (size_t i = 0; i < results->count; i++)
    keys[i] = (struct pawl_row_key){results->items[i].kernel_name, &results->items[i].config};
  return (struct pawl_row_set){keys, results->count, what, false};
}

static pawl_status compare_all(const struct pawl_results *baseline,
                               const struct pawl_results *candidate,
                               const struct pawl_compare_options *options,
                               struct pawl_bootstrap_plans *plans, struct pawl_arena *arena,
                               struct pawl_comparisons *out, struct pawl_error *err) {
  struct pawl_row_match pairs;
  const struct pawl_row_set left = keys_of(baseline, "the baseline", arena);
  const struct pawl_row_set right = keys_of(candidate, "the candidate", arena);
  PAWL_TRY(pawl_match_rows(&left, &right, false, arena, &pairs, err));
  struct pawl_comparison *items =
      pawl_arena_alloc(arena, left.count + right.count + 1, sizeof *items);
  size_t count = 0;
  for (size_t i = 0; i < right.count; i++) {
    const struct pawl_result *c = &candidate->items[i];
    const struct pawl_result *b =
        pairs.partner[i] == PAWL_NO_MATCH ? NULL : &baseline->items[pairs.partner[i]];
    struct pawl_comparison *item = &items[count++];
    name_item(item, c, options);
    if (!item->kernel_name && b) item->kernel_name = b->kernel_name;
    if (!pawl_outcome_verdict(b, c, arena, item))
      PAWL_TRY(
          judge_rows(plans, b, c, same_code(baseline, b, candidate, c), options, arena, item, err));
    if (b) join_reason(item, pairing_note(b, c, pairs.how[i], arena), arena);
  }
  for (size_t i = 0; i < left.count; i++) {
    if (pairs.left_taken[i]) continue;
    name_item(&items[count], &baseline->items[i], options);
    pawl_outcome_verdict(&baseline->items[i], NULL, arena, &items[count++]);
  }
  *out = (struct pawl_comparisons){items, count};
  return PAWL_OK;
}

pawl_status pawl_compare(const struct pawl_results *baseline, const struct pawl_results *candidate,
                         const struct pawl_compare_options *options, struct pawl_arena *arena,
                         struct pawl_comparisons *out, struct pawl_error *err) {
  if (options->threshold_mode && !isfinite(options->threshold))
    return pawl_fail(err, PAWL_USAGE, "cannot use threshold '%g': give a percentage such as -3.0",
                     options->threshold);
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  return compare_all(baseline, candidate, options, &plans, arena, out, err);
}
