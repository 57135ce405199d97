/* SPDX-License-Identifier: Apache-2.0 */
/* The presets of the gate on simulated machines: their error rates, and what they see and cost.
     presets TRIALS SEED
   Markdown on stdout; the exit status is 1 where a preset breaks its promise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/paired_test.h"
#include "noises.h"
#include "suite/read.h"

enum { MOST_BLOCKS = 1000 };
static const char *const presets[] = {"strict", "balanced", "fast"};

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

static struct pawl_sequential start(const char *preset, struct pawl_arena *arena) {
  const char *text = pawl_arena_printf(arena, "version: 1\ngate: {preset: %s}\n", preset);
  struct pawl_suite suite;
  struct pawl_sequential test;
  struct pawl_error err;
  must(pawl_suite_parse(text, strlen(text), "preset", arena, &suite, &err), &err);
  const struct pawl_sequential_policy policy = pawl_gate_policy(&suite.gate, 1);
  must(pawl_sequential_init(&test, &policy, &err), &err);
  return test;
}

struct tally {
  long trials, decisions[PAWL_DECISION_INCONCLUSIVE + 1], blocks[MOST_BLOCKS + 1];
};

static double share(const struct tally *tally, enum pawl_decision decision) {
  return (double)tally->decisions[decision] / (double)tally->trials;
}

static int quantile(const struct tally *tally, double q) {
  long seen = 0;
  int blocks = 0;
  while ((double)(seen += tally->blocks[blocks]) < q * (double)tally->trials) blocks++;
  return blocks;
}

/* The state of `fresh` is in the struct, so each trial begins with a copy of it. */
static void simulate(const struct pawl_sequential *fresh, const struct noise *noise, double change,
                     long trials, uint64_t seed, struct tally *tally) {
  for (long trial = 0; trial < trials; trial++) {
    struct blocks blocks = blocks_of(noise, seed, (uint64_t)trial);
    struct pawl_sequential test = *fresh;
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    struct pawl_error err;
    while (decision == PAWL_DECISION_CONTINUE && test.blocks < test.policy.max_blocks)
      must(pawl_sequential_add(&test, log1p(change) + next_block(&blocks), &decision, &err), &err);
    if (decision == PAWL_DECISION_CONTINUE) decision = PAWL_DECISION_INCONCLUSIVE;
    tally->trials++;
    tally->decisions[decision]++;
    tally->blocks[test.blocks]++;
  }
}

/* A rate beyond its promise by more than four standard errors breaks it. */
static bool is_broken(double rate, double promise, long trials) {
  return rate > promise + 4 * sqrt(promise * (1 - promise) / (double)trials);
}

/* A change of exactly `tolerate` is the hardest one not to call, and one of `detect` the hardest
   one to call. */
static bool print_errors(const struct pawl_sequential *fresh, const char *preset, long trials,
                         uint64_t seed) {
  const struct pawl_sequential_policy *policy = &fresh->policy;
  double false_alarms = 0, misses = 0, worst_alarm = 0, worst_miss = 0;
  int count = 0;
  for (int i = 0; i < NOISES; i++) {
    struct tally edge = {0}, loss = {0};
    if (noises[i].stick > 0) continue; /* no test can promise anything there */
    simulate(fresh, &noises[i], policy->tolerate, trials, seed, &edge);
    simulate(fresh, &noises[i], policy->detect, trials, seed, &loss);
    const double alarm =
        share(&edge, PAWL_DECISION_REGRESSION) + share(&edge, PAWL_DECISION_IMPROVEMENT);
    const double miss = share(&loss, PAWL_DECISION_MAINTAINED);
    false_alarms += alarm, misses += miss, count++;
    worst_alarm = fmax(worst_alarm, alarm);
    worst_miss = fmax(worst_miss, miss);
  }
  printf("| `%s` | %.3g %% | %.3g %% | %.3g %% | %.3g %% | %.3g %% | %.3g %% |\n", preset,
         policy->false_alarm * 100, false_alarms / count * 100, worst_alarm * 100,
         policy->miss * 100, misses / count * 100, worst_miss * 100);
  return is_broken(worst_alarm, policy->false_alarm, trials) ||
         is_broken(worst_miss, policy->miss, trials);
}

static void print_power(const struct pawl_sequential *fresh, const char *preset, long trials,
                        uint64_t seed) {
  static const double changes[] = {0, 0.02, 0.03, 0.05, -0.05};
  for (int i = 0; i < 3; i++) {
    for (size_t j = 0; j < sizeof changes / sizeof *changes; j++) {
      struct tally tally = {0};
      simulate(fresh, &noises[i], changes[j], trials, seed, &tally);
      printf("| `%s` | %s | %+.0f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %d | %d |\n", preset,
             noises[i].name, changes[j] * 100, share(&tally, PAWL_DECISION_REGRESSION) * 100,
             share(&tally, PAWL_DECISION_IMPROVEMENT) * 100,
             share(&tally, PAWL_DECISION_MAINTAINED) * 100,
             share(&tally, PAWL_DECISION_INCONCLUSIVE) * 100, quantile(&tally, 0.5),
             quantile(&tally, 0.9));
    }
  }
}

int main(int argc, char **argv) {
  const long trials = argc > 1 ? atol(argv[1]) : 20000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261129;
  struct pawl_arena arena = {0};
  struct pawl_sequential tests[3];
  bool broken = false;
  for (int i = 0; i < 3; i++) tests[i] = start(presets[i], &arena);
  puts("## Errors\n");
  puts(
      "| preset | `false_alarm` | false at `tolerate`: mean | worst noise | `miss` | MAINTAINED at "
      "`detect`: mean | worst noise |\n|---|---:|---:|---:|---:|---:|---:|");
  for (int i = 0; i < 3; i++) broken |= print_errors(&tests[i], presets[i], trials, seed);
  puts("\n## Answers and blocks\n");
  puts(
      "| preset | machine | true change | REGRESSION | IMPROVEMENT | MAINTAINED | INCONCLUSIVE | "
      "blocks: median | 90 % |\n|---|---|---:|---:|---:|---:|---:|---:|---:|");
  for (int i = 0; i < 3; i++) print_power(&tests[i], presets[i], trials, seed);
  for (int i = 0; i < 3; i++) pawl_sequential_release(&tests[i]);
  pawl_arena_clear(&arena);
  return broken;
}
