/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that pawl and its workers share: a memfd that can grow, addressed by offset. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pawl_shared {
  int fd;             /* -1: none */
  unsigned char *map; /* the mapping of all of it, which moves when it grows */
  /* threads that wait for workers or prepare them read these */
  _Atomic size_t size;
  /* how often pawl_shared_empty() took pages away: a worker that pinned them for a GPU must pin the
     new ones, or the GPU writes to the old ones */
  _Atomic unsigned emptied;
};

/* Creates a memfd of `size` bytes, sealed against shrinking, and maps it. The system allocates
 * pages on their first use. */
pawl_status pawl_shared_init(struct pawl_shared *shared, const char *name, size_t size,
                             struct pawl_error *err);
/* Grows the memory to at least `size` bytes. `map` may move; offsets stay. */
pawl_status pawl_shared_grow(struct pawl_shared *shared, size_t size, struct pawl_error *err);
/* Empties the pages from `offset` on, which then are zero. */
void pawl_shared_empty(struct pawl_shared *shared, size_t offset);
void pawl_shared_release(struct pawl_shared *shared);
