/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/stray_writes.h"

#include "oracle/expected.h"

static pawl_status put_back(struct pawl_block_run *run, int set, struct pawl_error *err) {
  const struct pawl_draw_source source = run->problem->source[set];
  pawl_block_begin_gap(run);
  const enum pawl_status_code status =
      pawl_problem_fill(run->problem, set, source.distribution, source.seed, err);
  pawl_block_end_gap(run);
  return status;
}

/* If one of two arms fails because the other changed its memory, the failure does not count. */
static void excuse(struct pawl_block_run *run) {
  if (run->count != 2) return;
  run->arms[0].out->outcome = PAWL_OUTCOME_OK;
  run->arms[0].out->reason = NULL;
}

/* `arm` is the arm that made the change; NULL: unknown. */
static pawl_status look_at(struct pawl_block_run *run, struct pawl_arm_run *arm, int set,
                           struct pawl_error *err) {
  char reason[PAWL_ERRORS_REASON];
  if (pawl_problem_wrote_only_outputs(run->problem, set, reason, sizeof reason)) return PAWL_OK;
  run->stray_write = true;
  /* the cause of every other fault */
  if (arm && (arm->worker || arm->out->outcome == PAWL_OUTCOME_WRONG))
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, reason);
  excuse(run);
  return put_back(run, set, err);
}

pawl_status pawl_stray_writes_look(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int first_set, struct pawl_error *err) {
  const int sets = run->problem->set_count;
  for (int i = 0; i < sets && (i < samples || !arm->worker); i++)
    PAWL_TRY(look_at(run, arm, (first_set + i) % sets, err));
  return PAWL_OK;
}

/* An arm that takes no part has no device. */
static bool has_candidate_on_cpu(const struct pawl_block_run *run) {
  for (int i = 1; i < run->count; i++)
    if (run->arms[i].device == PAWL_CPU) return true;
  return false;
}

pawl_status pawl_stray_writes_end(struct pawl_block_run *run, struct pawl_error *err) {
  if (!run->plan->unproven || !has_candidate_on_cpu(run)) return PAWL_OK;
  for (int set = 0; set < run->problem->set_count; set++)
    PAWL_TRY(look_at(run, run->count == 2 ? &run->arms[1] : NULL, set, err));
  return PAWL_OK;
}
