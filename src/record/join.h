/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the parts of a run on several machines to one verdict, as a single machine gives it. */
#pragma once

#include "record/stored_run.h"

struct pawl_joined_run {
  /* the caller fills in the results: the measurements of all parts */
  struct pawl_run_report report;
  struct pawl_ratchet_report ratchet;
};

/* Joins rows, builds, checks, moves and notes, and adds up time and cost. If two parts built or
 * checked a kernel, the failure stays. The result borrows from the parts and the arena. Fails with
 * PAWL_BAD_DATA if commits or hardware differ, if a part is missing or occurs twice, or if two
 * parts have a kernel and case in common. `names` are the parts' names in messages. */
pawl_status pawl_stored_run_join(const struct pawl_stored_run *parts, const char *const *names,
                                 size_t count, struct pawl_arena *arena,
                                 struct pawl_joined_run *out, struct pawl_error *err);
