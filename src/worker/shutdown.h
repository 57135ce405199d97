/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of workers that end beside other work, because a GPU's driver takes long to end many. */
#pragma once

#include "worker/worker.h"

/* A zeroed queue is empty. */
struct pawl_shutdown {
  struct pawl_worker **workers;
  size_t count, capacity;
  size_t asked; /* pawl asked this number of workers, the first ones, to quit */
};

/* Takes ownership of the worker, which may be NULL. */
void pawl_shutdown_add(struct pawl_shutdown *shutdown, struct pawl_worker *worker);
/* Asks all workers to quit and does not wait. Call it while pawl times nothing. */
void pawl_shutdown_ask(struct pawl_shutdown *shutdown);
/* Waits until all workers that pawl asked have ended. Call it before pawl times something. The
 * others stay. */
void pawl_shutdown_await(struct pawl_shutdown *shutdown);
/* Asks all workers to quit, waits for all and frees the queue. */
void pawl_shutdown_end(struct pawl_shutdown *shutdown);
