/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that code under test leaves behind where it has no process namespace of its own. When
   their parents have ended they become children of ours, whatever their environment. Nobody can
   shed a filter of system calls, so theirs (process/shield.h) tells them from the other children
   that we have. */
#ifndef PAWL_PROCESS_ORPHANS_H
#define PAWL_PROCESS_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

/* Around the start of each process, so that none is taken for an orphan: what was started is known
   until it is forgotten. orphans: what it leaves becomes ours. pid 0: it was not started. first:
   process 1 of its sandbox, or 0. mark: see process/descendants.h; "": none. */
void pawl_orphans_begin_start(bool orphans);
void pawl_orphans_end_start(pid_t pid, pid_t first, const char *mark);
void pawl_orphans_forget(pid_t pid);

/* SIGKILL to all of them, but for those with the mark of a process that still runs: they help it.
 */
void pawl_orphans_kill(void);

#endif
