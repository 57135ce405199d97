/* SPDX-License-Identifier: Apache-2.0 */
/* Parses YAML text into a tree of nodes with positions. Only yaml.c knows libfyaml. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

#define PAWL_YAML_FILE_LIMIT ((size_t)1 << 20) /* bytes */
#define PAWL_YAML_DEPTH_LIMIT 32               /* levels of lists and mappings */
#define PAWL_YAML_NODE_LIMIT 100000            /* nodes after the expansion of all aliases */

enum pawl_yaml_kind { PAWL_YAML_SCALAR = 1, PAWL_YAML_LIST, PAWL_YAML_MAP };

struct pawl_yaml {
  enum pawl_yaml_kind kind;
  bool quoted;              /* a scalar in quotes or a block, which is always a text */
  const char *text;         /* a scalar; "" for an empty value */
  int line, column;         /* both from 1 */
  struct pawl_yaml **keys;  /* a mapping has distinct scalars */
  struct pawl_yaml **items; /* the items of a list, or the values of a mapping */
  size_t count;
  size_t weight; /* the nodes from here down, after the expansion of aliases */
};

/* Parses one document of UTF-8 without tags. The nodes live in the arena, and an alias is a copy of
   its target. Fails with PAWL_CONFIG and "pawl.yaml:3:7: ...". */
pawl_status pawl_yaml_parse(const char *text, size_t length, const char *path,
                            struct pawl_arena *arena, struct pawl_yaml **out,
                            struct pawl_error *err);

/* Returns the value of `key`, or NULL if it is absent, or if `map` is NULL or not a mapping. */
const struct pawl_yaml *pawl_yaml_get(const struct pawl_yaml *map, const char *key);
/* Returns the key's node, for its position. */
const struct pawl_yaml *pawl_yaml_get_key(const struct pawl_yaml *map, const char *key);
/* Returns whether the value is empty, ~ or null. */
bool pawl_yaml_is_null(const struct pawl_yaml *node);
