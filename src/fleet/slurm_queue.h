/* SPDX-License-Identifier: Apache-2.0 */
/* The states of the jobs in Slurm's queue. squeue runs beside the search, so a controller that
   hangs delays no answer. */
#pragma once

#include "fleet/executor.h"

#define PAWL_SLURM_OUTPUT (1u << 20) /* bytes of an answer */

/* Runs a program of Slurm to its end. PAWL_UNAVAILABLE: how it failed, and the first line of its
 * errors. */
pawl_status pawl_slurm_run(const char *const *argv, struct pawl_text *out, struct pawl_error *err);
/* Whether a failure is that of the controller, and not of what it was asked for. */
bool pawl_slurm_is_silent(const char *message);

/* Asks from time to time, and reads the answer when it is there. */
pawl_status pawl_slurm_poll(struct pawl_staff *staff, struct pawl_error *err);
/* Drops an open question, because its answer would be too old. The next poll asks again. */
void pawl_slurm_ask_anew(struct pawl_staff *staff);
/* PAWL_UNAVAILABLE: the controller does not answer, or what Slurm says does not change by itself,
 * for too long. */
pawl_status pawl_slurm_check_wait(struct pawl_staff *staff, struct pawl_error *err);
