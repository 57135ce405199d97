/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock, by which a process gives up rights for itself and all that it starts: Linux 5.13, also
   for those who may not make namespaces. The C library has no functions for it. */
#ifndef PAWL_PROCESS_LANDLOCK_H
#define PAWL_PROCESS_LANDLOCK_H

#include <stdbool.h>

bool pawl_landlock_available(void);

/* A set of rules that forbids every change of a file, and with `reads` also to read any; -1: this
   system has none. Async-signal-safe, as all of these. */
int pawl_landlock_open(bool reads);
/* Allows to change a file, or all below a folder, and to read it; nothing where there is no such
 * path. */
void pawl_landlock_allow_change(int rules, const char *path, bool reads);
/* Allows to read it alone. A link is nothing: what it points to has a path of its own. */
void pawl_landlock_allow_read(int rules, const char *path);
/* From here on the rules hold, and processes that are not held by them can neither be traced nor,
   where the system can forbid it, signalled. Needs no_new_privs. Closes the set. */
bool pawl_landlock_enter(int rules);

#endif
