/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a check: the matrix of shapes, dtypes and distributions as a list. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "check/check_options.h"

struct pawl_check_item {
  struct pawl_case config;  /* resolved */
  const char *distribution; /* the operator's first; on a small shape any */
  double flop;
  /* Among the three smallest shapes of its dtype, which get more tests. */
  bool small;
  /* One less than the smallest shape along each axis. A kernel may refuse it without a reason. */
  bool edge;
};

struct pawl_check_matrix {
  struct pawl_check_item *items;
  size_t count, capacity;
};

/* Lists the shapes of the axes times the dtypes, from the smallest to the largest, with the
 * operator's first distribution. Adds its other distributions on the small shapes, the edge shape,
 * and the timed cases that are missing. Fails with PAWL_CONFIG if the operator does not know a
 * shape, or if the axes give more than 100 000 shapes. */
pawl_status pawl_check_matrix_init(struct pawl_check_matrix *matrix,
                                   const struct pawl_check_options *options,
                                   struct pawl_arena *arena, struct pawl_error *err);
/* Returns whether a row has this shape and dtype. */
bool pawl_check_matrix_has(const struct pawl_check_matrix *matrix, const struct pawl_case *config);
void pawl_check_matrix_release(struct pawl_check_matrix *matrix);
