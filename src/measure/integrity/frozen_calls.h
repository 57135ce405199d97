/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a GPU kernel during which nothing of the kernel but the first thread of its process runs
   on the CPU, from before the caches are flushed until the call has ended. So nobody enqueues work
   beside the timed stream: it could read the inputs, and the call would find them in the L2. The
   worker says for which calls (protocol/stamp.h). */
#ifndef PAWL_MEASURE_INTEGRITY_FROZEN_CALLS_H
#define PAWL_MEASURE_INTEGRITY_FROZEN_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_frozen_calls {
  struct pawl_freezable process;
  struct pawl_freeze freeze; /* of its others */
  pawl_stamp *ready, *go, *wish;
  uint32_t first_ready;
  int64_t call_ns;   /* that a call may take with all that belongs to it */
  int64_t lost_ns;   /* in holds in which the call did not end */
  uint32_t asked;    /* how often the worker was to make a call again */
  uint32_t turns;    /* that it has taken in the request */
  int64_t took_ns;   /* for the last call, until its others were frozen */
  int64_t frozen_ns; /* for which calls were frozen, all together */
  bool running;
  pthread_t thread;
  _Atomic bool stop;
  bool failed; /* some thread or process could not be frozen */
  bool cut; /* a call did not end whenever it was frozen: it needs a thread that was frozen, and its
               time is none */
};

/* Before the request, of which `frozen` is set where the machine can do it. `longest`: seconds that
 * a call takes. */
void pawl_frozen_calls_begin(struct pawl_frozen_calls *frozen, const struct pawl_block_run *run,
                             const struct pawl_arm_run *arm, double longest,
                             struct pawl_time_request *request);
/* After it, whatever came of it. */
void pawl_frozen_calls_end(struct pawl_frozen_calls *frozen);

#endif
