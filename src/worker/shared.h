/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory between pawl and its workers: one growing memfd, laid out by offset. */
#ifndef PAWL_WORKER_SHARED_H
#define PAWL_WORKER_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pawl_shared {
  int fd;              /* -1: none */
  unsigned char *map;  /* the whole of it; moves when it grows */
  _Atomic size_t size; /* threads that wait for workers read it */
};

/* A sealed-against-shrinking memfd of `size` bytes, mapped here; pages cost nothing until they are
 * touched. */
pawl_status pawl_shared_init(struct pawl_shared *shared, const char *name, size_t size,
                             struct pawl_error *err);
/* At least `size` bytes; `map` may move, offsets stay. */
pawl_status pawl_shared_grow(struct pawl_shared *shared, size_t size, struct pawl_error *err);
/* Gives the pages of the whole area back to the system; contents become zero. */
void pawl_shared_discard(struct pawl_shared *shared);
void pawl_shared_release(struct pawl_shared *shared);

#endif
