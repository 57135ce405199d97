/* SPDX-License-Identifier: Apache-2.0 */
/* Finds processes that outlive their parent outside of its process group. Every descendant inherits
 * a mark in its environment. A process that clears its environment escapes: see
 * process/orphans.h. */
#pragma once

#include <stdbool.h>

#define PAWL_DESCENDANT_MARK 48 /* bytes of a mark with its final NUL */

/* Makes a unique mark "PAWL_DESCENDANT_OF=NUMBER" for the environment of a process. */
void pawl_descendants_mark(char mark[PAWL_DESCENDANT_MARK]);
/* Sends SIGKILL to each of the user's processes with the mark. */
void pawl_descendants_kill(const char *mark);
/* Returns whether the process with this number has the mark. */
bool pawl_descendants_has_mark(const char *pid, const char *mark);
