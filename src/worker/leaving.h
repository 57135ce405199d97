/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that were asked to quit, and end while something else goes on: a GPU's driver takes its time to end many. */
#ifndef PAWL_WORKER_LEAVING_H
#define PAWL_WORKER_LEAVING_H

#include "worker/worker.h"

/* Zero: none leaves. */
struct pawl_leaving {
  struct pawl_worker **workers;
  size_t count, capacity;
};

/* Takes the worker, asks it to quit and does not wait; NULL is fine. */
void pawl_leaving_add(struct pawl_leaving *leaving, struct pawl_worker *worker);
/* Waits until all of them have ended. What is timed begins after it. */
void pawl_leaving_await(struct pawl_leaving *leaving);

#endif
