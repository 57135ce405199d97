/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of process/cgroup.c: the files of a group's folder. */
#ifndef PAWL_PROCESS_CGROUP_FILES_H
#define PAWL_PROCESS_CGROUP_FILES_H

#include <stdbool.h>

#include "base/text.h"

#define PAWL_CGROUP_TEXT 4096

/* The beginning of a file. False: it is not there, or cannot be read; the text is then empty. */
bool pawl_cgroup_read(const char *folder, const char *name, char text[PAWL_CGROUP_TEXT]);
/* Into a file that is there. False: the system refuses it. */
bool pawl_cgroup_write(const char *folder, const char *name, const char *text);
/* A whole file of /proc; nothing where it cannot be read. */
void pawl_cgroup_read_all(const char *path, struct pawl_text *out);

#endif
