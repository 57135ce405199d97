/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ahead.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "measure/flush.h"

#define MEMORY_SHARE 0.5                  /* of the device's memory, for all that wait */
#define CONTEXT_BYTES ((uint64_t)1 << 30) /* of the device's memory, for a context with its libraries */
#define FEWEST 4                          /* where there are fewer CPUs */
#define MOST 16

uint64_t pawl_ahead_bytes(const struct pawl_device *device, const struct pawl_problem *problem) {
  return problem->end - problem->first + pawl_measure_flush_bytes(device) + CONTEXT_BYTES;
}

int pawl_ahead_limit(const struct pawl_device *device, uint64_t bytes) {
  if (!device || device->kind != PAWL_CUDA || device->memory_bytes <= 0) return 1;
  const char *forbidden = getenv("PAWL_AHEAD"); /* to compare with */
  if (forbidden && !strcmp(forbidden, "0")) return 1;
  const double room = MEMORY_SHARE * (double)device->memory_bytes / (double)bytes;
  int limit = pawl_cpu_count();
  if (limit < FEWEST) limit = FEWEST;
  if (limit > MOST) limit = MOST;
  if (room < limit) limit = (int)room;
  return limit > 1 ? limit : 1;
}

struct ahead_run {
  struct pawl_problem *problem;
  int arm_count, threads;
  int place; /* of the arms that get ready now: those that are first in their block, or second */
  const struct pawl_ahead_block *blocks;
  const _Atomic bool *stop; /* NULL: never */
};

static bool is_stopped(const struct ahead_run *run) {
  return run->stop && atomic_load(run->stop);
}

static void leave_out(struct pawl_block_processes *processes, int arm) {
  pawl_worker_free(processes->workers[arm]);
  processes->workers[arm] = NULL;
  processes->prepared[arm] = NULL;
}

static void greet(void *context, int64_t i) {
  const struct ahead_run *run = context;
  const int arm = (int)(i % run->arm_count);
  struct pawl_block_processes *processes = run->blocks[i / run->arm_count].processes;
  struct pawl_error ignored;
  if (!processes->workers[arm] || !processes->owes_hello[arm] || is_stopped(run)) return;
  processes->owes_hello[arm] = false;
  if (pawl_worker_greet(processes->workers[arm], &ignored) != PAWL_OK) leave_out(processes, arm);
}

static void prepare(void *context, int64_t i) {
  const struct ahead_run *run = context;
  const struct pawl_ahead_block *block = &run->blocks[i];
  struct pawl_block_processes *processes = block->processes;
  const int arm = (block->first_arm + run->place) % run->arm_count;
  const struct pawl_shape shape = pawl_case_shape(&run->problem->config);
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char *reason = NULL;
  struct pawl_error ignored;
  if (!processes->workers[arm] || processes->prepared[arm] == run->problem || is_stopped(run)) return;
  const enum pawl_status_code status =
      pawl_worker_prepare(processes->workers[arm], &shape, run->problem->sets, run->problem->set_count, run->threads,
                          block->seed, &arena, &reason, &processes->workspace_bytes[arm], &ignored);
  if (status != PAWL_OK || reason)
    leave_out(processes, arm);
  else
    processes->prepared[arm] = run->problem;
  pawl_worker_rest(processes->workers[arm]);
}

/* By this thread alone: a worker ends when the thread that started it ends. */
void pawl_ahead_launch(const struct pawl_problem *problem, const struct pawl_worker_options *const *arms, int arm_count,
                       const struct pawl_ahead_block *blocks, size_t count) {
  for (size_t i = 0; i < count * (size_t)arm_count; i++) {
    const struct pawl_ahead_block *block = &blocks[i / (size_t)arm_count];
    struct pawl_block_processes *processes = block->processes;
    const int arm = (block->first_arm + (int)(i % (size_t)arm_count)) % arm_count;
    struct pawl_worker_options options = *(block->arms ? block->arms : arms)[arm];
    struct pawl_error ignored;
    if (processes->workers[arm]) continue;
    options.tensors = &problem->oracle->tensors;
    processes->owes_hello[arm] = pawl_worker_launch(&processes->workers[arm], &options, &ignored) == PAWL_OK;
  }
}

void pawl_ahead_finish(struct pawl_problem *problem, int arm_count, int threads, const struct pawl_ahead_block *blocks,
                       size_t count, const _Atomic bool *stop) {
  const int64_t processes = (int64_t)count * arm_count;
  struct ahead_run run = {problem, arm_count, threads, 0, blocks, stop};
  pawl_parallel_for((int)processes, processes, greet, &run);
  for (; run.place < arm_count; run.place++) pawl_parallel_for((int)count, (int64_t)count, prepare, &run);
}

void pawl_ahead_start(struct pawl_problem *problem, const struct pawl_worker_options *const *arms, int arm_count,
                      int threads, const struct pawl_ahead_block *blocks, size_t count) {
  const int64_t begin = pawl_clock_ns();
  pawl_ahead_launch(problem, arms, arm_count, blocks, count);
  pawl_ahead_finish(problem, arm_count, threads, blocks, count, NULL);
  problem->oracle->spent.start += pawl_seconds_since(begin);
}
