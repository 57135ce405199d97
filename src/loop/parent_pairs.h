/* SPDX-License-Identifier: Apache-2.0 */
/* The merge base beside the anchor: a change is judged against what it starts from as well, or a
   loss would pass unseen where main is faster than its recorded baseline.
   docs/adr/merge-base-too.md argues it. */
#ifndef PAWL_LOOP_PARENT_PAIRS_H
#define PAWL_LOOP_PARENT_PAIRS_H

#include "loop/arm_pairs.h"
#include "pairs/tests.h"

enum pawl_parent {
  PAWL_PARENT_NONE = 0,  /* there is no merge base, or it cannot be built */
  PAWL_PARENT_ANCHOR,    /* the anchor itself, or the same machine code */
  PAWL_PARENT_UNCHANGED, /* the candidate has the merge base's machine code */
  PAWL_PARENT_OTHER      /* to be measured against */
};

struct pawl_parents {
  enum pawl_parent *of; /* of each of the pairs, by their order */
  struct pawl_arm_pairs
      other; /* the candidates of PAWL_PARENT_OTHER against the merge base, in the same order */
};

pawl_status pawl_parents_find(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, struct pawl_parents *out,
                              struct pawl_error *err);

/* Says of each regression where it comes from. A test against the merge base that is a regression
   takes the place of one against the anchor that is none, with a notice. `against_parents` are the
   tests of parents->other. */
void pawl_parents_judge(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                        const struct pawl_parents *parents,
                        const struct pawl_paired_tests *against_parents,
                        struct pawl_paired_tests *tests);

#endif
