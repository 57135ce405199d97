/* SPDX-License-Identifier: Apache-2.0 */
/* The exact answer of the operators `attention` and `grouped_attention`, in FP64. */
#ifndef PAWL_ATTENTION_ORACLE_H
#define PAWL_ATTENTION_ORACLE_H

#include <pawl/operator.h>
#include <stdbool.h>

enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_O, ATTENTION_TENSORS };
enum { GROUPED_LENGTHS = ATTENTION_TENSORS, GROUPED_TENSORS }; /* the fifth is int32 [B] */

/* The tolerances of both operators; operator.c has the measurements behind them. */
#define ATTENTION_TOLERANCES                                               \
  {PAWL_F16, 0, 2e-3, 1e-3, 4e-4}, {PAWL_BF16, 0, 1.6e-2, 8e-3, 3.2e-3}, { \
    PAWL_F32, 0, 3e-4, 3e-5, 3e-5                                          \
  }

/* Tensors are dense [B, H, S, D]. K and V can have fewer heads: each serves as many neighbouring
   heads of Q. A shape with the parameter KV has lengths. See struct pawl_operator for the arguments
   and the result. */
int pawl_attention_oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                          double *const *expected, const struct pawl_host *host);

/* Replaces each of the n >= 1 scores by exp(score - largest score) and returns the sum of the
   results. A result below e^-708 is 0; elsewhere exp is off by less than 1 unit in the last place.
   A NaN score makes the sum NaN. */
double pawl_softmax_row_f64(double *scores, int64_t n);

#endif
