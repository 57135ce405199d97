/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a change against its merge base as well as its anchor. Otherwise a loss passes unseen
   while main is faster than its recorded baseline. docs/adr/merge-base-too.md argues it. */
#pragma once

#include "loop/arm_pairs.h"
#include "pairs/tests.h"

enum pawl_parent {
  PAWL_PARENT_NONE = 0,  /* there is no merge base, or it does not build */
  PAWL_PARENT_ANCHOR,    /* the merge base is the anchor or has its machine code */
  PAWL_PARENT_UNCHANGED, /* the candidate has the merge base's machine code */
  PAWL_PARENT_OTHER      /* pawl measures against the merge base */
};

struct pawl_parents {
  enum pawl_parent *of; /* one for each pair, in their order */
  /* the candidates of PAWL_PARENT_OTHER against the merge base, in the same order */
  struct pawl_arm_pairs other;
};

pawl_status pawl_parents_find(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, struct pawl_parents *out,
                              struct pawl_error *err);

/* Tells each regression where it comes from. A regression against the merge base replaces a test
 * against the anchor that shows none, with a notice. `against_parents` has the tests of
 * parents->other. */
void pawl_parents_judge(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                        const struct pawl_parents *parents,
                        const struct pawl_paired_tests *against_parents,
                        struct pawl_paired_tests *tests);
