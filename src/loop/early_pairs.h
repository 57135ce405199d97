/* SPDX-License-Identifier: Apache-2.0 */
/* While pawl checks the first kernel, the processes of its first blocks start, and pawl draws their
   inputs, also those of the calls on new inputs. docs/adr/started-ahead.md argues it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "loop/arm_pairs.h"
#include "pairs/waiting.h"

struct pawl_early_pairs {
  const struct pawl_run_context *run;
  const struct pawl_arm_pair *pair; /* the first pair to measure; NULL: none starts early */
  struct pawl_problem problem;      /* the blocks' problem, while pairs wait */
  struct pawl_waiting_pairs waiting;
  pthread_t draws; /* draws the new inputs of the first block's calls */
  bool drawing;
  int drawn;
  _Atomic bool timing; /* the draws end */
};

/* Draws the inputs of the blocks and gets their expected values, if the kernel is the pair's. Else
   the next function does that, while the processes start. It opens the problem too. */
void pawl_early_pairs_fill(struct pawl_early_pairs *early, const struct pawl_ready_kernel *kernel);
/* Starts the processes once, if the kernel is the pair's, and returns at once. Their blocks report
   failures. It opens the problem: release no other problem before pawl_early_pairs_end. */
void pawl_early_pairs_launch(struct pawl_early_pairs *early,
                             const struct pawl_ready_kernel *kernel);
/* Ends the draws, because a timed call follows. */
void pawl_early_pairs_settle(struct pawl_early_pairs *early);
/* Ends the remaining pairs and starts no more. Returns false if there was none. NULL is fine. */
bool pawl_early_pairs_end(struct pawl_early_pairs *early);
