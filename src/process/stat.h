/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/PID/stat: proc(5). */
#pragma once

#include <sys/types.h>

#define PAWL_PROCESS_STAT 1024 /* the most bytes of the line */

/* Returns the fields from the state on ("S 1 ..."), within `line`, or NULL if there is no such
 * process. The name before them may hold any character. */
const char *pawl_process_stat(pid_t pid, char line[PAWL_PROCESS_STAT]);
