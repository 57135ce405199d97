/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are not needed any more, and end while something else goes on: a GPU's driver takes
   its time to end many. */
#ifndef PAWL_WORKER_SHUTDOWN_H
#define PAWL_WORKER_SHUTDOWN_H

#include "worker/worker.h"

/* Zero: none leaves. */
struct pawl_shutdown {
  struct pawl_worker **workers;
  size_t count, capacity;
  size_t asked; /* the first of them */
};

/* Takes the worker; NULL is fine. */
void pawl_shutdown_add(struct pawl_shutdown *shutdown, struct pawl_worker *worker);
/* Asks all of them to quit and does not wait: nothing is timed now. */
void pawl_shutdown_ask(struct pawl_shutdown *shutdown);
/* Waits until all that were asked have ended, before something is timed. Those that were not asked
 * stay. */
void pawl_shutdown_await(struct pawl_shutdown *shutdown);
/* Both, for all. */
void pawl_shutdown_end(struct pawl_shutdown *shutdown);

#endif
