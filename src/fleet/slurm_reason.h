/* SPDX-License-Identifier: Apache-2.0 */
/* Why a job waits, in Slurm's words, and whether time alone helps. */
#ifndef PAWL_FLEET_SLURM_REASON_H
#define PAWL_FLEET_SLURM_REASON_H

#include "fleet/executor.h"

/* What `squeue --format=%r` says of a job that waits. A reason that is not known passes. */
enum pawl_post_wait pawl_slurm_reason(const char *reason);
/* Of `sinfo --format=%F`, lines "allocated/idle/other/all": whether no node takes jobs; `all`:
 * whether one does not. */
bool pawl_slurm_nodes_away(const char *lines, bool all);

#endif
