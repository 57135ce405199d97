/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the verdict against their goals, exactly where that can be and by simulation else:
     goals TRIALS SEED
   Markdown on stdout; the exit status is 1 where a goal is missed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "noises.h"
#include "places.h"
#include "stats/sequential.h"

static int missed;

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

static struct pawl_sequential start(int rule, int comparisons) {
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test;
  struct pawl_error err;
  policy.rule = rule;
  policy.comparisons = comparisons;
  must(pawl_sequential_init(&test, &policy, &err), &err);
  return test;
}

static void goal(const char *what, double is, double at_most) {
  const bool met = is <= at_most;
  missed += !met;
  printf("| %s | %.4g | %.4g | %s |\n", what, is, at_most, met ? "met" : "**missed**");
}

/* --- what trials come to --- */

struct tally {
  long decisions[PAWL_DECISION_INCONCLUSIVE + 1], doubts[PAWL_DOUBT_SERIAL + 1];
  long covered, contradicted; /* by its limits: MAINTAINED beside limits that exclude all changes up
                                 to tolerate */
  double blocks, trials;
};

static double share(long part, const struct tally *tally) { return (double)part / tally->trials; }

static double changed(const struct tally *tally) {
  return share(
      tally->decisions[PAWL_DECISION_REGRESSION] + tally->decisions[PAWL_DECISION_IMPROVEMENT],
      tally);
}

static struct tally simulate(int rule, int comparisons, const struct noise *noise, double change,
                             long trials, uint64_t seed) {
  struct pawl_sequential fresh = start(rule, comparisons);
  struct tally tally = {.trials = (double)trials};
  for (long trial = 0; trial < trials; trial++) {
    struct pawl_sequential test = fresh; /* shares the boundaries; the log-ratios are overwritten */
    struct blocks blocks = blocks_of(noise, seed, (uint64_t)trial);
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    struct pawl_error err;
    while (decision == PAWL_DECISION_CONTINUE)
      must(pawl_sequential_add(&test, log1p(change) + next_block(&blocks), &decision, &err), &err);
    struct pawl_slowdown slowdown;
    pawl_sequential_estimate(&test, &slowdown);
    tally.decisions[decision]++;
    tally.doubts[test.doubt]++;
    tally.blocks += test.blocks;
    tally.covered += slowdown.low <= change + 1e-9 && change <= slowdown.high + 1e-9;
    const double tolerate = test.policy.tolerate;
    tally.contradicted +=
        decision == PAWL_DECISION_MAINTAINED &&
        (slowdown.low > tolerate + 1e-6 || slowdown.high < 1 / (1 + tolerate) - 1 - 1e-6);
  }
  pawl_sequential_release(&fresh);
  return tally;
}

/* --- tables --- */

static void print_places(void) {
  static const double levels[] = {0.0005, 0.00025, 0.01, 0.025};
  static const int budgets[] = {60, 80, 200};
  printf(
      "## Places: the exact chance to cross, a side\n\n| level | blocks | look | fair coin | worst "
      "place | place that "
      "changes sign within pairs |\n|---:|---:|---|---:|---:|---:|\n");
  for (size_t i = 0; i < 6 * sizeof levels / sizeof *levels; i++) {
    struct pawl_sign_boundary boundary;
    struct pawl_error err;
    const int look_every = 1 + (int)i % 2;
    must(pawl_sign_boundary_init(&boundary, levels[i / 6], budgets[i / 2 % 3], look_every, &err),
         &err);
    printf("| %g | %d | every %s | %.6f | %.6f | %.4f |\n", boundary.level, boundary.max_blocks,
           look_every == 1 ? "block" : "pair", boundary.spent, worst_place(&boundary, 0.25),
           worst_place(&boundary, 0.5));
    pawl_sign_boundary_release(&boundary);
  }
  printf("\n");
}

static void print_noises(long trials, uint64_t seed) {
  static const double changes[] = {0, 0.01, 0.02, 0.03, 0.05, -0.03, -0.05};
  printf(
      "## Answers by rule 1 and by rule 3\n\n| noise | true change | REGRESSION | IMPROVEMENT | "
      "MAINTAINED | "
      "INCONCLUSIVE | blocks | limits hold | contradicted by its limits "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int n = 0; n < NOISES; n++) {
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
      struct tally t[2];
      if (noises[n].stick > 0 && c > 0) break;
      t[0] = simulate(1, 1, &noises[n], changes[c], trials, seed);
      t[1] = simulate(PAWL_SEQUENTIAL_RULE, 1, &noises[n], changes[c], trials, seed);
      printf("| %s | %+.0f %% |", noises[n].name, changes[c] * 100);
      for (int d = PAWL_DECISION_REGRESSION; d <= PAWL_DECISION_INCONCLUSIVE; d++)
        printf(" %.4f, %.4f |", share(t[0].decisions[d], &t[0]), share(t[1].decisions[d], &t[1]));
      printf(" %.1f, %.1f | %.3f, %.3f | %.4f, %.4f |\n", t[0].blocks / t[0].trials,
             t[1].blocks / t[1].trials, share(t[0].covered, &t[0]), share(t[1].covered, &t[1]),
             share(t[0].contradicted, &t[0]), share(t[1].contradicted, &t[1]));
    }
  }
  printf("\n");
}

/* Rule 3 finds large changes again on a machine whose blocks resemble each other. */
static void print_large_changes(long trials, uint64_t seed) {
  static const double changes[] = {0, 0.05, 0.2, 0.5, 1, 9};
  printf(
      "## Large changes where blocks stick, by rule 2 and by rule 3\n\n| noise | true change | "
      "verdicts of change: "
      "rule "
      "2 | rule 3 | blocks: rule 2 | rule 3 |\n|---|---:|---:|---:|---:|---:|\n");
  for (int n = 0; n < NOISES; n++) {
    for (size_t c = 0; noises[n].stick > 0 && c < sizeof changes / sizeof *changes; c++) {
      const struct tally before = simulate(2, 1, &noises[n], changes[c], trials, seed);
      const struct tally now = simulate(3, 1, &noises[n], changes[c], trials, seed);
      printf("| %s | %+.0f %% | %.4f | %.4f | %.1f | %.1f |\n", noises[n].name, changes[c] * 100,
             changed(&before), changed(&now), before.blocks / before.trials,
             now.blocks / now.trials);
    }
  }
  printf("\n");
}

/* A commit loses 3 % of main, which is `gain` faster than its record. */
static void print_merge_base(void) {
  static const double sds[] = {0.0045, 0.011, 0.022}, gains[] = {0, 0.01, 0.02, 0.03, 0.049};
  struct pawl_sequential test = start(PAWL_SEQUENTIAL_RULE, 2);
  printf(
      "## A loss of 3 %% of a main that is faster than its record: the chance that it is called, "
      "exactly\n\n"
      "| block sd | main is faster by | against the record alone | against both "
      "|\n|---:|---:|---:|---:|\n");
  for (int s = 0; s < 3; s++) {
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
      const double record =
          pawl_sequential_power(&test, 1.03 / (1 + gains[g]) - 1, sds[s], test.policy.max_blocks);
      const double both =
          fmax(record, pawl_sequential_power(&test, 0.03, sds[s], test.policy.max_blocks));
      printf("| %.2f %% | %.1f %% | %.4f | %.4f |\n", sds[s] * 100, gains[g] * 100, record, both);
    }
  }
  printf("\n");
  pawl_sequential_release(&test);
}

/* --- a t e-process, which needs normal blocks --- */

/* Robbins' normal mixture over standardised effects of variance 1, with the right Haar prior on the
   spread: an e-value for "normal with mean `null`" (Lai, "On confidence sequences", Annals of
   Statistics 4, 1976). */
static double t_evidence(const double *x, int count, double null, double *skew) {
  double sum = 0, squares = 0, cubes = 0;
  for (int i = 0; i < count; i++) sum += x[i];
  const double mean = sum / count, n = count;
  for (int i = 0; i < count; i++) {
    const double d = x[i] - mean;
    squares += d * d;
    cubes += d * d * d;
  }
  *skew = cubes / n / pow(squares / n, 1.5);
  const double t2 = n * (mean - null) * (mean - null) / (squares / (n - 1));
  const double value =
      pow(1 + n, -0.5) * pow((1 + t2 / (n - 1)) / (1 + t2 / ((n - 1) * (1 + n))), n / 2);
  return mean > null ? value : 0;
}

/* The share of trials without a change that it calls slower within 80 blocks. `watched`: not where
   blocks look skewed, by more than two standard errors. */
static double t_calls(const struct noise *noise, double change, bool watched, long trials,
                      uint64_t seed, double *mean) {
  long calls = 0;
  double used = 0;
  for (long trial = 0; trial < trials; trial++) {
    struct blocks blocks = blocks_of(noise, seed, (uint64_t)trial);
    double x[80], skew;
    int count = 0;
    while (count < 80) {
      x[count++] = log1p(change) + next_block(&blocks);
      if (count < 4 || t_evidence(x, count, log1p(0.01), &skew) < 2000) continue;
      if (watched && fabs(skew) > 2 * sqrt(6.0 / count)) continue;
      calls++;
      break;
    }
    used += count;
  }
  *mean = used / (double)trials;
  return (double)calls / (double)trials;
}

static void print_t(long trials, uint64_t seed) {
  printf(
      "## A t e-process instead of signs (level .0005 a side): calls of \"slower\" where the "
      "median is 0\n\n"
      "| noise | signs | t | t, off where blocks look skewed | blocks at +5 %%: signs | t "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  for (int n = 0; n < NOISES; n++) {
    if (noises[n].stick > 0) continue;
    const struct tally signs = simulate(PAWL_SEQUENTIAL_RULE, 1, &noises[n], 0, trials, seed);
    const struct tally slower = simulate(PAWL_SEQUENTIAL_RULE, 1, &noises[n], 0.05, trials, seed);
    double blocks;
    const double plain = t_calls(&noises[n], 0, false, trials, seed, &blocks);
    const double watched = t_calls(&noises[n], 0, true, trials, seed, &blocks);
    t_calls(&noises[n], 0.05, false, trials, seed, &blocks);
    printf("| %s | %.4f | %.4f | %.4f | %.1f | %.1f |\n", noises[n].name,
           share(signs.decisions[PAWL_DECISION_REGRESSION], &signs), plain, watched,
           slower.blocks / slower.trials, blocks);
  }
  printf("\n");
}

/* --- the goals --- */

static void print_goals(long trials, uint64_t seed) {
  double false_alarm = 0, at_tolerate = 0, miss = 0, uncovered = 0, contradicted = 0, doubted = 0,
         unseen = 0;
  double unseen_by_both = 0;
  double sticks = 0, sticks_by_rule_1 = 0, sticks_by_rule_2 = 0, unseen_double = 0,
         place_excess = 0;
  for (int n = 0; n < NOISES; n++) {
    const struct noise *noise = &noises[n];
    const struct tally same = simulate(PAWL_SEQUENTIAL_RULE, 1, noise, 0, trials, seed);
    if (noise->stick > 0) {
      sticks = fmax(sticks, changed(&same));
      const struct tally rule_1 = simulate(1, 1, noise, 0, trials, seed),
                         rule_2 = simulate(2, 1, noise, 0, trials, seed);
      const struct tally twice = simulate(PAWL_SEQUENTIAL_RULE, 1, noise, 1, trials, seed);
      sticks_by_rule_1 = fmax(sticks_by_rule_1, changed(&rule_1));
      sticks_by_rule_2 = fmax(sticks_by_rule_2, changed(&rule_2));
      unseen_double =
          fmax(unseen_double, 1 - share(twice.decisions[PAWL_DECISION_REGRESSION], &twice));
      continue;
    }
    const struct tally edge = simulate(PAWL_SEQUENTIAL_RULE, 1, noise, 0.01, trials, seed),
                       slower = simulate(PAWL_SEQUENTIAL_RULE, 1, noise, 0.03, trials, seed);
    const struct tally little = simulate(PAWL_SEQUENTIAL_RULE, 1, noise, 0.02, trials, seed);
    const struct tally *all[] = {&same, &edge, &slower, &little};
    false_alarm = fmax(false_alarm, changed(&same));
    at_tolerate = fmax(at_tolerate, share(edge.decisions[PAWL_DECISION_REGRESSION], &edge));
    miss = fmax(miss, share(slower.decisions[PAWL_DECISION_MAINTAINED], &slower));
    for (int i = 0; i < 4; i++) {
      uncovered = fmax(uncovered, 1 - share(all[i]->covered, all[i]));
      contradicted += share(all[i]->contradicted, all[i]);
      if (noise->good) doubted = fmax(doubted, share(all[i]->doubts[PAWL_DOUBT_SERIAL], all[i]));
    }
    if (!noise->good || noise->mode_chance) continue;
    const struct tally both = simulate(PAWL_SEQUENTIAL_RULE, 2, noise, 0.03, trials, seed);
    unseen = fmax(unseen, 1 - share(slower.decisions[PAWL_DECISION_REGRESSION], &slower));
    unseen_by_both =
        fmax(unseen_by_both, 1 - share(both.decisions[PAWL_DECISION_REGRESSION], &both));
  }
  struct pawl_sequential test = start(PAWL_SEQUENTIAL_RULE, 2);
  for (int i = 0; i < 3; i++) {
    const struct pawl_sign_boundary *boundaries[] = {&test.change, &test.maintained,
                                                     &test.interval};
    place_excess = fmax(place_excess, worst_place(boundaries[i], 0.25) / boundaries[i]->level);
  }
  const double exact = 1 - pawl_sequential_power(&test, 0.03, 0.022, test.policy.max_blocks);
  pawl_sequential_release(&test);
  const double luck =
      3 * sqrt(0.001 / (double)trials); /* three standard errors of a rate of .1 % */
  printf("## Goals\n\n| goal | is | at most | |\n|---|---:|---:|---|\n");
  goal("level of a boundary under the worst place effect, as a share of what is allowed (exact)",
       place_excess, 1);
  goal("false alarms of identical code, worst noise without stickiness", false_alarm, 0.001 + luck);
  goal("REGRESSION at a true slow-down of `tolerate`, worst noise", at_tolerate, 0.0005 + luck);
  goal("MAINTAINED at a true slow-down of `detect`, worst noise", miss,
       0.01 + 3 * sqrt(0.01 / (double)trials));
  goal("limits that miss the truth, worst noise and change", uncovered, 0.05);
  goal("MAINTAINED beside limits that exclude all changes up to `tolerate`", contradicted, 0);
  goal("INCONCLUSIVE for resemblance on good machines, worst change", doubted, 0.01);
  goal("a slow-down of 3 % not called, sd up to 2.2 %", unseen, 0.05);
  goal("a loss of 3 % against main not called, whatever main gained, sd 2.2 % (exact, signs alone)",
       exact, 0.05);
  goal("the same by simulation, with all that the rule waits for", unseen_by_both, 0.05);
  goal("verdicts of change where blocks stick (AR .9), as a share of those by rule 1",
       sticks / sticks_by_rule_1, 0.5);
  goal("the same, as a share of those by rule 2", sticks / sticks_by_rule_2, 1.01);
  goal("twice the time not called where blocks stick (AR .9, sd up to 10 %)", unseen_double, 0.15);
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: goals TRIALS SEED\n");
    return PAWL_USAGE;
  }
  const long trials = atol(argv[1]);
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  print_goals(trials, seed);
  print_places();
  print_noises(trials, seed);
  print_large_changes(trials, seed);
  print_merge_base();
  print_t(trials / 2, seed);
  return missed ? PAWL_FAILED : PAWL_OK;
}
