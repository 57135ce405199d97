/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of the parts of one measurement, joined. The parts may come from machines that ran a
   stranger's code: what is read here is bounded and computed again, as for posting. */
#pragma once

#include "fleet/fleet.h"
#include "record/join.h"

/* All parts of one run. */
struct pawl_run_parts {
  struct pawl_stored_run *parts;
  size_t count;
  struct pawl_joined_run joined;
  struct pawl_results results; /* the rows of all parts; borrows from the parts */
};

/* Reads the folders that `pawl run --shard` wrote and joins them to the run of one machine:
   out->joined.report. PAWL_BAD_DATA: they do not belong together, or one is missing. Release after
   use, after a failure too. */
pawl_status pawl_fleet_join_runs(char *const *folders, size_t count, struct pawl_arena *arena,
                                 struct pawl_run_parts *out, struct pawl_error *err);
/* Copies the files of the parts' profiles into the folder of the whole, in place of those that are
 * there. */
pawl_status pawl_run_parts_copy_profiles(const struct pawl_run_parts *parts, char *const *folders,
                                         const char *out, struct pawl_error *err);
/* The parts ran at once: the whole took `seconds`, and cost as much as these. */
void pawl_run_parts_took(struct pawl_run_parts *parts, double seconds);
void pawl_run_parts_release(struct pawl_run_parts *parts);

/* Reads the files that `pawl bench --shard` wrote into files[0 .. count), which keep the strings
   and are to be released, and joins their rows in *joined. PAWL_BAD_DATA: of different commits or
   hardware, or a kernel and case twice. */
pawl_status pawl_fleet_join_results(char *const *paths, size_t count, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err);
/* The same for the parts of a `pawl bench` on several GPUs; files[] has PAWL_FLEET_PARTS. A part
   that had nothing to time counts for nothing: there can be more GPUs than cases. */
pawl_status pawl_fleet_join_outputs(const struct pawl_fleet *fleet, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err);
