/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sql.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"

/* The back ends. */
static const struct {
  const char *scheme;
  const struct pawl_sql_driver *driver;
} stores[] = {
#define STORE(scheme, example, driver) {scheme, &driver},
#include "model/stores.inc"
#undef STORE
};

pawl_status pawl_sql_find(const char *address, const struct pawl_sql_driver **out,
                          const char **target, struct pawl_error *err) {
  for (size_t i = 0; i < PAWL_COUNT(stores); i++) {
    if (!pawl_starts_with(address, stores[i].scheme)) continue;
    *out = stores[i].driver;
    *target = stores[i].driver->whole_address ? address : address + strlen(stores[i].scheme);
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_CONFIG,
                   "no store '%.200s'; 'store' of pawl.yaml explains the addresses", address);
}

/* --- values --- */

struct pawl_sql_value pawl_sql_integer(int64_t value) {
  return (struct pawl_sql_value){.kind = PAWL_SQL_INTEGER, .integer = value};
}

struct pawl_sql_value pawl_sql_count(long long value) {
  return value < 0 ? (struct pawl_sql_value){0} : pawl_sql_integer(value);
}

struct pawl_sql_value pawl_sql_real(double value) {
  return (struct pawl_sql_value){.kind = isfinite(value) ? PAWL_SQL_REAL : PAWL_SQL_NULL,
                                 .real = value};
}

struct pawl_sql_value pawl_sql_text(const char *value) {
  if (!value) return (struct pawl_sql_value){0};
  return (struct pawl_sql_value){.kind = PAWL_SQL_TEXT, .bytes = value, .length = strlen(value)};
}

struct pawl_sql_value pawl_sql_blob(const void *bytes, size_t length) {
  return (struct pawl_sql_value){
      .kind = bytes ? PAWL_SQL_BLOB : PAWL_SQL_NULL, .bytes = bytes, .length = length};
}

int64_t pawl_sql_get_integer(const struct pawl_sql_value *value, int64_t fallback) {
  int64_t number;
  if (value->kind == PAWL_SQL_INTEGER) return value->integer;
  if (value->kind == PAWL_SQL_REAL) return (int64_t)value->real;
  return value->kind == PAWL_SQL_TEXT && pawl_parse_i64(value->bytes, &number) ? number : fallback;
}

double pawl_sql_get_real(const struct pawl_sql_value *value) {
  double number;
  if (value->kind == PAWL_SQL_INTEGER) return (double)value->integer;
  if (value->kind == PAWL_SQL_REAL) return value->real;
  return value->kind == PAWL_SQL_TEXT && pawl_parse_double(value->bytes, &number) ? number
                                                                                  : (double)NAN;
}

const char *pawl_sql_get_text(const struct pawl_sql_value *value) {
  return value->kind == PAWL_SQL_TEXT ? value->bytes : NULL;
}

/* --- statements --- */

pawl_status pawl_sql_script(struct pawl_sql *sql, const char *text, struct pawl_error *err) {
  return sql->driver->script(sql, text, err);
}

pawl_status pawl_sql_query(struct pawl_sql *sql, const char *text,
                           const struct pawl_sql_value *parameters, size_t count,
                           pawl_sql_visit *visit, void *context, struct pawl_error *err) {
  return sql->driver->query(sql, text, parameters, count, visit, context, err);
}

pawl_status pawl_sql_run(struct pawl_sql *sql, const char *text,
                         const struct pawl_sql_value *parameters, size_t count,
                         struct pawl_error *err) {
  return sql->driver->query(sql, text, parameters, count, NULL, NULL, err);
}

struct number {
  int64_t value;
  bool found;
};

static enum pawl_status_code take_number(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct number *number = context;
  (void)count, (void)err;
  if (!number->found) number->value = pawl_sql_get_integer(&columns[0], number->value);
  number->found = true;
  return PAWL_OK;
}

pawl_status pawl_sql_number(struct pawl_sql *sql, const char *text,
                            const struct pawl_sql_value *parameters, size_t count, int64_t fallback,
                            int64_t *out, struct pawl_error *err) {
  struct number number = {.value = fallback};
  PAWL_TRY(pawl_sql_query(sql, text, parameters, count, take_number, &number, err));
  *out = number.value;
  return PAWL_OK;
}

enum pawl_status_code pawl_sql_end(struct pawl_sql *sql, enum pawl_status_code status,
                                   struct pawl_error *err) {
  if (status == PAWL_OK) status = pawl_sql_script(sql, "COMMIT", err);
  if (status != PAWL_OK && pawl_sql_script(sql, "ROLLBACK", NULL) != PAWL_OK)
    return status; /* the first cause counts */
  return status;
}
