/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a GPU kernel during which nothing of the kernel but the first thread of its process runs
   on the CPU, from before the caches are flushed until the call has ended. So nobody enqueues work
   beside the timed stream: it could read the inputs, and the call would find them in the L2. The
   worker says for which calls (protocol/stamp.h). */
#ifndef PAWL_MEASURE_HELD_CALLS_H
#define PAWL_MEASURE_HELD_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_held_calls {
  struct pawl_freezable process;
  struct pawl_freeze hold; /* of its others */
  pawl_stamp *ready, *go, *wish;
  uint32_t first_ready;
  int64_t call_ns; /* that a call may take with all that belongs to it */
  int64_t lost_ns; /* in holds in which the call did not end */
  uint32_t asked;  /* how often the worker was to make a call again */
  uint32_t turns;  /* that it has taken in the request */
  int64_t took_ns; /* for the last call, until its others were held */
  int64_t held_ns; /* for which calls were held, all together */
  bool running;
  pthread_t thread;
  _Atomic bool stop;
  bool failed; /* some thread or process could not be held */
  bool cut;    /* a call did not end whenever it was held: it needs a thread that was held, and its
                  time is none */
};

/* Before the request, of which `held` is set where the machine can do it. `longest`: seconds that a
 * call takes. */
void pawl_held_calls_begin(struct pawl_held_calls *held, const struct pawl_block_run *run,
                           const struct pawl_arm_run *arm, double longest,
                           struct pawl_time_request *request);
/* After it, whatever came of it. */
void pawl_held_calls_end(struct pawl_held_calls *held);

#endif
