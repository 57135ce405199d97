/* SPDX-License-Identifier: Apache-2.0 */
/* A database that speaks SQL. Each back end is a file and a row of model/stores.inc. Its driver
 * holds the differences (types, locks), so the store has one text for each query. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

enum pawl_sql_kind {
  PAWL_SQL_NULL = 0,
  PAWL_SQL_INTEGER,
  PAWL_SQL_REAL,
  PAWL_SQL_TEXT,
  PAWL_SQL_BLOB
};

/* A parameter or a column. Texts end with NUL. The texts of a row live until the visit ends. */
struct pawl_sql_value {
  enum pawl_sql_kind kind;
  int64_t integer;
  double real;
  const void *bytes; /* the bytes of a text or a blob */
  size_t length;
};

struct pawl_sql_value pawl_sql_integer(int64_t value);
struct pawl_sql_value pawl_sql_count(long long value);                 /* -1: NULL */
struct pawl_sql_value pawl_sql_real(double value);                     /* not finite: NULL */
struct pawl_sql_value pawl_sql_text(const char *value);                /* NULL: NULL */
struct pawl_sql_value pawl_sql_blob(const void *bytes, size_t length); /* NULL: NULL */

/* Returns a column as a value; `fallback`: it is NULL. A number in a text counts. */
int64_t pawl_sql_get_integer(const struct pawl_sql_value *value, int64_t fallback);
double pawl_sql_get_real(const struct pawl_sql_value *value);      /* NaN: the column is NULL */
const char *pawl_sql_get_text(const struct pawl_sql_value *value); /* NULL: the column is NULL */

struct pawl_sql_driver;

/* A connection; a back end's own struct starts with it. */
struct pawl_sql {
  const struct pawl_sql_driver *driver;
};

/* Called for each row. It must not use the connection. Anything but PAWL_OK ends the query with
 * that status. */
typedef enum pawl_status_code pawl_sql_visit(void *context, const struct pawl_sql_value *columns,
                                             size_t count, struct pawl_error *err);

struct pawl_sql_open {
  const char *target; /* the address after its scheme, or the whole address */
  const char *folder; /* relative paths start here */
  struct pawl_log *log;
};

struct pawl_sql_driver {
  bool whole_address; /* `target` is the address with its scheme */
  /* The types of a primary key that the database counts up, and of bytes. */
  const char *key_type, *blob_type;
  const char *begin; /* starts a transaction that no other writer overlaps */
  const char *hurry,
      /* Makes statements fail instead of waiting for others, or wait again. */
      *wait;
  /* The function that makes rows of a JSON array, with a column "value". */
  const char *elements;
  /* A query of 1 row with a number; 0: pawl's tables are missing. */
  const char *has_schema;
  /* Whether there is a database to open; NULL: only a server knows. */
  bool (*exists)(const struct pawl_sql_open *options);
  enum pawl_status_code (*open)(const struct pawl_sql_open *options, struct pawl_sql **out,
                                struct pawl_error *err);
  void (*close)(struct pawl_sql *sql);
  /* Statements without parameters and rows. */
  enum pawl_status_code (*script)(struct pawl_sql *sql, const char *text, struct pawl_error *err);
  /* One statement with parameters $1, $2 ...; `visit` may be NULL. */
  enum pawl_status_code (*query)(struct pawl_sql *sql, const char *text,
                                 const struct pawl_sql_value *parameters, size_t count,
                                 pawl_sql_visit *visit, void *context, struct pawl_error *err);
  /* Gives freed space back; NULL: the server does. */
  const char *compact;
};

#define STORE(scheme, example, driver) extern const struct pawl_sql_driver driver;
#include "model/stores.inc"
#undef STORE

/* Finds the driver by the address: "sqlite:.pawl/history.db". PAWL_CONFIG: no back end has this
 * scheme. */
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
/* Returns the number in the first column of the first row; `fallback`: there is no row. */
pawl_status pawl_sql_number(struct pawl_sql *sql, const char *text,
                            const struct pawl_sql_value *parameters, size_t count, int64_t fallback,
                            int64_t *out, struct pawl_error *err);
/* Ends a transaction: COMMIT when `status` is PAWL_OK, else ROLLBACK. Returns the first failure. */
enum pawl_status_code pawl_sql_end(struct pawl_sql *sql, enum pawl_status_code status,
                                   struct pawl_error *err);
