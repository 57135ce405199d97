/* SPDX-License-Identifier: Apache-2.0 */
/* What a check runs: the matrix of shapes, dtypes and distributions as a list. */
#ifndef PAWL_CHECK_MATRIX_H
#define PAWL_CHECK_MATRIX_H

#include "base/error.h"
#include "base/memory.h"
#include "check/check_options.h"

struct pawl_check_item {
  struct pawl_case config;  /* resolved */
  const char *distribution; /* the operator's first, or, on a small shape, any */
  double flop;
  bool small; /* among the three smallest shapes of its dtype: more is tried on it */
  bool edge;  /* one less than the smallest shape along each axis: a kernel may refuse it without a
                 word */
};

struct pawl_check_matrix {
  struct pawl_check_item *items;
  size_t count, capacity;
};

/* The shapes of the axes times the dtypes, from the smallest to the largest, with the operator's
   first distribution; its other distributions on the small ones; the edge shape; the timed cases
   that are not among them. PAWL_CONFIG: a shape that the operator does not know, or more than 100
   000 of them. */
pawl_status pawl_check_matrix_init(struct pawl_check_matrix *matrix,
                                   const struct pawl_check_options *options,
                                   struct pawl_arena *arena, struct pawl_error *err);
void pawl_check_matrix_release(struct pawl_check_matrix *matrix);

#endif
