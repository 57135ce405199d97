/* SPDX-License-Identifier: Apache-2.0 */
/* A control group of its own for a child that runs code under test: how many processes and how much
   memory all in it may have together. It ends as a whole. docs/adr/control-groups.md; cgroups(7),
   and the kernel's cgroup-v1 and cgroup-v2 documents. */
#ifndef PAWL_PROCESS_CGROUP_H
#define PAWL_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a group bounds. */
enum pawl_bounds { PAWL_BOUNDS_NONE = 0, PAWL_BOUNDS_PROCESSES = 1, PAWL_BOUNDS_MEMORY = 2 };

const char *pawl_bounds_name(
    unsigned bounds); /* "none", "processes", "memory", "processes and memory" */

/* Version 2 has one folder for all; version 1 one for each controller, with the freezer to end all
 * at once. */
#define PAWL_CGROUP_FOLDERS 3

/* Where groups can be made. */
struct pawl_cgroup_place {
  int version;                        /* 1 or 2; 0: nowhere */
  unsigned bounds;                    /* enum pawl_bounds */
  char *folders[PAWL_CGROUP_FOLDERS]; /* version 2: the first alone; version 1: of pids, memory,
                                         freezer, or NULL */
  char reason[200];                   /* why some bounds cannot be had; "": all can */
};

/* groups: the text of /proc/self/cgroup. mounts: that of /proc/self/mountinfo. A group is made
   below our own, whose limits then hold for it too; with version 2 also below one above ours, where
   all between them set no limit. */
void pawl_cgroup_find(struct pawl_cgroup_place *out, const char *groups, const char *mounts);
void pawl_cgroup_place_release(struct pawl_cgroup_place *place);
/* That of this process, found once. The groups that runs of pawl left behind when they were killed
 * are removed then. */
const struct pawl_cgroup_place *pawl_cgroup_here(void);
/* Ends what lives in groups that nobody holds any more, and removes them. */
void pawl_cgroup_sweep(const struct pawl_cgroup_place *place);

struct pawl_cgroup_folder {
  char *path; /* NULL: none */
  int lock;   /* the folder itself: who holds it is alive */
  int enter;  /* `tasks` or cgroup.procs */
};

/* Zero: none. */
struct pawl_cgroup {
  int version;
  struct pawl_cgroup_folder folders[PAWL_CGROUP_FOLDERS];
  unsigned bounds;
  uint64_t memory_bytes; /* its limit; 0: none */
};

/* What came of its bounds. */
struct pawl_cgroup_events {
  bool refused; /* a process or thread too many was to start */
  bool killed;  /* the system killed a process because of its memory */
};

/* Makes one for at most so many processes and threads. A bound that cannot be had is missing in
 * out->bounds. */
void pawl_cgroup_make(struct pawl_cgroup *out, const struct pawl_cgroup_place *place,
                      uint64_t processes);
/* Bytes, now or later, of all that lives in it. */
void pawl_cgroup_bound_memory(struct pawl_cgroup *group, uint64_t bytes);
/* Moves the calling process into it: async-signal-safe. False: not into all of it. */
bool pawl_cgroup_enter(const struct pawl_cgroup *group);
/* Moves another process into it, with all of its threads; not what it has started before. */
bool pawl_cgroup_take(const struct pawl_cgroup *group, pid_t pid);
struct pawl_cgroup_events pawl_cgroup_events(const struct pawl_cgroup *group);
/* Ends all that lives in it and removes it. NULL and none are fine. */
void pawl_cgroup_end(struct pawl_cgroup *group);

/* As many processes and threads as a worker may have: PAWL_CGROUP_PROCESSES, and
   PAWL_CGROUP_PROCESSES_PER_CPU for each CPU of the machine. */
#define PAWL_CGROUP_PROCESSES 1024
#define PAWL_CGROUP_PROCESSES_PER_CPU 64
uint64_t pawl_cgroup_usual_processes(void);

#endif
