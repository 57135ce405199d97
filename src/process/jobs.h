/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that run beside other work and can be made to stand still, with all that they started,
   or to end; what another program does for them (a compile server) goes on. Several threads may run
   commands of the same jobs. NULL jobs: a command runs as it does without. */
#ifndef PAWL_PROCESS_JOBS_H
#define PAWL_PROCESS_JOBS_H

#include "process/process.h"

struct pawl_jobs;

struct pawl_jobs *pawl_jobs_new(void);
/* NULL: nothing. No command runs any more. */
void pawl_jobs_free(struct pawl_jobs *jobs);

/* Starts a command, after a pause that goes on. PAWL_TRY_AGAIN: the jobs are to end. Each process
   that started must be awaited. */
pawl_status pawl_jobs_start(struct pawl_jobs *jobs, struct pawl_process *process,
                            const struct pawl_process_options *options, struct pawl_error *err);
/* Waits until the process has ended, at most so many seconds without those of pauses, and does not
   reap it. False: it still runs, because the time is up or the jobs are to end, and must be ended.
   From now on no pause stops it. */
bool pawl_jobs_await(struct pawl_jobs *jobs, const struct pawl_process *process, double seconds);

/* Stops all commands, and returns when they stand still (or do not within a second: false). NULL:
 * nothing. */
bool pawl_jobs_pause(struct pawl_jobs *jobs);
/* Lets them go on. */
void pawl_jobs_resume(struct pawl_jobs *jobs);
/* Seconds of all pauses so far. */
double pawl_jobs_paused_seconds(struct pawl_jobs *jobs);
/* From now on no command starts, and pawl_jobs_await says that those that run must be ended. */
void pawl_jobs_stop(struct pawl_jobs *jobs);

#endif
