/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from Slurm's words why a job waits, and whether time alone helps. */
#pragma once

#include "fleet/executor.h"

/* Classifies the reason that `squeue --format=%r` prints. An unknown reason is PAWL_WAIT_PASSES. */
enum pawl_post_wait pawl_slurm_reason(const char *reason);
/* Returns whether no node takes jobs, or with `all` whether at least one takes none. `lines` comes
 * from `sinfo --format=%F`: "allocated/idle/other/all". */
bool pawl_slurm_nodes_away(const char *lines, bool all);
