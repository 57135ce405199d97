/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels whose machine code differs from that of their base. */
#pragma once

#include "loop/arm_pairs.h"
#include "project/build_diff.h"
#include "project/build_thread.h"

/* The builds of one kernel. */
struct pawl_code_change {
  struct pawl_project *tree; /* the base's; NULL: pawl looks for no source lines */
  const struct pawl_ready_kernel *base, *candidate;
  struct pawl_build_diff diff;
  struct pawl_build_thread builds[2]; /* builds of base and candidate, with source lines */
};

struct pawl_code_changes {
  struct pawl_report_code *items;
  struct pawl_code_change **changes; /* the builds behind each item */
  size_t count;
};

/* Adds a kernel if its code differs. The listings may be NULL. `lines`: it gets source lines later,
 * and their builds begin to run beside other work. Both kernels must live until
 * pawl_code_changes_finish. */
void pawl_code_changes_add(const struct pawl_run_context *run, const struct pawl_ready_kernel *base,
                           const struct pawl_ready_kernel *candidate, const char *anchor,
                           const struct pawl_listings *listings, bool lines,
                           struct pawl_code_changes *out);

/* Finds how the code of a pair differs, with its source lines. NULL: it does not. */
const struct pawl_build_diff *pawl_code_changes_find(const struct pawl_run_context *run,
                                                     struct pawl_code_changes *changes,
                                                     const struct pawl_arm_pair *pair);

/* Adds the source lines of all changes, and waits for their builds. */
void pawl_code_changes_finish(const struct pawl_run_context *run,
                              struct pawl_code_changes *changes);
