/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL, by libpq: a server that a team shares. libpq's own address, files and environment
 * variables give host, TLS, passwords and time-outs (~/.pgpass, PGSSLMODE ...). */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/hex.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/sql.h"

#define STATEMENTS 64 /* the most prepared statements */
#define PARAMETERS 32
#define COLUMNS 40
#define BYTEA 17 /* pg_type.h: the type of bytes */

/* clang-format off */
#define POSTGRESQL_FUNCTIONS(F) \
  F(PQcancel) F(PQclear) F(PQconnectdbParams) F(PQconnectionNeedsPassword) \
  F(PQconnectionUsedPassword) F(PQconninfoFree) F(PQconninfoParse) F(PQdb) F(PQerrorMessage) \
  F(PQexec) F(PQfinish) F(PQfreeCancel) F(PQfreemem) F(PQftype) F(PQgetCancel) F(PQgetResult) \
  F(PQgetisnull) F(PQgetvalue) F(PQnfields) F(PQntuples) F(PQprepare) F(PQputCopyData) F(PQputCopyEnd) F(PQresultErrorField) \
  F(PQresultStatus) F(PQsendQueryParams) F(PQsendQueryPrepared) F(PQsetNoticeReceiver) F(PQsetSingleRowMode) \
  F(PQstatus) F(PQunescapeBytea)
/* clang-format on */
PAWL_LATE_LIBRARY(postgresql_library, "libpq.so.5", "libpq5", POSTGRESQL_FUNCTIONS);

struct postgresql {
  struct pawl_sql base;
  PGconn *connection;
  /* by its address: the store's queries are constants; "p3" is the fourth */
  struct {
    const char *text;
    bool prepared;
  } queries[STATEMENTS];
  int query_count;
};

/* --- failures --- */

static enum pawl_status_code sql_postgresql_code_of(const char *state) {
  static const struct {
    const char *begins;
    enum pawl_status_code code;
  } codes[] = {/* appendix A of PostgreSQL's manual: classes of SQLSTATE */
               {"08", PAWL_UNAVAILABLE},   {"57P", PAWL_UNAVAILABLE},
               {"40", PAWL_TRY_AGAIN},     {"55P03", PAWL_TRY_AGAIN},
               {"53", PAWL_CANNOT_WRITE},  {"42501", PAWL_NOT_PERMITTED},
               {"28", PAWL_NOT_PERMITTED}, {"25006", PAWL_CANNOT_WRITE}};
  for (size_t i = 0; state && i < PAWL_COUNT(codes); i++)
    if (pawl_starts_with(state, codes[i].begins)) return codes[i].code;
  return PAWL_IO;
}

static enum pawl_status_code sql_postgresql_fail(const struct postgresql *db,
                                                 const PGresult *result, struct pawl_error *err) {
  const bool lost = PQstatus(db->connection) != CONNECTION_OK;
  const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  const char *words = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
  if (!words) words = PQerrorMessage(db->connection);
  return pawl_fail(err, lost ? PAWL_UNAVAILABLE : sql_postgresql_code_of(state),
                   "the history in the database '%s': %s", PQdb(db->connection), words);
}

/* --- statements --- */

static enum pawl_status_code postgresql_script(struct pawl_sql *sql, const char *text,
                                               struct pawl_error *err) {
  struct postgresql *db = (struct postgresql *)sql;
  PGresult *result = PQexec(db->connection, text);
  const ExecStatusType found = PQresultStatus(result);
  const enum pawl_status_code status = found == PGRES_COMMAND_OK || found == PGRES_TUPLES_OK
                                           ? PAWL_OK
                                           : sql_postgresql_fail(db, result, err);
  PQclear(result);
  return status;
}

/* Prepares a query when it comes again, because most come once and preparing costs a round trip.
 * The first time, `name` is empty. */
static enum pawl_status_code sql_postgresql_prepare(struct postgresql *db, const char *text,
                                                    char name[16], struct pawl_error *err) {
  int place = 0;
  name[0] = '\0';
  while (place < db->query_count && db->queries[place].text != text) place++;
  PAWL_ASSERT(place < STATEMENTS); /* the store has fewer queries */
  if (place == db->query_count) {
    db->queries[db->query_count++].text = text;
    return PAWL_OK;
  }
  snprintf(name, 16, "p%d", place);
  if (db->queries[place].prepared) return PAWL_OK;
  PGresult *result = PQprepare(db->connection, name, text, 0, NULL);
  db->queries[place].prepared = PQresultStatus(result) == PGRES_COMMAND_OK;
  const enum pawl_status_code status =
      db->queries[place].prepared ? PAWL_OK : sql_postgresql_fail(db, result, err);
  PQclear(result);
  return status;
}

/* A parameter as libpq takes it: text, or bytes. `room` holds a number's text. */
struct wire {
  const char *value[PARAMETERS];
  int length[PARAMETERS], format[PARAMETERS];
  char room[PARAMETERS][32];
};

static void write_parameter(struct wire *wire, size_t i, const struct pawl_sql_value *value) {
  wire->value[i] = wire->room[i];
  switch (value->kind) {
    case PAWL_SQL_NULL: wire->value[i] = NULL; break;
    case PAWL_SQL_INTEGER:
      snprintf(wire->room[i], sizeof *wire->room, "%lld", (long long)value->integer);
      break;
    case PAWL_SQL_REAL: snprintf(wire->room[i], sizeof *wire->room, "%.17g", value->real); break;
    case PAWL_SQL_TEXT: wire->value[i] = value->bytes; break;
    case PAWL_SQL_BLOB:
      wire->value[i] = value->bytes;
      wire->length[i] = (int)value->length;
      wire->format[i] = 1;
      break;
  }
}

/* --- rows --- */

static enum pawl_status_code visit_row(const PGresult *result, int row, pawl_sql_visit *visit,
                                       void *context, struct pawl_error *err) {
  struct pawl_sql_value columns[COLUMNS] = {0};
  const int count = PQnfields(result);
  PAWL_ASSERT(count <= COLUMNS);
  void *bytes[COLUMNS] = {0};
  for (int i = 0; i < count; i++) {
    if (PQgetisnull(result, row, i)) continue;
    if (PQftype(result, i) != BYTEA) {
      columns[i] = pawl_sql_text(PQgetvalue(result, row, i));
      continue;
    }
    size_t length;
    bytes[i] = PQunescapeBytea((const unsigned char *)PQgetvalue(result, row, i), &length);
    columns[i] = pawl_sql_blob(bytes[i], length);
  }
  const enum pawl_status_code status = visit(context, columns, (size_t)count, err);
  for (int i = 0; i < count; i++) PQfreemem(bytes[i]);
  return status;
}

/* Cancels the rest of an answer. */
static void sql_postgresql_cancel(struct postgresql *db) {
  char words[256];
  PGcancel *handle = PQgetCancel(db->connection);
  if (handle) PQcancel(handle, words, sizeof words); /* else pawl reads and drops the rows */
  PQfreeCancel(handle);
}

/* Reads row by row, so memory never holds a whole answer. */
static enum pawl_status_code sql_postgresql_read_rows(struct postgresql *db, pawl_sql_visit *visit,
                                                      void *context, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  PGresult *result;
  while ((result = PQgetResult(db->connection))) {
    const ExecStatusType found = PQresultStatus(result);
    const bool well =
        found == PGRES_SINGLE_TUPLE || found == PGRES_TUPLES_OK || found == PGRES_COMMAND_OK;
    if (status == PAWL_OK && !well) status = sql_postgresql_fail(db, result, err);
    for (int i = 0; visit && status == PAWL_OK && i < PQntuples(result); i++) {
      status = visit_row(result, i, visit, context, err);
      if (status != PAWL_OK) sql_postgresql_cancel(db);
    }
    PQclear(result);
  }
  return status;
}

static enum pawl_status_code postgresql_query(struct pawl_sql *sql, const char *text,
                                              const struct pawl_sql_value *parameters, size_t count,
                                              pawl_sql_visit *visit, void *context,
                                              struct pawl_error *err) {
  struct postgresql *db = (struct postgresql *)sql;
  char name[16];
  struct wire wire = {0};
  PAWL_ASSERT(count <= PARAMETERS);
  PAWL_TRY(sql_postgresql_prepare(db, text, name, err));
  for (size_t i = 0; i < count; i++) write_parameter(&wire, i, &parameters[i]);
  const bool sent = *name ? PQsendQueryPrepared(db->connection, name, (int)count, wire.value,
                                                wire.length, wire.format, 0)
                          : PQsendQueryParams(db->connection, text, (int)count, NULL, wire.value,
                                              wire.length, wire.format, 0);
  if (!sent) return sql_postgresql_fail(db, NULL, err);
  PQsetSingleRowMode(db->connection);
  return sql_postgresql_read_rows(db, visit, context, err);
}

/* --- many rows --- */

static void add_hex(const unsigned char *bytes, size_t count, struct pawl_text *out) {
  char digits[2 * 256 + 1];
  for (size_t i = 0; i < count; i += 256) {
    const size_t part = count - i < 256 ? count - i : 256;
    pawl_hex_format(bytes + i, part, digits);
    pawl_text_add_bytes(out, digits, 2 * part);
  }
}

/* Writes a value as COPY reads it. */
static void add_copied(const struct pawl_sql_value *value, struct pawl_text *out) {
  const unsigned char *bytes = value->bytes;
  switch (value->kind) {
    case PAWL_SQL_NULL: pawl_text_add(out, "\\N"); break;
    case PAWL_SQL_INTEGER: pawl_text_printf(out, "%lld", (long long)value->integer); break;
    case PAWL_SQL_REAL: pawl_text_printf(out, "%.17g", value->real); break;
    case PAWL_SQL_TEXT:
      for (size_t i = 0; i < value->length; i++) {
        if (strchr("\\\n\r\t", bytes[i])) pawl_text_add(out, "\\");
        pawl_text_add_bytes(out, &bytes[i], 1);
      }
      break;
    case PAWL_SQL_BLOB:
      pawl_text_add(out, "\\\\x");
      add_hex(bytes, value->length, out);
      break;
  }
}

static void postgresql_stage(const struct pawl_sql_table *table, const char *model,
                             struct pawl_text *out) {
  pawl_text_printf(out,
                   "CREATE TEMP TABLE %s AS SELECT %s FROM %s WHERE 1 = 0;"
                   "CREATE UNIQUE INDEX %s_keys ON %s (%.*s);",
                   table->name, table->columns, model, table->name, table->name,
                   (int)strcspn(table->columns, ","), table->columns);
}

/* COPY takes all rows in one stream. */
static enum pawl_status_code postgresql_insert(struct pawl_sql *sql,
                                               const struct pawl_sql_table *table,
                                               const struct pawl_sql_value *values, size_t rows,
                                               struct pawl_error *err) {
  struct postgresql *db = (struct postgresql *)sql;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, "COPY %s (%s) FROM STDIN", table->name, table->columns);
  PGresult *result = PQexec(db->connection, text.data);
  enum pawl_status_code status =
      PQresultStatus(result) == PGRES_COPY_IN ? PAWL_OK : sql_postgresql_fail(db, result, err);
  PQclear(result);
  if (status != PAWL_OK) return status;
  text.length = 0;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < table->column_count; j++) {
      add_copied(values++, &text);
      pawl_text_add(&text, j + 1 < table->column_count ? "\t" : "\n");
    }
  if (PQputCopyData(db->connection, text.data, (int)text.length) != 1 ||
      PQputCopyEnd(db->connection, NULL) != 1)
    status = sql_postgresql_fail(db, NULL, err);
  const enum pawl_status_code rest = sql_postgresql_read_rows(db, NULL, NULL, err);
  return status == PAWL_OK ? rest : status;
}

/* --- connections --- */

static void postgresql_close(struct pawl_sql *sql) {
  struct postgresql *db = (struct postgresql *)sql;
  PQfinish(db->connection);
  pawl_free(db);
}

/* Drops notices ("relation exists, skipping"). */
static void drop_notice(void *context, const PGresult *result) { (void)context, (void)result; }

/* Fails with libpq's words, which have several lines if a host has several addresses, and end with
 * a newline. */
static enum pawl_status_code fail_to_connect(PGconn *connection, struct pawl_error *err) {
  const bool refused =
      PQconnectionNeedsPassword(connection) || PQconnectionUsedPassword(connection);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  for (const char *words = connection ? PQerrorMessage(connection) : "out of memory"; *words;
       words++) {
    if (*words != '\n')
      pawl_text_add_bytes(&line, words, 1);
    else if (words[1])
      pawl_text_add(&line, "; ");
  }
  const char *text = pawl_text_string(&line);
  const bool unknown = strstr(text, "certificate verify failed");
  return pawl_fail(err, refused ? PAWL_NOT_PERMITTED : PAWL_UNAVAILABLE,
                   "cannot open the history: %s%s", text,
                   unknown ? "; sslrootcert=FILE in the address names the authority that signed "
                             "the server's certificate"
                           : "");
}

/* Fails if the address has a password, because pawl.yaml is in git. libpq itself reads the address,
 * however it is written. */
static enum pawl_status_code check_address(const char *address, struct pawl_error *err) {
  char *words = NULL;
  PQconninfoOption *options = PQconninfoParse(address, &words);
  bool secret = false;
  for (const PQconninfoOption *option = options; option && option->keyword; option++)
    secret = secret || (option->val && (!strcmp(option->keyword, "password") ||
                                        !strcmp(option->keyword, "sslpassword")));
  PQconninfoFree(options);
  PQfreemem(words); /* they may quote the address with its password */
  if (!options)
    return pawl_fail(err, PAWL_CONFIG, "libpq cannot read the address of the history in 'store'");
  if (secret)
    return pawl_fail(
        err, PAWL_CONFIG,
        "the address of the history in 'store' holds a password: put it into ~/.pgpass");
  return PAWL_OK;
}

static enum pawl_status_code postgresql_open(const struct pawl_sql_open *options,
                                             struct pawl_sql **out, struct pawl_error *err) {
  /* the address overrides the earlier entries */
  const char *const keys[] = {"connect_timeout", "fallback_application_name", "dbname",
                              "client_encoding", NULL};
  const char *const values[] = {"10", "pawl", options->target, "UTF8", NULL};
  PAWL_TRY(pawl_late_library_open(&postgresql_library, err));
  PAWL_TRY(check_address(options->target, err));
  PGconn *connection = PQconnectdbParams(keys, values, 1);
  if (PQstatus(connection) != CONNECTION_OK) {
    const enum pawl_status_code status = fail_to_connect(connection, err);
    PQfinish(connection);
    return status;
  }
  PQsetNoticeReceiver(connection, drop_notice, NULL);
  struct postgresql *db = pawl_alloc(1, sizeof *db);
  db->base.driver = &pawl_sql_postgresql;
  db->connection = connection;
  *out = &db->base;
  return PAWL_OK;
}

const struct pawl_sql_driver pawl_sql_postgresql = {
    .whole_address = true,
    .key_type = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .blob_type = "BYTEA",
    .begin = "BEGIN; SET LOCAL lock_timeout = '60s'; SELECT pg_advisory_xact_lock(1885435756)",
    .hurry = "SET lock_timeout = '1ms'",
    .wait = "SET lock_timeout = 0",
    .elements = "json_array_elements_text",
    .stamp = "SELECT CAST(txid_current_snapshot() AS TEXT)",
    .has_schema =
        "SELECT count(*) FROM pg_catalog.pg_tables WHERE tablename = 'pawl_schema'"
        " AND schemaname = ANY (current_schemas(false))",
    .open = postgresql_open,
    .close = postgresql_close,
    .script = postgresql_script,
    .query = postgresql_query,
    .stage = postgresql_stage,
    .insert = postgresql_insert,
};
