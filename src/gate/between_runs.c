/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/between_runs.h"

/* Returns whether the loser's interval lies more than `allowed` above the winner's, and its median
   more than `limit` above that. */
static bool between_runs_beyond(double winner_ms, double winner_high, double loser_ms,
                                double loser_low, double allowed, double limit) {
  return loser_low > winner_high * (1 + allowed) &&
         loser_ms > winner_ms * (1 + allowed) * (1 + limit);
}

/* A delayed call widens the interval of its process, but makes no process's fastest call faster. So
   the fastest calls decide too. NaN, from a file without them, decides nothing. */
static bool is_regression(const struct pawl_comparison *figures, double allowed, double limit) {
  const double base = figures->baseline_ms, now = figures->current_ms;
  return between_runs_beyond(base, figures->baseline_ci_high, now, figures->current_ci_low, allowed,
                             limit) ||
         between_runs_beyond(base, figures->baseline_fastest_greatest, now,
                             figures->current_fastest_least, allowed, limit);
}

enum pawl_verdict pawl_between_runs_verdict(const struct pawl_comparison *figures,
                                            const struct pawl_two_sample_limits *limits,
                                            double between_runs, const char **reason) {
  const double slower = limits->regression_pct / 100, faster = limits->improvement_pct / 100;
  *reason = PAWL_TOO_FEW_PROCESSES;
  if (!figures->ci_known) return PAWL_VERDICT_INCONCLUSIVE;
  *reason = NULL;
  if (figures->delta_pct >= -limits->regression_pct &&
      figures->delta_pct <= limits->improvement_pct)
    return pawl_two_sample_verdict(figures, limits);
  if (between_runs > 0 && is_regression(figures, between_runs, slower))
    return PAWL_VERDICT_REGRESSION;
  if (between_runs > 0 &&
      between_runs_beyond(figures->current_ms, figures->current_ci_high, figures->baseline_ms,
                          figures->baseline_ci_low, between_runs, faster))
    return PAWL_VERDICT_IMPROVEMENT;
  *reason = between_runs > 0
                ? "the runs were not side by side: the difference is within 'between_runs' of gate"
                : "the runs were not side by side: the difference can come from the machine; "
                  "measure in pairs, or set 'between_runs' of gate";
  return PAWL_VERDICT_INCONCLUSIVE;
}
