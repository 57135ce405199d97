/* SPDX-License-Identifier: Apache-2.0 */
/* The unpaired verdict where other programs hold up calls:
     held_up TRIALS SEED
   Two runs of 6 processes with 10 calls each, of the same code or of code that is 50 times slower,
   judged with `between_runs: 50%`: by the intervals alone, and with the fastest calls beside them.
   Markdown on stdout; the exit status is 1 where a goal is missed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/between_runs.h"
#include "stats/describe.h"
#include "stats/process_interval.h"
#include "stats/sort.h"
#include "stats/variates.h"

enum { PROCESSES = 6, CALLS = 10 };

struct run {
  double median, low, high, fastest_least, fastest_greatest;
};

/* A call takes `work` ms give or take 2 %; with the chance `held` others hold it up for 30 to 375
 * ms more. */
static struct run draw_run(struct pawl_random *random, double work, double held) {
  double all[PROCESSES * CALLS], medians[PROCESSES];
  struct run run = {.fastest_least = INFINITY};
  for (int p = 0; p < PROCESSES; p++) {
    double *const calls = all + p * CALLS, luck = 0.007 * pawl_draw_normal(random);
    for (int i = 0; i < CALLS; i++) {
      calls[i] = work * exp(luck + 0.02 * pawl_draw_normal(random));
      if (pawl_random_double(random) < held) calls[i] += 30 + 345 * pawl_random_double(random);
    }
    pawl_sort_doubles(calls, CALLS);
    medians[p] = pawl_median(calls, CALLS);
    run.fastest_least = fmin(run.fastest_least, calls[0]);
    run.fastest_greatest = fmax(run.fastest_greatest, calls[0]);
  }
  pawl_process_interval(medians, PROCESSES, &run.low, &run.high);
  pawl_sort_doubles(all, PROCESSES * CALLS);
  run.median = pawl_median(all, PROCESSES * CALLS);
  return run;
}

/* `fastest`: the fastest calls may decide too. */
static enum pawl_verdict judge(const struct run *base, const struct run *now, bool fastest) {
  const struct pawl_two_sample_limits limits = {3, 5};
  const char *reason;
  const struct pawl_comparison figures = {
      .baseline_ms = base->median,
      .current_ms = now->median,
      .baseline_ci_low = base->low,
      .baseline_ci_high = base->high,
      .current_ci_low = now->low,
      .current_ci_high = now->high,
      .baseline_fastest_greatest = fastest ? base->fastest_greatest : NAN,
      .current_fastest_least = fastest ? now->fastest_least : NAN,
      .delta_pct = (base->median - now->median) / base->median * 100,
      .cliffs_delta = 1,
      .ci_known = true,
      .ci_overlap = base->low <= now->high && now->low <= base->high};
  return pawl_between_runs_verdict(&figures, &limits, 0.5, &reason);
}

int main(int argc, char **argv) {
  static const double shares[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
  if (argc != 3) {
    fprintf(stderr, "usage: held_up TRIALS SEED\n");
    return PAWL_USAGE;
  }
  const long trials = atol(argv[1]);
  double worst_alarm = 0, worst_power = 1;
  printf(
      "## Unpaired verdicts where calls are held up\n\nA call of 1 ms is held up for 30 to 375 ms "
      "with the chance in "
      "the first column. `between_runs` is 50 %%.\n\n"
      "| held up | 50 times slower is a REGRESSION: by intervals | and by fastest calls | the same "
      "code is: by "
      "intervals | and by fastest calls |\n|---:|---:|---:|---:|---:|\n");
  for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
    struct pawl_random random = pawl_random_init(strtoull(argv[2], NULL, 10), 0x68656c64 + s);
    long called[2][2] = {{0}};
    for (long trial = 0; trial < trials; trial++) {
      const struct run base = draw_run(&random, 1, shares[s]);
      for (int same = 0; same < 2; same++) {
        const struct run now = draw_run(&random, same ? 1 : 50, shares[s]);
        for (int fastest = 0; fastest < 2; fastest++)
          called[same][fastest] += judge(&base, &now, fastest) == PAWL_VERDICT_REGRESSION;
      }
    }
    const double n = (double)trials;
    printf("| %.0f %% | %.4f | %.4f | %.5f | %.5f |\n", shares[s] * 100, (double)called[0][0] / n,
           (double)called[0][1] / n, (double)called[1][0] / n, (double)called[1][1] / n);
    worst_alarm = fmax(worst_alarm, (double)called[1][1] / n);
    if (shares[s] <= 0.3) worst_power = fmin(worst_power, (double)called[0][1] / n);
  }
  const double alarms = 2 / 924.0 + 3 * sqrt(2 / 924.0 / (double)trials);
  printf("\n| goal | is | must be | |\n|---|---:|---:|---|\n");
  printf("| the same code is a REGRESSION, worst share | %.5f | <= %.5f | %s |\n", worst_alarm,
         alarms, worst_alarm <= alarms ? "met" : "**missed**");
  printf("| 50 times slower is a REGRESSION, up to 30 %% held up | %.4f | >= 0.99 | %s |\n\n",
         worst_power, worst_power >= 0.99 ? "met" : "**missed**");
  return worst_alarm <= alarms && worst_power >= 0.99 ? PAWL_OK : PAWL_FAILED;
}
