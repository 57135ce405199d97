/* SPDX-License-Identifier: Apache-2.0 */
/* What Linux has counted about the threads of a process and their CPUs:
   /proc/PID/task/TID/schedstat, Documentation/scheduler/sched-stats.rst. Without these files
   nothing is read. */
#ifndef PAWL_PROCESS_SCHEDSTAT_H
#define PAWL_PROCESS_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pawl_schedstat {
  pid_t thread;
  int64_t waited_ns; /* for a CPU, since it started: it was able to run, and something else ran */
  uint64_t turns;    /* how often it got one */
};

/* False: enough was read. */
typedef bool (*pawl_schedstat_reader)(void *argument, const struct pawl_schedstat *stat);

/* Calls `reader` for each thread of the process. */
void pawl_schedstat_each(pid_t pid, pawl_schedstat_reader reader, void *argument);

/* The turns of all its threads; 0: unknown. */
uint64_t pawl_schedstat_turns(pid_t pid);

#endif
