/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of workers that end beside other work, because a GPU's driver takes long to end many. */
#pragma once

#include "worker/worker.h"

/* Zero: the queue is empty. */
struct pawl_shutdown {
  struct pawl_worker **workers;
  size_t count, capacity;
  size_t asked; /* the first workers of this number have been asked to quit */
};

/* Takes ownership of the worker. NULL is allowed. */
void pawl_shutdown_add(struct pawl_shutdown *shutdown, struct pawl_worker *worker);
/* Asks all of them to quit and does not wait. Call it while nothing is timed. */
void pawl_shutdown_ask(struct pawl_shutdown *shutdown);
/* Waits until all that were asked have ended. Call it before something is timed. The others stay.
 */
void pawl_shutdown_await(struct pawl_shutdown *shutdown);
/* Asks all of them, waits for all and frees the queue. */
void pawl_shutdown_end(struct pawl_shutdown *shutdown);
