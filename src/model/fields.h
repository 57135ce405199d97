/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects to structs and back by a table of fields: one row a key, read, checked and written
 * by the same row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

/* Where a value stands in a document, for messages: a chain on the stack, put into words only on
   failure. The first link holds the file's name as `key`. */
struct pawl_json_path {
  const struct pawl_json_path *parent;
  const char *key;
  long index; /* the index of an array's element; -1: `key` counts */
};
#define PAWL_JSON_KEY(parent, key) ((struct pawl_json_path){(parent), (key), -1})
#define PAWL_JSON_INDEX(parent, index) ((struct pawl_json_path){(parent), NULL, (long)(index)})

/* "results.json: results[3].performance.median_ms must be ..." with `code`. key may be NULL: the
 * path itself. */
enum pawl_status_code pawl_json_path_fail(const struct pawl_json_path *path, const char *key,
                                          enum pawl_status_code code, struct pawl_error *err,
                                          const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for a value of the wrong kind: "... must be WANTED, not the text 'abc'". */
enum pawl_status_code pawl_json_value_fail(const struct pawl_json_path *path, const char *key,
                                           const json_t *value, const char *wanted,
                                           enum pawl_status_code code, struct pawl_error *err);

/* schema_version of a document: PAWL_BAD_DATA where it is no integer from 1, or above `newest`.
 * Absent is well. */
pawl_status pawl_json_check_version(const json_t *document, const struct pawl_json_path *path,
                                    int newest, struct pawl_error *err);

#define PAWL_FIELD_NAME_BYTES 256  /* the longest name */
#define PAWL_FIELD_CHOICES 32      /* names of a PAWL_FIELD_CHOICE, at most */
#define PAWL_FIELD_MOST 1000000000 /* the largest size or int */

enum pawl_field_rule {
  PAWL_FIELD_NUMBER,  /* double: finite; NaN when absent or null */
  PAWL_FIELD_AMOUNT,  /* double: finite, >= 0; NaN when absent or null */
  PAWL_FIELD_TIME,    /* double: finite, > 0; NaN when absent or null */
  PAWL_FIELD_COUNT,   /* long long: >= 0; -1 when absent or null */
  PAWL_FIELD_STRING,  /* const char *; NULL when absent or null */
  PAWL_FIELD_TIMES,   /* double * and a size_t: finite, > 0, at least one; NULL and 0 when absent or
                         null */
  PAWL_FIELD_STRINGS, /* const char ** and a size_t; NULL and 0 when absent or null */
  PAWL_FIELD_NUMBERS, /* double * and a size_t: finite; an empty list when there are none */
  PAWL_FIELD_NAME,    /* const char *, of at most PAWL_FIELD_NAME_BYTES; NULL when absent or null */
  PAWL_FIELD_COMMIT,  /* const char *: a git commit, see pawl_is_commit_id; NULL when absent or null
                       */
  PAWL_FIELD_FLAG,    /* bool; false when absent or null */
  PAWL_FIELD_MAYBE,   /* bool, and a bool (count_offset) that says whether it is known */
  PAWL_FIELD_SIZE,    /* size_t up to PAWL_FIELD_MOST; 0 when absent or null */
  PAWL_FIELD_INT,     /* int up to PAWL_FIELD_MOST; -1 when absent or null */
  PAWL_FIELD_SEED,    /* uint64_t: an integer, or digits as text, since few readers of JSON keep 64
                         bits */
  PAWL_FIELD_CHOICE,  /* an enum, by its names; 0 when absent or null */
  PAWL_FIELD_STRUCT,  /* an object: a struct inside of this one */
  PAWL_FIELD_OBJECT,  /* an object: a pointer to a struct; NULL when absent or null */
  PAWL_FIELD_LIST, /* a list of objects: a pointer to structs and a size_t; an empty list when there
                      are none */
  /* Members of this object itself that a struct of their own holds: */
  PAWL_FIELD_INSIDE,  /* a struct inside of this one */
  PAWL_FIELD_BESIDE,  /* a pointer to a struct; NULL when its member `key` is absent or null */
  PAWL_FIELD_VERSION, /* no member: the number `max`, schema_version of a document */
  PAWL_FIELD_INTEGER, /* int64_t, also below 0; 0 when absent or null */
  PAWL_FIELD_OWN /* `write` and `read` know; without `read` it follows from the others and is only
                    written */
};

struct pawl_fields;

struct pawl_field {
  const char *key;
  enum pawl_field_rule rule;
  size_t offset;       /* in the struct */
  size_t count_offset; /* the size_t beside a list */
  bool required;       /* absent and null are refused */
  bool zero_is_null;   /* SIZE, CHOICE: 0 is written as null */
  bool left_out;       /* CHOICE, OWN: absent, not null, where there is nothing to write */
  bool lenient;        /* CHOICE: a name that is not known reads as 0 */
  bool text;           /* SEED: always written as text */
  double scale;        /* numbers: the document has the member times this; 0: 1 */
  bool written;        /* it follows from other rows, which are read: only written */
  bool sum;            /* numbers: added when two structs are joined */
  int max;             /* the largest COUNT; most elements of a list; 0: any number */
  int names;           /* CHOICE: how many there are */
  const char *(*name_of)(int number);   /* NULL: no name */
  const struct pawl_fields *table;      /* STRUCT, OBJECT, LIST, INSIDE, BESIDE */
  bool (*known)(const void *source);    /* STRUCT: false writes null; NULL: always known */
  json_t *(*write)(const void *source); /* OWN: a new reference; NULL: null */
  enum pawl_status_code (*read)(const json_t *value, const struct pawl_json_path *path,
                                struct pawl_arena *arena, void *target,
                                struct pawl_error *err); /* OWN: of a value that is there */
};

/* The table of a struct. */
struct pawl_fields {
  const struct pawl_field *rows;
  size_t count, size;         /* rows; bytes of the struct */
  void (*init)(void *target); /* sets the members that no row names; NULL: zero */
  /* The rules between the values of one struct, after it was read; NULL: there are none. */
  enum pawl_status_code (*check)(void *target, const struct pawl_json_path *path,
                                 struct pawl_error *err);
};
#define PAWL_FIELDS(rows, type, ...) \
  { (rows), sizeof(rows) / sizeof *(rows), sizeof(type), __VA_ARGS__ }

/* 4 to 64 lower-case hexadecimal digits: a commit and never a branch or an expression such as
   HEAD~1. Fewer than 40 are short for a commit. */
bool pawl_is_commit_id(const char *text);
#define PAWL_COMMIT_ID_WANTED "4 to 64 lower-case hexadecimal digits"

/* Sets every field of `target` to unknown. */
void pawl_fields_init(const struct pawl_field *fields, size_t count, void *target);
/* Reads the keys of the table that `object` has; others are left alone, on both sides. Strings and
   lists live in the arena. PAWL_BAD_DATA names file and key. */
pawl_status pawl_fields_read(const struct pawl_field *fields, size_t count, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err);
/* Sets all keys, in the table's order; unknown is null. */
void pawl_fields_write(const struct pawl_field *fields, size_t count, const void *source,
                       json_t *object);
/* Is nothing of it known? */
bool pawl_fields_unknown(const struct pawl_field *fields, size_t count, const void *source);

/* The same by a struct's table. */
void pawl_struct_init(const struct pawl_fields *table, void *target);
pawl_status pawl_struct_read(const struct pawl_fields *table, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err);
json_t *pawl_struct_write(const struct pawl_fields *table,
                          const void *source); /* a new reference */
/* Adds the numbers of `from` that are marked `sum`; a sum with an unknown part is unknown. */
void pawl_struct_add(const struct pawl_fields *table, void *into, const void *from);
/* A seed as PAWL_FIELD_SEED has it: text above 63 bits, or always. False: it is no seed. */
json_t *pawl_seed_to_json(uint64_t seed, bool text);
bool pawl_seed_from_json(const json_t *value, uint64_t *out);
/* A list of structs, for PAWL_FIELD_OWN. */
pawl_status pawl_list_read(const struct pawl_fields *table, int max, const json_t *value,
                           const struct pawl_json_path *path, struct pawl_arena *arena, void **out,
                           size_t *count, struct pawl_error *err);

struct pawl_case;
/* pawl_case_from_json with a place for its messages. */
pawl_status pawl_case_from_json_at(const json_t *object, const char *name,
                                   const struct pawl_json_path *path, struct pawl_arena *arena,
                                   struct pawl_case *out, struct pawl_error *err);
