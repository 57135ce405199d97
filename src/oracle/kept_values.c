/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/kept_values.h"

#include <unistd.h>

#include "base/bulk.h"

static uint64_t size_of(const struct pawl_cache_piece *pieces, int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += pieces[i].bytes;
  return bytes;
}

static uint64_t limit(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const uint64_t share =
      pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / PAWL_KEPT_SHARE_OF_MEMORY : 0;
  return share < PAWL_KEPT_LIMIT ? share : PAWL_KEPT_LIMIT;
}

static void kept_values_drop(struct pawl_kept_value *item) {
  pawl_bulk_free(item->data, item->bytes);
  *item = (struct pawl_kept_value){.data = NULL};
}

static const struct pawl_kept_value *kept_values_find(const struct pawl_kept_values *kept,
                                                      struct pawl_hash key) {
  for (size_t i = 0; i < PAWL_KEPT_VALUES; i++)
    if (kept->items[i].data && pawl_hash_equal(kept->items[i].key, key)) return &kept->items[i];
  return NULL;
}

/* Removes the oldest entries until these bytes fit. */
static bool kept_values_make_room(struct pawl_kept_values *kept, uint64_t bytes) {
  const uint64_t most = limit();
  uint64_t used = 0;
  if (bytes == 0 || bytes > most) return false;
  for (size_t i = 0; i < PAWL_KEPT_VALUES; i++) used += kept->items[i].bytes;
  for (size_t i = 0; i < PAWL_KEPT_VALUES && used > most - bytes; i++) {
    struct pawl_kept_value *oldest = &kept->items[(kept->next + i) % PAWL_KEPT_VALUES];
    used -= oldest->bytes;
    kept_values_drop(oldest);
  }
  return true;
}

void pawl_kept_values_add(struct pawl_kept_values *kept, struct pawl_hash key,
                          const struct pawl_cache_piece *pieces, int count) {
  const uint64_t bytes = size_of(pieces, count);
  struct pawl_kept_value *item = &kept->items[kept->next];
  if (kept_values_find(kept, key) || !kept_values_make_room(kept, bytes)) return;
  kept_values_drop(item);
  unsigned char *data = pawl_bulk_alloc(bytes);
  if (!data) return;
  *item = (struct pawl_kept_value){key, data, bytes};
  kept->next = (kept->next + 1) % PAWL_KEPT_VALUES;
  for (int i = 0; i < count; data += pieces[i].bytes, i++)
    pawl_bulk_copy(data, pieces[i].data, pieces[i].bytes);
}

bool pawl_kept_values_take(const struct pawl_kept_values *kept, struct pawl_hash key,
                           const struct pawl_cache_piece *pieces, int count) {
  const struct pawl_kept_value *item = kept_values_find(kept, key);
  if (!item || item->bytes != size_of(pieces, count)) return false;
  const unsigned char *from = item->data;
  for (int i = 0; i < count; from += pieces[i].bytes, i++)
    pawl_bulk_copy(pieces[i].data, from, pieces[i].bytes);
  return true;
}

void pawl_kept_values_release(struct pawl_kept_values *kept) {
  for (size_t i = 0; i < PAWL_KEPT_VALUES; i++) kept_values_drop(&kept->items[i]);
  kept->next = 0;
}
