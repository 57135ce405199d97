/* SPDX-License-Identifier: Apache-2.0 */
#include "report/row_change.h"

#include <math.h>
#include <stdio.h>

#include "report/figures.h"

bool pawl_row_is_paired(const struct pawl_ratchet_row *row) {
  return row->paired && !row->paired->identical && isfinite(row->paired->slowdown.estimate);
}

/* Decimals that leave three digits of a percentage. */
static int decimals(double percent) {
  return fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;
}

/* As it is shown, so that nothing reads -0.00. */
static double rounded(double percent, int digits) {
  const double steps = pow(10, digits), shown = round(percent * steps) / steps;
  return shown == 0 ? 0 : shown;
}

/* A slow-down in percent with its sign; `known`: so few blocks do give that limit. */
static const char *limit(double slowdown, bool known, int digits, char out[PAWL_FIGURE]) {
  snprintf(out, PAWL_FIGURE, "unknown");
  if (known) snprintf(out, PAWL_FIGURE, "%+.*f", digits, rounded(slowdown * 100, digits));
  return out;
}

const char *pawl_row_change(const struct pawl_ratchet_row *row, char out[PAWL_ROW_CHANGE]) {
  char low[PAWL_FIGURE], high[PAWL_FIGURE], change[PAWL_FIGURE];
  if (!pawl_row_is_paired(row)) {
    const bool unpaired = isfinite(row->comparison.delta_pct) && !row->paired;
    snprintf(out, PAWL_ROW_CHANGE, "%s%s", pawl_figure_change(row->comparison.delta_pct, change),
             unpaired ? ", unpaired" : "");
    return out;
  }
  const struct pawl_slowdown *slowdown = &row->paired->slowdown;
  const int digits = decimals(slowdown->estimate * 100);
  const double shown = rounded(slowdown->estimate * 100, digits);
  const char *way = shown > 0 ? " slower" : shown < 0 ? " faster" : "";
  snprintf(out, PAWL_ROW_CHANGE, "%.*f %%%s [%s, %s]", digits, fabs(shown), way,
           limit(slowdown->low, slowdown->low > -1, digits, low),
           limit(slowdown->high, isfinite(slowdown->high), digits, high));
  return out;
}
