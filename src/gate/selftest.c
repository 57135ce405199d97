/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/selftest.h"

#include <math.h>

#include "stats/binomial.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define CONFIDENCE 0.95
#define SEED_STRIDE 10000000u /* more than the blocks of a verdict and of its confirmation */

#define DELAY_SHARE 0.05      /* a share of a call; both arms have the delay */
#define SHORTEST_CALL_MS 2e-5 /* about one reading of the clock */

const double pawl_selftest_changes[PAWL_SELFTEST_CHANGES] = {0, 0.01, 0.02, 0.03, 0.05, 0.1};

static bool same_change(double a, double b) { return fabs(a - b) < 1e-9; }

uint64_t pawl_selftest_seed(uint64_t seed, size_t trial) {
  return seed + SEED_STRIDE * (trial + 1);
}

pawl_status pawl_selftest_calibrate(struct pawl_selftest *selftest, double delayed_ms,
                                    struct pawl_error *err) {
  const double base_ms = delayed_ms - PAWL_SELFTEST_SHORTEST_DELAY_MS;
  if (!(base_ms >= SHORTEST_CALL_MS))
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "kernel '%s' on '%s' is too short to tell from the injected %.0f us: choose a larger case",
        selftest->kernel_name, selftest->case_name, PAWL_SELFTEST_SHORTEST_DELAY_MS * 1e3);
  selftest->base_ms = base_ms;
  selftest->delay_ms = fmax(DELAY_SHARE * base_ms, PAWL_SELFTEST_SHORTEST_DELAY_MS);
  return PAWL_OK;
}

static double median_blocks(const struct pawl_selftest *selftest, double change) {
  double *blocks = pawl_alloc(selftest->count + 1, sizeof *blocks);
  size_t count = 0;
  for (size_t i = 0; i < selftest->count; i++) {
    if (same_change(selftest->trials[i].change, change))
      blocks[count++] = (double)selftest->trials[i].blocks;
  }
  pawl_sort_doubles(blocks, count);
  const double median = pawl_median(blocks, count);
  pawl_free(blocks);
  return median;
}

void pawl_selftest_tally(const struct pawl_selftest *selftest, double change,
                         struct pawl_selftest_tally *out) {
  struct pawl_selftest_tally tally = {.change = change};
  for (size_t i = 0; i < selftest->count; i++) {
    const struct pawl_selftest_trial *trial = &selftest->trials[i];
    if (!same_change(trial->change, change)) continue;
    tally.trials++;
    tally.decisions[trial->decision]++;
  }
  tally.flagged = tally.decisions[PAWL_DECISION_REGRESSION];
  if (!(change > 0)) tally.flagged += tally.decisions[PAWL_DECISION_IMPROVEMENT];
  tally.rate = tally.trials ? (double)tally.flagged / tally.trials : NAN;
  pawl_clopper_pearson(tally.trials, tally.flagged, CONFIDENCE, &tally.low, &tally.high);
  tally.median_blocks = median_blocks(selftest, change);
  *out = tally;
}

double pawl_selftest_chance(const struct pawl_selftest *selftest) {
  struct pawl_selftest_tally same;
  pawl_selftest_tally(selftest, 0, &same);
  return pawl_binomial_upper_tail(same.trials, same.flagged, selftest->policy.false_alarm);
}

bool pawl_selftest_failed(const struct pawl_selftest *selftest) {
  return pawl_selftest_chance(selftest) < PAWL_SELFTEST_DOUBT;
}

const char *pawl_selftest_word(const struct pawl_selftest *selftest) {
  struct pawl_selftest_tally same;
  pawl_selftest_tally(selftest, 0, &same);
  if (pawl_selftest_failed(selftest)) return "FAILED";
  return same.high <= PAWL_SELFTEST_KNOWN ? "passed" : "too few trials to tell";
}

void pawl_selftest_table(const struct pawl_selftest *selftest, struct pawl_text *out) {
  pawl_text_printf(
      out,
      "| injected | trials | REGRESSION | IMPROVEMENT | MAINTAINED | INCONCLUSIVE | called | 95 %% "
      "limits | median blocks |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++) {
    struct pawl_selftest_tally tally;
    pawl_selftest_tally(selftest, pawl_selftest_changes[i], &tally);
    if (tally.trials == 0) continue;
    pawl_text_printf(
        out, "| %s%.0f %% | %d | %d | %d | %d | %d | %.2f %% | %.2f .. %.2f %% | %.0f |\n",
        tally.change > 0 ? "+" : "", tally.change * 100, tally.trials,
        tally.decisions[PAWL_DECISION_REGRESSION], tally.decisions[PAWL_DECISION_IMPROVEMENT],
        tally.decisions[PAWL_DECISION_MAINTAINED], tally.decisions[PAWL_DECISION_INCONCLUSIVE],
        tally.rate * 100, tally.low * 100, tally.high * 100, tally.median_blocks);
  }
}
