/* SPDX-License-Identifier: Apache-2.0 */
#include "report/row_change.h"

#include <math.h>
#include <stdio.h>

#include "gate/result_interval.h"
#include "report/figures.h"

bool pawl_row_is_paired(const struct pawl_ratchet_row *row) {
  return row->paired && !row->paired->identical && isfinite(row->paired->slowdown.estimate);
}

bool pawl_row_same_code(const struct pawl_ratchet_row *row) {
  return row->paired ? row->paired->identical : row->same_code;
}

bool pawl_row_has_change(const struct pawl_ratchet_row *row) {
  const bool undecided = row->paired && !pawl_row_is_paired(row); /* no block counts */
  return isfinite(row->comparison.delta_pct) &&
         !pawl_verdict_has_no_time(row->comparison.verdict) && !undecided &&
         !pawl_row_same_code(row);
}

struct pawl_row_times pawl_row_times(const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  const bool now = row->result && row->result->outcome == PAWL_OUTCOME_OK;
  const bool both = isfinite(item->baseline_ms) && isfinite(item->current_ms) &&
                    !pawl_verdict_has_no_time(item->verdict);
  struct pawl_row_times times = {NAN, NAN, NAN, NAN};
  if (now && !pawl_row_is_paired(row))
    pawl_result_interval(row->result, &times.low_ms, &times.high_ms);
  if (both && !pawl_row_is_paired(row))
    times.low_ms = item->current_ci_low, times.high_ms = item->current_ci_high;
  if (row->entry) times.before_ms = row->entry->median_ms;
  if (now) times.now_ms = row->result->performance.median_ms;
  if (both) times.before_ms = item->baseline_ms, times.now_ms = item->current_ms;
  return times;
}

/* Returns the number of decimals that gives three digits of a percentage. */
static int row_change_decimals(double percent) {
  return fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;
}

/* Rounds to the visible decimals, so that nothing reads -0.00. */
static double row_change_rounded(double percent, int digits) {
  const double steps = pow(10, digits), shown = round(percent * steps) / steps;
  return shown == 0 ? 0 : shown;
}

/* Writes a slow-down in percent with its sign. `known`: there are enough blocks for this limit. */
static const char *limit(double slowdown, bool known, int digits, char out[PAWL_FIGURE]) {
  snprintf(out, PAWL_FIGURE, "unknown");
  if (known)
    snprintf(out, PAWL_FIGURE, "%+.*f", digits, row_change_rounded(slowdown * 100, digits));
  return out;
}

const char *pawl_row_change(const struct pawl_ratchet_row *row, char out[PAWL_ROW_CHANGE]) {
  char change[PAWL_FIGURE];
  if (pawl_row_same_code(row))
    return row->paired && row->paired->reason ? "same program" : "same machine code";
  if (!pawl_row_is_paired(row)) {
    const bool unpaired = pawl_figure_known(row->comparison.delta_pct) && !row->paired;
    snprintf(out, PAWL_ROW_CHANGE, "%s%s", pawl_figure_change(row->comparison.delta_pct, change),
             unpaired ? ", unpaired" : "");
    return out;
  }
  return pawl_slowdown_words(&row->paired->slowdown, out);
}

/* Writes "[LOW, HIGH]", or "[unknown]" if there are too few blocks for both limits. */
static void row_change_write_limits(const struct pawl_slowdown *slowdown, int digits, char *out,
                                    size_t room) {
  char low[PAWL_FIGURE], high[PAWL_FIGURE];
  const bool low_known = slowdown->low > -1, high_known = pawl_figure_known(slowdown->high);
  if (low_known || high_known)
    snprintf(out, room, "[%s, %s]", limit(slowdown->low, low_known, digits, low),
             limit(slowdown->high, high_known, digits, high));
  else
    snprintf(out, room, "[unknown]");
}

const char *pawl_slowdown_words(const struct pawl_slowdown *slowdown, char out[PAWL_ROW_CHANGE]) {
  if (!pawl_figure_known(slowdown->estimate)) {
    snprintf(out, PAWL_ROW_CHANGE, "unknown");
    return out;
  }
  const int digits = row_change_decimals(slowdown->estimate * 100);
  const double shown = row_change_rounded(slowdown->estimate * 100, digits);
  const char *way = shown > 0 ? " slower" : shown < 0 ? " faster" : "";
  const int written = snprintf(out, PAWL_ROW_CHANGE, "%.*f %%%s ", digits, fabs(shown), way);
  row_change_write_limits(slowdown, digits, out + written, PAWL_ROW_CHANGE - (size_t)written);
  return out;
}
