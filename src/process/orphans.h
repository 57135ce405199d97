/* SPDX-License-Identifier: Apache-2.0 */
/* Ends processes that code under test leaves behind without a process namespace. When their parents
   have ended they become our children, whatever their environment. No process can drop its seccomp
   filter (process/shield.h), which tells them from our other children. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Call these around the start of each process, so that it does not count as an orphan until
   pawl_orphans_forget. `orphans`: its leftovers become our children. pid 0: the start failed.
   `first`: process 1 of its sandbox, or 0. `mark`: see process/descendants.h; "": none. */
void pawl_orphans_begin_start(bool orphans);
void pawl_orphans_end_start(pid_t pid, pid_t first, const char *mark);
void pawl_orphans_forget(pid_t pid);

/* Sends SIGKILL to all orphans, except those with the mark of a process that still runs. */
void pawl_orphans_kill(void);
