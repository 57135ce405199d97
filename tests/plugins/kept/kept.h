/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the operator `kept` computes. */
#pragma once

enum kept_kind {
  KEPT_SORT,     /* y: x in ascending order */
  KEPT_NORM,     /* y: the norm of x, and its square */
  KEPT_MAX,      /* y: the largest value, and twice that */
  KEPT_MAP,      /* y = 2 x */
  KEPT_MATRIX,   /* y: x times x, a square matrix */
  KEPT_BINS,     /* y: how often each index is in x, which the operator makes valid */
  KEPT_IN_PLACE, /* x: itself in ascending order */
  KINDS
};

#define BINS 16
/* From this number of values on the work takes longer, because a look at the values does. */
#define LARGE (1 << 23)
#define WORK_SECONDS(n) ((n) < LARGE ? 1e-3 : 30e-3)
/* The least time of a call of `races` whose thread was not ahead of it. */
#define RACE_SECONDS 20e-3
