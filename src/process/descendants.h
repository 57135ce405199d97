/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that outlive their parent, outside of its process group: found by a mark in the
   environment that every descendant inherits. A process that clears its environment gets away: see
   process/orphans.h. */
#ifndef PAWL_PROCESS_DESCENDANTS_H
#define PAWL_PROCESS_DESCENDANTS_H

#include <stdbool.h>

#define PAWL_DESCENDANT_MARK 48 /* bytes of a mark, the final zero too */

/* "PAWL_DESCENDANT_OF=" and a number that nobody else has, for the environment of a process. */
void pawl_descendants_mark(char mark[PAWL_DESCENDANT_MARK]);
/* SIGKILL to every process of ours that has the mark. */
void pawl_descendants_kill(const char *mark);
/* Whether a process of ours, by its number, has the mark. */
bool pawl_descendants_has_mark(const char *pid, const char *mark);

#endif
