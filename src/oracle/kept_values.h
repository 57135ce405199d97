/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values in pawl's own memory, because the first block of a case needs them again. To read
 * an entry of 32 MiB and check its seal takes 25 ms. No child process sees this memory, not even as
 * a copy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PAWL_KEPT_VALUES 8 /* entries; the oldest goes first */
/* The most bytes of all entries, and the most as a fraction of the machine's memory. */
#define PAWL_KEPT_LIMIT ((uint64_t)1 << 30)
#define PAWL_KEPT_SHARE_OF_MEMORY ((uint64_t)32) /* the divisor: 1/32 */

/* A part of an entry: the expected values of one tensor. */
struct pawl_cache_piece {
  void *data;
  size_t bytes;
};

/* Zero: it is empty. */
struct pawl_kept_values {
  struct pawl_kept_value {
    struct pawl_hash key;
    unsigned char *data;
    uint64_t bytes;
  } items[PAWL_KEPT_VALUES];
  size_t next; /* the index in `items` of the next entry */
};

/* Stores a copy of the pieces, one after another. Stores nothing if there is no room. */
void pawl_kept_values_add(struct pawl_kept_values *kept, struct pawl_hash key,
                          const struct pawl_cache_piece *pieces, int count);
/* Fills the pieces from the entry. Returns false if there is none of this size. */
bool pawl_kept_values_take(const struct pawl_kept_values *kept, struct pawl_hash key,
                           const struct pawl_cache_piece *pieces, int count);
void pawl_kept_values_release(struct pawl_kept_values *kept);
