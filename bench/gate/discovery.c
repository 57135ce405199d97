/* SPDX-License-Identifier: Apache-2.0 */
/* False discoveries and power of a run of many rows, by the gate's own code:
     discovery RUNS SEED
   Markdown on stdout; the exit status is 1 where the share of false changes exceeds its bound. */
#include "gate/discovery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/paired_test.h"
#include "stats/variates.h"

enum { ROWS = 1000, GROUP = 25, MOST_BLOCKS = 80 };

/* The noise of a block. `shared` is the share of its variance that all rows have in common, `group`
   that of the rows of one kernel, which the same processes serve. */
struct dependence {
  const char *name;
  double shared, group;
  bool opposed; /* every second row feels the common part with the other sign */
};
static const struct dependence dependences[] = {
    {.name = "independent"},
    {.name = "kernels share 80 %", .group = 0.8},
    {.name = "all share 50 %", .shared = 0.5},
    {.name = "all share 95 %", .shared = 0.95},
    {.name = "all share 95 %, half of them opposed", .shared = 0.95, .opposed = true},
};

/* The rows that do not change are slower or faster by exactly `edge`. */
struct plan {
  enum pawl_control control;
  double false_alarm, sd, edge;
  int blocks, changed;
};

struct outcome {
  double fdp, fdp_square, any_false, power, blocks, inconclusive;
};

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

static double true_change(const struct plan *plan, int row) {
  if (row % (ROWS / plan->changed) == 0 && row / (ROWS / plan->changed) < plan->changed)
    return 0.03;
  return row % 2 ? plan->edge : 1 / (1 + plan->edge) - 1;
}

/* The log-ratios of a run, block by block, so that rows share a block's noise. */
static void draw(const struct plan *plan, const struct dependence *dependence,
                 struct pawl_random *random, double *ratios) {
  const double own = sqrt(1 - dependence->shared - dependence->group);
  for (int block = 0; block < plan->blocks; block++) {
    const double common = sqrt(dependence->shared) * pawl_draw_normal(random);
    double group = 0;
    for (int row = 0; row < ROWS; row++) {
      if (row % GROUP == 0) group = sqrt(dependence->group) * pawl_draw_normal(random);
      const double sign = dependence->opposed && row / 2 % 2 ? -1 : 1;
      const double noise = sign * common + group + own * pawl_draw_normal(random);
      ratios[row * MOST_BLOCKS + block] = log1p(true_change(plan, row)) + plan->sd * noise;
    }
  }
}

static enum pawl_decision judge(const struct pawl_sequential *fresh, const double *ratios,
                                int blocks, struct pawl_paired_test *out) {
  struct pawl_sequential test = *fresh; /* its state is in the struct */
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  struct pawl_error err;
  pawl_paired_test_init(out);
  for (int i = 0; i < blocks && decision == PAWL_DECISION_CONTINUE; i++)
    must(pawl_sequential_add(&test, ratios[i], &decision, &err), &err);
  out->policy = test.policy;
  out->decision = decision == PAWL_DECISION_CONTINUE ? PAWL_DECISION_INCONCLUSIVE : decision;
  out->e_value = pawl_sequential_e_value(&test);
  out->counted = (size_t)test.blocks;
  pawl_sequential_estimate(&test, &out->slowdown);
  return out->decision;
}

static void run_once(const struct plan *plan, const struct pawl_sequential *fresh,
                     const double *ratios, struct outcome *sum) {
  static struct pawl_paired_test tests[ROWS];
  struct pawl_paired_test *all[ROWS];
  int called = 0, wrong = 0, right = 0;
  for (int row = 0; row < ROWS; row++) {
    all[row] = &tests[row];
    judge(fresh, &ratios[row * MOST_BLOCKS], plan->blocks, &tests[row]);
  }
  pawl_paired_tests_discover(all, ROWS);
  for (int row = 0; row < ROWS; row++) {
    const enum pawl_decision decision = tests[row].decision;
    const bool change =
        decision == PAWL_DECISION_REGRESSION || decision == PAWL_DECISION_IMPROVEMENT;
    const bool slower = true_change(plan, row) > 0.02;
    called += change;
    wrong += change && !(slower && decision == PAWL_DECISION_REGRESSION);
    right += slower && decision == PAWL_DECISION_REGRESSION;
    sum->blocks += (double)tests[row].counted / ROWS;
    sum->inconclusive += (double)(decision == PAWL_DECISION_INCONCLUSIVE) / ROWS;
  }
  const double fdp = called ? (double)wrong / called : 0;
  sum->fdp += fdp;
  sum->fdp_square += fdp * fdp;
  sum->any_false += wrong > 0;
  sum->power += (double)right / plan->changed;
}

static bool simulate(const struct plan *plan, const struct dependence *dependence, long runs,
                     uint64_t seed) {
  struct pawl_random random = pawl_random_init(seed, 0);
  const struct pawl_gate_spec gate = {.tolerate = 0.01,
                                      .detect = 0.03,
                                      .false_alarm = plan->false_alarm,
                                      .miss = 0.01,
                                      .max_blocks = plan->blocks,
                                      .control = plan->control};
  const struct pawl_sequential_policy policy = pawl_gate_policy(&gate, ROWS);
  const char *control = plan->control == PAWL_CONTROL_FDR ? "fdr" : "familywise";
  struct pawl_sequential fresh;
  struct pawl_error err;
  struct outcome sum = {0};
  printf("| %s | %g %% | %d | %d | %.1f %% | %s | ", control, plan->false_alarm * 100, plan->blocks,
         plan->changed, plan->sd * 100, dependence->name);
  if (pawl_sequential_init(&fresh, &policy, &err) != PAWL_OK) {
    puts("0 %: too few blocks for any proof | | | | |");
    return false;
  }
  double *ratios = pawl_alloc(ROWS * MOST_BLOCKS, sizeof *ratios);
  for (long i = 0; i < runs; i++) {
    draw(plan, dependence, &random, ratios);
    run_once(plan, &fresh, ratios, &sum);
  }
  pawl_free(ratios);
  pawl_sequential_release(&fresh);
  const double n = (double)runs, fdr = sum.fdp / n;
  const double error = sqrt(fmax(sum.fdp_square / n - fdr * fdr, 0) / n);
  printf("%.1f %% | %.3f %% | %.2f %% | %.1f | %.1f %% |\n", sum.power / n * 100, fdr * 100,
         sum.any_false / n * 100, sum.blocks / n, sum.inconclusive / n * 100);
  return fdr > plan->false_alarm + 4 * error;
}

static const char header[] =
    "| control | `false_alarm` | blocks | +3 % rows | block sd | dependence | power | false share "
    "| "
    "runs with any false | blocks a row | INCONCLUSIVE |\n"
    "|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|\n";

int main(int argc, char **argv) {
  const long runs = argc > 1 ? atol(argv[1]) : 200;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261129;
  static const struct plan plans[] = {
      {.false_alarm = 0.05, .sd = 0.005, .blocks = 12, .changed = 20},
      {.false_alarm = 0.05, .sd = 0.005, .blocks = 12, .changed = 50},
      {.false_alarm = 0.05, .sd = 0.011, .blocks = 16, .changed = 50},
      {.false_alarm = 0.05, .sd = 0.005, .blocks = 14, .changed = 12},
      {.false_alarm = 0.01, .sd = 0.005, .blocks = 16, .changed = 12},
      {.false_alarm = 0.001, .sd = 0.005, .blocks = 20, .changed = 12},
      {.false_alarm = 0.001, .sd = 0.011, .blocks = 26, .changed = 100},
      {.false_alarm = 0.05, .sd = 0.022, .blocks = 40, .changed = 50},
      {.false_alarm = 0.001, .sd = 0.022, .blocks = 80, .changed = 50},
  };
  bool broken = false;
  printf("## Power\n\nThe other rows do not change.\n\n%s", header);
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    for (int control = PAWL_CONTROL_FAMILYWISE; control <= PAWL_CONTROL_FDR; control++) {
      struct plan plan = plans[i];
      plan.control = (enum pawl_control)control;
      broken |= simulate(&plan, &dependences[0], runs, seed);
    }
  }
  printf(
      "\n## Errors under dependence\n\nThe other rows change by exactly +1 %% or -1 %%, the most "
      "that is no change.\n\n%s",
      header);
  for (size_t i = 0; i < sizeof dependences / sizeof *dependences; i++) {
    static const int changed[] = {1, 50};
    for (int j = 0; j < 2; j++) {
      const struct plan plan = {.control = PAWL_CONTROL_FDR,
                                .false_alarm = 0.05,
                                .sd = 0.011,
                                .edge = 0.01,
                                .blocks = 30,
                                .changed = changed[j]};
      broken |= simulate(&plan, &dependences[i], 5 * runs, seed);
    }
  }
  return broken;
}
