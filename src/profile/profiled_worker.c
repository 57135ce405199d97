/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profiled_worker.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/file.h"
#include "oracle/expected.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int64_t calls_begin; /* for the thread that has the turn */

static pawl_status prepare(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                           struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_problem *problem = call->problem;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  const char *reason = NULL;
  uint64_t workspace;
  const int changed = pawl_problem_changed_input(problem, 0);
  if (changed >= 0)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the other version changed its input '%s', which both would read",
                     problem->sets[0].tensors[changed].spec.name);
  PAWL_TRY(pawl_problem_reset(problem, 0, err));
  PAWL_TRY(pawl_worker_prepare(worker, &shape, problem->sets, problem->set_count, call->threads,
                               arena, &reason, &workspace, err));
  if (!reason) return PAWL_OK;
  return pawl_fail(err, PAWL_UNDECIDED, "kernel '%s' does not do this case: %s", call->worker->name,
                   reason);
}

pawl_status pawl_profiled_worker_start(const struct pawl_profiled_call *call,
                                       struct pawl_worker_options options, struct pawl_arena *arena,
                                       struct pawl_worker **out, struct pawl_error *err) {
  struct pawl_worker *worker = NULL;
  int64_t from = pawl_clock_ns();
  options.tensors = &call->problem->oracle->tensors;
  PAWL_TRY(pawl_worker_start(&worker, &options, err));
  call->seconds->start = pawl_seconds_lap(&from);
  pthread_mutex_lock(&turn);
  call->seconds->turn = pawl_seconds_lap(&from);
  const enum pawl_status_code status = prepare(call, worker, arena, err);
  call->seconds->prepare = pawl_seconds_lap(&from);
  calls_begin = from;
  if (status == PAWL_OK)
    *out = worker;
  else
    pawl_profiled_worker_end(call, worker, false);
  return status;
}

void pawl_profiled_worker_end(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                              bool holds) {
  int64_t from = calls_begin;
  call->seconds->calls = pawl_seconds_lap(&from);
  if (!holds) pthread_mutex_unlock(&turn);
  pawl_worker_free(worker);
  call->seconds->end = pawl_seconds_lap(&from);
  if (holds) pthread_mutex_unlock(&turn);
}

static pawl_status read_samples(const json_t *counters, struct pawl_arena *arena,
                                struct pawl_code_samples *out, struct pawl_error *err) {
  const char *reason = json_string_value(json_object_get(counters, "reason"));
  if (reason) return pawl_fail(err, PAWL_UNAVAILABLE, "%s", reason);
  return pawl_code_samples_read(json_object_get(counters, "samples"), arena, out, err);
}

void pawl_profiled_worker_sample(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                                 struct pawl_arena *arena, struct pawl_profile *out) {
  PAWL_CLEANUP(pawl_json_release) json_t *counters = NULL;
  const char *path = pawl_arena_printf(arena, "%s.samples.json", call->path);
  struct pawl_error why = {0};
  if (pawl_remove_tree(path, &why) != PAWL_OK ||
      pawl_worker_run_counted(worker, 0, json_string("samples"), !call->warm, &counters, &why) !=
          PAWL_OK ||
      read_samples(counters, arena, &out->samples, &why) != PAWL_OK ||
      pawl_json_write(path, counters, false, &why) != PAWL_OK)
    out->no_samples = pawl_arena_copy(arena, why.message);
}
