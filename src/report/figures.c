/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers are no measurements, and computing with them overflows. */
#define MOST 1e15

bool pawl_figure_known(double value) { return fabs(value) < MOST; }

static const char *unknown(char out[PAWL_FIGURE]) {
  snprintf(out, PAWL_FIGURE, "unknown");
  return out;
}

/* Returns the number of decimals that gives four significant digits for a value in [1, 10000),
   after rounding. */
static int figures_decimals(double value) {
  const double size = fabs(value);
  return size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
}

struct duration_unit {
  const char *name;
  double ms;
};
static const struct duration_unit time_units[] = {
    {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};

/* Returns the unit in which `ms`, after rounding, has one to three digits before the point. */
static const struct duration_unit *time_unit(double ms) {
  size_t i = 0;
  while (i < 3 && fabs(ms) / time_units[i].ms >= 999.95) i++;
  return &time_units[i];
}

const char *pawl_figure_time(double ms, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(ms)) return unknown(out);
  const struct duration_unit *unit = time_unit(ms);
  snprintf(out, PAWL_FIGURE, "%.*f %s", figures_decimals(ms / unit->ms), ms / unit->ms, unit->name);
  return out;
}

const char *pawl_figure_interval(double ms, double low_ms, double high_ms, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(low_ms) || !pawl_figure_known(high_ms)) return unknown(out);
  const struct duration_unit *unit = time_unit(pawl_figure_known(ms) ? ms : high_ms);
  const int digits = figures_decimals(high_ms / unit->ms);
  snprintf(out, PAWL_FIGURE, "[%.*f, %.*f] %s", digits, low_ms / unit->ms, digits,
           high_ms / unit->ms, unit->name);
  return out;
}

const char *pawl_figure_time_interval(double ms, double low_ms, double high_ms,
                                      char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(ms) || !pawl_figure_known(low_ms) || !pawl_figure_known(high_ms))
    return pawl_figure_time(ms, out);
  const struct duration_unit *unit = time_unit(ms);
  const int digits = figures_decimals(ms / unit->ms);
  snprintf(out, PAWL_FIGURE, "%.*f %s [%.*f, %.*f]", digits, ms / unit->ms, unit->name, digits,
           low_ms / unit->ms, digits, high_ms / unit->ms);
  return out;
}

/* Rounds to the visible decimals, so that nothing reads -0.0. */
static double figures_rounded(double value, double steps) {
  const double result = round(value * steps) / steps;
  return result == 0 ? 0 : result;
}

const char *pawl_figure_change(double faster_pct, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(faster_pct)) return unknown(out);
  const double shown = figures_rounded(faster_pct, 10);
  snprintf(out, PAWL_FIGURE, "%.1f %%%s", fabs(shown),
           shown < 0   ? " slower"
           : shown > 0 ? " faster"
                       : "");
  return out;
}

const char *pawl_figure_percent(double percent, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(percent)) return unknown(out);
  snprintf(out, PAWL_FIGURE, "%.1f %%", figures_rounded(percent, 10));
  return out;
}

const char *pawl_figure_limit(const struct pawl_roofline *roofline, char out[PAWL_FIGURE]) {
  char percent[PAWL_FIGURE];
  *out = '\0';
  if (roofline->bottleneck && pawl_figure_known(roofline->efficiency_pct))
    snprintf(out, PAWL_FIGURE, "%.12s %.16s", roofline->bottleneck,
             pawl_figure_percent(roofline->efficiency_pct, percent));
  return out;
}

const char *pawl_figure_p(double p, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(p)) return unknown(out);
  if (p < 1e-4) {
    snprintf(out, PAWL_FIGURE, "< 0.0001");
  } else {
    snprintf(out, PAWL_FIGURE, "%.4f", p);
  }
  return out;
}

const char *pawl_figure_delta(double cliffs_delta, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(cliffs_delta)) return unknown(out);
  const double shown = figures_rounded(cliffs_delta, 100);
  snprintf(out, PAWL_FIGURE, shown == 0 ? "%.2f" : "%+.2f", shown);
  return out;
}

const char *pawl_figure_rate(double giga, const char *unit, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(giga)) return unknown(out);
  const bool tera = fabs(giga) >= 999.95;
  const double shown = tera ? giga / 1000 : giga;
  snprintf(out, PAWL_FIGURE, "%.*f %c%s", figures_decimals(shown), shown, tera ? 'T' : 'G', unit);
  return out;
}

const char *pawl_figure_number(double value, char out[PAWL_FIGURE]) {
  if (!isfinite(value)) return unknown(out);
  snprintf(out, PAWL_FIGURE, "%.3g", value);
  return out;
}

const char *pawl_figure_of_unit(double value, const char *unit, char out[PAWL_FIGURE]) {
  char number[PAWL_FIGURE];
  if (!strcmp(unit, "ms")) return pawl_figure_time(value, out);
  snprintf(out, PAWL_FIGURE, "%.20s %.16s", pawl_figure_number(value, number), unit);
  return out;
}

const char *pawl_figure_seconds(double seconds, char out[PAWL_FIGURE]) {
  if (!pawl_figure_known(seconds)) return unknown(out);
  const long long whole = (long long)round(seconds);
  if (seconds < 59.95) {
    snprintf(out, PAWL_FIGURE, "%.1f s", seconds);
  } else if (whole < 3600) {
    snprintf(out, PAWL_FIGURE, "%lld min %lld s", whole / 60, whole % 60);
  } else {
    snprintf(out, PAWL_FIGURE, "%lld h %lld min", whole / 3600, whole % 3600 / 60);
  }
  return out;
}
