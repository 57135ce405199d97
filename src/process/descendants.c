/* SPDX-License-Identifier: Apache-2.0 */
#include "process/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/text.h"

#define MOST_ROUNDS 20 /* the processes may start others while pawl searches */
#define MOST_ENVIRONMENT ((size_t)4 << 20)

void pawl_descendants_mark(char mark[PAWL_DESCENDANT_MARK]) {
  uint64_t number;
  if (pawl_entropy(&number, sizeof number, NULL) != PAWL_OK) number = (uint64_t)pawl_clock_ns();
  snprintf(mark, PAWL_DESCENDANT_MARK, "PAWL_DESCENDANT_OF=%016" PRIx64, number);
}

bool pawl_descendants_has_mark(const char *pid, const char *mark) {
  char path[64];
  struct stat info;
  snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text environment = {0};
  char buffer[16384];
  if (fd < 0 || fstat(fd, &info) || info.st_uid != geteuid()) return false;
  for (ssize_t got;
       environment.length < MOST_ENVIRONMENT && (got = read(fd, buffer, sizeof buffer)) > 0;)
    pawl_text_add_bytes(&environment, buffer, (size_t)got);
  return environment.length && memmem(environment.data, environment.length, mark, strlen(mark));
}

/* Returns true if it found any. */
static bool kill_marked(const char *mark) {
  DIR *proc = opendir("/proc");
  if (!proc) return false;
  bool found = false;
  for (struct dirent *entry; (entry = readdir(proc));) {
    if (!isdigit((unsigned char)entry->d_name[0]) ||
        !pawl_descendants_has_mark(entry->d_name, mark))
      continue;
    found = true;
    kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
  }
  closedir(proc);
  return found;
}

void pawl_descendants_kill(const char *mark) {
  for (int round = 0; round < MOST_ROUNDS && kill_marked(mark); round++) usleep(1000);
}
