/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/block_run.h"

#include <string.h>

#include "base/clock.h"
#include "measure/starting.h"
#include "oracle/renew.h"
#include "process/jobs.h"

void pawl_block_give_up(struct pawl_block_run *run, struct pawl_arm_run *arm,
                        enum pawl_outcome outcome, const char *reason) {
  arm->out->outcome = outcome;
  arm->out->reason = pawl_arena_copy(run->arena, reason);
  pawl_worker_free(arm->worker);
  arm->worker = NULL;
  if (run->plan->processes) run->plan->processes->prepared[arm - run->arms] = NULL;
}

pawl_status pawl_block_settle(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              enum pawl_status_code status, struct pawl_error *err) {
  if (status != PAWL_FAILED) return status;
  const enum pawl_worker_cause cause =
      arm->worker ? pawl_worker_cause(arm->worker) : PAWL_CAUSE_NONE;
  pawl_block_give_up(run, arm,
                     cause == PAWL_CAUSE_TIMEOUT    ? PAWL_OUTCOME_HUNG
                     : cause == PAWL_CAUSE_NO_TIMES ? PAWL_OUTCOME_NO_TIMES
                                                    : PAWL_OUTCOME_CRASHED,
                     err->message);
  return PAWL_OK;
}

struct pawl_time_request pawl_block_time_request(const struct pawl_block_run *run,
                                                 const struct pawl_arm_run *arm, int samples,
                                                 int warmup, int first_set) {
  return (struct pawl_time_request){.warmup = warmup,
                                    .samples = samples,
                                    .first_set = first_set,
                                    .keep = true,
                                    .cache = run->plan->cache,
                                    .flush_bytes = run->plan->flush_bytes,
                                    .delay_ns = run->plan->delay_ns[arm - run->arms]};
}

/* Earlier timed calls may have left other inputs in the sets. */
static pawl_status put_usual_inputs(const struct pawl_block_run *run,
                                    const struct pawl_time_request *request,
                                    struct pawl_error *err) {
  const int sets = run->problem->set_count, calls = request->warmup + request->samples;
  const bool all = run->plan->cache == PAWL_CACHE_WARM || request->unseen || calls > sets;
  for (int i = 0; i < (all ? sets : calls) && !request->any_inputs; i++)
    PAWL_TRY(pawl_problem_put_usual(run->problem, (request->first_set + i) % sets, err));
  return PAWL_OK;
}

pawl_status pawl_block_take_time(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 const struct pawl_time_request *request,
                                 struct pawl_time_reply *reply, struct pawl_error *err) {
  const int64_t before = pawl_clock_ns();
  for (int i = 0; i < run->count; i++)
    if (&run->arms[i] != arm) pawl_worker_rest(run->arms[i].worker);
  run->stop_seconds += pawl_seconds_since(before);
  PAWL_TRY(put_usual_inputs(run, request, err));
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status =
      pawl_worker_time(arm->worker, request, run->arena, reply, err);
  const double seconds = pawl_seconds_since(begin),
               calls = reply->wall_seconds - reply->hash_seconds;
  if (status == PAWL_OK && reply->left_out)
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "it skips work in repeated calls: it does not write its outputs again after "
                       "pawl overwrote them between two calls");
  if (!run->spent || status != PAWL_OK) return status;
  run->spent->calls += calls;
  run->spent->hashing += seconds - calls;
  return status;
}

/* Stops everything else that runs beside the block. */
static void pause_others(struct pawl_block_run *run) {
  const int64_t begin = pawl_clock_ns();
  pawl_starting_pause(run->plan->starting);
  if (!pawl_jobs_pause(run->plan->jobs)) run->disturbed = true;
  run->stop_seconds += pawl_seconds_since(begin);
}

static void resume_others(struct pawl_block_run *run) {
  pawl_jobs_resume(run->plan->jobs);
  if (!pawl_starting_resume(run->plan->starting)) run->disturbed = true;
}

void pawl_block_begin_timing(struct pawl_block_run *run) {
  const int64_t begin = pawl_clock_ns();
  if (run->plan->shutdown) pawl_shutdown_await(run->plan->shutdown);
  run->stop_seconds += pawl_seconds_since(begin);
  pause_others(run);
  run->timing = true;
}

void pawl_block_end_timing(struct pawl_block_run *run) {
  run->timing = false;
  if (run->plan->shutdown) pawl_shutdown_ask(run->plan->shutdown);
  resume_others(run);
}

void pawl_block_begin_gap(struct pawl_block_run *run) {
  if (run->timing) resume_others(run);
}

void pawl_block_end_gap(struct pawl_block_run *run) {
  if (run->timing) pause_others(run);
}

void pawl_block_keep_samples(struct pawl_arm_run *arm, const struct pawl_time_reply *reply) {
  struct pawl_arm_block *out = arm->out;
  memcpy(out->seconds + out->count, reply->seconds, reply->count * sizeof *reply->seconds);
  out->count += reply->count;
  out->waited += reply->waited;
  out->repeated += reply->repeated;
  if (reply->memory_bytes > out->memory_bytes) out->memory_bytes = reply->memory_bytes;
  if (!arm->worker) return;
  out->isolation = pawl_worker_isolation(arm->worker);
  out->bounds = pawl_worker_bounds(arm->worker);
}

pawl_status pawl_block_restore_inouts(struct pawl_block_run *run, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  for (int set = 0; set < problem->set_count; set++) {
    if (problem->inouts[set]) PAWL_TRY(pawl_problem_reset(problem, set, err));
  }
  return PAWL_OK;
}
