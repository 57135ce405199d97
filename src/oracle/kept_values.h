/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values in pawl's own memory: those of a case that is measured are wanted again in the
   first block, and to read an entry and to prove its seal takes 25 ms for 32 MiB. No child process
   sees this memory, not even as a copy. */
#ifndef PAWL_ORACLE_KEPT_VALUES_H
#define PAWL_ORACLE_KEPT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PAWL_KEPT_VALUES 8                       /* entries; the oldest leaves first */
#define PAWL_KEPT_LIMIT ((uint64_t)256 << 20)    /* bytes of all of them, and no more than ... */
#define PAWL_KEPT_SHARE_OF_MEMORY ((uint64_t)32) /* ... 1 / this of the machine's memory */

/* A part of an entry: the expected values of one tensor. */
struct pawl_cache_piece {
  void *data;
  size_t bytes;
};

/* Zero: nothing is kept. */
struct pawl_kept_values {
  struct pawl_kept_value {
    struct pawl_hash key;
    unsigned char *data;
    uint64_t bytes;
  } items[PAWL_KEPT_VALUES];
  size_t next; /* of items: the place of the next */
};

/* Keeps a copy of the pieces, one after another; where there is no room it keeps nothing. */
void pawl_kept_values_add(struct pawl_kept_values *kept, struct pawl_hash key,
                          const struct pawl_cache_piece *pieces, int count);
/* Fills the pieces with the entry; false: it is not kept, or it is not of this size. */
bool pawl_kept_values_take(const struct pawl_kept_values *kept, struct pawl_hash key,
                           const struct pawl_cache_piece *pieces, int count);
void pawl_kept_values_release(struct pawl_kept_values *kept);

#endif
