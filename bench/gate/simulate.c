/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated trials of the gate, as Markdown tables:
     simulate trials TRIALS SEED    on simulated machines, beside the rules of other tools on the
   same draws simulate exact                 what the boundary costs and sees, computed without
   chance simulate deals DEALS SEED      real processes, dealt at random into blocks; stdin: a line
   `name median...` a mode
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules.h"
#include "stats/describe.h"
#include "stats/sequential.h"
#include "stats/sort.h"
#include "stats/variates.h"

enum { SAMPLES = 100, MAX_BLOCKS = 80, CHANGES = 7, ANSWERS = PAWL_DECISION_INCONCLUSIVE + 1 };

/* A process's times are exp(its luck + what the whole block shares + each sample's noise). Standard
   deviations, as fractions of the time. */
struct machine {
  const char *name;
  double process_sd, sample_sd;
  double mode_chance, mode_shift; /* some processes land in a slow mode */
  double tail;                    /* some samples are this many times slower: interrupts, retries */
  double drift_sd;                /* a random walk from block to block, felt by both arms */
};

static const struct machine machines[] = {
    {.name = "quiet", .process_sd = 0.0032, .sample_sd = 0.005},
    {.name = "typical", .process_sd = 0.007, .sample_sd = 0.01},
    {.name = "noisy", .process_sd = 0.015, .sample_sd = 0.03},
    {.name = "outliers", .process_sd = 0.007, .sample_sd = 0.01, .tail = 3},
    {.name = "bimodal",
     .process_sd = 0.0032,
     .sample_sd = 0.01,
     .mode_chance = 0.2,
     .mode_shift = 0.2},
    {.name = "drift", .process_sd = 0.007, .sample_sd = 0.01, .drift_sd = 0.02},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static const double changes[CHANGES] = {0, 0.01, 0.02, 0.03, 0.05, -0.03, -0.05};

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

static void draw_process(const struct machine *machine, struct pawl_random *random, double shift,
                         double *times) {
  double centre = shift + machine->process_sd * pawl_draw_normal(random);
  if (pawl_random_double(random) < machine->mode_chance) centre += machine->mode_shift;
  for (int i = 0; i < SAMPLES; i += 2) {
    double noise[2];
    pawl_draw_normals(random, noise);
    times[i] = exp(centre + machine->sample_sd * noise[0]);
    times[i + 1] = exp(centre + machine->sample_sd * noise[1]);
  }
  for (int i = 0; machine->tail > 0 && i < SAMPLES; i++)
    if (pawl_random_below(random, 20) == 0) times[i] *= machine->tail;
  pawl_sort_doubles(times, SAMPLES);
}

/* The draws of a block depend on seed, machine, trial and block alone: each change meets the same
 * luck. */
static void draw_block(const struct machine *machine, uint64_t seed, uint32_t trial, int block,
                       double change, double *drift, double *base, double *candidate) {
  struct pawl_random random = pawl_random_init(
      seed, (uint64_t)(machine - machines) << 48 | (uint64_t)trial << 16 | (uint64_t)block);
  *drift += machine->drift_sd * pawl_draw_normal(&random);
  draw_process(machine, &random, *drift, base);
  draw_process(machine, &random, *drift + log1p(change), candidate);
}

struct tally {
  long decisions[ANSWERS];
  long called[RULE_COUNT][3]; /* by enum call */
  long at_blocks[MAX_BLOCKS + 1];
  long covered, estimated; /* the 95 % limits held the true change; trials that had limits */
};

static void run_trial(struct pawl_sequential *test, const struct pawl_bootstrap_plan *plan,
                      const struct machine *machine, uint64_t seed, uint32_t trial, double change,
                      struct tally *tally) {
  double drift = 0, base[SAMPLES], candidate[SAMPLES];
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  struct pawl_error err;
  for (int block = 0; decision == PAWL_DECISION_CONTINUE; block++) {
    draw_block(machine, seed, trial, block, change, &drift, base, candidate);
    for (int rule = 0; block == 0 && rule < RULE_COUNT; rule++)
      tally
          ->called[rule][rules[rule].judge(&(struct rule_input){base, candidate, SAMPLES, plan})]++;
    must(
        pawl_sequential_add(test, log(pawl_median(candidate, SAMPLES) / pawl_median(base, SAMPLES)),
                            &decision, &err),
        &err);
  }
  struct pawl_slowdown slowdown;
  pawl_sequential_estimate(test, &slowdown);
  tally->decisions[decision]++;
  tally->at_blocks[test->blocks]++;
  tally->estimated++;
  tally->covered += slowdown.low <= change && change <= slowdown.high;
}

static int quantile_blocks(const struct tally *tally, long trials, double fraction) {
  long seen = 0;
  for (int blocks = 0; blocks <= MAX_BLOCKS; blocks++) {
    seen += tally->at_blocks[blocks];
    if ((double)seen >= fraction * (double)trials) return blocks;
  }
  return MAX_BLOCKS;
}

static void simulate(const struct machine *machine, double change, uint32_t trials, uint64_t seed,
                     struct tally *tally) {
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_bootstrap_plan plan;
  struct pawl_sequential fresh, test;
  struct pawl_error err;
  must(pawl_bootstrap_plan_init(&plan, SAMPLES, 2000, 42, &err), &err);
  must(pawl_sequential_init(&fresh, &policy, &err), &err);
  for (uint32_t trial = 0; trial < trials; trial++) {
    test = fresh; /* shares the boundaries; the log-ratios are overwritten */
    run_trial(&test, &plan, machine, seed, trial, change, tally);
  }
  pawl_sequential_release(&fresh);
  pawl_bootstrap_plan_release(&plan);
}

static double share(long part, long whole) { return (double)part / (double)whole; }

static void print_answers(struct tally tallies[MACHINES][CHANGES], long trials) {
  printf(
      "| machine | true change | REGRESSION | IMPROVEMENT | MAINTAINED | INCONCLUSIVE | blocks: "
      "median | 90 %% | CI "
      "holds |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int m = 0; m < MACHINES; m++) {
    for (int c = 0; c < CHANGES; c++) {
      const struct tally *const t = &tallies[m][c];
      printf("| %s | %s%.0f %% | %.4f | %.4f | %.4f | %.4f | %d | %d | %.3f |\n", machines[m].name,
             changes[c] > 0 ? "+" : "", 100 * changes[c],
             share(t->decisions[PAWL_DECISION_REGRESSION], trials),
             share(t->decisions[PAWL_DECISION_IMPROVEMENT], trials),
             share(t->decisions[PAWL_DECISION_MAINTAINED], trials),
             share(t->decisions[PAWL_DECISION_INCONCLUSIVE], trials),
             quantile_blocks(t, trials, 0.5), quantile_blocks(t, trials, 0.9),
             share(t->covered, t->estimated));
    }
  }
}

static void print_rules(struct tally tallies[MACHINES][CHANGES], long trials) {
  printf("\n| rule | A/A called a change");
  for (int m = 1; m < MACHINES; m++) printf(" |");
  printf(" | +3 %% called slower");
  for (int m = 1; m < MACHINES; m++) printf(" |");
  printf(" |\n|---|");
  for (int m = 0; m < 2 * MACHINES; m++) printf("---:|");
  printf("\n| |");
  for (int m = 0; m < 2 * MACHINES; m++) printf(" %s |", machines[m % MACHINES].name);
  for (int rule = 0; rule <= RULE_COUNT; rule++) {
    printf("\n| %s |", rule < RULE_COUNT ? rules[rule].name : "**the gate**");
    for (int m = 0; m < MACHINES; m++) {
      const struct tally *const same = &tallies[m][0];
      const long changed = rule < RULE_COUNT
                               ? same->called[rule][CALL_SLOWER] + same->called[rule][CALL_FASTER]
                               : same->decisions[PAWL_DECISION_REGRESSION] +
                                     same->decisions[PAWL_DECISION_IMPROVEMENT];
      printf(" %.4f |", share(changed, trials));
    }
    for (int m = 0; m < MACHINES; m++) {
      const struct tally *const slower = &tallies[m][3];
      printf(" %.4f |", share(rule < RULE_COUNT ? slower->called[rule][CALL_SLOWER]
                                                : slower->decisions[PAWL_DECISION_REGRESSION],
                              trials));
    }
  }
  printf("\n");
}

static int trials_command(uint32_t trials, uint64_t seed) {
  static struct tally tallies[MACHINES][CHANGES];
  for (int m = 0; m < MACHINES; m++)
    for (int c = 0; c < CHANGES; c++)
      simulate(&machines[m], changes[c], trials, seed, &tallies[m][c]);
  print_answers(tallies, trials);
  print_rules(tallies, trials);
  return 0;
}

/* Power at +3 %, and in how many blocks half of the slow-downs are found. */
static void print_power(const struct pawl_sequential *test, double sd) {
  const double power = pawl_sequential_power(test, 0.03, sd, test->policy.max_blocks);
  const int blocks = pawl_sequential_blocks_needed(test, 0.03, sd, 0.5);
  if (blocks > 0)
    printf(" %.4f (%d) |", power, blocks);
  else
    printf(" %.4f (-) |", power);
}

static int exact_command(void) {
  static const int comparisons[] = {1, 2, 5, 10, 27, 100, 1000};
  printf("| comparisons | agreeing blocks that prove a change | chance spent / allowed |");
  for (int m = 0; m < 3; m++) printf(" power at +3 %%, %s (median blocks) |", machines[m].name);
  printf("\n|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    struct pawl_sequential_policy policy = pawl_sequential_default_policy();
    struct pawl_sequential test;
    struct pawl_error err;
    policy.comparisons = comparisons[i];
    must(pawl_sequential_init(&test, &policy, &err), &err);
    int agreeing = test.change.look_every;
    while (test.change.needed[agreeing] > agreeing) agreeing += test.change.look_every;
    printf("| %d | %d | %.2f |", comparisons[i], agreeing, test.change.spent / test.change.level);
    for (int m = 0; m < 3; m++) {
      /* the median of n normal samples has standard error 1.2533 sd / sqrt(n) */
      const double median_se = 1.2533 * machines[m].sample_sd / sqrt(SAMPLES);
      const double sd =
          sqrt(2 * (machines[m].process_sd * machines[m].process_sd + median_se * median_se));
      print_power(&test, sd);
    }
    printf("\n");
    pawl_sequential_release(&test);
  }
  return 0;
}

/* Processes dealt two by two into blocks, each used once; what the gate has said when they run out.
 */
static void deal(const double *medians, int processes, uint32_t deals, uint64_t seed,
                 uint64_t stream, long decisions[ANSWERS]) {
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential fresh;
  struct pawl_error err;
  must(pawl_sequential_init(&fresh, &policy, &err), &err);
  struct pawl_random random = pawl_random_init(seed, stream);
  int order[256];
  for (int i = 0; i < processes; i++) order[i] = i;
  for (uint32_t n = 0; n < deals; n++) {
    for (int i = processes - 1; i > 0; i--) {
      const int other = (int)pawl_random_below(&random, (uint32_t)i + 1), swap = order[i];
      order[i] = order[other];
      order[other] = swap;
    }
    struct pawl_sequential test = fresh;
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    for (int block = 0; decision == PAWL_DECISION_CONTINUE && 2 * block + 1 < processes; block++)
      must(
          pawl_sequential_add(&test, log(medians[order[2 * block + 1]] / medians[order[2 * block]]),
                              &decision, &err),
          &err);
    decisions[decision]++;
  }
  pawl_sequential_release(&fresh);
}

static int deals_command(uint32_t deals, uint64_t seed) {
  printf(
      "| mode | REGRESSION | IMPROVEMENT | MAINTAINED | undecided after the last block |\n"
      "|---|---:|---:|---:|---:|\n");
  char line[16384];
  for (uint64_t mode = 0; fgets(line, sizeof line, stdin); mode++) {
    double medians[256];
    int processes = 0;
    char *rest, *const name = strtok_r(line, " \n", &rest);
    for (char *word; processes < 256 && (word = strtok_r(NULL, " \n", &rest));)
      medians[processes++] = atof(word);
    long decisions[ANSWERS] = {0};
    deal(medians, processes, deals, seed, mode, decisions);
    printf("| `%s` | %.4f | %.4f | %.4f | %.4f |\n", name,
           share(decisions[PAWL_DECISION_REGRESSION], deals),
           share(decisions[PAWL_DECISION_IMPROVEMENT], deals),
           share(decisions[PAWL_DECISION_MAINTAINED], deals),
           share(decisions[PAWL_DECISION_CONTINUE] + decisions[PAWL_DECISION_INCONCLUSIVE], deals));
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "trials") == 0)
    return trials_command((uint32_t)atol(argv[2]), (uint64_t)atoll(argv[3]));
  if (argc == 4 && strcmp(argv[1], "deals") == 0)
    return deals_command((uint32_t)atol(argv[2]), (uint64_t)atoll(argv[3]));
  if (argc == 2 && strcmp(argv[1], "exact") == 0) return exact_command();
  fprintf(stderr,
          "usage: simulate trials TRIALS SEED | simulate deals DEALS SEED | simulate exact\n");
  return PAWL_USAGE;
}
