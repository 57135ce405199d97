/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"

/* Draws values as a row of at most `width` blocks, "▁▂▅█"; the lowest is the smallest value. If
   there are more values, each block is the median of its share of them. NaN is a space. Values that
   are all equal have middle height. */
void pawl_sparkline(const double *values, size_t count, size_t width, struct pawl_text *out);
