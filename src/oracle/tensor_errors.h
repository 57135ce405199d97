/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one output tensor with the expected values: statistics, and the elements out of
 * tolerance. A value that is not a number is wrong. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pawl/operator.h"

/* Dense expected values. */
struct pawl_expected {
  const void *data;
  int32_t dtype; /* PAWL_F32 or PAWL_F64 */
};

struct pawl_tensor_errors {
  int64_t count;
  /* Elements with !(|out - expected| <= atol + rtol |expected|), infinite ones and NaN, expected or
   * not. */
  int64_t wrong;
  /* Wrong elements that are NaN, or infinite where the expected value is not. */
  int64_t not_finite;
  /* Wrong elements whose bytes are all still the poison 0xff. */
  int64_t unwritten;
  int64_t first_wrong; /* index; -1: none */
  double first_expected, first_got;
  double max_abs, sum_abs;
  /* Over the elements with |expected| > atol, where a relative error has a meaning. */
  double max_rel;
  double sum_square_error, sum_square_expected;
  /* centred at `shift`, for the correlation */
  double shift, sum_out, sum_expected, sum_out_out, sum_expected_expected, sum_out_expected;
  double out_min, out_max, expected_min, expected_max;
};

/* Returns the largest relative error of one rounding to the dtype; 0: an integer. */
double pawl_unit_roundoff(int32_t dtype);
/* If the expected value is infinite, or the dtype rounds it to infinity, the output must be the
 * same infinity. No sum includes such elements. The result does not depend on `threads` (0: all
 * CPUs). */
void pawl_tensor_errors_of(const void *out, int32_t dtype, const struct pawl_expected *expected,
                           int64_t count, const struct pawl_tolerance *tolerance, int threads,
                           struct pawl_tensor_errors *result);

/* sqrt(sum (out - expected)^2 / sum expected^2). 0 when both are zero, infinite when only the
   expected values are, NaN when an output is not finite. */
double pawl_tensor_errors_rel_rms(const struct pawl_tensor_errors *c);
/* Pearson's correlation of outputs and expected values; NaN when either does not vary or an output
 * is not finite. */
double pawl_tensor_errors_correlation(const struct pawl_tensor_errors *c);
/* Returns whether all outputs are one value although the expected values differ by more than a few
 * units of the dtype's precision. */
bool pawl_tensor_errors_is_constant(const struct pawl_tensor_errors *c, int32_t dtype);
