/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the jobs in Slurm's queue. squeue runs beside the search, so a controller that hangs
 * delays no answer. */
#pragma once

#include "fleet/executor.h"

#define PAWL_SLURM_OUTPUT (1u << 20) /* bytes of an answer */

/* Runs a program of Slurm to its end. PAWL_UNAVAILABLE says how it failed, with the first line of
 * its errors. */
pawl_status pawl_slurm_run(const char *const *argv, struct pawl_text *out, struct pawl_error *err);
/* Returns whether a message says that the controller failed, not the request. */
bool pawl_slurm_is_silent(const char *message);

/* Asks squeue from time to time, and reads an answer if there is one. */
pawl_status pawl_slurm_poll(struct pawl_staff *staff, struct pawl_error *err);
/* Drops an open question, because its answer would be too old. The next poll asks again. */
void pawl_slurm_ask_anew(struct pawl_staff *staff);
/* Fails with PAWL_UNAVAILABLE if, for too long, the controller does not answer or the jobs wait for
 * something that time alone does not change. */
pawl_status pawl_slurm_check_wait(struct pawl_staff *staff, struct pawl_error *err);
