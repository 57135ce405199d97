/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that run beside other work. pawl can pause them with all that they started, or end them.
   A server that works for them (such as a compile server) goes on. Several threads may run commands
   of the same jobs. With NULL jobs, a command runs alone. */
#pragma once

#include "process/process.h"

struct pawl_jobs;

struct pawl_jobs *pawl_jobs_new(void);
/* Frees the jobs when no command runs any more. `jobs` may be NULL. */
void pawl_jobs_free(struct pawl_jobs *jobs);

/* Starts a command, after the end of a pause. Fails with PAWL_TRY_AGAIN if the jobs are to end.
   Await each process that started. */
pawl_status pawl_jobs_start(struct pawl_jobs *jobs, struct pawl_process *process,
                            const struct pawl_process_options *options, struct pawl_error *err);
/* Waits at most `seconds` without pauses until the process has ended, and does not reap it. Returns
 * false if it still runs, because the time is up or the jobs are to end. The caller then ends it.
 * No later pause stops the process. */
bool pawl_jobs_await(struct pawl_jobs *jobs, const struct pawl_process *process, double seconds);

/* Stops all commands and waits up to a second for them. Returns false if some still run. NULL is
   fine. */
bool pawl_jobs_pause(struct pawl_jobs *jobs);
/* Resumes all commands. */
void pawl_jobs_resume(struct pawl_jobs *jobs);
/* Returns the seconds of all pauses so far. */
double pawl_jobs_paused_seconds(struct pawl_jobs *jobs);
/* Starts no more commands, and makes pawl_jobs_await return false. */
void pawl_jobs_stop(struct pawl_jobs *jobs);
/* Returns whether pawl_jobs_stop was called. NULL jobs never stop. */
bool pawl_jobs_are_stopping(struct pawl_jobs *jobs);
