/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax numerators of a row of scores in FP64, written so that the compiler vectorises it for the
   machine that runs it. Method: Cody and Waite, "Software Manual for the Elementary Functions",
   1980: x = k ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^k exp(r), and exp(r) by its Taylor series
   to degree 13 (remainder below 5e-18 on that interval). */
#include <string.h>

#include "oracle.h"

#define LOG2_E 0x1.71547652b82fep+0
#define LN2_HIGH 0x1.62e42feep-1 /* 32 significant bits: k * LN2_HIGH is exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define ROUND \
  0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits of the sum */
#define LOWEST -708.0 /* 2^k is a normal number down to here */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE double exp_f64(double x) {
  const double rounded = x * LOG2_E + ROUND;
  const double k = rounded - ROUND;
  const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  uint64_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits = (bits + 1023) << 52; /* the exponent field of 2^k; the rest is shifted out */
  double power;
  memcpy(&power, &bits, sizeof power);
  return x < LOWEST ? 0.0 : p * power;
}

/* Eight partial results, combined pairwise at the end: the same order on every machine, and no
 * serial chain. */
#define LANES 8

/* A NaN score is passed over here; its exponential makes the sum NaN. */
ALWAYS_INLINE double largest_of(const double *scores, int64_t n) {
  double largest[LANES];
  for (int lane = 0; lane < LANES; lane++) largest[lane] = scores[0];
  int64_t j = 0;
  for (; j + LANES <= n; j += LANES)
    for (int lane = 0; lane < LANES; lane++)
      largest[lane] = scores[j + lane] > largest[lane] ? scores[j + lane] : largest[lane];
  for (; j < n; j++) largest[0] = scores[j] > largest[0] ? scores[j] : largest[0];
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; lane++)
      largest[lane] = largest[lane + width] > largest[lane] ? largest[lane + width] : largest[lane];
  return largest[0];
}

ALWAYS_INLINE double softmax_row(double *scores, int64_t n) {
  const double largest = largest_of(scores, n);
  double sum[LANES] = {0};
  int64_t j = 0;
  for (; j + LANES <= n; j += LANES)
    for (int lane = 0; lane < LANES; lane++)
      sum[lane] += scores[j + lane] = exp_f64(scores[j + lane] - largest);
  for (int lane = 0; j < n; j++, lane++) sum[lane] += scores[j] = exp_f64(scores[j] - largest);
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; lane++) sum[lane] += sum[lane + width];
  return sum[0];
}

#if defined __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl,fma"))) static double softmax_row_avx512(
    double *scores, int64_t n) {
  return softmax_row(scores, n);
}

__attribute__((target("avx2,fma"))) static double softmax_row_avx2(double *scores, int64_t n) {
  return softmax_row(scores, n);
}
#endif

double pawl_softmax_row_f64(double *scores, int64_t n) {
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return softmax_row_avx512(scores, n);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return softmax_row_avx2(scores, n);
#endif
  return softmax_row(scores, n);
}
