/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether the system gives each of several busy threads a CPU of its own. */
#pragma once

#include "base/memory.h"
#include "device/condition.h"

/* The most threads: pawl does not try all CPUs of a larger machine. */
#define PAWL_THREAD_SHARE_MOST 64

/* Runs `threads` threads (2 to PAWL_THREAD_SHARE_MOST) at the same time in short bursts, like the
 * threads of a kernel, for about 0.3 s. Returns the number of CPUs whose time they got together, 0
 * to `threads`, or NaN if a thread did not start. */
double pawl_thread_share(int threads);

/* Judges a share of a process with a CPU for each thread. `other` is the number of CPUs that other
 * programs used meanwhile (NaN: unknown). If they used more than half of the CPUs, they explain a
 * low share as well as the scheduler does. */
void pawl_thread_share_judge(double share, int threads, double other, struct pawl_arena *arena,
                             struct pawl_condition *out);
