/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are not needed any more, and end while something else goes on: a GPU's driver takes
   its time to end many. */
#ifndef PAWL_WORKER_LEAVING_H
#define PAWL_WORKER_LEAVING_H

#include "worker/worker.h"

/* Zero: none leaves. */
struct pawl_leaving {
  struct pawl_worker **workers;
  size_t count, capacity;
  size_t asked; /* the first of them */
};

/* Takes the worker; NULL is fine. */
void pawl_leaving_add(struct pawl_leaving *leaving, struct pawl_worker *worker);
/* Asks all of them to quit and does not wait: nothing is timed now. */
void pawl_leaving_ask(struct pawl_leaving *leaving);
/* Waits until all that were asked have ended, before something is timed. Those that were not asked
 * stay. */
void pawl_leaving_await(struct pawl_leaving *leaving);
/* Both, for all. */
void pawl_leaving_end(struct pawl_leaving *leaving);

#endif
