/* SPDX-License-Identifier: Apache-2.0 */
/* A mapping of pawl.yaml into a struct by a table: one row says a key's name, what its value may
   be, and where it is stored. Every rule and every message about keys comes from here. */
#ifndef PAWL_YAML_KEYS_H
#define PAWL_YAML_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/file_place.h"
#include "base/memory.h"
#include "yaml/yaml.h"

struct pawl_key;
struct pawl_keys;

/* What all reading of one file shares. */
struct pawl_yaml_reader {
  const char *path; /* for messages */
  struct pawl_arena *arena;
  struct pawl_error *err;
};

/* A key as found in the file. */
struct pawl_slot {
  const struct pawl_yaml_reader *reader;
  const struct pawl_key *key;          /* its row; NULL for a free name (a shape parameter) */
  const struct pawl_keys *table;       /* the table of the mapping */
  const char *owner;                   /* the mapping in words: "kernel 'fa'" */
  const struct pawl_yaml *map;         /* the mapping */
  const struct pawl_yaml *name, *node; /* the key and its value */
};

/* Checks slot->node and stores it at `field`, which is untouched on failure. */
typedef pawl_status (*pawl_value_reader)(const struct pawl_slot *slot, void *field);

struct pawl_key {
  const char *name;
  pawl_value_reader read;
  size_t offset;                 /* of the field in the mapping's struct */
  double min, max;               /* of a number, inclusive */
  const char *const *words;      /* of a choice, NULL-terminated; stored as 1, 2 ... */
  const struct pawl_keys *table; /* of a mapping inside */
  const char *needs;             /* another key without which this one means nothing */
  bool required;
  bool (*equal)(const void *a, const void *b); /* of fields that a reader outside values.h sets */
  bool uncompared;                             /* pawl_keys_difference passes over it */
};

struct pawl_keys {
  const struct pawl_key *rows;
  size_t count;
  pawl_value_reader
      other; /* of names not in the table, given the whole struct; NULL: they are errors */
  bool (*other_equal)(const void *a,
                      const void *b); /* of what `other` reads; NULL: it keeps nothing */
};
#define PAWL_KEYS(rows, other) \
  { (rows), sizeof(rows) / sizeof *(rows), (other), NULL }

/* Reads a mapping into `target`. Keys that the file leaves out are left alone. */
pawl_status pawl_keys_read(const struct pawl_yaml_reader *reader, const struct pawl_keys *table,
                           const char *owner, const struct pawl_yaml *map, void *target);
/* A value reader: slot->key->table into the struct at `field`. */
pawl_status pawl_read_map(const struct pawl_slot *slot, void *field);

/* For a message that comes after the reading; the path of the reader must last as long. */
struct pawl_file_place pawl_yaml_place(const struct pawl_yaml_reader *reader,
                                       const struct pawl_yaml *node);
/* "pawl.yaml:12:5: ..." at a node. */
enum pawl_status_code pawl_yaml_fail(const struct pawl_yaml_reader *reader,
                                     const struct pawl_yaml *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "'samples' of measure must be WANTED, not 'many'" at `node`, the value or a part of it. */
enum pawl_status_code pawl_slot_fail(const struct pawl_slot *slot, const struct pawl_yaml *node,
                                     const char *wanted);
/* "unknown key 'sorces' in kernel 'fa'; did you mean 'sources'?" */
enum pawl_status_code pawl_slot_unknown(const struct pawl_slot *slot);
/* A key of the table that `name` may be a misspelling of; NULL: none is near. */
const char *pawl_keys_nearest(const struct pawl_keys *table, const char *name);

#endif
