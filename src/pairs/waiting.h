/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of processes that start ahead of time and wait for their block. */
#pragma once

#include "gate/paired_test.h"
#include "measure/ahead.h"
#include "measure/starting.h"
#include "worker/shutdown.h"

#define PAWL_WAITING_PAIRS 8 /* at most */

struct pawl_waiting_pair {
  struct pawl_block_processes processes;
  struct pawl_starting_block block;
  struct pawl_problem *problem;
  enum pawl_arm_order order;
  bool begun; /* the pair gets ready */
  bool taken; /* a block uses the pair now */
};
/* A zeroed struct with a `shutdown` has no waiting pair. */
struct pawl_waiting_pairs {
  struct pawl_shutdown *shutdown; /* takes over the processes that end */
  struct pawl_waiting_pair *items[PAWL_WAITING_PAIRS];
  size_t count;
  struct pawl_starting *starting; /* prepares the pairs; NULL: no launch yet */
  bool taken_any;                 /* a block has taken a pair */
};

/* Starts a pair for each of the orders, after the present pairs, and returns at once. The problem
 * must not move until the release. */
void pawl_waiting_pairs_launch(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                               const struct pawl_worker_options *const arms[2], int threads,
                               const enum pawl_arm_order *orders, size_t count);
/* Counts the pairs for a block of this order that no block has taken. */
size_t pawl_waiting_pairs_of(const struct pawl_waiting_pairs *pairs, enum pawl_arm_order order);
/* Waits until a pair of this order is ready and takes it. Returns NULL if there is none. */
struct pawl_block_processes *pawl_waiting_pairs_take(struct pawl_waiting_pairs *pairs,
                                                     enum pawl_arm_order order);
/* Ends the processes of a pair after its block, in the untimed part of the next block. */
void pawl_waiting_pairs_leave(struct pawl_waiting_pairs *pairs,
                              struct pawl_block_processes *processes);
/* Ends all pairs, without waiting for a pair that is not ready. */
void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs);
