/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON objects into structs and writes them back by a table. One row of the table reads,
 * checks and writes one key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/json_path.h"

#define PAWL_FIELD_NAME_BYTES 256  /* the longest name */
#define PAWL_FIELD_CHOICES 32      /* the most names of a PAWL_FIELD_CHOICE */
#define PAWL_FIELD_MOST 1000000000 /* the largest size or int */

enum pawl_field_rule {
  PAWL_FIELD_NUMBER, /* double: finite; NaN when absent or null */
  PAWL_FIELD_AMOUNT, /* double: finite, >= 0; NaN when absent or null */
  PAWL_FIELD_TIME,   /* double: finite, > 0; NaN when absent or null */
  PAWL_FIELD_COUNT,  /* long long: >= 0; -1 when absent or null */
  PAWL_FIELD_STRING, /* const char *; NULL when absent or null */
  /* double * and a size_t: finite, > 0, one or more; NULL and 0 when absent or null */
  PAWL_FIELD_TIMES,
  PAWL_FIELD_STRINGS, /* const char ** and a size_t; NULL and 0 when absent or null */
  PAWL_FIELD_NUMBERS, /* double * and a size_t: finite; an empty list when absent */
  PAWL_FIELD_NAME,    /* const char *, of at most PAWL_FIELD_NAME_BYTES; NULL when absent or null */
  /* const char *: a git commit, see pawl_is_commit_id; NULL when absent or null */
  PAWL_FIELD_COMMIT,
  PAWL_FIELD_FLAG,  /* bool; false when absent or null */
  PAWL_FIELD_MAYBE, /* bool, and at count_offset a bool that says whether it is known */
  PAWL_FIELD_SIZE,  /* size_t up to PAWL_FIELD_MOST; 0 when absent or null */
  PAWL_FIELD_INT,   /* int up to PAWL_FIELD_MOST; -1 when absent or null */
  /* uint64_t: an integer, or digits as text, because few readers of JSON keep 64 bits */
  PAWL_FIELD_SEED,
  PAWL_FIELD_CHOICE, /* an enum, by its names; 0 when absent or null */
  PAWL_FIELD_STRUCT, /* an object: a struct inside this struct */
  PAWL_FIELD_OBJECT, /* an object: a pointer to a struct; NULL when absent or null */
  /* a list of objects: a pointer to structs and a size_t; an empty list when absent */
  PAWL_FIELD_LIST,
  /* These hold members of this same object in a struct of their own. */
  PAWL_FIELD_INSIDE,  /* a struct inside this struct */
  PAWL_FIELD_BESIDE,  /* a pointer to a struct; NULL when its member `key` is absent or null */
  PAWL_FIELD_VERSION, /* no member: the number `max`, which is the schema_version of a document */
  PAWL_FIELD_INTEGER, /* int64_t, also below 0; 0 when absent or null */
  /* `write` and `read` know the value; without `read` it follows from others and is only written */
  PAWL_FIELD_OWN
};

struct pawl_fields;

struct pawl_field {
  const char *key;
  enum pawl_field_rule rule;
  size_t offset;       /* in the struct */
  size_t count_offset; /* the size_t beside a list */
  bool required;       /* the reader refuses absent and null */
  bool zero_is_null;   /* SIZE, CHOICE: the writer writes 0 as null */
  bool left_out;       /* CHOICE, FLAG, OWN: without a value the writer leaves the key out */
  bool lenient;        /* CHOICE: an unknown name reads as 0 */
  bool text;           /* SEED: the writer always writes text */
  double scale;        /* numbers: the document has the member times this factor; 0: 1 */
  /* the writer writes it, but no reader reads it, because it follows from other rows */
  bool written;
  bool sum;  /* numbers: pawl_struct_add adds it */
  int max;   /* the largest COUNT, or the most elements of a list; 0: no limit */
  int names; /* CHOICE: the number of names */
  const char *(*name_of)(int number);   /* NULL: no name */
  const struct pawl_fields *table;      /* STRUCT, OBJECT, LIST, INSIDE, BESIDE */
  bool (*known)(const void *source);    /* STRUCT: false writes null; NULL: always known */
  json_t *(*write)(const void *source); /* OWN: a new reference; NULL: null */
  /* OWN: reads a value that is there */
  enum pawl_status_code (*read)(const json_t *value, const struct pawl_json_path *path,
                                struct pawl_arena *arena, void *target, struct pawl_error *err);
};

struct pawl_fields {
  const struct pawl_field *rows;
  size_t count, size;         /* rows; bytes of the struct */
  void (*init)(void *target); /* sets the members that no row names; NULL: zero */
  /* checks the rules between the values of one struct after reading; NULL: there are none */
  enum pawl_status_code (*check)(void *target, const struct pawl_json_path *path,
                                 struct pawl_error *err);
};
#define PAWL_FIELDS(rows, type, ...) \
  { (rows), sizeof(rows) / sizeof *(rows), sizeof(type), __VA_ARGS__ }

/* Returns whether the text is a commit: 4 to 64 lower-case hexadecimal digits, of which fewer than
 * 40 are an abbreviation. A branch or an expression such as HEAD~1 is no commit. */
bool pawl_is_commit_id(const char *text);
#define PAWL_COMMIT_ID_WANTED "4 to 64 lower-case hexadecimal digits"

/* Sets every field of `target` to unknown. */
void pawl_fields_init(const struct pawl_field *fields, size_t count, void *target);
/* Reads the table's keys that `object` has. Other keys and their fields stay alone. Strings and
 * lists live in the arena. PAWL_BAD_DATA names file and key. */
pawl_status pawl_fields_read(const struct pawl_field *fields, size_t count, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err);
/* Sets all keys, in the table's order. An unknown value is null. */
void pawl_fields_write(const struct pawl_field *fields, size_t count, const void *source,
                       json_t *object);
/* Returns whether every field is unknown. */
bool pawl_fields_unknown(const struct pawl_field *fields, size_t count, const void *source);

/* Do the same by a struct's table. */
void pawl_struct_init(const struct pawl_fields *table, void *target);
pawl_status pawl_struct_read(const struct pawl_fields *table, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err);
/* a new reference */
json_t *pawl_struct_write(const struct pawl_fields *table, const void *source);
/* Adds the numbers of `from` whose row says `sum`. A sum with an unknown part is unknown. */
void pawl_struct_add(const struct pawl_fields *table, void *into, const void *from);
/* Write and read a seed as PAWL_FIELD_SEED: as text above 63 bits, or always. The reader returns
 * false for a value that is no seed. */
json_t *pawl_seed_to_json(uint64_t seed, bool text);
bool pawl_seed_from_json(const json_t *value, uint64_t *out);
/* Reads a list of structs, for PAWL_FIELD_OWN. */
pawl_status pawl_list_read(const struct pawl_fields *table, int max, const json_t *value,
                           const struct pawl_json_path *path, struct pawl_arena *arena, void **out,
                           size_t *count, struct pawl_error *err);

struct pawl_case;
/* Does the same as pawl_case_from_json, with a place for messages. */
pawl_status pawl_case_from_json_at(const json_t *object, const char *name,
                                   const struct pawl_json_path *path, struct pawl_arena *arena,
                                   struct pawl_case *out, struct pawl_error *err);
