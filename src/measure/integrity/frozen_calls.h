/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a GPU kernel the inputs of its unseen calls (given_inputs.h). It makes these calls while
 * only the first thread of its process runs, from before the flush of the caches to the end of the
 * call. So no other thread can enqueue work beside the timed stream, which would load the inputs
 * into the L2. The worker says for which calls (protocol/stamp.h). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "measure/integrity/given_inputs.h"

struct pawl_frozen_calls {
  struct pawl_given_inputs *given;
  bool freezes; /* the machine can freeze threads, and no earlier request found a call that fails */
  struct pawl_freezable process;
  struct pawl_freeze freeze; /* the frozen threads and processes */
  pawl_stamp *ready, *go, *wish;
  uint32_t first_ready;
  int64_t call_ns; /* the longest time of a call with its preparation */
  int64_t lost_ns; /* freezes in which the call did not end */
  int64_t took_ns; /* the time before the last unseen call began */
  bool running;
  pthread_t thread;
  _Atomic bool stop;
  bool failed; /* pawl could not freeze some thread or process */
  /* A call ended in no freeze, because it needs a frozen thread. Its time does not count. */
  bool cut;
};

/* Starts the thread that lets the calls begin, and sets request->held and request->given if it can.
 * Call it before the request. `longest`: the seconds of the longest call. */
void pawl_frozen_calls_begin(struct pawl_frozen_calls *frozen, const struct pawl_block_run *run,
                             const struct pawl_arm_run *arm, double longest,
                             struct pawl_given_inputs *given, struct pawl_time_request *request);
/* Ends the thread. Call it after the request, whatever its status. */
void pawl_frozen_calls_end(struct pawl_frozen_calls *frozen);
