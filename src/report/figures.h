/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people read them: with a unit and as many digits as mean something. Unknown (NaN) is
   "unknown", never 0; 0 is 0. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

#define PAWL_FIGURE 40

/* Whether a report shows the number. A larger one than any measurement is unknown too. */
bool pawl_figure_known(double value);

/* Each writes into a caller's buffer of PAWL_FIGURE bytes and returns it. */
const char *pawl_figure_time(double ms,
                             char out[PAWL_FIGURE]); /* "1.234 ms", "12.34 us", "2.000 s" */
/* "[1.230, 1.240] ms", in the unit in which `ms` stands beside it */
const char *pawl_figure_interval(double ms, double low_ms, double high_ms, char out[PAWL_FIGURE]);
/* "1.234 ms [1.230, 1.240]", all in one unit; without the interval where it is unknown. */
const char *pawl_figure_time_interval(double ms, double low_ms, double high_ms,
                                      char out[PAWL_FIGURE]);
const char *pawl_figure_change(
    double faster_pct, char out[PAWL_FIGURE]); /* "4.2 % slower", "12.3 % faster", "0.0 %" */
const char *pawl_figure_percent(double percent, char out[PAWL_FIGURE]); /* "4.2 %" */
const char *pawl_figure_p(double p, char out[PAWL_FIGURE]);             /* "0.0123", "< 0.0001" */
const char *pawl_figure_delta(double cliffs_delta, char out[PAWL_FIGURE]); /* "+0.98" */
const char *pawl_figure_rate(double giga, const char *unit,
                             char out[PAWL_FIGURE]); /* "123.4 GFLOP/s", "1.234 TB/s" */
const char *pawl_figure_number(double value, char out[PAWL_FIGURE]);    /* "0.000123", "12.5" */
const char *pawl_figure_seconds(double seconds, char out[PAWL_FIGURE]); /* "42.0 s", "3 min 20 s" */
