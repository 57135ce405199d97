/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock: a process gives up rights for itself and all that it starts. It needs Linux 5.13, but
   no right to make namespaces. The C library has no functions for it. */
#pragma once

#include <stdbool.h>

bool pawl_landlock_available(void);

/* Opens a set of rules that forbids every change of a file, and with `reads` every read. Returns -1
   if the system has no Landlock. All of these functions are async-signal-safe. */
int pawl_landlock_open(bool reads);
/* Allows to change and read a file, or all below a folder. Ignores an absent path. */
void pawl_landlock_allow_change(int rules, const char *path, bool reads);
/* Allows only to read it. Ignores a link, because its target has a path of its own. */
void pawl_landlock_allow_read(int rules, const char *path);
/* Enforces the rules and closes the set. From then on, this process cannot trace processes outside
   the rules, and cannot signal them where the system supports that. Needs no_new_privs. */
bool pawl_landlock_enter(int rules);
