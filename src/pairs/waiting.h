/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of processes that start ahead and wait for their block. */
#ifndef PAWL_PAIRS_WAITING_H
#define PAWL_PAIRS_WAITING_H

#include "gate/paired_test.h"
#include "measure/ahead.h"
#include "measure/starting.h"
#include "worker/shutdown.h"

#define PAWL_WAITING_PAIRS 8 /* most */

struct pawl_waiting_pair {
  struct pawl_block_processes processes;
  struct pawl_starting_block block;
  struct pawl_problem *problem;
  enum pawl_place place;
  bool begun; /* to get ready */
  bool taken; /* by a block, now */
};
/* Zero but for `shutdown`: none waits. */
struct pawl_waiting_pairs {
  struct pawl_shutdown *shutdown; /* gets the processes that end */
  struct pawl_waiting_pair *items[PAWL_WAITING_PAIRS];
  size_t count;
  struct pawl_starting *starting; /* has them get ready; NULL: none was launched */
  bool taken_any;                 /* a block has taken one */
};

/* Starts a pair for each of the places, behind those that are there, without waiting for them.
   `seed` is the first block's, and the next has the next number. The problem stays where it is
   until they are released. */
void pawl_waiting_pairs_launch(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                               const struct pawl_worker_options *const arms[2], int threads,
                               uint64_t seed, const enum pawl_place *places, size_t count);
/* How many pairs for a block of this place no block has taken. */
size_t pawl_waiting_pairs_of(const struct pawl_waiting_pairs *pairs, enum pawl_place place);
/* One of them, when it is ready. NULL: there is none. */
struct pawl_block_processes *pawl_waiting_pairs_take(struct pawl_waiting_pairs *pairs,
                                                     enum pawl_place place);
/* A pair that was taken has served its block: its processes leave in the part of the next block
 * that is not timed. */
void pawl_waiting_pairs_leave(struct pawl_waiting_pairs *pairs,
                              struct pawl_block_processes *processes);
/* Has all of them leave. Those that are not ready are not awaited. */
void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs);

#endif
