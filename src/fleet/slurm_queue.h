/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm says of our tasks: squeue is asked beside the search, so that a controller that hangs
 * holds up no answer.
 */
#ifndef PAWL_FLEET_SLURM_QUEUE_H
#define PAWL_FLEET_SLURM_QUEUE_H

#include "fleet/executor.h"

#define PAWL_SLURM_OUTPUT (1u << 20) /* bytes of an answer */

/* Runs a program of Slurm to its end. PAWL_UNAVAILABLE: how it failed, and the first line of its
 * errors. */
pawl_status pawl_slurm_run(const char *const *argv, struct pawl_text *out, struct pawl_error *err);
/* Whether a failure is that of the controller, and not of what it was asked for. */
bool pawl_slurm_is_silent(const char *message);

/* Asks from time to time, and reads the answer when it is there. */
pawl_status pawl_slurm_poll(struct pawl_staff *staff, struct pawl_error *err);
/* The question that is not answered knows nothing of what is done now: the next look asks anew. */
void pawl_slurm_ask_anew(struct pawl_staff *staff);
/* PAWL_UNAVAILABLE: the controller does not answer, or what Slurm says does not change by itself,
 * for too long. */
pawl_status pawl_slurm_check_wait(struct pawl_staff *staff, struct pawl_error *err);

#endif
