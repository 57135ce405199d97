/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the series of the points that a transaction adds. A table in memory holds their ids and
 * counts their points. So an import looks a series up once and writes its counts once. */
#include <string.h>

#include "base/count.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/store_handle.h"

#define SLOTS 16384 /* a power of two; 1.3 MB */

struct pawl_store_slot {
  char hash[PAWL_HASH_TEXT]; /* empty: the slot is free */
  int64_t id;
  int64_t points; /* points that the database does not count yet */
  int64_t first_time, last_time;
};

void pawl_store_hash(const char *const *texts, size_t count, char out[PAWL_HASH_TEXT]) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < count; i++) pawl_hasher_add_string(&hasher, texts[i] ? texts[i] : "");
  pawl_hash_format(pawl_hasher_finish(&hasher), out);
}

pawl_status pawl_store_find(struct pawl_sql *sql, const char *query, const char *hash, int64_t *out,
                            struct pawl_error *err) {
  return pawl_sql_number(sql, query, PAWL_SQL_PARAMETERS(pawl_sql_text(hash)), PAWL_STORE_NO_ID,
                         out, err);
}

static pawl_status write_counts(struct pawl_sql *sql, struct pawl_store_slot *slot,
                                struct pawl_error *err) {
  if (!slot->points) return PAWL_OK;
  PAWL_TRY(pawl_sql_run(
      sql,
      "UPDATE pawl_series SET points = points + $2, version = version + $2,"
      " first_time = CASE WHEN first_time < $3 THEN first_time ELSE $3 END,"
      " last_time = CASE WHEN last_time > $4 THEN last_time ELSE $4 END WHERE id = $1",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(slot->id), pawl_sql_integer(slot->points),
                          pawl_sql_integer(slot->first_time), pawl_sql_integer(slot->last_time)),
      err));
  slot->points = 0;
  return PAWL_OK;
}

static pawl_status insert_series(struct pawl_sql *sql, const struct pawl_history_run *run,
                                 const struct pawl_history_point *point, const char *hash,
                                 int64_t *out, struct pawl_error *err) {
  return pawl_sql_number(
      sql,
      "INSERT INTO pawl_series (hash, kernel, case_name, shape, hardware, hardware_name, unit, "
      "bigger_is_better, points, version, first_time, last_time)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, 1, $9, $9) RETURNING id",
      PAWL_SQL_PARAMETERS(pawl_sql_text(hash), pawl_sql_text(point->kernel_name),
                          pawl_sql_text(point->case_name), pawl_sql_text(point->shape),
                          pawl_sql_text(run->hardware), pawl_sql_text(run->hardware_name),
                          pawl_sql_text(point->unit), pawl_sql_integer(point->bigger_is_better),
                          pawl_sql_integer(run->time)),
      PAWL_STORE_NO_ID, out, err);
}

static void count_in_slot(struct pawl_store_slot *slot, int64_t time) {
  if (!slot->points || time < slot->first_time) slot->first_time = time;
  if (!slot->points || time > slot->last_time) slot->last_time = time;
  slot->points++;
}

pawl_status pawl_store_count_point(struct pawl_store *store, const struct pawl_history_run *run,
                                   const struct pawl_history_point *point, int64_t *out,
                                   struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  struct pawl_hash place;
  const char *const texts[] = {point->kernel_name, point->case_name, point->shape, run->hardware,
                               point->unit};
  pawl_store_hash(texts, PAWL_COUNT(texts), hash);
  PAWL_ASSERT(pawl_hash_parse(hash, &place));
  if (!store->slots) store->slots = pawl_alloc(SLOTS, sizeof *store->slots);
  struct pawl_store_slot *slot = &store->slots[place.low % SLOTS];
  if (strcmp(slot->hash, hash) != 0) {
    PAWL_TRY(write_counts(store->sql, slot, err));
    memcpy(slot->hash, hash, sizeof hash);
    PAWL_TRY(pawl_store_find(store->sql, "SELECT id FROM pawl_series WHERE hash = $1", hash,
                             &slot->id, err));
    if (slot->id == PAWL_STORE_NO_ID) { /* the new row counts this point already */
      PAWL_TRY(insert_series(store->sql, run, point, hash, &slot->id, err));
      *out = slot->id;
      return PAWL_OK;
    }
  }
  count_in_slot(slot, run->time);
  *out = slot->id;
  return PAWL_OK;
}

enum pawl_status_code pawl_store_write_series(struct pawl_store *store,
                                              enum pawl_status_code status,
                                              struct pawl_error *err) {
  for (size_t i = 0; store->slots && i < SLOTS && status == PAWL_OK; i++)
    status = write_counts(store->sql, &store->slots[i], err);
  pawl_free(store->slots);
  store->slots = NULL;
  return status;
}
