/* SPDX-License-Identifier: Apache-2.0 */
#include "process/schedstat.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool read_thread(DIR *folder, const char *name, struct pawl_schedstat *out) {
  char path[64], line[96];
  snprintf(path, sizeof path, "%.20s/schedstat", name);
  const int fd = openat(dirfd(folder), path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
  if (fd >= 0) close(fd);
  if (length <= 0) return false;
  line[length] = '\0';
  out->thread = (pid_t)strtol(name, NULL, 10);
  return sscanf(line, "%*u %" SCNd64 " %" SCNu64, &out->waited_ns, &out->turns) == 2;
}

void pawl_schedstat_each(pid_t pid, pawl_schedstat_reader reader, void *argument) {
  char path[64];
  struct pawl_schedstat stat;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
  DIR *folder = opendir(path);
  if (!folder) return;
  bool more = true;
  for (const struct dirent *entry; more && (entry = readdir(folder));)
    if (*entry->d_name != '.' && read_thread(folder, entry->d_name, &stat))
      more = reader(argument, &stat);
  closedir(folder);
}

static bool take_first(void *first, const struct pawl_schedstat *stat) {
  struct pawl_schedstat *wanted = first;
  if (stat->thread == wanted->thread) *wanted = *stat;
  return stat->thread != wanted->thread;
}

int64_t pawl_schedstat_waited_ns(pid_t pid) {
  struct pawl_schedstat first = {.thread = pid, .waited_ns = -1};
  pawl_schedstat_each(pid, take_first, &first);
  return first.waited_ns;
}

static bool add_turns(void *turns, const struct pawl_schedstat *stat) {
  *(uint64_t *)turns += stat->turns;
  return true;
}

uint64_t pawl_schedstat_turns(pid_t pid) {
  uint64_t turns = 0;
  pawl_schedstat_each(pid, add_turns, &turns);
  return turns;
}
