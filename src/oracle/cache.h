/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values on disk: one file an entry, named by its key, checked by a seal when read. A
   cache never fails a run: what cannot be read is computed again, what cannot be written is not
   kept. */
#ifndef PAWL_ORACLE_CACHE_H
#define PAWL_ORACLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/seal.h"
#include "oracle/kept_values.h"

#define PAWL_ORACLE_CACHE_LIMIT ((uint64_t)4 << 30) /* bytes of all entries together */

struct pawl_oracle_cache {
  char *folder; /* NULL: no cache */
  const struct pawl_seal_key *seal_key;
  struct pawl_log *log;
  uint64_t limit;
  struct pawl_hash *used; /* entries this run read or wrote */
  size_t used_count, used_capacity;
  bool keeps; /* what is read or written now is wanted again soon: it is kept in memory too */
  struct pawl_kept_values kept;
};

/* The key outlives the cache. The log gets a line for each entry that somebody else has changed;
 * NULL: none. */
void pawl_oracle_cache_init(struct pawl_oracle_cache *cache, const char *folder, uint64_t limit,
                            const struct pawl_seal_key *seal_key, struct pawl_log *log);
void pawl_oracle_cache_release(struct pawl_oracle_cache *cache);

/* Fills the pieces from the entry; false when there is none, or when it is not as pawl wrote it:
   then it is removed and the pieces hold anything. */
bool pawl_oracle_cache_read(struct pawl_oracle_cache *cache, struct pawl_hash key,
                            const struct pawl_cache_piece *pieces, int count);

/* Stores an entry, whole or not at all. Makes room by removing what was used longest ago, but
   nothing that this run used: in a scan over more than the cache holds, what fits is found again by
   the next run. *stored is false when it does not fit. */
pawl_status pawl_oracle_cache_write(struct pawl_oracle_cache *cache, struct pawl_hash key,
                                    const struct pawl_cache_piece *pieces, int count, bool *stored,
                                    struct pawl_error *err);

#endif
