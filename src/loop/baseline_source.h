/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the baseline file that judges, and its lock. */
#pragma once

#include "gate/acceptance.h"
#include "loop/run_context.h"

#define PAWL_BASELINE_LOCK_SECONDS 30.0

/* Returns the path of a baseline file's lock: in the .pawl folder next to the file's folder if
 * there is one, else beside the file. */
const char *pawl_baseline_lock_path(const char *baseline, struct pawl_arena *arena);

struct pawl_judging_baseline {
  const char *path;
  struct pawl_baseline baseline;
  struct pawl_acceptances acceptances; /* this change's losses that the policy accepts */
  bool uncommitted;                    /* the working tree has a baseline, its commit has none */
};

/* Reads the baseline that judges: the merge base's, or the working tree's if both are equal or
 * --update-baseline is given. */
pawl_status pawl_baseline_judging(const struct pawl_run_context *run,
                                  struct pawl_judging_baseline *out, struct pawl_error *err);
