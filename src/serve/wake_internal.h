/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the wake-up service. */
#ifndef PAWL_SERVE_WAKE_INTERNAL_H
#define PAWL_SERVE_WAKE_INTERNAL_H

#include "serve/wake.h"

/* Runs a machine's command to its end without a shell: its output goes to our standard error, and no secret of ours
   into its environment. No command: nothing to do. PAWL_UNAVAILABLE: it failed, and how. wake_command.c */
pawl_status pawl_wake_run_command(struct pawl_wake *wake, int machine, enum pawl_machine_action action,
                                  struct pawl_error *err);

/* News of a job: puts it into the queue and wakes its machine's thread; safe on disk once synced. With the lock held.
 */
pawl_status pawl_wake_offer(struct pawl_wake *wake, const struct pawl_job *job, const struct pawl_hash *delivery,
                            const struct pawl_hash *body, enum pawl_offer *offer, uint64_t *number,
                            struct pawl_error *err);

#endif
