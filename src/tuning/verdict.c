/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/verdict.h"

#include <math.h>

#include "base/clock.h"
#include "pairs/bench.h"

#define OTHERS_SEED 3000000u /* gives other blocks than those of the tuned cases */
#define OVERRUN 1.0          /* a share of the budget; a verdict may exceed the budget by it */

double pawl_tuning_judging_seconds(const struct pawl_tuning *tuning) {
  /* block_seconds covers one block of each case */
  const double cases = (double)tuning->config_count;
  const double others = ((double)tuning->case_count - cases) * PAWL_TUNE_OTHER_BLOCKS / cases;
  return PAWL_TUNE_CHECK_SECONDS + (PAWL_TUNE_JUDGING_BLOCKS + others) * tuning->block_seconds;
}

bool pawl_tuning_may_judge(const struct pawl_tuning *tuning) {
  const double left = pawl_tuning_left(tuning);
  return left > 0 &&
         pawl_tuning_judging_seconds(tuning) < left + OVERRUN * tuning->options->budget_seconds;
}

/* The end of the budget, or the time for `blocks` blocks if that is later: a verdict that has
   come this far must not fail for a few seconds. */
static int64_t deadline(const struct pawl_tuning *tuning, int blocks) {
  return pawl_clock_ns() +
         (int64_t)(fmax(pawl_tuning_left(tuning), blocks * tuning->block_seconds) * 1e9);
}

static struct pawl_paired_bench_request request_of(const struct pawl_tuning *tuning,
                                                   const struct pawl_ready_kernel *kernel,
                                                   const struct pawl_case *config,
                                                   size_t comparisons) {
  return (struct pawl_paired_bench_request){
      .base = &tuning->base,
      .candidate = kernel,
      .oracle = tuning->oracle,
      .config = config,
      .anchor = tuning->project->git.commit,
      .anchor_kind = PAWL_ANCHOR_PARAMETERS,
      .identical = pawl_same_machine_code(&tuning->base, kernel),
      .stop = tuning->options->stop,
      .comparisons = (int)comparisons,
      .seed = tuning->options->seed,
      .input_seed = tuning->options->seed};
}

static pawl_status verdict_read_outcome(const struct pawl_tuning *tuning,
                                        const struct pawl_paired_bench_outcome *outcome,
                                        struct pawl_tune_verdict *out, struct pawl_error *err) {
  out->outcome = outcome->candidate;
  out->reason = outcome->reason ? outcome->reason : out->paired.reason;
  if (outcome->base != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails with its current parameters: %s",
                     tuning->spec->name, outcome->reason);
  pawl_tune_verdict_read(out, tuning->config_count, &tuning->project->arena);
  return PAWL_OK;
}

pawl_status pawl_tuning_judge_kernel(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel, const bool *wanted,
                                     size_t comparisons, struct pawl_tune_verdict *out,
                                     struct pawl_error *err) {
  struct pawl_paired_bench_request requests[PAWL_TUNE_MOST_CASES] = {0};
  struct pawl_paired_bench_outcome outcomes[PAWL_TUNE_MOST_CASES];
  struct pawl_paired_test tests[PAWL_TUNE_MOST_CASES];
  size_t place[PAWL_TUNE_MOST_CASES], count = 0;
  for (size_t i = 0; i < tuning->config_count; i++) {
    if (wanted && !wanted[i]) continue;
    requests[count] = request_of(tuning, kernel, tuning->configs[i], comparisons);
    requests[count].confirm = true;
    requests[count].deadline_ns = deadline(tuning, PAWL_TUNE_JUDGING_BLOCKS);
    place[count++] = i;
  }
  PAWL_TRY(pawl_paired_bench(tuning->project, requests, count, tests, outcomes, err));
  for (size_t i = 0; i < count; i++) {
    out[place[i]].paired = tests[i];
    PAWL_TRY(verdict_read_outcome(tuning, &outcomes[i], &out[place[i]], err));
  }
  return PAWL_OK;
}

static pawl_status judge_other(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                               const struct pawl_case *config, struct pawl_tune_other *out,
                               struct pawl_error *err) {
  struct pawl_paired_bench_request request = request_of(tuning, kernel, config, tuning->case_count);
  struct pawl_paired_test paired;
  struct pawl_paired_bench_outcome outcome;
  request.seed += OTHERS_SEED;
  request.deadline_ns = deadline(tuning, PAWL_TUNE_OTHER_BLOCKS);
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &paired, &outcome, err));
  *out = (struct pawl_tune_other){.case_name = config->name,
                                  .outcome = outcome.candidate,
                                  .reason = outcome.reason ? outcome.reason : paired.reason,
                                  .decision = paired.decision,
                                  .slowdown = paired.slowdown.estimate,
                                  .low = paired.slowdown.low,
                                  .high = paired.slowdown.high,
                                  .blocks = paired.counted};
  /* the candidate is not worse than the current code */
  const bool cannot_either = outcome.base == PAWL_OUTCOME_UNSUPPORTED;
  const bool faster_or_same = paired.decision == PAWL_DECISION_IMPROVEMENT ||
                              paired.decision == PAWL_DECISION_MAINTAINED ||
                              (paired.decision == PAWL_DECISION_INCONCLUSIVE &&
                               paired.slowdown.estimate < paired.policy.detect);
  out->harmed = !cannot_either && (outcome.candidate != PAWL_OUTCOME_OK || !faster_or_same);
  return PAWL_OK;
}

pawl_status pawl_tuning_judge_others(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel,
                                     struct pawl_tune_finalist *finalist, struct pawl_error *err) {
  finalist->others =
      pawl_arena_alloc(&tuning->project->arena, tuning->case_count, sizeof *finalist->others);
  for (size_t i = 0; i < tuning->case_count && !pawl_tuning_is_stopped(tuning); i++) {
    if (!pawl_tuning_is_for(tuning, tuning->cases[i].name))
      PAWL_TRY(judge_other(tuning, kernel, &tuning->cases[i],
                           &finalist->others[finalist->other_count++], err));
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_check_finalist(struct pawl_tuning *tuning,
                                       const struct pawl_ready_kernel *kernel, double fair_seconds,
                                       enum pawl_outcome *outcome, const char **reason,
                                       struct pawl_error *err) {
  struct pawl_ready_kernel bounded = *kernel;
  const double fair = fmax(10 * tuning->block_seconds, fair_seconds);
  bounded.worker.start_seconds = fmin(bounded.worker.timeout_seconds, PAWL_TUNE_START_SECONDS);
  bounded.worker.timeout_seconds = fmin(bounded.worker.timeout_seconds, fair);
  return pawl_tuning_check(tuning, &bounded, outcome, reason, err);
}
