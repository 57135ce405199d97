/* SPDX-License-Identifier: Apache-2.0 */
/* How often a 95 % interval of a run's median holds the true one, and how often two runs of the
   same code have intervals apart: coverage TRIALS SEED A run takes 100 samples, shared over its
   processes, as `pawl bench` does. Markdown on stdout; the exit status is 1 where a goal is missed.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/process_interval.h"
#include "stats/sort.h"
#include "stats/variates.h"

enum { SAMPLES = 100, MAX_PROCESSES = 12, TRUTH_PROCESSES = 40001 };

/* A process's times are exp(its luck + each sample's noise). Standard deviations, as fractions of
 * the time. */
struct machine {
  const char *name;
  double process_sd, sample_sd;
  double skew; /* the luck is exp of a normal with this sd: lognormal, long to the slow side */
  double mode_chance, mode_shift;  /* some processes land in a slow mode */
  double sample_mode, sample_tail; /* some samples, with this chance, are this many times slower */
  double sample_ar,
      process_ar; /* the part that carries over from one sample, or process, to the next */
  double mood_sd; /* shared by all processes of a run, and other in the next run */
};

static const struct machine machines[] = {
    {.name = "quiet: .32 % between, .5 % within", .process_sd = 0.0032, .sample_sd = 0.005},
    {.name = "typical: .7 %, 1 %", .process_sd = 0.007, .sample_sd = 0.01},
    {.name = "noisy: 1.5 %, 3 %", .process_sd = 0.015, .sample_sd = 0.03},
    {.name = "samples noisier than processes: .1 %, 3 %", .process_sd = 0.001, .sample_sd = 0.03},
    {.name = "lognormal processes", .process_sd = 0.01, .sample_sd = 0.01, .skew = 1},
    {.name = "spikes: every 20th sample 3x",
     .process_sd = 0.007,
     .sample_sd = 0.01,
     .sample_mode = 0.05,
     .sample_tail = 3},
    {.name = "bimodal processes: 20 % are 22 % slower",
     .process_sd = 0.0032,
     .sample_sd = 0.01,
     .mode_chance = 0.2,
     .mode_shift = 0.2},
    {.name = "bimodal samples: 30 % are 10 % slower",
     .process_sd = 0.007,
     .sample_sd = 0.01,
     .sample_mode = 0.3,
     .sample_tail = 1.1},
    {.name = "AR .9 of the samples", .process_sd = 0.0032, .sample_sd = 0.02, .sample_ar = 0.9},
    {.name = "*AR .5 of the processes*", .process_sd = 0.015, .sample_sd = 0.01, .process_ar = 0.5},
    {.name = "*AR .9 of the processes*", .process_sd = 0.015, .sample_sd = 0.01, .process_ar = 0.9},
    {.name = "*a mood of 5 % to each run*",
     .process_sd = 0.007,
     .sample_sd = 0.01,
     .mood_sd = 0.05},
};
enum { MACHINES = sizeof machines / sizeof *machines };

enum method { POOLED_4, POOLED_6, T_6, PROCESS_6, PROCESS_8, PROCESS_12, METHODS };
static const char *const method_names[METHODS] = {
    "bootstrap, 4 processes", "bootstrap, 6",  "t, 6",
    "by process, 6",          "by process, 8", "by process, 12"};
static const int method_processes[METHODS] = {4, 6, 6, 6, 8, 12};

struct interval {
  double low, high;
};

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

/* A stationary AR(1) of variance 1. */
static double next_of(double before, double carry, struct pawl_random *random) {
  return carry * before + sqrt(1 - carry * carry) * pawl_draw_normal(random);
}

static void draw_process(const struct machine *machine, struct pawl_random *random, double luck,
                         double *times, int count) {
  double centre = machine->process_sd * (machine->skew > 0 ? exp(machine->skew * luck) : luck);
  if (pawl_random_double(random) < machine->mode_chance) centre += machine->mode_shift;
  double noise = pawl_draw_normal(random);
  for (int i = 0; i < count; i++) {
    times[i] = exp(centre + machine->sample_sd * noise);
    if (machine->sample_mode > 0 && pawl_random_double(random) < machine->sample_mode)
      times[i] *= machine->sample_tail;
    noise = next_of(noise, machine->sample_ar, random);
  }
}

struct run {
  double samples[SAMPLES], medians[MAX_PROCESSES];
  int processes;
};

static double median_of(const double *times, int count) {
  double sorted[SAMPLES];
  for (int i = 0; i < count; i++) sorted[i] = times[i];
  pawl_sort_doubles(sorted, (size_t)count);
  return pawl_median(sorted, (size_t)count);
}

static void draw_run(const struct machine *machine, struct pawl_random *random, int processes,
                     struct run *run) {
  const double mood = exp(machine->mood_sd * pawl_draw_normal(random));
  double luck = pawl_draw_normal(random);
  run->processes = processes;
  for (int process = 0, from = 0; process < processes; process++) {
    const int to = SAMPLES * (process + 1) / processes;
    draw_process(machine, random, luck, run->samples + from, to - from);
    for (int i = from; i < to; i++) run->samples[i] *= mood;
    run->medians[process] = median_of(run->samples + from, to - from);
    luck = next_of(luck, machine->process_ar, random);
    from = to;
  }
  pawl_sort_doubles(run->samples, SAMPLES);
}

/* The median over processes of a process's median, over enough processes that its error does not
 * count. */
static double true_median(const struct machine *machine, uint64_t seed, int samples) {
  struct pawl_random random =
      pawl_random_init(seed, UINT64_C(0x7275746800) + (uint64_t)(machine - machines));
  double *const medians = pawl_alloc(TRUTH_PROCESSES, sizeof *medians), times[SAMPLES];
  for (int i = 0; i < TRUTH_PROCESSES; i++) {
    draw_process(machine, &random, pawl_draw_normal(&random), times, samples);
    medians[i] = median_of(times, samples);
  }
  pawl_sort_doubles(medians, TRUTH_PROCESSES);
  const double truth = pawl_median(medians, TRUTH_PROCESSES);
  pawl_free(medians);
  return truth;
}

/* Student's t on the logs of the processes' medians: the 97.5 % point at 5 degrees of freedom. */
static struct interval t_interval(const struct run *run) {
  double logs[MAX_PROCESSES];
  for (int i = 0; i < run->processes; i++) logs[i] = log(run->medians[i]);
  struct pawl_summary summary;
  struct pawl_error err;
  must(pawl_summarize(logs, (size_t)run->processes, &summary, &err), &err);
  const double half = 2.5705818 * summary.std / sqrt(run->processes);
  return (struct interval){exp(summary.mean - half), exp(summary.mean + half)};
}

static struct interval interval_of(enum method method, const struct run *run,
                                   const struct pawl_bootstrap_plan *plan) {
  struct interval out;
  struct pawl_error err;
  if (method == T_6) return t_interval(run);
  if (method == POOLED_4 || method == POOLED_6)
    must(pawl_bootstrap_plan_apply(plan, run->samples, PAWL_BOOTSTRAP_CONFIDENCE, &out.low,
                                   &out.high, &err),
         &err);
  else
    pawl_process_interval(run->medians, (size_t)run->processes, &out.low, &out.high);
  return out;
}

struct tally {
  long held, apart;
  double width;
};

static struct tally simulate(const struct machine *machine, enum method method,
                             const struct pawl_bootstrap_plan *plan, long trials, uint64_t seed) {
  const int processes = method_processes[method];
  const double truth = true_median(machine, seed, SAMPLES / processes);
  struct pawl_random random =
      pawl_random_init(seed, (uint64_t)(machine - machines) << 8 | (uint64_t)processes);
  struct tally tally = {0, 0, 0};
  for (long trial = 0; trial < trials; trial++) {
    struct interval of[2];
    for (int i = 0; i < 2; i++) {
      struct run run;
      draw_run(machine, &random, processes, &run);
      of[i] = interval_of(method, &run, plan);
    }
    tally.held += of[0].low <= truth && truth <= of[0].high;
    tally.apart += of[0].high < of[1].low || of[1].high < of[0].low;
    tally.width += (of[0].high - of[0].low) / truth / (double)trials;
  }
  return tally;
}

static const char introduction[] =
    "A run takes 100 samples, shared over its processes, as `pawl bench` does. The truth is the "
    "median over processes "
    "of a "
    "process's median time.\n\"bootstrap\" draws from all samples of the run as if they were "
    "independent: `ci_95_low` "
    "and "
    "`ci_95_high` of results.json. \"by process\" takes order\nstatistics of the processes' "
    "medians "
    "(`src/stats/process_interval.h`): `process_ci_95_low` and `process_ci_95_high`. Reports show "
    "it and "
    "`compare`\njudges "
    "by it. `docs/adr/interval-by-process.md` argues it.\n\nThe last three noises break the "
    "assumption that processes "
    "are "
    "independent draws. No interval from within one run holds there, so a\ndifference between two "
    "runs that were not "
    "measured side by side proves nothing about the code.\n\n";

/* The worst of the noises whose processes are independent draws, over the intervals by process.
   Returns whether both goals are met. */
static bool print_goals(struct tally tallies[MACHINES][METHODS], long trials) {
  double missed = 0, apart = 0;
  for (int m = 0; m < MACHINES; m++) {
    if (machines[m].process_ar > 0 || machines[m].mood_sd > 0) continue;
    for (int k = PROCESS_6; k < METHODS; k++) {
      missed = fmax(missed, 1 - (double)tallies[m][k].held / (double)trials);
      apart = fmax(apart, (double)tallies[m][k].apart / (double)trials);
    }
  }
  const double luck = 3 * sqrt(0.05 / (double)trials);
  const bool holds = missed <= 0.05 + luck, together = apart <= 0.02 + luck;
  printf("| goal | is | at most | |\n|---|---:|---:|---|\n");
  printf("| intervals by process that miss the true median, worst noise | %.4f | %.4f | %s |\n",
         missed, 0.05 + luck, holds ? "met" : "**missed**");
  printf(
      "| pairs of identical runs with intervals by process apart, worst noise | %.4f | %.4f | %s "
      "|\n\n",
      apart, 0.02 + luck, together ? "met" : "**missed**");
  return holds && together;
}

static void print_table(const char *title, struct tally tallies[MACHINES][METHODS], long trials,
                        int column) {
  printf("%s\n\n| noise |", title);
  for (int k = 0; k < METHODS; k++) printf(" %s |", method_names[k]);
  printf("\n|---|");
  for (int k = 0; k < METHODS; k++) printf("---:|");
  for (int m = 0; m < MACHINES; m++) {
    printf("\n| %s |", machines[m].name);
    for (int k = 0; k < METHODS; k++) {
      const struct tally *const t = &tallies[m][k];
      if (column == 2)
        printf(" %.2f %% |", t->width * 100);
      else
        printf(" %.3f |", (double)(column ? t->apart : t->held) / (double)trials);
    }
  }
  printf("\n\n");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: coverage TRIALS SEED\n");
    return PAWL_USAGE;
  }
  const long trials = atol(argv[1]);
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  static struct tally tallies[MACHINES][METHODS];
  struct pawl_bootstrap_plan plan;
  struct pawl_error err;
  must(pawl_bootstrap_plan_init(&plan, SAMPLES, 2000, PAWL_BOOTSTRAP_SEED, &err), &err);
  for (int m = 0; m < MACHINES; m++)
    for (int k = 0; k < METHODS; k++)
      tallies[m][k] = simulate(&machines[m], (enum method)k, &plan, trials, seed);
  pawl_bootstrap_plan_release(&plan);
  printf("## The interval of a run's median\n\n%s", introduction);
  const bool met = print_goals(tallies, trials);
  print_table("The interval holds the true median (0.95 is promised):", tallies, trials, 0);
  print_table("Two runs of the same code have intervals apart:", tallies, trials, 1);
  print_table("Mean width of the interval:", tallies, trials, 2);
  return met ? PAWL_OK : PAWL_FAILED;
}
