/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects to structs and back by a table of fields: one row a key, read, checked and written by the same row. */
#ifndef PAWL_MODEL_FIELDS_H
#define PAWL_MODEL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

/* Where a value stands in a document, for messages: a chain on the stack, put into words only on failure. The first
   link holds the file's name as `key`. */
struct pawl_json_path {
  const struct pawl_json_path *parent;
  const char *key;
  long index; /* of an array's element; -1: `key` counts */
};
#define PAWL_JSON_KEY(parent, key) ((struct pawl_json_path){(parent), (key), -1})
#define PAWL_JSON_INDEX(parent, index) ((struct pawl_json_path){(parent), NULL, (long)(index)})

/* "results.json: results[3].performance.median_ms must be ..." with `code`. key may be NULL: the path itself. */
enum pawl_status_code pawl_json_path_fail(const struct pawl_json_path *path, const char *key,
                                          enum pawl_status_code code, struct pawl_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for a value of the wrong kind: "... must be WANTED, not the text 'abc'". */
enum pawl_status_code pawl_json_value_fail(const struct pawl_json_path *path, const char *key, const json_t *value,
                                           const char *wanted, enum pawl_status_code code, struct pawl_error *err);

enum pawl_field_rule {
  PAWL_FIELD_NUMBER,  /* double: finite; NaN when absent or null */
  PAWL_FIELD_AMOUNT,  /* double: finite, >= 0; NaN when absent or null */
  PAWL_FIELD_TIME,    /* double: finite, > 0; NaN when absent or null */
  PAWL_FIELD_COUNT,   /* long long: >= 0; -1 when absent or null */
  PAWL_FIELD_STRING,  /* const char *; NULL when absent or null */
  PAWL_FIELD_TIMES,   /* double * and a size_t: finite, > 0, at least one; NULL and 0 when absent or null */
  PAWL_FIELD_STRINGS, /* const char ** and a size_t; NULL and 0 when absent or null */
};

struct pawl_field {
  const char *key;
  enum pawl_field_rule rule;
  size_t offset;       /* in the struct */
  size_t count_offset; /* of the size_t beside a list */
};

/* Sets every field of `target` to unknown. */
void pawl_fields_init(const struct pawl_field *fields, size_t count, void *target);
/* Reads the keys of the table that `object` has; others are left alone, on both sides. Strings and lists live in the
   arena. PAWL_BAD_DATA names file and key. */
pawl_status pawl_fields_read(const struct pawl_field *fields, size_t count, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena, void *target,
                             struct pawl_error *err);
/* Sets all keys, in the table's order; unknown is null. */
void pawl_fields_write(const struct pawl_field *fields, size_t count, const void *source, json_t *object);
/* Is nothing of it known? */
bool pawl_fields_unknown(const struct pawl_field *fields, size_t count, const void *source);

struct pawl_case;
/* pawl_case_from_json with a place for its messages. */
pawl_status pawl_case_from_json_at(const json_t *object, const char *name, const struct pawl_json_path *path,
                                   struct pawl_arena *arena, struct pawl_case *out, struct pawl_error *err);

#endif
