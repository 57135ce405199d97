/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs the rows of two files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/case.h"

#define PAWL_NO_MATCH ((size_t)-1)

struct pawl_row_key {
  const char *kernel_name; /* NULL, "" or PAWL_KERNEL_UNNAMED: unknown */
  const struct pawl_case *config;
};

enum pawl_row_match_kind {
  PAWL_MATCH_NAME = 1,   /* same kernel, same case name */
  PAWL_MATCH_SHAPE,      /* same kernel, same shape: the case was renamed */
  PAWL_MATCH_ANY_KERNEL, /* one side has no kernel; the case or the shape is the same */
  PAWL_MATCH_ONLY_ROW    /* one row on each side, of the same shape but of different kernels */
};

struct pawl_row_match {
  size_t *partner; /* for each row of the right side, the row of the left, or PAWL_NO_MATCH */
  enum pawl_row_match_kind *how;
  bool *left_taken;
};

struct pawl_row_set {
  const struct pawl_row_key *keys;
  size_t count;
  const char *what; /* "the baseline", for messages */
  /* two rows of the same kernel and case are no mistake, but of different hardware */
  bool may_repeat;
};

/* Pairs rows one to one, in the order of enum pawl_row_match_kind. `names_only` stops before
   PAWL_MATCH_SHAPE, but keeps PAWL_MATCH_ANY_KERNEL by case name. Rows of one name with
   contradicting shapes do not pair. A key that fits several rows pairs none. O(n log n). Fails with
   PAWL_BAD_DATA if one side has two rows of the same kernel and case. */
pawl_status pawl_match_rows(const struct pawl_row_set *left, const struct pawl_row_set *right,
                            bool names_only, struct pawl_arena *arena, struct pawl_row_match *out,
                            struct pawl_error *err);

/* Returns whether two cases can be the same: they agree in each dimension that both name, and in
   the dtype if both have one. */
bool pawl_shapes_agree(const struct pawl_case *a, const struct pawl_case *b);

/* Returns "B=32,D=64,S=512,dtype=f16" with the dimensions sorted by name, equal for equal shapes.
   "" for none. */
const char *pawl_shape_key(const struct pawl_case *config, struct pawl_arena *arena);
