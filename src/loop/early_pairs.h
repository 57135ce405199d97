/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of the first blocks start, and their inputs are drawn, while their kernel is
   checked. docs/adr/started-ahead.md argues it. */
#ifndef PAWL_LOOP_EARLY_PAIRS_H
#define PAWL_LOOP_EARLY_PAIRS_H

#include "loop/arm_pairs.h"
#include "pairs/waiting.h"

struct pawl_early_pairs {
  const struct pawl_run_context *run;
  const struct pawl_arm_pair *pair; /* that will be measured first; NULL: none starts early */
  struct pawl_problem problem;      /* of its blocks, while pairs wait */
  struct pawl_waiting_pairs waiting;
};

/* Starts them, once, if the kernel is that of the pair, and does not wait for them. Their blocks
   say what is wrong. Lays the problem out, so no other may be that is released before
   pawl_early_pairs_end. */
void pawl_early_pairs_launch(struct pawl_early_pairs *early,
                             const struct pawl_ready_kernel *kernel);
/* Ends those that are left, and none start any more; NULL is fine. False: there were none. */
bool pawl_early_pairs_end(struct pawl_early_pairs *early);

#endif
