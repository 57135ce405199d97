/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/leaving.h"

#include <string.h>

#include "base/memory.h"

void pawl_leaving_add(struct pawl_leaving *leaving, struct pawl_worker *worker) {
  if (!worker) return;
  leaving->workers =
      pawl_grow(leaving->workers, leaving->count, &leaving->capacity, sizeof(struct pawl_worker *));
  leaving->workers[leaving->count++] = worker;
}

void pawl_leaving_ask(struct pawl_leaving *leaving) {
  for (; leaving->asked < leaving->count; leaving->asked++)
    pawl_worker_dismiss(leaving->workers[leaving->asked]);
}

void pawl_leaving_await(struct pawl_leaving *leaving) {
  const size_t left = leaving->count - leaving->asked;
  for (size_t i = 0; i < leaving->asked; i++) pawl_worker_free(leaving->workers[i]);
  if (left)
    memmove(leaving->workers, leaving->workers + leaving->asked,
            left * sizeof(struct pawl_worker *));
  leaving->count = left;
  leaving->asked = 0;
}

void pawl_leaving_end(struct pawl_leaving *leaving) {
  pawl_leaving_ask(leaving);
  pawl_leaving_await(leaving);
  pawl_free(leaving->workers);
  *leaving = (struct pawl_leaving){0};
}
