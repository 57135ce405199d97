/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profiled_worker.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/file.h"
#include "oracle/expected.h"

/* Any thread may end a turn. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t over;
  bool taken;
  int64_t calls_begin;
} turn = {.mutex = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void take_turn(void) {
  pthread_mutex_lock(&turn.mutex);
  while (turn.taken) pthread_cond_wait(&turn.over, &turn.mutex);
  turn.taken = true;
  pthread_mutex_unlock(&turn.mutex);
}

static void end_turn(void) {
  pthread_mutex_lock(&turn.mutex);
  turn.taken = false;
  pthread_cond_signal(&turn.over);
  pthread_mutex_unlock(&turn.mutex);
}

static pawl_status prepare(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                           struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_problem *problem = call->problem;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  const char *reason = NULL;
  uint64_t workspace;
  const int changed = pawl_problem_changed_input(problem, 0);
  if (changed >= 0)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "the other version changed its input '%s', which both would read",
                     problem->sets[0].tensors[changed].spec.name);
  PAWL_TRY(pawl_problem_reset(problem, 0, err));
  PAWL_TRY(pawl_worker_prepare(worker, &shape, problem->sets, problem->set_count, call->threads,
                               arena, &reason, &workspace, err));
  if (call->process) call->process->workspace_bytes = workspace;
  if (!reason) return PAWL_OK;
  return pawl_fail(err, PAWL_UNDECIDED, "kernel '%s' does not do this case: %s", call->worker->name,
                   reason);
}

/* The first call of a shared process starts it. */
static pawl_status open_worker(const struct pawl_profiled_call *call,
                               const struct pawl_worker_options *options, struct pawl_worker **out,
                               struct pawl_error *err) {
  struct pawl_profiled_process *process = call->process;
  if (!process || !process->worker) return pawl_worker_start(out, options, err);
  process->loaded = true;
  const enum pawl_status_code status = pawl_worker_load(process->worker, options, err);
  if (status == PAWL_OK)
    *out = process->worker;
  else
    pawl_profiled_process_end(process);
  return status;
}

/* The gate stays open. */
static void pass(sem_t *gate) {
  while (sem_wait(gate)) continue; /* a signal came */
  sem_post(gate);
}

pawl_status pawl_profiled_worker_start(const struct pawl_profiled_call *call,
                                       struct pawl_worker_options options, struct pawl_arena *arena,
                                       struct pawl_worker **out, struct pawl_error *err) {
  struct pawl_profiled_seconds *seconds = call->seconds;
  struct pawl_worker *worker = NULL;
  int64_t from = pawl_clock_ns();
  options.tensors = &call->problem->oracle->tensors;
  enum pawl_status_code status = open_worker(call, &options, &worker, err);
  seconds->start = pawl_seconds_lap(&from);
  if (status != PAWL_OK) return status;
  if (call->process && call->process->gate) pass(call->process->gate);
  if (!call->process || !call->process->has_turn) take_turn();
  if (call->process) {
    call->process->worker = worker;
    call->process->has_turn = true;
  }
  seconds->turn = pawl_seconds_lap(&from);
  status = prepare(call, worker, arena, err);
  seconds->prepare = pawl_seconds_lap(&from);
  turn.calls_begin = from;
  if (status == PAWL_OK)
    *out = worker;
  else
    pawl_profiled_worker_end(call, worker, false, false);
  return status;
}

void pawl_profiled_worker_end(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                              bool works, bool holds) {
  int64_t from = turn.calls_begin;
  call->seconds->calls = pawl_seconds_lap(&from);
  if (call->process) {
    if (!works) pawl_profiled_process_end(call->process);
  } else {
    if (!holds) end_turn();
    pawl_worker_free(worker);
    if (holds) end_turn();
  }
  call->seconds->end = pawl_seconds_lap(&from);
}

void pawl_profiled_process_rest(struct pawl_profiled_process *process) {
  if (process->has_turn) end_turn();
  process->has_turn = false;
}

void pawl_profiled_process_end(struct pawl_profiled_process *process) {
  pawl_worker_free(process->worker);
  process->worker = NULL;
  pawl_profiled_process_rest(process);
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
