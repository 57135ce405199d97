/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups for children that run code under test. A group bounds the processes and the memory
   of all its members together, and ends as a whole. See docs/adr/control-groups.md, cgroups(7), and
   the kernel's cgroup-v1 and cgroup-v2 documents. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The resources that a group bounds. */
enum pawl_bounds { PAWL_BOUNDS_NONE = 0, PAWL_BOUNDS_PROCESSES = 1, PAWL_BOUNDS_MEMORY = 2 };

/* "none", "processes", "memory", "processes and memory" */
const char *pawl_bounds_name(unsigned bounds);

/* Version 2 has one folder for all controllers. Version 1 has one for each, and its freezer ends
   all processes at once. */
#define PAWL_CGROUP_FOLDERS 3

/* A place where pawl can make groups. */
struct pawl_cgroup_place {
  int version;     /* 1 or 2; 0: none */
  unsigned bounds; /* enum pawl_bounds */
  /* version 2 uses only the first; version 1 has pids, memory and freezer, or NULL */
  char *folders[PAWL_CGROUP_FOLDERS];
  char reason[200]; /* why some bounds are missing, or "" */
};

/* Finds a place from the texts of /proc/self/cgroup and /proc/self/mountinfo. A new group is below
   our own, whose limits hold for it too. With version 2 it may also be below a group above ours, if
   no group between them sets a limit. */
void pawl_cgroup_find(struct pawl_cgroup_place *out, const char *groups, const char *mounts);
void pawl_cgroup_place_release(struct pawl_cgroup_place *place);
/* Returns the place of this process, which pawl finds once. Also removes the groups of killed
 * runs. */
const struct pawl_cgroup_place *pawl_cgroup_here(void);
/* Ends the processes of groups that nobody holds any more, and removes these groups. */
void pawl_cgroup_sweep(const struct pawl_cgroup_place *place);

struct pawl_cgroup_folder {
  char *path; /* NULL: none */
  int lock;   /* the folder itself, locked while its owner lives */
  int enter;  /* `tasks` or cgroup.procs */
};

/* A zeroed group is no group. */
struct pawl_cgroup {
  int version;
  struct pawl_cgroup_folder folders[PAWL_CGROUP_FOLDERS];
  unsigned bounds;
  uint64_t memory_bytes; /* its limit; 0: none */
};

/* Reports whether a bound took effect. */
struct pawl_cgroup_events {
  bool refused; /* the system refused a process or a thread too many */
  bool killed;  /* the system killed a process because of its memory */
};

/* Makes a group for at most `processes` processes and threads. out->bounds lacks a bound that the
   machine does not allow. */
void pawl_cgroup_make(struct pawl_cgroup *out, const struct pawl_cgroup_place *place,
                      uint64_t processes);
/* Bounds the memory of all processes in the group, before or after they start. */
void pawl_cgroup_bound_memory(struct pawl_cgroup *group, uint64_t bytes);
/* Moves the calling process into the group. Async-signal-safe. Returns false if a part fails. */
bool pawl_cgroup_enter(const struct pawl_cgroup *group);
struct pawl_cgroup_events pawl_cgroup_events(const struct pawl_cgroup *group);
/* Ends all processes of the group and removes it. NULL and no group are fine. */
void pawl_cgroup_end(struct pawl_cgroup *group);

/* The default limit of a worker's processes and threads: PAWL_CGROUP_PROCESSES, and
   PAWL_CGROUP_PROCESSES_PER_CPU for each CPU of the machine. */
#define PAWL_CGROUP_PROCESSES 1024
#define PAWL_CGROUP_PROCESSES_PER_CPU 64
uint64_t pawl_cgroup_usual_processes(void);
