/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: a file. By write-ahead logging, readers read while one writes, and a killed process loses
 * at most its own transaction. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/network_fs.h"
#include "store/sql.h"

#define APPLICATION 0x7061776c             /* "pawl", in the file's header: pragma application_id */
#define WAIT "PRAGMA busy_timeout = 60000" /* ms that a writer waits for another */
#define SET_UP_SECONDS 60.0 /* for which a process that opens the file waits for others that do */
#define STATEMENTS 32       /* the most prepared statements */
#define PARAMETERS 40       /* the most parameters of a statement */

/* clang-format off */
#define SQLITE_FUNCTIONS(F) \
  F(sqlite3_bind_blob64) F(sqlite3_bind_double) F(sqlite3_bind_int64) F(sqlite3_bind_null) \
  F(sqlite3_bind_parameter_count) F(sqlite3_bind_parameter_index) F(sqlite3_bind_text64) \
  F(sqlite3_clear_bindings) F(sqlite3_close) F(sqlite3_column_blob) \
  F(sqlite3_column_bytes) F(sqlite3_column_count) F(sqlite3_column_double) \
  F(sqlite3_column_int64) F(sqlite3_column_text) F(sqlite3_column_type) F(sqlite3_db_config) \
  F(sqlite3_errmsg) F(sqlite3_exec) F(sqlite3_extended_errcode) F(sqlite3_extended_result_codes) \
  F(sqlite3_finalize) F(sqlite3_open_v2) F(sqlite3_prepare_v3) \
  F(sqlite3_reset) F(sqlite3_snprintf) F(sqlite3_step)
/* clang-format on */
PAWL_LATE_LIBRARY(sqlite_library, "libsqlite3.so.0", "libsqlite3-0", SQLITE_FUNCTIONS);

struct sqlite {
  struct pawl_sql base;
  sqlite3 *handle;
  char *path;
  struct sqlite_statement {
    const char *text; /* by its address: the store's queries are constants */
    sqlite3_stmt *statement;
    unsigned char places[PARAMETERS]; /* the places of "$1", "$2" and so on, in any order */
  } prepared[STATEMENTS];
};

static enum pawl_status_code sql_sqlite_code_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return PAWL_TRY_AGAIN;
    case SQLITE_NOMEM: return PAWL_NO_MEMORY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return PAWL_BAD_DATA;
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN: return PAWL_CANNOT_WRITE;
    case SQLITE_PERM:
    case SQLITE_AUTH: return PAWL_NOT_PERMITTED;
    default: return PAWL_IO;
  }
}

static enum pawl_status_code sql_sqlite_fail(const struct sqlite *db, struct pawl_error *err) {
  const int code = sqlite3_extended_errcode(db->handle);
  const char *advice = (code & 0xff) == SQLITE_BUSY     ? "; another process holds it"
                       : (code & 0xff) == SQLITE_NOTADB ? "; this file is not a history of pawl"
                       : (code & 0xff) == SQLITE_CORRUPT
                           ? "; move the file away, and pawl starts a new one"
                       : (code & 0xff) == SQLITE_READONLY
                           ? "; pawl can only read it, because the disk is full or not writable"
                           : "";
  return pawl_fail(err, sql_sqlite_code_of(code), "the history '%s': %s%s", db->path,
                   sqlite3_errmsg(db->handle), advice);
}

static void sqlite_close(struct pawl_sql *sql) {
  struct sqlite *db = (struct sqlite *)sql;
  for (size_t i = 0; i < STATEMENTS; i++) sqlite3_finalize(db->prepared[i].statement);
  sqlite3_close(db->handle);
  pawl_free(db->path);
  pawl_free(db);
}

static enum pawl_status_code sqlite_script(struct pawl_sql *sql, const char *text,
                                           struct pawl_error *err) {
  struct sqlite *db = (struct sqlite *)sql;
  return sqlite3_exec(db->handle, text, NULL, NULL, NULL) == SQLITE_OK ? PAWL_OK
                                                                       : sql_sqlite_fail(db, err);
}

/* Prepares a statement. If all places are taken, it takes the oldest. */
static enum pawl_status_code sql_sqlite_prepare(struct sqlite *db, const char *text,
                                                const struct sqlite_statement **out,
                                                struct pawl_error *err) {
  size_t place = 0;
  for (; place < STATEMENTS && db->prepared[place].text; place++) {
    if (db->prepared[place].text != text) continue;
    *out = &db->prepared[place];
    return PAWL_OK;
  }
  if (place == STATEMENTS) {
    sqlite3_finalize(db->prepared[0].statement);
    memmove(db->prepared, db->prepared + 1, (STATEMENTS - 1) * sizeof *db->prepared);
    memset(&db->prepared[--place], 0, sizeof *db->prepared);
  }
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(db->handle, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) !=
      SQLITE_OK)
    return sql_sqlite_fail(db, err);
  struct sqlite_statement *prepared = &db->prepared[place];
  prepared->text = text;
  prepared->statement = statement;
  const int count = sqlite3_bind_parameter_count(statement);
  PAWL_ASSERT(count <= PARAMETERS);
  for (int i = 0; i < count; i++) {
    char name[16];
    sqlite3_snprintf(sizeof name, name, "$%d", i + 1);
    prepared->places[i] = (unsigned char)sqlite3_bind_parameter_index(statement, name);
  }
  *out = prepared;
  return PAWL_OK;
}

static int bind(sqlite3_stmt *statement, int place, const struct pawl_sql_value *value) {
  switch (value->kind) {
    case PAWL_SQL_INTEGER: return sqlite3_bind_int64(statement, place, value->integer);
    case PAWL_SQL_REAL: return sqlite3_bind_double(statement, place, value->real);
    case PAWL_SQL_TEXT:
      return sqlite3_bind_text64(statement, place, value->bytes, value->length, SQLITE_STATIC,
                                 SQLITE_UTF8);
    case PAWL_SQL_BLOB:
      return sqlite3_bind_blob64(statement, place, value->bytes, value->length, SQLITE_STATIC);
    case PAWL_SQL_NULL: break;
  }
  return sqlite3_bind_null(statement, place);
}

static struct pawl_sql_value column(sqlite3_stmt *statement, int place) {
  switch (sqlite3_column_type(statement, place)) {
    case SQLITE_INTEGER: return pawl_sql_integer(sqlite3_column_int64(statement, place));
    case SQLITE_FLOAT: return pawl_sql_real(sqlite3_column_double(statement, place));
    case SQLITE_TEXT: return pawl_sql_text((const char *)sqlite3_column_text(statement, place));
    case SQLITE_BLOB: {
      const void *bytes = sqlite3_column_blob(statement, place);
      return pawl_sql_blob(bytes ? bytes : "", (size_t)sqlite3_column_bytes(statement, place));
    }
    default: return (struct pawl_sql_value){0};
  }
}

#define COLUMNS 40

static enum pawl_status_code step_all(struct sqlite *db, sqlite3_stmt *statement,
                                      pawl_sql_visit *visit, void *context,
                                      struct pawl_error *err) {
  struct pawl_sql_value columns[COLUMNS];
  const int count = sqlite3_column_count(statement);
  PAWL_ASSERT(count <= COLUMNS);
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) return PAWL_OK;
    if (code != SQLITE_ROW) return sql_sqlite_fail(db, err);
    for (int i = 0; i < count; i++) columns[i] = column(statement, i);
    if (visit) PAWL_TRY(visit(context, columns, (size_t)count, err));
  }
}

static enum pawl_status_code sqlite_query(struct pawl_sql *sql, const char *text,
                                          const struct pawl_sql_value *parameters, size_t count,
                                          pawl_sql_visit *visit, void *context,
                                          struct pawl_error *err) {
  struct sqlite *db = (struct sqlite *)sql;
  const struct sqlite_statement *prepared = NULL;
  PAWL_TRY(sql_sqlite_prepare(db, text, &prepared, err));
  sqlite3_stmt *statement = prepared->statement;
  PAWL_ASSERT(sqlite3_bind_parameter_count(statement) == (int)count);
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++)
    if (bind(statement, prepared->places[i], &parameters[i]) != SQLITE_OK)
      status = sql_sqlite_fail(db, err);
  if (status == PAWL_OK) status = step_all(db, statement, visit, context, err);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

/* Only a key of this type needs no index beside the table. */
static void sqlite_stage(const struct pawl_sql_table *table, const char *model,
                         struct pawl_text *out) {
  const size_t key = strcspn(table->columns, ",");
  (void)model; /* columns need no types */
  pawl_text_printf(out, "CREATE TEMP TABLE %s (%.*s INTEGER PRIMARY KEY%s);", table->name, (int)key,
                   table->columns, table->columns + key);
}

/* Runs one prepared statement for each row. */
static enum pawl_status_code sqlite_insert(struct pawl_sql *sql, const struct pawl_sql_table *table,
                                           const struct pawl_sql_value *values, size_t rows,
                                           struct pawl_error *err) {
  struct sqlite *db = (struct sqlite *)sql;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  sqlite3_stmt *statement;
  enum pawl_status_code status = PAWL_OK;
  pawl_text_printf(&text, "INSERT INTO %s (%s) VALUES (?", table->name, table->columns);
  for (size_t i = 1; i < table->column_count; i++) pawl_text_add(&text, ", ?");
  pawl_text_add(&text, ")");
  if (sqlite3_prepare_v3(db->handle, text.data, -1, 0, &statement, NULL) != SQLITE_OK)
    return sql_sqlite_fail(db, err);
  for (size_t i = 0; i < rows && status == PAWL_OK; i++) {
    for (size_t j = 0; j < table->column_count; j++)
      if (bind(statement, (int)j + 1, values++) != SQLITE_OK) status = sql_sqlite_fail(db, err);
    if (status == PAWL_OK && sqlite3_step(statement) != SQLITE_DONE)
      status = sql_sqlite_fail(db, err);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return status;
}

/* Fails for the database of another program. An empty file may become a history. Another pawl may
 * make the history meanwhile. It names its application before it makes a table, so this function
 * counts the tables first. */
static enum pawl_status_code own(struct sqlite *db, struct pawl_error *err) {
  int64_t application, tables;
  PAWL_TRY(
      pawl_sql_number(&db->base, "SELECT count(*) FROM sqlite_master", NULL, 0, 0, &tables, err));
  PAWL_TRY(pawl_sql_number(&db->base, "PRAGMA application_id", NULL, 0, 0, &application, err));
  if (application == APPLICATION || (!application && !tables)) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "'%s' is a database of another program, not a history of pawl", db->path);
}

/* Sets the file up. On a network file system the shared memory of write-ahead logging does not
 * work, and locks may not. */
static enum pawl_status_code set_up(struct sqlite *db, const char *network,
                                    struct pawl_error *err) {
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  PAWL_TRY(sqlite_script(&db->base, WAIT, err));
  PAWL_TRY(own(db, err));
  PAWL_TRY(sqlite_script(
      &db->base, network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL", err));
  return sqlite_script(
      &db->base,
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA application_id = 1885435756;"
      "PRAGMA cache_size = -131072;" /* KiB: the points of a series lie all over the file */,
      err);
}

/* Lets one process after another set up, because SQLite does not wait for others when it changes
 * the mode of the journal. */
static enum pawl_status_code set_up_alone(struct sqlite *db, const char *network,
                                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  struct pawl_lock lock = {.fd = -1};
  pawl_text_printf(&path, "%s.lock", db->path);
  PAWL_TRY(pawl_lock_acquire(&lock, pawl_text_string(&path), SET_UP_SECONDS, err));
  const enum pawl_status_code status = set_up(db, network, err);
  pawl_lock_release(&lock);
  return status;
}

static bool sqlite_exists(const struct pawl_sql_open *options) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, options->target);
  return pawl_file_exists(path);
}

/* Opens the file by a path or an address "file:...". */
static enum pawl_status_code open_handle(struct sqlite *db, const char *name, int flags,
                                         struct pawl_error *err) {
  sqlite3_close(db->handle);
  db->handle = NULL;
  if (sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
    return PAWL_OK;
  return db->handle ? sql_sqlite_fail(db, err) : pawl_fail(err, PAWL_NO_MEMORY, "out of memory");
}

/* Writes the address of a file that nobody changes, for which SQLite needs no lock. */
static void immutable_address(const char *path, struct pawl_text *out) {
  pawl_text_add(out, "file:");
  for (; *path; path++) {
    if (strchr("%?#", *path))
      pawl_text_printf(out, "%%%02x", (unsigned char)*path);
    else
      pawl_text_add_bytes(out, path, 1);
  }
  pawl_text_add(out, "?immutable=1");
}

/* Opens a history that pawl cannot write: on a read-only mount, or on a full disk. Without the
 * shared memory beside the file, SQLite can read it only if no transaction waits in the log. */
static enum pawl_status_code open_to_read(struct sqlite *db, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text log = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text address = {0};
  struct pawl_error ignored = {0};
  struct stat info;
  if (open_handle(db, db->path, SQLITE_OPEN_READONLY, &ignored) == PAWL_OK &&
      own(db, &ignored) == PAWL_OK)
    return PAWL_OK;
  pawl_text_printf(&log, "%s-wal", db->path);
  if (!stat(log.data, &info) && info.st_size > 0)
    return pawl_fail(err, PAWL_CANNOT_WRITE,
                     "cannot read the history '%s' where pawl cannot write, because '%s' holds "
                     "runs: copy both to a folder that pawl can write",
                     db->path, log.data);
  immutable_address(db->path, &address);
  PAWL_TRY(open_handle(db, address.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err));
  return own(db, err);
}

/* On a full disk SQLite cannot make its shared memory, and calls that an error of the device. */
static bool is_unwritable(enum pawl_status_code status) {
  return status == PAWL_CANNOT_WRITE || status == PAWL_NOT_PERMITTED || status == PAWL_IO;
}

static enum pawl_status_code open_file(struct sqlite *db, const char *folder, const char *network,
                                       struct pawl_error *err) {
  const bool own = pawl_ends_with(folder, "/.pawl"); /* git leaves pawl's own folder out */
  enum pawl_status_code status =
      own ? pawl_make_ignored_folder(folder, err) : pawl_make_folders(folder, err);
  if (status == PAWL_OK)
    status = open_handle(db, db->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
  if (status == PAWL_OK) status = set_up_alone(db, network, err);
  if (is_unwritable(status) && pawl_is_regular(db->path)) return open_to_read(db, err);
  return status;
}

static enum pawl_status_code sqlite_open(const struct pawl_sql_open *options, struct pawl_sql **out,
                                         struct pawl_error *err) {
  if (!*options->target)
    return pawl_fail(err, PAWL_CONFIG, "'sqlite:' needs a path: sqlite:.pawl/history.db");
  PAWL_TRY(pawl_late_library_open(&sqlite_library, err));
  struct sqlite *db = pawl_alloc(1, sizeof *db);
  db->base.driver = &pawl_sql_sqlite;
  db->path = pawl_path_join(options->folder, options->target);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(db->path);
  const char *network = pawl_network_fs(folder);
  if (network)
    pawl_log_warning(options->log,
                     "the history '%s' is on a network file system (%s), where locks are not "
                     "reliable: keep it on a "
                     "local disk, or use PostgreSQL",
                     db->path, network);
  const enum pawl_status_code status = open_file(db, folder, network, err);
  if (status != PAWL_OK) {
    sqlite_close(&db->base);
    return status;
  }
  *out = &db->base;
  return PAWL_OK;
}

const struct pawl_sql_driver pawl_sql_sqlite = {
    .key_type = "INTEGER PRIMARY KEY",
    .blob_type = "BLOB",
    .begin = "PRAGMA cache_size = -12288; BEGIN IMMEDIATE", /* KiB: a writer needs few pages */
    .begin_beside = "PRAGMA cache_size = -2048; BEGIN",
    .hurry = "PRAGMA busy_timeout = 0",
    .wait = WAIT,
    .elements = "json_each",
    .stamp = "SELECT data_version || ' ' || total_changes() FROM pragma_data_version",
    .has_schema = "SELECT count(*) FROM sqlite_master WHERE name = 'pawl_schema'",
    .exists = sqlite_exists,
    .open = sqlite_open,
    .close = sqlite_close,
    .script = sqlite_script,
    .query = sqlite_query,
    .stage = sqlite_stage,
    .insert = sqlite_insert,
    .compact = "VACUUM",
};
