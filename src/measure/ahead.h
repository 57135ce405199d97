/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that start before their blocks: several at once, while nothing is timed. Then they
   wait. A start on a GPU takes much longer than what a block measures. docs/adr/started-ahead.md
   argues it. */
#ifndef PAWL_MEASURE_AHEAD_H
#define PAWL_MEASURE_AHEAD_H

#include <stdbool.h>

#include "measure/starting.h"

/* How many processes of so many bytes each have room in half of the device's memory, from 1 to
 * `most`. */
int pawl_ahead_room(const struct pawl_device *device, uint64_t bytes, int most);
/* How many processes may be there at once, each with so many bytes of the device's memory; 1: none
   may wait. A CPU's processes start in milliseconds, so none of them waits. */
int pawl_ahead_limit(const struct pawl_device *device, uint64_t bytes);
/* The device's memory that one process takes for this problem. */
uint64_t pawl_ahead_bytes(const struct pawl_device *device, const struct pawl_problem *problem);

/* Starts the processes that are missing and does not wait for them: measure/starting.h or
   pawl_ahead_start must follow. With `rest` they do nothing before that. By this thread alone: a
   worker ends when the thread that started it ends. */
void pawl_ahead_launch(const struct pawl_problem *problem,
                       const struct pawl_worker_options *const *arms, int arm_count,
                       const struct pawl_starting_block *blocks, size_t count, bool rest);
/* Starts them and has all of them ready, side by side. Returns when nothing starts any more. */
void pawl_ahead_start(struct pawl_problem *problem, const struct pawl_worker_options *const *arms,
                      int arm_count, int threads, const struct pawl_starting_block *blocks,
                      size_t count);

#endif
