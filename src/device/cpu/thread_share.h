/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the system gives each of several busy threads a CPU of its own. */
#ifndef PAWL_DEVICE_CPU_THREAD_SHARE_H
#define PAWL_DEVICE_CPU_THREAD_SHARE_H

#include "base/memory.h"
#include "device/condition.h"

#define PAWL_THREAD_SHARE_MOST 64 /* threads; more CPUs than this are not all tried */

/* Lets `threads` threads (2 to PAWL_THREAD_SHARE_MOST) work at the same time in short bursts, as
   the threads of a kernel do, for about 0.3 s. Returns the CPUs' worth of time that they got
   together, from 0 to `threads`; NaN: a thread did not start. */
double pawl_thread_share(int threads);

/* What such a share says where the process has a CPU for each thread, and other programs used
   `other` CPUs meanwhile (NaN: unknown): beyond half of the CPUs they are as good a reason as the
   scheduler. */
void pawl_thread_share_judge(double share, int threads, double other, struct pawl_arena *arena,
                             struct pawl_condition *out);

#endif
