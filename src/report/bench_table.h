/* SPDX-License-Identifier: Apache-2.0 */
/* The table of `bench` keeps the rows of each case together, the fastest first. Then it says how
   many times faster that row is. */
#pragma once

#include "report/report.h"

void pawl_report_bench(const struct pawl_results *results, const struct pawl_terminal_style *look,
                       struct pawl_text *out);

/* How many times faster `a` is than `b`, and the half width of its 95 % interval. The two medians
   are of different processes, so their intervals combine as independent relative errors. NaN:
   unknown. */
struct pawl_ratio {
  double times, half_width;
};
struct pawl_ratio pawl_result_ratio(const struct pawl_result *a, const struct pawl_result *b);
