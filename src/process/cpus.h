/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of CPUs by their numbers, in the notation of cpuset(7): "0-3,8". */
#ifndef PAWL_PROCESS_CPUS_H
#define PAWL_PROCESS_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/memory.h"

#define PAWL_CPU_LIMIT 1024 /* CPUs are numbered below this: cpu_set_t holds no more */

struct pawl_cpus {
  int *numbers; /* no two alike, in the arena */
  size_t count; /* 0: none given */
};

/* False: the text is no list of CPUs. */
bool pawl_cpus_parse(const char *text, struct pawl_arena *arena, struct pawl_cpus *out);
/* "0,2,1,3", in the order of the set, in the arena. */
const char *pawl_cpus_text(const struct pawl_cpus *cpus, struct pawl_arena *arena);

/* The CPUs that this process may run on (sched_getaffinity), ascending; at least one. */
struct pawl_cpus pawl_cpus_of_process(struct pawl_arena *arena);
/* Lets the calling process run on these CPUs alone; false with errno when the system refuses. Safe
 * after fork. */
bool pawl_cpus_bind(const struct pawl_cpus *cpus);
/* Lets the calling thread run on all of these CPUs but the one where the first thread of a process
   runs now; on all where that is not known, or is the only one. */
void pawl_cpus_keep_off(const struct pawl_cpus *cpus, pid_t process);
/* Where the system can, the calling thread gets a CPU sooner than others, for a call waits for it,
   and as root a little more of it. */
void pawl_cpus_go_first(void);

#endif
