/* SPDX-License-Identifier: Apache-2.0 */
/* Finds losses that a change accepts itself: entries that `baseline accept` wrote, in the commits
 * of the change. */
#pragma once

#include "gate/baseline.h"
#include "model/suite.h"

struct pawl_comparison;

struct pawl_acceptance {
  const char *kernel_name, *case_name, *hardware, *reason;
  const char *author, *commit;  /* the author and the commit of the acceptance; NULL: unknown */
  double accepted_ms, judge_ms; /* the times of the accepted and of the judging entry; NaN: none */
  const char *code_hash;        /* the accepted machine code; NULL: unknown */
};

struct pawl_acceptances {
  struct pawl_acceptance *items;
  size_t count;
  /* the judge's cases that the change removes from its own suite; a kernel may refuse them */
  const struct pawl_case **removed;
  size_t removed_count;
};

/* Finds the entries of `ours` that differ from the judge's and whose last move is a new acceptance
   with the same reason. An entry that somebody edited by hand has no such move. */
void pawl_acceptances_find(const struct pawl_baseline *ours, const struct pawl_baseline *judge,
                           struct pawl_arena *arena, struct pawl_acceptances *out);

/* Finds the cases of the judge's suite that the change's own suite lacks, or has with another
 * shape. */
void pawl_acceptances_find_removed(const struct pawl_suite *judge, const struct pawl_suite *change,
                                   struct pawl_arena *arena, struct pawl_acceptances *out);

/* Returns whether the acceptance is for this machine code, or the change (`item`) is at most
 * `slack` (a fraction) beyond the accepted loss. An acceptance does not cover a change that grows
 * after it. */
bool pawl_acceptance_covers(const struct pawl_acceptance *acceptance,
                            const struct pawl_comparison *item, const char *code_hash,
                            double slack);
