/* SPDX-License-Identifier: Apache-2.0 */
/* Starts processes before their blocks, several at once, which then wait. pawl times nothing
 * meanwhile. On a GPU a start takes much longer than a block's samples:
 * docs/adr/started-ahead.md. */
#pragma once

#include <stdbool.h>

#include "measure/starting.h"

/* Returns how many processes of `bytes` each fit into half of the device's memory, from 1 to
 * `most`. */
int pawl_ahead_room(const struct pawl_device *device, uint64_t bytes, int most);
/* Returns how many processes may exist at once, each with `bytes` of the device's memory. With 1
 * none may wait. A CPU's processes start in milliseconds, so none of them waits. */
int pawl_ahead_limit(const struct pawl_device *device, uint64_t bytes);
/* Returns the bytes of the device's memory that one process takes for this problem. */
uint64_t pawl_ahead_bytes(const struct pawl_device *device, const struct pawl_problem *problem);

/* Starts the missing processes and does not wait for them. An arm that is NULL has none. A call of
 * pawl_starting_add() or pawl_ahead_start() must follow. With `rest` they do nothing before that.
 * Call it from the thread that outlives the processes: a worker ends when the thread that started
 * it ends. */
void pawl_ahead_launch(const struct pawl_problem *problem,
                       const struct pawl_worker_options *const *arms, int arm_count,
                       const struct pawl_starting_block *blocks, size_t count, bool rest);
/* Starts the processes and begins to make all of them ready, side by side. The caller ends it with
 * pawl_starting_end() or pawl_starting_stop(); the problem must stay until then. */
struct pawl_starting *pawl_ahead_begin(struct pawl_problem *problem,
                                       const struct pawl_worker_options *const *arms, int arm_count,
                                       int threads, const struct pawl_starting_block *blocks,
                                       size_t count);
/* Does the same, and waits until all are ready. */
void pawl_ahead_start(struct pawl_problem *problem, const struct pawl_worker_options *const *arms,
                      int arm_count, int threads, const struct pawl_starting_block *blocks,
                      size_t count);
