/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the files of a group's folder, for process/cgroup.c alone. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

#define PAWL_CGROUP_TEXT 4096

/* Reads the beginning of a file. Returns false with an empty text if it cannot. */
bool pawl_cgroup_read(const char *folder, const char *name, char text[PAWL_CGROUP_TEXT]);
/* Writes into an existing file. Returns false if the system refuses. */
bool pawl_cgroup_write(const char *folder, const char *name, const char *text);
/* Appends a whole file of /proc, or nothing if it is unreadable. */
void pawl_cgroup_read_all(const char *path, struct pawl_text *out);
