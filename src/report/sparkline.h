/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_REPORT_SPARKLINE_H
#define PAWL_REPORT_SPARKLINE_H

#include "base/text.h"

/* Values as a row of at most `width` blocks, "▁▂▅█", the smallest the lowest. Of more values than
   that, each block is the median of its share. NaN is a space; all values equal are of middle
   height. */
void pawl_sparkline(const double *values, size_t count, size_t width, struct pawl_text *out);

#endif
