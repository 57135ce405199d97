/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "measure/flush.h"

#define MEMORY_SHARE 0.5 /* the share of the device's memory for all processes */
/* The device's memory that a context with its libraries takes. */
#define CONTEXT_BYTES ((uint64_t)1 << 30)
#define FEWEST 4 /* the limit on a machine with fewer CPUs */
#define MOST 16

uint64_t pawl_ahead_bytes(const struct pawl_device *device, const struct pawl_problem *problem) {
  return problem->end - problem->first + pawl_measure_flush_bytes(device) + CONTEXT_BYTES;
}

int pawl_ahead_room(const struct pawl_device *device, uint64_t bytes, int most) {
  if (!device || device->memory_bytes <= 0 || !bytes) return most;
  const double room = MEMORY_SHARE * (double)device->memory_bytes / (double)bytes;
  return room >= most ? most : room < 1 ? 1 : (int)room;
}

int pawl_ahead_limit(const struct pawl_device *device, uint64_t bytes) {
  if (!device || device->kind != PAWL_CUDA || device->memory_bytes <= 0) return 1;
  const char *forbidden = getenv("PAWL_AHEAD"); /* for a comparison */
  if (forbidden && !strcmp(forbidden, "0")) return 1;
  int limit = pawl_cpu_count();
  if (limit < FEWEST) limit = FEWEST;
  if (limit > MOST) limit = MOST;
  return pawl_ahead_room(device, bytes, limit);
}

void pawl_ahead_launch(const struct pawl_problem *problem,
                       const struct pawl_worker_options *const *arms, int arm_count,
                       const struct pawl_starting_block *blocks, size_t count, bool rest) {
  for (size_t i = 0; i < count * (size_t)arm_count; i++) {
    const struct pawl_starting_block *block = &blocks[i / (size_t)arm_count];
    struct pawl_block_processes *processes = block->processes;
    const int arm = pawl_nth_start(block->start_order, block->first_arm, arm_count,
                                   (int)(i % (size_t)arm_count));
    const struct pawl_worker_options *wanted = (block->arms ? block->arms : arms)[arm];
    struct pawl_error ignored;
    if (!wanted || processes->workers[arm]) continue;
    struct pawl_worker_options options = *wanted;
    options.tensors = &problem->oracle->tensors;
    processes->owes_hello[arm] =
        pawl_worker_launch(&processes->workers[arm], &options, &ignored) == PAWL_OK;
    if (rest) pawl_worker_rest_soon(processes->workers[arm]);
  }
}

struct pawl_starting *pawl_ahead_begin(struct pawl_problem *problem,
                                       const struct pawl_worker_options *const *arms, int arm_count,
                                       int threads, const struct pawl_starting_block *blocks,
                                       size_t count) {
  const int side_by_side = count < PAWL_STARTING_MOST ? (int)count : PAWL_STARTING_MOST;
  pawl_ahead_launch(problem, arms, arm_count, blocks, count, false);
  struct pawl_starting *starting = pawl_starting_begin(side_by_side, arm_count, threads);
  for (size_t i = 0; i < count; i++) pawl_starting_add(starting, problem, &blocks[i]);
  return starting;
}

void pawl_ahead_start(struct pawl_problem *problem, const struct pawl_worker_options *const *arms,
                      int arm_count, int threads, const struct pawl_starting_block *blocks,
                      size_t count) {
  const int64_t begin = pawl_clock_ns();
  pawl_starting_end(pawl_ahead_begin(problem, arms, arm_count, threads, blocks, count));
  problem->oracle->spent.start += pawl_seconds_since(begin);
}
