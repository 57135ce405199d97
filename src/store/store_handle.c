/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_handle.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/sql.h"
#include "store/store.h"

/* --- the schema --- */

/* Makes the tables, by steps from each version to the next. */

#define STORE_VERSION 10

/* Step i leads from version i to version i + 1. A step of a release never changes; a difference is
 * a new step. {key} and {blob} are the back end's types. Points hold what a trend shows, in short
 * rows. Details hold what only one point at a time shows. */
static const char *const steps[STORE_VERSION] = {
    "CREATE TABLE pawl_commits (id TEXT PRIMARY KEY, time BIGINT, subject TEXT);"
    "CREATE TABLE pawl_runs (id {key}, uid TEXT NOT NULL UNIQUE, source TEXT NOT NULL, time BIGINT "
    "NOT NULL,"
    " commit_id TEXT REFERENCES pawl_commits (id), branch TEXT, dirty BIGINT NOT NULL, hardware "
    "TEXT,"
    " hardware_name TEXT, toolchain TEXT, verdict TEXT, seconds DOUBLE PRECISION);"
    "CREATE INDEX pawl_runs_by_time ON pawl_runs (time, id);"
    "CREATE INDEX pawl_runs_by_commit ON pawl_runs (commit_id);"
    "CREATE TABLE pawl_series (id {key}, hash TEXT NOT NULL UNIQUE, kernel TEXT NOT NULL, "
    "case_name TEXT NOT NULL,"
    " shape TEXT NOT NULL, hardware TEXT, hardware_name TEXT, unit TEXT NOT NULL, bigger_is_better "
    "BIGINT NOT NULL,"
    " points BIGINT NOT NULL, first_time BIGINT NOT NULL, last_time BIGINT NOT NULL);"
    "CREATE TABLE pawl_points (id {key}, run BIGINT NOT NULL REFERENCES pawl_runs (id),"
    " series BIGINT NOT NULL REFERENCES pawl_series (id), time BIGINT NOT NULL, value DOUBLE "
    "PRECISION,"
    " low DOUBLE PRECISION, high DOUBLE PRECISION, samples BIGINT, outcome TEXT NOT NULL, reason "
    "TEXT, code TEXT,"
    " verdict TEXT, change_pct DOUBLE PRECISION, change_low_pct DOUBLE PRECISION, change_high_pct "
    "DOUBLE PRECISION,"
    " anchor TEXT, blocks BIGINT, identical BIGINT NOT NULL);"
    "CREATE INDEX pawl_points_by_series ON pawl_points (series, time, id);"
    "CREATE INDEX pawl_points_by_run ON pawl_points (run);"
    "CREATE TABLE pawl_environments (id {key}, hash TEXT NOT NULL UNIQUE, document TEXT NOT NULL);"
    "CREATE TABLE pawl_details (point BIGINT PRIMARY KEY REFERENCES pawl_points (id),"
    " environment BIGINT REFERENCES pawl_environments (id), result {blob}, comparison {blob});"
    "CREATE INDEX pawl_details_by_environment ON pawl_details (environment);"
    "CREATE TABLE pawl_moves (id {key}, run BIGINT REFERENCES pawl_runs (id), time BIGINT NOT NULL,"
    " kernel TEXT NOT NULL, case_name TEXT NOT NULL, hardware TEXT, kind TEXT NOT NULL, from_ms "
    "DOUBLE PRECISION,"
    " to_ms DOUBLE PRECISION, commit_id TEXT, timestamp TEXT, reason TEXT);"
    "CREATE INDEX pawl_moves_by_run ON pawl_moves (run);",
    /* 2: why a kernel became slower or faster */
    "ALTER TABLE pawl_details ADD COLUMN profile {blob};",
    /* 3: the best of a series */
    "CREATE INDEX pawl_points_by_value ON pawl_points (series, value);",
    /* 4: the noise of a machine, the false alarms that the gate allowed, and which series are
       references */
    "ALTER TABLE pawl_points ADD COLUMN role TEXT;"
    "ALTER TABLE pawl_points ADD COLUMN machine TEXT;"
    "ALTER TABLE pawl_points ADD COLUMN base_sd_pct DOUBLE PRECISION;"
    "ALTER TABLE pawl_points ADD COLUMN block_sd_pct DOUBLE PRECISION;"
    "ALTER TABLE pawl_points ADD COLUMN false_alarm DOUBLE PRECISION;"
    "CREATE INDEX pawl_points_by_machine ON pawl_points (time, id) WHERE machine IS NOT NULL;",
    /* 5: facts of a series until it changes, and its figures in one place of the file */
    "ALTER TABLE pawl_series ADD COLUMN version BIGINT NOT NULL DEFAULT 0;"
    "CREATE TABLE pawl_summaries (series BIGINT NOT NULL REFERENCES pawl_series (id), branch TEXT "
    "NOT NULL,"
    " version BIGINT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (series, branch));"
    "DROP INDEX pawl_points_by_series;"
    "CREATE INDEX pawl_points_by_time ON pawl_points (series, time, id, value, run);",
    /* 6: whose samples stay when old ones go, and when pawl last looked */
    ("ALTER TABLE pawl_details ADD COLUMN pinned BIGINT NOT NULL DEFAULT 0;"
     "CREATE TABLE pawl_retention (last_time BIGINT NOT NULL);"),
    /* 7: few runs are of uncommitted trees */
    "CREATE INDEX pawl_runs_dirty ON pawl_runs (id) WHERE dirty <> 0;",
    /* 8: the order of commits (place.h), and the branch that git calls the default */
    "CREATE TABLE pawl_line (branch TEXT NOT NULL);"
    "ALTER TABLE pawl_commits ADD COLUMN place BIGINT;"
    "ALTER TABLE pawl_commits ADD COLUMN ancestry BIGINT NOT NULL DEFAULT 0;"
    "ALTER TABLE pawl_points ADD COLUMN place BIGINT NOT NULL DEFAULT 0;"
    "ALTER TABLE pawl_points ADD COLUMN dirty BIGINT NOT NULL DEFAULT 0;"
    "ALTER TABLE pawl_points ADD COLUMN branch TEXT;"
    "UPDATE pawl_commits SET place = coalesce(time, (SELECT min(r.time) FROM pawl_runs r"
    " WHERE r.commit_id = pawl_commits.id)) * 268435456"
    " + (SELECT min(r.id) FROM pawl_runs r WHERE r.commit_id = pawl_commits.id);"
    "UPDATE pawl_points SET (place, dirty, branch) = (SELECT coalesce(c.place, r.time * 268435456"
    " + r.id), r.dirty, r.branch FROM pawl_runs r LEFT JOIN pawl_commits c ON c.id = r.commit_id"
    " WHERE r.id = pawl_points.run);"
    "DROP INDEX pawl_points_by_time; DROP INDEX pawl_points_by_value; DROP INDEX pawl_runs_dirty;"
    "CREATE INDEX pawl_points_in_order ON pawl_points (series, place, time, id, value, dirty,"
    " branch);"
    "CREATE INDEX pawl_runs_by_branch ON pawl_runs (branch);"
    "CREATE INDEX pawl_commits_unordered ON pawl_commits (place) WHERE ancestry = 0;",
    /* 9: people's notes on changes. They outlive a series that is removed and comes again. */
    "CREATE TABLE pawl_notes (series_hash TEXT NOT NULL, commit_id TEXT NOT NULL, worse BIGINT NOT "
    "NULL, previous TEXT, state TEXT NOT NULL, note TEXT, person TEXT, time BIGINT NOT NULL,"
    " PRIMARY KEY (series_hash, commit_id, worse));",
    /* 10: the score of a time. Older points have none. */
    "ALTER TABLE pawl_points ADD COLUMN limit_pct DOUBLE PRECISION;",
};

static void fill_in(const struct pawl_sql_driver *driver, const char *text, struct pawl_text *out) {
  const struct {
    const char *word, *type;
  } words[] = {{"{key}", driver->key_type}, {"{blob}", driver->blob_type}};
  while (*text) {
    const char *type = NULL;
    for (size_t i = 0; i < PAWL_COUNT(words) && !type; i++) {
      if (!pawl_starts_with(text, words[i].word)) continue;
      type = words[i].type;
      text += strlen(words[i].word);
    }
    if (type)
      pawl_text_add(out, type);
    else
      pawl_text_add_bytes(out, text++, 1);
  }
}

/* Reads the version; 0: there are no tables yet. */
static pawl_status read_version(struct pawl_sql *sql, int64_t *out, struct pawl_error *err) {
  int64_t present;
  PAWL_TRY(pawl_sql_number(sql, sql->driver->has_schema, NULL, 0, 0, &present, err));
  if (present)
    return pawl_sql_number(sql, "SELECT max(version) FROM pawl_schema", NULL, 0, 0, out, err);
  *out = 0;
  return PAWL_OK;
}

static pawl_status take_steps(struct pawl_sql *sql, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  int64_t version;
  PAWL_TRY(read_version(sql, &version, err)); /* another process may have made the tables */
  if (!version) pawl_text_add(&text, "CREATE TABLE pawl_schema (version BIGINT NOT NULL);");
  for (; version < STORE_VERSION; version++) {
    fill_in(sql->driver, steps[version], &text);
    pawl_text_printf(&text, "INSERT INTO pawl_schema (version) VALUES (%lld);",
                     (long long)version + 1);
  }
  return text.length ? pawl_sql_script(sql, text.data, err) : PAWL_OK;
}

/* Makes the tables, or updates them. Fails with PAWL_BAD_DATA if a newer pawl made them. */
static pawl_status schema_update(struct pawl_sql *sql, struct pawl_error *err) {
  int64_t version;
  PAWL_TRY(read_version(sql, &version, err));
  if (version > STORE_VERSION)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "the history is of version %lld, but this pawl reads only %d: update pawl",
                     (long long)version, STORE_VERSION);
  if (version == STORE_VERSION) return PAWL_OK;
  PAWL_TRY(pawl_sql_script(sql, sql->driver->begin, err));
  return pawl_sql_end(sql, take_steps(sql, err), err);
}

/* --- opening and closing --- */

#define MOST_POINTS 25000 /* SQLite adds them in .3 s, beside a million series */

pawl_status pawl_store_open(const char *address, const char *folder, struct pawl_log *log,
                            struct pawl_store **out, struct pawl_error *err) {
  const struct pawl_sql_driver *driver;
  struct pawl_sql_open options = {.folder = folder, .log = log};
  struct pawl_sql *sql;
  PAWL_TRY(pawl_sql_find(address, &driver, &options.target, err));
  PAWL_TRY(driver->open(&options, &sql, err));
  const enum pawl_status_code status = schema_update(sql, err);
  if (status != PAWL_OK) {
    sql->driver->close(sql);
    return status;
  }
  struct pawl_store *store = pawl_alloc(1, sizeof *store);
  store->sql = sql;
  store->most_points = MOST_POINTS;
  *out = store;
  return PAWL_OK;
}

pawl_status pawl_store_exists(const char *address, const char *folder, bool *out,
                              struct pawl_error *err) {
  const struct pawl_sql_driver *driver;
  struct pawl_sql_open options = {.folder = folder};
  PAWL_TRY(pawl_sql_find(address, &driver, &options.target, err));
  *out = !driver->exists || driver->exists(&options);
  return PAWL_OK;
}

static enum pawl_status_code take_stamp(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  const char *text = pawl_sql_get_text(&columns[0]);
  (void)count, (void)err;
  if (text) pawl_text_add(context, text);
  return PAWL_OK;
}

pawl_status pawl_store_stamp(struct pawl_store *store, struct pawl_text *out,
                             struct pawl_error *err) {
  return pawl_sql_query(store->sql, store->sql->driver->stamp, NULL, 0, take_stamp, out, err);
}

pawl_status pawl_store_lock(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  if (store->has_lock) return PAWL_OK;
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->begin, err));
  store->has_lock = true;
  return PAWL_OK;
}

struct pawl_hash pawl_store_hash(const char *const *texts, size_t count, char out[PAWL_HASH_TEXT]) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < count; i++) pawl_hasher_add_string(&hasher, texts[i] ? texts[i] : "");
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  pawl_hash_format(hash, out);
  return hash;
}

void pawl_store_part_id(const char *run, int part, char out[PAWL_HASH_TEXT]) {
  char number[16];
  snprintf(number, sizeof number, "%d", part);
  pawl_store_hash((const char *const[]){run, "part", number}, 3, out);
}

pawl_status pawl_store_find(struct pawl_sql *sql, const char *query, const char *hash, int64_t *out,
                            struct pawl_error *err) {
  return pawl_sql_number(sql, query, PAWL_SQL_PARAMETERS(pawl_sql_text(hash)), PAWL_STORE_NO_ID,
                         out, err);
}

void pawl_store_close(struct pawl_store *store) {
  if (!store) return;
  store->sql->driver->close(store->sql);
  pawl_text_clear(&store->points_by_id);
  pawl_arena_clear(&store->found_arena);
  pawl_free(store);
}

void pawl_store_close_pointer(struct pawl_store **store) { pawl_store_close(*store); }
