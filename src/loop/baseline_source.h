/* SPDX-License-Identifier: Apache-2.0 */
/* Which baseline file judges, and how it is locked. */
#ifndef PAWL_LOOP_BASELINE_SOURCE_H
#define PAWL_LOOP_BASELINE_SOURCE_H

#include "gate/acceptance.h"
#include "loop/run_context.h"

#define PAWL_BASELINE_LOCK_SECONDS 30.0

/* The lock of a baseline file: in the .pawl folder next to the file's folder where there is one,
 * else beside it. */
const char *pawl_baseline_lock_path(const char *baseline, struct pawl_arena *arena);

struct pawl_judging_baseline {
  const char *path;
  struct pawl_baseline baseline;
  struct pawl_acceptances acceptances; /* of this change, where the policy allows them */
  bool uncommitted;                    /* the working tree has a baseline, its commit has none */
};

/* Reads the baseline that judges: the merge base's, or the working tree's when it is the same or is
 * to be updated. */
pawl_status pawl_baseline_judging(const struct pawl_run_context *run,
                                  struct pawl_judging_baseline *out, struct pawl_error *err);

#endif
