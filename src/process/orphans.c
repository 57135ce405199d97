/* SPDX-License-Identifier: Apache-2.0 */
#include "process/orphans.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "process/descendants.h"
#include "process/stat.h"

#define MOST_ROUNDS 200 /* the processes may start others while pawl searches */
/* Each takes 1 ms. A process that is just executing a program shows no environment. */
#define PATIENT_ROUNDS 100

/* A process between its start and pawl_orphans_forget. */
struct started {
  pid_t pid, first;
  char mark[PAWL_DESCENDANT_MARK];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct started *known;
static size_t known_count, known_capacity;

void pawl_orphans_begin_start(bool orphans) {
  pthread_mutex_lock(&lock);
  if (orphans) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void pawl_orphans_end_start(pid_t pid, pid_t first, const char *mark) {
  if (pid > 0) {
    struct started one = {.pid = pid, .first = first};
    snprintf(one.mark, sizeof one.mark, "%s", mark);
    known = pawl_grow(known, known_count, &known_capacity, sizeof *known);
    known[known_count++] = one;
  }
  pthread_mutex_unlock(&lock);
}

void pawl_orphans_forget(pid_t pid) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < known_count && pid > 0; i++) {
    if (known[i].pid != pid) continue;
    known[i] = known[--known_count];
    break;
  }
  if (known_count == 0) {
    pawl_free(known);
    known = NULL;
    known_capacity = 0;
  }
  pthread_mutex_unlock(&lock);
}

/* Returns how many seccomp filters a process has, or -1 if that is unknown. */
static int count_filters(const char *pid) {
  char path[64], line[256];
  int count = -1;
  snprintf(path, sizeof path, "/proc/%.20s/status", pid);
  FILE *file = fopen(path, "re");
  while (file && count < 0 && fgets(line, sizeof line, file)) {
    if (sscanf(line, "Seccomp_filters: %d", &count) != 1) count = -1;
  }
  if (file) fclose(file);
  return count;
}

static bool is_child_of_ours(pid_t pid) {
  char line[PAWL_PROCESS_STAT], state;
  int parent;
  const char *fields = pawl_process_stat(pid, line);
  return fields && sscanf(fields, "%c %d", &state, &parent) == 2 && parent == getpid() &&
         state != 'Z';
}

static bool orphans_is_known(pid_t pid) {
  for (size_t i = 0; i < known_count; i++)
    if (known[i].pid == pid || known[i].first == pid) return true;
  return false;
}

static bool helps_another(const char *pid) {
  for (size_t i = 0; i < known_count; i++)
    if (*known[i].mark && pawl_descendants_has_mark(pid, known[i].mark)) return true;
  return false;
}

static bool is_executing(const char *pid) {
  char path[64], byte;
  snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && read(fd, &byte, 1) == 0;
}

/* Returns true if it found any, or may have missed one. */
static bool kill_orphans(DIR *proc, int our_filters, bool patient) {
  bool found = false;
  for (const struct dirent *entry; (entry = readdir(proc));) {
    const pid_t pid =
        isdigit((unsigned char)*entry->d_name) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
    if (pid == 0 || !is_child_of_ours(pid) || orphans_is_known(pid)) continue;
    if (count_filters(entry->d_name) <= our_filters || helps_another(entry->d_name)) continue;
    if (patient && known_count && is_executing(entry->d_name)) {
      found = true;
      continue;
    }
    if (helps_another(entry->d_name)) continue; /* it was executing a program at the first look */
    found = kill(pid, SIGKILL) == 0 || found;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  return found;
}

void pawl_orphans_kill(void) {
  const int our_filters = count_filters("self");
  bool found = our_filters >= 0;
  pthread_mutex_lock(&lock);
  for (int round = 0; found && round < MOST_ROUNDS; round++) {
    if (round > 0) usleep(1000);
    DIR *proc = opendir("/proc");
    found = proc && kill_orphans(proc, our_filters, round < PATIENT_ROUNDS);
    if (proc) closedir(proc);
  }
  pthread_mutex_unlock(&lock);
}
