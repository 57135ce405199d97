/* SPDX-License-Identifier: Apache-2.0 */
#include "process/stat.h"

#include <stdio.h>
#include <string.h>

const char *pawl_process_stat(pid_t pid, char line[PAWL_PROCESS_STAT]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  FILE *file = fopen(path, "re");
  const char *read = file ? fgets(line, PAWL_PROCESS_STAT, file) : NULL;
  if (file) fclose(file);
  const char *name_end = read ? strrchr(line, ')') : NULL;
  return name_end && name_end[1] ? name_end + 2 : NULL;
}
