/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values on disk. Each entry is a file named by its key, and a seal checks it on each
 * read. A cache never fails a run: pawl computes unreadable values again and does not store
 * unwritable ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/seal.h"
#include "oracle/kept_values.h"

/* The bytes of all entries together. */
#define PAWL_ORACLE_CACHE_LIMIT ((uint64_t)4 << 30)

struct pawl_oracle_cache {
  char *folder; /* NULL: no cache */
  const struct pawl_seal_key *seal_key;
  struct pawl_log *log;
  uint64_t limit;
  struct pawl_hash *used; /* entries that this run read or wrote */
  size_t used_count, used_capacity;
  /* the same values are needed again soon, so they stay in memory too, also where no file has room
   */
  bool keeps;
  struct pawl_kept_values kept;
};

/* The key must outlive the cache. The log, unless it is NULL, gets a line for each entry that
 * something else changed. */
void pawl_oracle_cache_init(struct pawl_oracle_cache *cache, const char *folder, uint64_t limit,
                            const struct pawl_seal_key *seal_key, struct pawl_log *log);
void pawl_oracle_cache_release(struct pawl_oracle_cache *cache);

/* Fills the pieces from the entry. Returns false if there is none, or if it is not as pawl wrote
 * it. Then pawl removes it, and the contents of the pieces are undefined. */
bool pawl_oracle_cache_read(struct pawl_oracle_cache *cache, struct pawl_hash key,
                            const struct pawl_cache_piece *pieces, int count);

/* Stores a whole file or none. Makes room by removing the least recently used entries, but none
 * that this run used. So a scan of more than the cache holds still finds a part of it in the next
 * run. *stored is false if it does not fit. */
pawl_status pawl_oracle_cache_write(struct pawl_oracle_cache *cache, struct pawl_hash key,
                                    const struct pawl_cache_piece *pieces, int count, bool *stored,
                                    struct pawl_error *err);
