/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the verdicts of a run that several machines shared into the verdict that a single machine
 * gives. */
#pragma once

#include "record/stored_run.h"

struct pawl_joined_run {
  /* The caller fills in the results: the measurements of all parts. */
  struct pawl_run_report report;
  struct pawl_ratchet_report ratchet;
};

/* Joins rows, builds, checks, moves and notes, and adds up time and cost. If two parts built or
 * checked a kernel, it stands once, a failure before a success. Borrows from the parts and the
 * arena. PAWL_BAD_DATA: parts of different commits or hardware, a part that is missing or occurs
 * twice, a kernel and case in two of them. `names` are the parts' names in messages. */
pawl_status pawl_stored_run_join(const struct pawl_stored_run *parts, const char *const *names,
                                 size_t count, struct pawl_arena *arena,
                                 struct pawl_joined_run *out, struct pawl_error *err);
