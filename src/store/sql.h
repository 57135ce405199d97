/* SPDX-License-Identifier: Apache-2.0 */
/* A database that speaks SQL. Each back end is a file and a row of model/stores.inc. Its driver
 * holds the differences (types, locks), so the store has one text for each query. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

enum pawl_sql_kind {
  PAWL_SQL_NULL = 0,
  PAWL_SQL_INTEGER,
  PAWL_SQL_REAL,
  PAWL_SQL_TEXT,
  PAWL_SQL_BLOB
};

/* A parameter or a column. A text ends with NUL. The texts of a row live until the visit ends. */
struct pawl_sql_value {
  enum pawl_sql_kind kind;
  union {
    int64_t integer;
    double real;
    const void *bytes; /* a text or a blob */
  };
  size_t length; /* bytes; only a text and a blob have one */
};

struct pawl_sql_value pawl_sql_integer(int64_t value);
struct pawl_sql_value pawl_sql_count(long long value); /* -1: SQL's NULL */
/* not finite: SQL's NULL */
struct pawl_sql_value pawl_sql_real(double value);
struct pawl_sql_value pawl_sql_text(const char *value);                /* NULL: SQL's NULL */
struct pawl_sql_value pawl_sql_blob(const void *bytes, size_t length); /* NULL: SQL's NULL */

/* Return a column as a value; `fallback` stands for SQL's NULL. A number in a text counts. */
int64_t pawl_sql_get_integer(const struct pawl_sql_value *value, int64_t fallback);
double pawl_sql_get_real(const struct pawl_sql_value *value);      /* NaN: SQL's NULL */
const char *pawl_sql_get_text(const struct pawl_sql_value *value); /* NULL: SQL's NULL */

struct pawl_sql_driver;

/* A connection. The struct of a back end starts with it. */
struct pawl_sql {
  const struct pawl_sql_driver *driver;
};

/* Takes a row. It must not use the connection. Another status than PAWL_OK ends the query with that
 * status. */
typedef enum pawl_status_code pawl_sql_visit(void *context, const struct pawl_sql_value *columns,
                                             size_t count, struct pawl_error *err);

struct pawl_sql_open {
  const char *target; /* the address after its scheme, or the whole address */
  const char *folder; /* relative paths start here */
  struct pawl_log *log;
};

/* A table that rows are added to. */
struct pawl_sql_table {
  const char *name, *columns; /* "id, hash, document" */
  size_t column_count;
};
#define PAWL_SQL_TABLE(name, count, columns) \
  { name, columns, count }

struct pawl_sql_driver {
  bool whole_address; /* `target` is the address with its scheme */
  /* the types of a primary key that the database counts up, and of bytes */
  const char *key_type, *blob_type;
  const char *begin; /* starts a transaction that no other writer overlaps */
  /* starts a transaction that changes only temporary tables, with little memory; NULL: many rows
   * come in as fast without one */
  const char *begin_beside;
  /* make statements fail instead of waiting for other connections, and wait again */
  const char *hurry, *wait;
  /* the function that makes rows of a JSON array, with a column "value" */
  const char *elements;
  /* a query of one row with a number; 0: pawl's tables are missing */
  const char *has_schema;
  /* returns whether there is a database to open; NULL: only a server knows */
  bool (*exists)(const struct pawl_sql_open *options);
  enum pawl_status_code (*open)(const struct pawl_sql_open *options, struct pawl_sql **out,
                                struct pawl_error *err);
  void (*close)(struct pawl_sql *sql);
  /* runs statements without parameters and rows */
  enum pawl_status_code (*script)(struct pawl_sql *sql, const char *text, struct pawl_error *err);
  /* runs one statement with parameters $1, $2 ...; `visit` may be NULL */
  enum pawl_status_code (*query)(struct pawl_sql *sql, const char *text,
                                 const struct pawl_sql_value *parameters, size_t count,
                                 pawl_sql_visit *visit, void *context, struct pawl_error *err);
  /* writes the script that makes a temporary table, whose first column is its key; `model` is a
   * table with these columns */
  void (*stage)(const struct pawl_sql_table *table, const char *model, struct pawl_text *out);
  /* adds rows, whose values follow one another, with few round trips */
  enum pawl_status_code (*insert)(struct pawl_sql *sql, const struct pawl_sql_table *table,
                                  const struct pawl_sql_value *values, size_t rows,
                                  struct pawl_error *err);
  /* a query of one row with a text that differs after each transaction of any connection */
  const char *stamp;
  /* the statement that gives freed space back; NULL: the server gives it back */
  const char *compact;
};

#define STORE(scheme, example, driver) extern const struct pawl_sql_driver driver;
#include "model/stores.inc"
#undef STORE

/* Finds the driver of an address such as "sqlite:.pawl/history.db". Fails with PAWL_CONFIG if no
 * back end has the scheme. */
pawl_status pawl_sql_find(const char *address, const struct pawl_sql_driver **out,
                          const char **target, struct pawl_error *err);

pawl_status pawl_sql_script(struct pawl_sql *sql, const char *text, struct pawl_error *err);
#define PAWL_SQL_PARAMETERS(...)                \
  (const struct pawl_sql_value[]){__VA_ARGS__}, \
      sizeof((const struct pawl_sql_value[]){__VA_ARGS__}) / sizeof(struct pawl_sql_value)
/* Runs a statement without rows. */
pawl_status pawl_sql_run(struct pawl_sql *sql, const char *text,
                         const struct pawl_sql_value *parameters, size_t count,
                         struct pawl_error *err);
pawl_status pawl_sql_query(struct pawl_sql *sql, const char *text,
                           const struct pawl_sql_value *parameters, size_t count,
                           pawl_sql_visit *visit, void *context, struct pawl_error *err);
/* Reads the number in the first column of the first row. *out is `fallback` if there is no row. */
pawl_status pawl_sql_number(struct pawl_sql *sql, const char *text,
                            const struct pawl_sql_value *parameters, size_t count, int64_t fallback,
                            int64_t *out, struct pawl_error *err);
/* Ends a transaction: COMMIT if `status` is PAWL_OK, else ROLLBACK. Returns the first failure. */
enum pawl_status_code pawl_sql_end(struct pawl_sql *sql, enum pawl_status_code status,
                                   struct pawl_error *err);
