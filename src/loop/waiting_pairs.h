/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of processes that are ready for a block and wait for their turn. */
#ifndef PAWL_LOOP_WAITING_PAIRS_H
#define PAWL_LOOP_WAITING_PAIRS_H

#include "gate/paired_test.h"
#include "measure/ahead.h"
#include "worker/leaving.h"

#define PAWL_WAITING_PAIRS 8 /* most */

struct pawl_waiting_pair {
  struct pawl_block_processes processes;
  enum pawl_place place;
  uint64_t seed;
  bool used;
};
struct pawl_getting_ready;
/* Zero but for `leaving`: none waits. It stays where it is while a thread has its pairs get ready. */
struct pawl_waiting_pairs {
  struct pawl_leaving *leaving; /* gets the processes that end */
  struct pawl_waiting_pair items[PAWL_WAITING_PAIRS];
  size_t count;
  bool ready;                               /* all of them */
  struct pawl_getting_ready *getting_ready; /* the thread; NULL: none */
};

/* Has the pairs that are there leave, used or not, and starts one for each of the places, without waiting for them.
   `seed` is the first block's, and the next has the next number. */
void pawl_waiting_pairs_launch(struct pawl_waiting_pairs *pairs, const struct pawl_problem *problem,
                               const struct pawl_worker_options *const arms[2], uint64_t seed,
                               const enum pawl_place *places, size_t count);
/* Waits until those before them have ended, and all of them are ready for the problem. */
void pawl_waiting_pairs_ready(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                              const struct pawl_worker_options *const arms[2], int threads);
/* Has them get ready in a thread, which pawl_waiting_pairs_ready and pawl_waiting_pairs_release await. The problem
   stays where it is meanwhile. */
void pawl_waiting_pairs_get_ready(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem, int threads);
/* A pair that nobody has used, for a block of this place; it is then used. NULL: there is none. */
struct pawl_block_processes *pawl_waiting_pairs_take(struct pawl_waiting_pairs *pairs, enum pawl_place place);
/* A pair that was taken has served its block: its processes leave in the part of the next block that is not timed. */
void pawl_waiting_pairs_leave(struct pawl_waiting_pairs *pairs, struct pawl_block_processes *processes);
bool pawl_waiting_pairs_have(const struct pawl_waiting_pairs *pairs, enum pawl_place place);
/* Has all of them leave. */
void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs);

#endif
