/* SPDX-License-Identifier: Apache-2.0 */
/* Losses that a change accepts itself: entries that `baseline accept` wrote and that are committed
 * with the change. */
#ifndef PAWL_GATE_ACCEPTANCE_H
#define PAWL_GATE_ACCEPTANCE_H

#include "gate/baseline.h"

struct pawl_comparison;

struct pawl_acceptance {
  const char *kernel_name, *case_name, *hardware, *reason;
  const char *author, *commit;  /* who committed it, and where; NULL: unknown */
  double accepted_ms, judge_ms; /* of the entry, and of the entry that judges; NaN: there is none */
  const char *code_hash;        /* of the code that was accepted; NULL: unknown */
};

struct pawl_acceptances {
  struct pawl_acceptance *items;
  size_t count;
};

/* What `ours` accepts beyond `judge`: entries that differ from the judge's, whose last move is a
   new acceptance with the same reason. An entry that somebody edited by hand has no such move. */
void pawl_acceptances_find(const struct pawl_baseline *ours, const struct pawl_baseline *judge,
                           struct pawl_arena *arena, struct pawl_acceptances *out);

/* Whether it is for this machine code, or the change (`item`) is at most `slack` (a fraction)
   beyond the accepted loss: a change that goes on after the acceptance does not accept more. */
bool pawl_acceptance_covers(const struct pawl_acceptance *acceptance,
                            const struct pawl_comparison *item, const char *code_hash,
                            double slack);

#endif
