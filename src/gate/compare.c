/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "gate/between_runs.h"
#include "gate/outcome_verdict.h"
#include "gate/row_match.h"
#include "gate/two_sample.h"

#define MOST_PARTS 8   /* each draws a plan of the bootstrap */
#define LEAST_ROWS 200 /* a part with fewer takes less time than a thread */

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

/* A row of the candidate that two samples judge. */
struct compare_row {
  const struct pawl_result *baseline, *candidate;
  bool same_code;
  struct pawl_comparison *item;
};

/* The rows of one thread. */
struct compare_part {
  const struct pawl_compare_options *options;
  const struct compare_row *rows;
  size_t count;
  enum pawl_status_code status;
  struct pawl_error err;
};

static void compare_part(void *context, int64_t number) {
  struct compare_part *part = (struct compare_part *)context + number;
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  for (size_t i = 0; i < part->count && part->status == PAWL_OK; i++) {
    const struct compare_row *row = &part->rows[i];
    part->status = judge_rows(&plans, row->baseline, row->candidate, row->same_code, part->options,
                              &arena, row->item, &part->err);
  }
}

/* Judges the rows on several CPUs. The error is that of the first row that has one. */
static pawl_status compare_rows(const struct compare_row *rows, size_t count,
                                const struct pawl_compare_options *options,
                                struct pawl_error *err) {
  struct compare_part parts[MOST_PARTS] = {0};
  const size_t cpus = (size_t)pawl_cpu_count(), most = cpus < MOST_PARTS ? cpus : MOST_PARTS;
  size_t used = count / LEAST_ROWS + 1;
  if (used > most) used = most;
  for (size_t i = 0; i < used; i++) {
    const size_t first = count * i / used, end = count * (i + 1) / used;
    parts[i] = (struct compare_part){options, rows + first, end - first, PAWL_OK, {0}};
  }
  pawl_parallel_for(0, (int64_t)used, compare_part, parts);
  for (size_t i = 0; i < used; i++) {
    if (parts[i].status == PAWL_OK) continue;
    if (err) *err = parts[i].err;
    return parts[i].status;
  }
  return PAWL_OK;
}

static pawl_status compare_all(const struct pawl_results *baseline,
                               const struct pawl_results *candidate,
                               const struct pawl_compare_options *options, struct pawl_arena *arena,
                               struct pawl_comparisons *out, struct pawl_error *err) {
  struct pawl_row_match pairs;
  const struct pawl_row_set left = keys_of(baseline, "the baseline", arena);
  const struct pawl_row_set right = keys_of(candidate, "the candidate", arena);
  PAWL_TRY(pawl_match_rows(&left, &right, false, arena, &pairs, err));
  struct pawl_comparison *items =
      pawl_arena_alloc(arena, left.count + right.count + 1, sizeof *items);
  struct compare_row *rows = pawl_arena_alloc(arena, right.count + 1, sizeof *rows);
  size_t count = 0, judged = 0;
  for (size_t i = 0; i < right.count; i++) {
    const struct pawl_result *c = &candidate->items[i];
    const struct pawl_result *b =
        pairs.partner[i] == PAWL_NO_MATCH ? NULL : &baseline->items[pairs.partner[i]];
    struct pawl_comparison *item = &items[count++];
    name_item(item, c, options);
    if (!item->kernel_name && b) item->kernel_name = b->kernel_name;
    if (!pawl_outcome_verdict(b, c, arena, item))
      rows[judged++] = (struct compare_row){b, c, same_code(baseline, b, candidate, c), item};
  }
  PAWL_TRY(compare_rows(rows, judged, options, err));
  for (size_t i = 0; i < right.count; i++) {
    if (pairs.partner[i] == PAWL_NO_MATCH) continue;
    const struct pawl_result *b = &baseline->items[pairs.partner[i]];
    join_reason(&items[i], pairing_note(b, &candidate->items[i], pairs.how[i], arena), arena);
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
  return compare_all(baseline, candidate, options, arena, out, err);
}
