/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers for people, with a unit and only significant digits. NaN is "unknown", never 0. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "model/result.h"

#define PAWL_FIGURE 40

/* Returns whether a report shows the number. A number larger than any measurement counts as unknown
   too. */
bool pawl_figure_known(double value);

/* Each function below writes into the caller's buffer of PAWL_FIGURE bytes and returns it. Above
   each function are examples. */

/* "1.234 ms", "12.34 us", "2.000 s" */
const char *pawl_figure_time(double ms, char out[PAWL_FIGURE]);
/* "[1.230, 1.240] ms", in the unit that suits `ms` */
const char *pawl_figure_interval(double ms, double low_ms, double high_ms, char out[PAWL_FIGURE]);
/* "1.234 ms [1.230, 1.240]", in one unit, or only the time if the interval is unknown */
const char *pawl_figure_time_interval(double ms, double low_ms, double high_ms,
                                      char out[PAWL_FIGURE]);
/* "4.2 % slower", "12.3 % faster", "0.0 %" */
const char *pawl_figure_change(double faster_pct, char out[PAWL_FIGURE]);
/* "4.2 %" */
const char *pawl_figure_percent(double percent, char out[PAWL_FIGURE]);
/* "memory 58.3 %": how much of the limit that binds it a kernel reaches, or "" if that is unknown.
 */
const char *pawl_figure_limit(const struct pawl_roofline *roofline, char out[PAWL_FIGURE]);
/* "0.0123", "< 0.0001" */
const char *pawl_figure_p(double p, char out[PAWL_FIGURE]);
/* "+0.98" */
const char *pawl_figure_delta(double cliffs_delta, char out[PAWL_FIGURE]);
/* "123.4 GFLOP/s", "1.234 TB/s" */
const char *pawl_figure_rate(double giga, const char *unit, char out[PAWL_FIGURE]);
/* "0.000123", "12.5" */
const char *pawl_figure_number(double value, char out[PAWL_FIGURE]);
/* "1.234 ms" for the unit "ms", "120 GB/s" for another */
const char *pawl_figure_of_unit(double value, const char *unit, char out[PAWL_FIGURE]);
/* "42.0 s", "3 min 20 s" */
const char *pawl_figure_seconds(double seconds, char out[PAWL_FIGURE]);
