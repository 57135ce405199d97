/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Linux's counters for the threads of a process and their CPUs, /proc/PID/task/TID/schedstat
 * (Documentation/scheduler/sched-stats.rst), or nothing on a system without them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pawl_schedstat {
  pid_t thread;
  int64_t waited_ns; /* time since its start that it could run, and something else ran */
  uint64_t turns;    /* how often it got a CPU */
};

/* Returns false to stop. */
typedef bool (*pawl_schedstat_reader)(void *argument, const struct pawl_schedstat *stat);

/* Calls `reader` for each thread of the process. */
void pawl_schedstat_each(pid_t pid, pawl_schedstat_reader reader, void *argument);

/* Returns waited_ns of the process's first thread, or -1 if it is unknown. */
int64_t pawl_schedstat_waited_ns(pid_t pid);

/* Returns the turns of all its threads, or 0 if they are unknown. */
uint64_t pawl_schedstat_turns(pid_t pid);
