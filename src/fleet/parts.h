/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the outputs of the parts of one measurement. A part may come from a machine that ran a
 * stranger's code. So pawl limits what it reads and computes it again, as it does before it
 * posts. */
#pragma once

#include "fleet/fleet.h"
#include "record/join.h"

struct pawl_run_parts {
  struct pawl_stored_run *parts;
  size_t count;
  struct pawl_joined_run joined;
  struct pawl_results results; /* the rows of all parts, borrowed from them */
};

/* Reads the folders that `pawl run --shard` wrote and joins them to one run: out->joined.report.
 * Fails with PAWL_BAD_DATA if the parts do not belong together or a part is missing. Release `out`
 * also after a failure. */
pawl_status pawl_fleet_join_runs(char *const *folders, size_t count, struct pawl_arena *arena,
                                 struct pawl_run_parts *out, struct pawl_error *err);
/* Replaces the profiles in the joined run's folder by copies of the parts' profiles. */
pawl_status pawl_run_parts_copy_profiles(const struct pawl_run_parts *parts, char *const *folders,
                                         const char *out, struct pawl_error *err);
/* Sets the joined run's time to `seconds`, because the parts ran at once, and scales the cost. */
void pawl_run_parts_took(struct pawl_run_parts *parts, double seconds);
void pawl_run_parts_release(struct pawl_run_parts *parts);

/* Reads the files that `pawl bench --shard` wrote into files[0 .. count) and joins their rows in
 * *joined. `files` own the strings; release them. Fails with PAWL_BAD_DATA if commits or hardware
 * differ, or if a kernel and case occurs twice. */
pawl_status pawl_fleet_join_results(char *const *paths, size_t count, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err);
/* Does the same for the parts of a `pawl bench` on several GPUs. files[] has PAWL_FLEET_PARTS. A
 * part without measurements does not count, because there can be more GPUs than cases. */
pawl_status pawl_fleet_join_outputs(const struct pawl_fleet *fleet, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err);
