/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Returns the number of CPUs that this process may use (sched_getaffinity), at least 1. */
int pawl_cpu_count(void);

/* Runs body(context, i) for i in [0, count) on `threads` threads (0: all CPUs). A free thread takes
   the next item. */
void pawl_parallel_for(int threads, int64_t count, void (*body)(void *context, int64_t i),
                       void *context);
