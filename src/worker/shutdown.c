/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/shutdown.h"

#include <string.h>

#include "base/memory.h"

void pawl_shutdown_add(struct pawl_shutdown *shutdown, struct pawl_worker *worker) {
  if (!worker) return;
  shutdown->workers = pawl_grow(shutdown->workers, shutdown->count, &shutdown->capacity,
                                sizeof(struct pawl_worker *));
  shutdown->workers[shutdown->count++] = worker;
}

void pawl_shutdown_ask(struct pawl_shutdown *shutdown) {
  for (; shutdown->asked < shutdown->count; shutdown->asked++)
    pawl_worker_dismiss(shutdown->workers[shutdown->asked]);
}

void pawl_shutdown_await(struct pawl_shutdown *shutdown) {
  const size_t left = shutdown->count - shutdown->asked;
  for (size_t i = 0; i < shutdown->asked; i++) pawl_worker_free(shutdown->workers[i]);
  if (left)
    memmove(shutdown->workers, shutdown->workers + shutdown->asked,
            left * sizeof(struct pawl_worker *));
  shutdown->count = left;
  shutdown->asked = 0;
}

void pawl_shutdown_end(struct pawl_shutdown *shutdown) {
  pawl_shutdown_ask(shutdown);
  pawl_shutdown_await(shutdown);
  pawl_free(shutdown->workers);
  *shutdown = (struct pawl_shutdown){0};
}
