/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/recompute.h"

#include <math.h>

#include "base/text.h"
#include "build/git.h"
#include "forge/claims.h"
#include "gate/verdict.h"
#include "model/gate_rules.h"
#include "project/project.h"

/* The rows that a run claims, and the rows that it owes. */
struct recomputing {
  const struct pawl_stored_run *run;
  const struct pawl_forge_expected *expected;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

static enum pawl_status_code recompute_refuse(const struct recomputing *job,
                                              const struct pawl_comparison *row, const char *why) {
  return pawl_forge_refuse_row(row, why, job->err);
}

static const struct pawl_ratchet_row *recompute_find_row(const struct pawl_ratchet_report *report,
                                                         const char *kernel_name,
                                                         const char *case_name) {
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_comparison *item = &report->rows[i].comparison;
    if (pawl_text_equal(item->kernel_name, kernel_name) &&
        pawl_text_equal(item->config.name, case_name))
      return &report->rows[i];
  }
  return NULL;
}

/* --- rules --- */

/* Returns the number of measured rows. At least these share the false alarms. */
static int fewest_comparisons(const struct pawl_ratchet_report *report) {
  int count = 0;
  for (size_t i = 0; i < report->count; i++)
    count += report->rows[i].paired && !report->rows[i].paired->identical;
  return count;
}

static pawl_status recompute_check_policy(const struct recomputing *job,
                                          const struct pawl_ratchet_row *row, int comparisons) {
  const struct pawl_sequential_policy *policy = &row->paired->policy;
  const struct pawl_gate_spec gate = pawl_gate_of_row(
      &job->expected->suite.gate, row->comparison.kernel_name, row->comparison.config.name);
  const struct pawl_sequential_policy base = pawl_gate_policy(&gate, policy->comparisons);
  if (!pawl_sequential_same_rules(policy, &base))
    return recompute_refuse(job, &row->comparison,
                            "was judged by other rules than those of the base");
  if (!row->paired->identical && policy->comparisons < comparisons)
    return recompute_refuse(job, &row->comparison,
                            "was judged as one of fewer comparisons than the run has");
  return PAWL_OK;
}

/* --- rows --- */

/* Returns the measurements without those of references, which get no verdict. */
static struct pawl_results measured_kernels(const struct recomputing *job) {
  struct pawl_results kernels = job->run->measured;
  kernels.hardware = job->run->results.hardware;
  kernels.items = pawl_arena_alloc(job->arena, kernels.count + 1, sizeof *kernels.items);
  kernels.count = 0;
  for (size_t i = 0; i < job->run->measured.count; i++) {
    const struct pawl_result *item = &job->run->measured.items[i];
    if (recompute_find_row(&job->run->ratchet, item->kernel_name, item->config.name))
      kernels.items[kernels.count++] = *item;
  }
  return kernels;
}

/* Moves `baseline` as the run may move it. */
static pawl_status judge_anew(const struct recomputing *job, struct pawl_baseline *baseline,
                              struct pawl_ratchet_report *out) {
  const struct pawl_ratchet_report *claimed = &job->run->ratchet;
  struct pawl_paired_test *tests = pawl_arena_alloc(job->arena, claimed->count + 1, sizeof *tests);
  const int comparisons = fewest_comparisons(claimed);
  size_t count = 0;
  for (size_t i = 0; i < claimed->count; i++) {
    if (!claimed->rows[i].paired) continue;
    PAWL_TRY(recompute_check_policy(job, &claimed->rows[i], comparisons));
    tests[count] = *claimed->rows[i].paired;
    tests[count].kernel_name = claimed->rows[i].comparison.kernel_name;
    tests[count].config = &claimed->rows[i].comparison.config;
    tests[count++].case_name = claimed->rows[i].comparison.config.name;
  }
  const struct pawl_results kernels = measured_kernels(job);
  const struct pawl_ratchet_options options = {.gate = job->expected->suite.gate,
                                               .paired = tests,
                                               .paired_count = count,
                                               .acceptances = job->expected->acceptances,
                                               .follows_shapes = true,
                                               .update = true};
  return pawl_ratchet(baseline, &kernels, &options, job->arena, out, job->err);
}

/* The entries of a kernel and case name the commits that may be a change's anchor. A squash may
 * remove the commit of an accepted loss. Then a commit of the base replaces it. */
static bool is_commit_of_entry(const struct recomputing *job, const struct pawl_comparison *item,
                               const char *anchor) {
  const struct pawl_baseline *baseline = &job->expected->baseline;
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_text_equal(entry->kernel_name, item->kernel_name) ||
        !pawl_text_equal(entry->case_name, item->config.name))
      continue;
    if (pawl_text_equal(entry->git_commit, anchor)) return true;
    if (entry->reason && job->expected->root && job->expected->base && pawl_git_is_commit(anchor) &&
        pawl_git_is_ancestor(job->expected->root, anchor, job->expected->base))
      return true;
  }
  return false;
}

static pawl_status check_anchor(const struct recomputing *job, const struct pawl_ratchet_row *row) {
  const char *anchor = row->paired ? row->paired->anchor : NULL;
  if (!row->paired) return PAWL_OK;
  if (!anchor)
    return recompute_refuse(job, &row->comparison,
                            "does not say which commit it is measured against");
  if (pawl_text_equal(anchor, job->expected->commit))
    return recompute_refuse(job, &row->comparison, "was measured against itself");
  if (!job->expected->is_pull_request || pawl_text_equal(anchor, job->expected->base) ||
      is_commit_of_entry(job, &row->comparison, anchor))
    return PAWL_OK;
  return recompute_refuse(job, &row->comparison,
                          pawl_arena_printf(job->arena,
                                            "was measured against '%.40s', which is neither the "
                                            "merge base nor the commit of its baseline",
                                            anchor));
}

static bool is_measured(const struct recomputing *job, const struct pawl_comparison *item) {
  for (size_t i = 0; i < job->run->measured.count; i++) {
    const struct pawl_result *result = &job->run->measured.items[i];
    if (pawl_text_equal(result->kernel_name, item->kernel_name) &&
        pawl_text_equal(result->config.name, item->config.name))
      return true;
  }
  return false;
}

static bool is_other_time(double claimed, double ms) {
  return isfinite(claimed) && !(fabs(claimed - ms) <= 1e-6 * ms);
}

/* Compares the times of a row. In a paired row they come from its blocks. */
static pawl_status compare_times(const struct recomputing *job, const struct pawl_ratchet_row *row,
                                 const struct pawl_ratchet_row *anew) {
  const struct pawl_comparison *item = &row->comparison, *other = &anew->comparison;
  if (row->paired || (!is_other_time(item->current_ms, other->current_ms) &&
                      !is_other_time(item->baseline_ms, other->baseline_ms)))
    return PAWL_OK;
  return recompute_refuse(
      job, item,
      pawl_arena_printf(job->arena,
                        "has the times %.6g ms and %.6g ms, but its samples and its baseline give "
                        "%.6g ms and %.6g ms",
                        item->baseline_ms, item->current_ms, other->baseline_ms,
                        other->current_ms));
}

/* Returns whether a machine without a GPU judged the row, by its machine code or by the baseline.
   Such a row has no times, so only a row of the same machine code may pass. */
static bool is_judged_without_gpu(const struct pawl_ratchet_row *row,
                                  const struct pawl_ratchet_row *anew) {
  const bool left = !anew || anew->comparison.verdict == PAWL_VERDICT_UNSUPPORTED;
  switch (row->comparison.verdict) {
    case PAWL_VERDICT_MISSING:
    case PAWL_VERDICT_WORSE_CODE: return left;
    case PAWL_VERDICT_NEEDS_GPU:
      return !anew || anew->comparison.verdict != PAWL_VERDICT_REGRESSION;
    case PAWL_VERDICT_MAINTAINED: return anew && left && row->paired && row->paired->identical;
    default: return false;
  }
}

/* Compares a row, because a regression cannot hide in a row that claims to decide nothing. */
static pawl_status compare_row(const struct recomputing *job, const struct pawl_ratchet_row *row,
                               const struct pawl_ratchet_report *anew) {
  const struct pawl_comparison *item = &row->comparison;
  const struct pawl_ratchet_row *other =
      recompute_find_row(anew, item->kernel_name, item->config.name);
  PAWL_TRY(check_anchor(job, row));
  if (is_judged_without_gpu(row, other)) return PAWL_OK;
  if (!row->paired && !is_measured(job, item) &&
      (!other || item->verdict == PAWL_VERDICT_INCONCLUSIVE))
    return recompute_refuse(job, item, "has neither blocks nor samples");
  if (item->verdict == PAWL_VERDICT_INCONCLUSIVE &&
      (!other || other->comparison.verdict != PAWL_VERDICT_REGRESSION))
    return other ? compare_times(job, row, other) : PAWL_OK;
  if (!other) return recompute_refuse(job, item, "has neither blocks nor samples");
  if (item->verdict == other->comparison.verdict) return compare_times(job, row, other);
  return recompute_refuse(
      job, item,
      pawl_arena_printf(job->arena, "has the verdict '%s', but its times give '%s'",
                        pawl_verdict_name(item->verdict),
                        pawl_verdict_name(other->comparison.verdict)));
}

static pawl_status compare_rows(const struct recomputing *job) {
  const struct pawl_ratchet_report *claimed = &job->run->ratchet;
  struct pawl_ratchet_report anew = {0};
  struct pawl_baseline baseline = job->expected->baseline;
  PAWL_TRY(judge_anew(job, &baseline, &anew));
  for (size_t i = 0; i < claimed->count; i++) PAWL_TRY(compare_row(job, &claimed->rows[i], &anew));
  for (size_t i = 0; i < anew.count; i++) {
    const struct pawl_comparison *item = &anew.rows[i].comparison;
    if (!recompute_find_row(claimed, item->kernel_name, item->config.name))
      return recompute_refuse(job, item, "is in the baseline, but has no row");
  }
  return PAWL_OK;
}

/* --- the suite --- */

static pawl_status need_row(const struct recomputing *job, const struct pawl_kernel_spec *spec,
                            const struct pawl_case *config) {
  const struct pawl_comparison row = {.kernel_name = spec->name, .config = *config};
  if (recompute_find_row(&job->run->ratchet, spec->name, config->name)) return PAWL_OK;
  return recompute_refuse(job, &row, "is in the suite, but has no row");
}

/* Needs any row of a harness. Only the run knows its benchmarks beside the baseline's. */
static pawl_status need_benchmark(const struct recomputing *job,
                                  const struct pawl_kernel_spec *spec,
                                  const struct pawl_case *of_commands) {
  const struct pawl_ratchet_report *claimed = &job->run->ratchet;
  for (size_t i = 0; i < claimed->count; i++)
    if (pawl_text_equal(claimed->rows[i].comparison.kernel_name, spec->name)) return PAWL_OK;
  return need_row(job, spec, of_commands);
}

static pawl_status check_suite(const struct recomputing *job) {
  const struct pawl_suite *suite = &job->expected->suite;
  const struct pawl_case of_commands = pawl_command_case(suite);
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    if (spec->reference || spec->optional) continue;
    if (pawl_kernel_is_harness(spec))
      PAWL_TRY(need_benchmark(job, spec, &of_commands));
    else if (!spec->operator_name)
      PAWL_TRY(need_row(job, spec, &of_commands));
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++)
      if (pawl_text_equal(suite->cases[j].operator_name, spec->operator_name))
        PAWL_TRY(need_row(job, spec, &suite->cases[j]));
  }
  return PAWL_OK;
}

pawl_status pawl_forge_recompute(const struct pawl_stored_run *run,
                                 const struct pawl_forge_expected *expected,
                                 struct pawl_arena *arena, struct pawl_error *err) {
  const struct recomputing job = {run, expected, arena, err};
  PAWL_TRY(pawl_forge_claims_check(run, expected, arena, err));
  PAWL_TRY(compare_rows(&job));
  return pawl_conclusion_fails(run->conclusion) ? PAWL_OK : check_suite(&job);
}

pawl_status pawl_forge_ratchet_anew(const struct pawl_stored_run *run,
                                    const struct pawl_forge_expected *expected,
                                    struct pawl_arena *arena, struct pawl_baseline *moved,
                                    struct pawl_ratchet_report *out, struct pawl_error *err) {
  const struct recomputing job = {run, expected, arena, err};
  *moved = expected->baseline;
  return judge_anew(&job, moved, out);
}
