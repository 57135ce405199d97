/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: ends the process with SIGKILL at the KILL_AT-th change of a file whose path has
   KILL_BELOW in it. "3" is before the third change, "3h" in the middle of it, "3a" after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns 'b', 'h' or 'a' if the process ends at this change; else 0. */
static char moment(const char *path) {
  static long count;
  const char *at = getenv("KILL_AT"), *below = getenv("KILL_BELOW");
  char *phase;
  if (!at || !below || !strstr(path, below) || ++count != strtol(at, &phase, 10)) return 0;
  return *phase ? *phase : 'b';
}

static void end(char now, char phase) {
  if (now && now == phase) kill(getpid(), SIGKILL);
}

ssize_t write(int fd, const void *data, size_t size) {
  ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const char now = readlink(link, path, sizeof path - 1) > 0 ? moment(path) : 0;
  end(now, 'b');
  if (now == 'h') next(fd, data, size / 2);
  end(now, 'h');
  const ssize_t done = next(fd, data, size);
  end(now, 'a');
  return done;
}

int rename(const char *from, const char *to) {
  int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  const char now = moment(to);
  if (now != 'a') end(now, now);
  const int status = next(from, to);
  end(now, 'a');
  return status;
}

int unlink(const char *path) {
  int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
  const char now = moment(path);
  if (now != 'a') end(now, now);
  const int status = next(path);
  end(now, 'a');
  return status;
}
