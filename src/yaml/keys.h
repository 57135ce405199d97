/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a mapping of pawl.yaml into a struct by a table. One row has a key's name, its allowed
   values and the place of its field. Every rule and every message about keys comes from here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/file_place.h"
#include "base/memory.h"
#include "yaml/yaml.h"

struct pawl_key;
struct pawl_keys;

/* The state of reading one file. */
struct pawl_yaml_reader {
  const char *path; /* for messages */
  struct pawl_arena *arena;
  struct pawl_error *err;
};

/* A key in the file. */
struct pawl_slot {
  const struct pawl_yaml_reader *reader;
  const struct pawl_key *key;          /* its row; NULL for a free name (a shape parameter) */
  const struct pawl_keys *table;       /* the table of the mapping */
  const char *owner;                   /* the name of the mapping in messages: "kernel 'fa'" */
  const struct pawl_yaml *map;         /* the mapping */
  const struct pawl_yaml *name, *node; /* the key and its value */
};

/* Checks slot->node and stores its value at `field`. A failure leaves the field alone. */
typedef pawl_status (*pawl_value_reader)(const struct pawl_slot *slot, void *field);

struct pawl_key {
  const char *name;
  pawl_value_reader read;
  size_t offset;   /* the field's, in the mapping's struct */
  double min, max; /* the range of a number, inclusive */
  /* a choice's words, NULL-terminated; the field holds the index from 1 */
  const char *const *words;
  const struct pawl_keys *table; /* the table of an inner mapping */
  const char *needs, *or_needs;  /* another key that must be there too; or_needs: or this one */
  bool required;
  /* compares fields that a reader outside values.h sets */
  bool (*equal)(const void *a, const void *b);
  bool uncompared; /* pawl_keys_difference ignores it */
};

struct pawl_keys {
  const struct pawl_key *rows;
  size_t count;
  /* reads names that the table lacks into the whole struct; NULL: such names are errors */
  pawl_value_reader other;
  /* compares the fields that `other` sets; NULL: it sets none */
  bool (*other_equal)(const void *a, const void *b);
};
#define PAWL_KEYS(rows, other) \
  { (rows), sizeof(rows) / sizeof *(rows), (other), NULL }

/* Reads a mapping into `target`. The fields of absent keys keep their values. */
pawl_status pawl_keys_read(const struct pawl_yaml_reader *reader, const struct pawl_keys *table,
                           const char *owner, const struct pawl_yaml *map, void *target);
/* Reads a mapping by slot->key->table into the struct at `field`. */
pawl_status pawl_read_map(const struct pawl_slot *slot, void *field);

/* Returns a node's place for later messages. The reader's path must live as long as the place. */
struct pawl_file_place pawl_yaml_place(const struct pawl_yaml_reader *reader,
                                       const struct pawl_yaml *node);
/* Fails with "pawl.yaml:12:5: ..." at a node. */
enum pawl_status_code pawl_yaml_fail(const struct pawl_yaml_reader *reader,
                                     const struct pawl_yaml *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with "'samples' of measure must be WANTED, not 'many'" at `node`, which is the value or a
 * part of it. */
enum pawl_status_code pawl_slot_fail(const struct pawl_slot *slot, const struct pawl_yaml *node,
                                     const char *wanted);
/* Fails with "unknown key 'sorces' in kernel 'fa'; did you mean 'sources'?". */
enum pawl_status_code pawl_slot_unknown(const struct pawl_slot *slot);
/* Returns the key of the table nearest to `name`, or NULL if none is near. */
const char *pawl_keys_nearest(const struct pawl_keys *table, const char *name);
