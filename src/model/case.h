/* SPDX-License-Identifier: Apache-2.0 */
/* A case: a name, values for the operator's shape, a dtype. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/file_place.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "pawl/tensor.h"

struct pawl_case {
  const char *name;          /* "training_512" */
  const char *operator_name; /* NULL: the case of a command, without operator and shape */
  /* in the order of pawl.yaml; after pawl_case_resolve in the operator's order, with defaults */
  struct pawl_dim *dims;
  int count;
  int32_t dtype;                         /* PAWL_DTYPE_NONE: not given */
  struct pawl_file_place *places;        /* one for each dim in pawl.yaml; NULL: unknown */
  struct pawl_file_place place;          /* the case in pawl.yaml */
  struct pawl_file_place operator_place; /* the operator's name in pawl.yaml */
};

/* Returns a view of the case for the ABI. It lives as long as the case. */
struct pawl_shape pawl_case_shape(const struct pawl_case *config);
/* Writes "B=32,H=8,S=512,D=64,dtype=f16", which --set reads. It identifies the shape. */
void pawl_case_key(const struct pawl_case *config, struct pawl_text *out);
/* Applies "B=32,dtype=f16": replaces known names, appends new ones. Fails with PAWL_USAGE. */
pawl_status pawl_case_set(struct pawl_case *config, const char *assignments,
                          struct pawl_arena *arena, struct pawl_error *err);
json_t *pawl_case_to_json(const struct pawl_case *config); /* {"B": 32, ..., "dtype": "f16"} */
/* Reads pawl_case_to_json()'s object. `name`, which may be NULL, becomes the case's name.
 * operator_name stays NULL, because the object does not hold it. Fails with PAWL_BAD_DATA. */
pawl_status pawl_case_from_json(const json_t *object, const char *name, struct pawl_arena *arena,
                                struct pawl_case *out, struct pawl_error *err);
