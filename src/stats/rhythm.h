/* SPDX-License-Identifier: Apache-2.0 */
/* Waves of a fixed period in a series with steps. */
#pragma once

#include <stddef.h>

#define PAWL_RHYTHM_MOST 6 /* waves; the harmonics of a weekend are waves too */

struct pawl_rhythm {
  size_t count;
  double frequencies[PAWL_RHYTHM_MOST]; /* cycles per value */
};

/* Finds the frequency that stands out most in the differences between successive values. The
   differences leave out the largest, which contain the steps, and the search divides their power by
   that of AR(1) noise. Periods of 2 * count values to 2.5 values count. */
double pawl_rhythm_find(const double *values, size_t count, double correlation);

/* Fits the waves together with one level for each segment, by least squares, and writes their sum
   into `out`. Without segments it fits the differences, without the largest. */
void pawl_rhythm_fit(struct pawl_rhythm *rhythm, const double *values, size_t count,
                     const size_t *begins, size_t segments, double *out);
