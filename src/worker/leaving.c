/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/leaving.h"

#include "base/memory.h"

void pawl_leaving_add(struct pawl_leaving *leaving, struct pawl_worker *worker) {
  if (!worker) return;
  pawl_worker_dismiss(worker);
  leaving->workers = pawl_grow(leaving->workers, leaving->count, &leaving->capacity, sizeof(struct pawl_worker *));
  leaving->workers[leaving->count++] = worker;
}

void pawl_leaving_await(struct pawl_leaving *leaving) {
  for (size_t i = 0; i < leaving->count; i++) pawl_worker_free(leaving->workers[i]);
  pawl_free(leaving->workers);
  *leaving = (struct pawl_leaving){0};
}
