/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of CPUs by their numbers, in the notation of cpuset(7): "0-3,8". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/memory.h"

#define PAWL_CPU_LIMIT 1024 /* the capacity of cpu_set_t */

struct pawl_cpus {
  int *numbers; /* distinct, in the arena */
  size_t count; /* 0: not given */
};

/* Returns false if the text is not a list of CPUs. */
bool pawl_cpus_parse(const char *text, struct pawl_arena *arena, struct pawl_cpus *out);
/* Returns "0,2,1,3", in the order of the set, in the arena. */
const char *pawl_cpus_text(const struct pawl_cpus *cpus, struct pawl_arena *arena);

/* Returns the CPUs that this process may use (sched_getaffinity), ascending, at least one. */
struct pawl_cpus pawl_cpus_of_process(struct pawl_arena *arena);
/* Binds the calling process to these CPUs. Returns false and sets errno if the system refuses. Safe
   after fork. */
bool pawl_cpus_bind(const struct pawl_cpus *cpus);
/* Binds the calling thread to these CPUs except the one where the first thread of a process runs
   now. Uses all of them if that CPU is unknown or the only one. */
void pawl_cpus_keep_off(const struct pawl_cpus *cpus, pid_t process);
/* Gives the calling thread a CPU sooner than others where the system can, because a call waits for
   it. As root, also gives it a little more of the CPU. */
void pawl_cpus_go_first(void);
