/* SPDX-License-Identifier: Apache-2.0 */
#include "process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "process/cgroup_files.h"

#define NAME "pawl-worker." /* the prefix of each group's name */
#define MOST_TRIES 64       /* to find a free name */
#define MOST_ROUNDS 1000    /* each takes 1 ms; wait until every process of a group has ended */

enum { PIDS, MEMORY, FREEZER };

bool pawl_cgroup_read(const char *folder, const char *name, char text[PAWL_CGROUP_TEXT]) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd >= 0 ? read(fd, text, PAWL_CGROUP_TEXT - 1) : -1;
  text[got > 0 ? got : 0] = '\0';
  return got >= 0;
}

bool pawl_cgroup_write(const char *folder, const char *name, const char *text) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

void pawl_cgroup_read_all(const char *path, struct pawl_text *out) {
  char buffer[PAWL_CGROUP_TEXT];
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  for (ssize_t got; fd >= 0 && (got = read(fd, buffer, sizeof buffer)) > 0;)
    pawl_text_add_bytes(out, buffer, (size_t)got);
}

uint64_t pawl_cgroup_usual_processes(void) {
  return PAWL_CGROUP_PROCESSES + PAWL_CGROUP_PROCESSES_PER_CPU * (uint64_t)pawl_cpu_count();
}

/* Sends SIGKILL to each process that a group's folder lists. Returns false if it lists none. */
static bool kill_listed(const char *folder) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "cgroup.procs");
  pawl_cgroup_read_all(path, &list);
  bool found = false;
  for (const char *p = pawl_text_string(&list); *p; p += strcspn(p, "\n"), p += *p == '\n') {
    const long pid = strtol(p, NULL, 10);
    found = true;
    if (pid > 1 && pid != (long)getpid())
      kill((pid_t)pid, SIGKILL); /* 0: a process of a namespace that we do not see */
  }
  return found;
}

/* Kills every process of the group. Version 2 kills them all at once. With version 1, the freezer
   keeps them from starting others meanwhile. */
static bool kill_all(const char *folder, const char *freezer) {
  char text[PAWL_CGROUP_TEXT];
  if (pawl_cgroup_read(folder, "cgroup.procs", text) && !*text) return false;
  if (pawl_cgroup_write(folder, "cgroup.kill", "1")) return true;
  if (freezer) pawl_cgroup_write(freezer, "freezer.state", "FROZEN");
  const bool found = kill_listed(folder);
  if (freezer) pawl_cgroup_write(freezer, "freezer.state", "THAWED");
  return found;
}

/* Removes the group. If the system cannot end one of its processes now, the group stays for the
   next run. */
static void remove_folder(const char *folder, const char *freezer) {
  for (int round = 0; round < MOST_ROUNDS; round++) {
    if (!kill_all(folder, freezer) && (rmdir(folder) == 0 || errno != EBUSY)) return;
    usleep(1000);
  }
}

/* Locks a folder. Returns -1 if another process holds it, or if it is gone. */
static int lock_folder(const char *path) {
  struct stat info;
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && stat(path, &info) == 0) return fd;
  close(fd);
  return -1;
}

static void sweep_folder(const struct pawl_cgroup_place *place, int number) {
  DIR *entries = opendir(place->folders[number]);
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    if (!pawl_starts_with(entry->d_name, NAME)) continue;
    PAWL_CLEANUP(pawl_free_pointer)
    char *path = pawl_path_join(place->folders[number], entry->d_name);
    PAWL_CLEANUP(pawl_close) int fd = lock_folder(path);
    if (fd < 0) continue;
    const char *freezers = place->version == 1 ? place->folders[FREEZER] : NULL;
    PAWL_CLEANUP(pawl_free_pointer)
    char *freezer = freezers ? pawl_path_join(freezers, entry->d_name) : NULL;
    remove_folder(path, freezer);
  }
  if (entries) closedir(entries);
}

void pawl_cgroup_sweep(const struct pawl_cgroup_place *place) {
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++)
    if (place->folders[i]) sweep_folder(place, i);
}

static void close_folder(struct pawl_cgroup_folder *folder) {
  pawl_close(&folder->enter);
  pawl_close(&folder->lock);
  pawl_free(folder->path);
  *folder = (struct pawl_cgroup_folder){.lock = -1, .enter = -1};
}

/* Makes the folder. The process that enters has one thread. With version 1 it enters by `tasks`, as
   a thread that moves itself. The system then does not wait until no process is about to fork or
   exec, which takes 10 ms. Version 2 has no such file. Another pawl that sweeps can remove the
   folder before we lock it. */
static bool cgroup_make_folder(struct pawl_cgroup_folder *out, const char *parent, const char *name,
                               int version) {
  char *path = pawl_path_join(parent, name);
  *out = (struct pawl_cgroup_folder){.path = path, .lock = -1, .enter = -1};
  if (mkdir(path, 0755) == 0) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *procs = pawl_path_join(path, version == 1 ? "tasks" : "cgroup.procs");
    out->lock = lock_folder(path);
    out->enter = open(procs, O_WRONLY | O_CLOEXEC);
    if (out->lock >= 0 && out->enter >= 0) return true;
    if (out->lock >= 0) rmdir(path);
  }
  close_folder(out);
  return false;
}

static bool make_named(struct pawl_cgroup *out, const struct pawl_cgroup_place *place) {
  static _Atomic unsigned next;
  char name[64];
  snprintf(name, sizeof name, NAME "%ld.%u", (long)getpid(), atomic_fetch_add(&next, 1));
  *out = (struct pawl_cgroup){.version = place->version};
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) out->folders[i].lock = out->folders[i].enter = -1;
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) {
    if (!place->folders[i] ||
        cgroup_make_folder(&out->folders[i], place->folders[i], name, place->version))
      continue;
    pawl_cgroup_end(out);
    return false;
  }
  return true;
}

void pawl_cgroup_make(struct pawl_cgroup *out, const struct pawl_cgroup_place *place,
                      uint64_t processes) {
  struct pawl_cgroup group = {0};
  bool made = false;
  for (int i = 0; place->version && !made && i < MOST_TRIES; i++) made = make_named(&group, place);
  if (!made) {
    *out = (struct pawl_cgroup){0};
    return;
  }
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, processes);
  /* The group can bound the memory, but does not until its limit is set. */
  group.bounds = place->bounds & PAWL_BOUNDS_MEMORY;
  if (place->bounds & PAWL_BOUNDS_PROCESSES &&
      pawl_cgroup_write(group.folders[PIDS].path, "pids.max", text))
    group.bounds |= PAWL_BOUNDS_PROCESSES;
  *out = group;
}

static bool bound_first(const char *folder, const char *text) {
  pawl_cgroup_write(folder, "memory.memsw.limit_in_bytes",
                    /* This limit is never below the other, so pawl sets it before and after. */
                    text);
  const bool done = pawl_cgroup_write(folder, "memory.limit_in_bytes", text);
  pawl_cgroup_write(folder, "memory.memsw.limit_in_bytes", text);
  return done;
}

static bool bound_second(const char *folder, const char *text) {
  pawl_cgroup_write(folder, "memory.swap.max", "0");
  pawl_cgroup_write(folder, "memory.oom.group", "1");
  return pawl_cgroup_write(folder, "memory.max", text);
}

void pawl_cgroup_bound_memory(struct pawl_cgroup *group, uint64_t bytes) {
  if (!(group->bounds & PAWL_BOUNDS_MEMORY) || group->memory_bytes == bytes) return;
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, bytes);
  const bool done = group->version == 1 ? bound_first(group->folders[MEMORY].path, text)
                                        : bound_second(group->folders[PIDS].path, text);
  if (!done) group->bounds &= ~(unsigned)PAWL_BOUNDS_MEMORY;
  group->memory_bytes = bytes;
}

bool pawl_cgroup_enter(const struct pawl_cgroup *group) {
  bool entered = group->version != 0;
  for (int i = 0; group->version && i < PAWL_CGROUP_FOLDERS; i++)
    if (group->folders[i].enter >= 0)
      entered = write(group->folders[i].enter, "0", 1) == 1 && entered;
  return entered;
}

/* Returns the number after a word of a file, or 0 if it is absent. */
static uint64_t cgroup_count_of(const char *folder, const char *file, const char *word) {
  char text[PAWL_CGROUP_TEXT];
  if (!folder || !pawl_cgroup_read(folder, file, text)) return 0;
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
    if (pawl_starts_with(line, word) && line[strlen(word)] == ' ')
      return strtoull(line + strlen(word), NULL, 10);
  return 0;
}

struct pawl_cgroup_events pawl_cgroup_events(const struct pawl_cgroup *group) {
  const char *first = group->version ? group->folders[PIDS].path : NULL;
  const char *memory = group->version == 1 ? group->folders[MEMORY].path : first;
  const char *file = group->version == 1 ? "memory.oom_control" : "memory.events";
  return (struct pawl_cgroup_events){.refused = cgroup_count_of(first, "pids.events", "max") > 0,
                                     .killed = cgroup_count_of(memory, file, "oom_kill") > 0};
}

void pawl_cgroup_end(struct pawl_cgroup *group) {
  if (!group || !group->version) return;
  const char *freezer = group->version == 1 ? group->folders[FREEZER].path : NULL;
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++)
    if (group->folders[i].path) remove_folder(group->folders[i].path, freezer);
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) close_folder(&group->folders[i]);
  *group = (struct pawl_cgroup){0};
}
