/* SPDX-License-Identifier: Apache-2.0 */
/* YAML text to a tree of nodes that know where they stand. The one file that knows libfyaml is
 * yaml.c. */
#ifndef PAWL_YAML_YAML_H
#define PAWL_YAML_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

#define PAWL_YAML_FILE_LIMIT ((size_t)1 << 20) /* bytes */
#define PAWL_YAML_DEPTH_LIMIT 32               /* lists and mappings inside each other */
#define PAWL_YAML_NODE_LIMIT 100000            /* nodes once every alias is followed */

enum pawl_yaml_kind { PAWL_YAML_SCALAR = 1, PAWL_YAML_LIST, PAWL_YAML_MAP };

struct pawl_yaml {
  enum pawl_yaml_kind kind;
  bool quoted;              /* a scalar in quotes or a block: always a text */
  const char *text;         /* of a scalar; "" when nothing is written */
  int line, column;         /* both from 1 */
  struct pawl_yaml **keys;  /* of a mapping: scalars, no two alike */
  struct pawl_yaml **items; /* of a list, or the values of a mapping */
  size_t count;
  size_t weight; /* nodes below and including this one, aliases followed */
};

/* One document of UTF-8 without tags. Nodes live in the arena; an alias is a copy of what it names.
   PAWL_CONFIG: "pawl.yaml:3:7: ...". */
pawl_status pawl_yaml_parse(const char *text, size_t length, const char *path,
                            struct pawl_arena *arena, struct pawl_yaml **out,
                            struct pawl_error *err);

/* The value of `key` in a mapping; NULL when there is none, or `map` is NULL or no mapping. */
const struct pawl_yaml *pawl_yaml_get(const struct pawl_yaml *map, const char *key);
/* The key's node, for its position. */
const struct pawl_yaml *pawl_yaml_get_key(const struct pawl_yaml *map, const char *key);
/* Is nothing written there: no text, ~ or null? */
bool pawl_yaml_is_null(const struct pawl_yaml *node);

#endif
