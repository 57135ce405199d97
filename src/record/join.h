/* SPDX-License-Identifier: Apache-2.0 */
/* The verdicts of a run that several machines shared, joined to the verdict that a single machine
 * gives. */
#ifndef PAWL_RECORD_JOIN_H
#define PAWL_RECORD_JOIN_H

#include "record/stored_run.h"

struct pawl_joined_run {
  struct pawl_run_report
      report; /* its results are to be filled in: the measurements of all parts */
  struct pawl_ratchet_report ratchet;
};

/* Rows, builds, checks, moves and notes of all parts; time and cost add up. What two parts did to
   one kernel (its build, its check) stands once, the failure before the success. Borrows from the
   parts and the arena. PAWL_BAD_DATA: parts of different commits or hardware, a part that is
   missing or there twice, a kernel and case in two of them. `names` are the parts' for messages. */
pawl_status pawl_stored_run_join(const struct pawl_stored_run *parts, const char *const *names,
                                 size_t count, struct pawl_arena *arena,
                                 struct pawl_joined_run *out, struct pawl_error *err);

#endif
