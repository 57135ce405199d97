/* SPDX-License-Identifier: Apache-2.0 */
/* Pushes of identical code through the gate and the ratchet, the real ones, on simulated machines:
     pushes PUSHES SEED
   Every push is judged against the baseline's commit over blocks of its own, asks for a
   confirmation where it looks like an improvement, and may move the baseline. Identical code should
   never move it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "gate/ratchet.h"
#include "pawl/operator.h"
#include "stats/variates.h"

enum { SAMPLES = 25 };

/* As in simulate.c: standard deviations as fractions of the time. */
struct machine {
  const char *name;
  double process_sd, sample_sd;
  double mode_chance, mode_shift;
  double tail;
  double drift_sd; /* from block to block, felt by both arms, for the whole life of the baseline */
};

static const struct machine machines[] = {
    {.name = "quiet", .process_sd = 0.0032, .sample_sd = 0.005},
    {.name = "typical", .process_sd = 0.007, .sample_sd = 0.01},
    {.name = "iid", .process_sd = 0.015, .sample_sd = 0.03},
    {.name = "outliers", .process_sd = 0.007, .sample_sd = 0.01, .tail = 3},
    {.name = "bimodal",
     .process_sd = 0.0032,
     .sample_sd = 0.01,
     .mode_chance = 0.2,
     .mode_shift = 0.2},
    {.name = "drift", .process_sd = 0.007, .sample_sd = 0.01, .drift_sd = 0.02},
};

struct luck {
  const struct machine *machine;
  struct pawl_random random;
  double drift;
};

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit((int)status);
}

static double draw_sample(struct luck *luck, double centre) {
  const double time = exp(centre + luck->machine->sample_sd * pawl_draw_normal(&luck->random));
  return luck->machine->tail > 0 && pawl_random_below(&luck->random, 20) == 0
             ? time * luck->machine->tail
             : time;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* One process; its median, and its samples appended. */
static double draw_process(struct luck *luck, double *samples, size_t *count) {
  double centre = luck->drift + luck->machine->process_sd * pawl_draw_normal(&luck->random),
         own[SAMPLES];
  if (pawl_random_double(&luck->random) < luck->machine->mode_chance)
    centre += luck->machine->mode_shift;
  for (int i = 0; i < SAMPLES; i++) own[i] = samples[(*count)++] = draw_sample(luck, centre);
  qsort(own, SAMPLES, sizeof *own, ascending);
  return own[SAMPLES / 2];
}

static void draw_block(struct luck *luck, struct pawl_paired_test *paired) {
  struct pawl_paired_block *block = &paired->blocks[paired->block_count++];
  luck->drift += luck->machine->drift_sd * pawl_draw_normal(&luck->random);
  block->base_ms = draw_process(luck, paired->base_samples_ms, &paired->base_sample_count);
  block->candidate_ms =
      draw_process(luck, paired->candidate_samples_ms, &paired->candidate_sample_count);
}

static struct pawl_paired_test room_for_blocks(struct pawl_arena *arena) {
  struct pawl_paired_test paired;
  pawl_paired_test_init(&paired);
  const size_t blocks = (size_t)paired.policy.max_blocks;
  paired.kernel_name = "k";
  paired.case_name = "c";
  paired.blocks = pawl_arena_alloc(arena, blocks, sizeof *paired.blocks);
  paired.base_samples_ms = pawl_arena_alloc(arena, blocks * SAMPLES, sizeof(double));
  paired.candidate_samples_ms = pawl_arena_alloc(arena, blocks * SAMPLES, sizeof(double));
  return paired;
}

/* As pairs/bench.c: blocks until the decision, then as many again for an improvement. */
static struct pawl_paired_test measure(struct luck *luck, struct pawl_arena *arena) {
  struct pawl_paired_test paired = room_for_blocks(arena);
  struct pawl_error err = {0};
  while (paired.decision == PAWL_DECISION_CONTINUE) {
    draw_block(luck, &paired);
    must(pawl_paired_test_judge(&paired, &err), &err);
  }
  if (paired.decision != PAWL_DECISION_IMPROVEMENT) return paired;
  struct pawl_paired_test again = room_for_blocks(arena);
  while (again.block_count < paired.counted) draw_block(luck, &again);
  paired.confirmation = again.blocks;
  paired.confirmation_count = again.block_count;
  paired.confirmed_samples_ms = again.candidate_samples_ms;
  paired.confirmed_sample_count = again.candidate_sample_count;
  must(pawl_paired_test_judge(&paired, &err), &err);
  return paired;
}

static struct pawl_result result_of(const struct pawl_paired_test *paired,
                                    struct pawl_arena *arena) {
  struct pawl_result result;
  pawl_result_init(&result);
  result.kernel_name = "k";
  result.config = (struct pawl_case){.name = "c", .operator_name = "o", .dtype = PAWL_F32};
  result.outcome = PAWL_OUTCOME_OK;
  result.performance.samples_ms = paired->candidate_samples_ms;
  result.performance.sample_count = paired->candidate_sample_count;
  double *sorted = pawl_arena_alloc(arena, result.performance.sample_count, sizeof *sorted);
  memcpy(sorted, paired->candidate_samples_ms, result.performance.sample_count * sizeof *sorted);
  qsort(sorted, result.performance.sample_count, sizeof *sorted, ascending);
  result.process_count = result.performance.sample_count / SAMPLES;
  result.processes = pawl_arena_alloc(arena, result.process_count, sizeof *result.processes);
  for (size_t i = 0; i < result.process_count; i++)
    result.processes[i] =
        (struct pawl_process_samples){result.performance.samples_ms + i * SAMPLES, SAMPLES};
  result.performance.median_ms = sorted[result.performance.sample_count / 2];
  return result;
}

struct tally {
  int decisions[PAWL_DECISION_INCONCLUSIVE + 1], moves;
  size_t blocks;
};

/* The baseline lives in one arena for all pushes, as its file does. */
static struct tally push_all(const struct machine *machine, int pushes, uint64_t seed,
                             bool compare_best) {
  struct luck luck = {machine, pawl_random_init(seed, (uint64_t)(machine - machines)), 0};
  struct pawl_arena arena = {0};
  struct pawl_baseline baseline = {0};
  struct pawl_ratchet_options options = {.gate = {.detect = 0.03, .improve = 0.05}, .update = true};
  struct tally tally = {0};
  struct pawl_error err = {0};
  for (int push = 0; push <= pushes; push++) { /* the first records the baseline */
    struct pawl_paired_test paired = measure(&luck, &arena);
    struct pawl_result result = result_of(&paired, &arena);
    const struct pawl_results results = {.items = &result, .count = 1, .hardware = "simulated"};
    struct pawl_ratchet_report report;
    options.paired = push > 0 && !compare_best ? &paired : NULL;
    options.paired_count = options.paired ? 1 : 0;
    must(pawl_ratchet(&baseline, &results, &options, &arena, &report, &err), &err);
    if (push == 0) continue;
    tally.moves += (int)report.move_count;
    if (compare_best) {
      tally.decisions[PAWL_DECISION_REGRESSION] += (int)report.counts[PAWL_VERDICT_REGRESSION];
      tally.decisions[PAWL_DECISION_IMPROVEMENT] += (int)report.counts[PAWL_VERDICT_IMPROVEMENT];
      continue;
    }
    tally.decisions[paired.decision]++;
    tally.blocks += paired.counted;
  }
  pawl_arena_clear(&arena);
  return tally;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: pushes PUSHES SEED\n");
    return PAWL_USAGE;
  }
  const int pushes = atoi(argv[1]);
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  printf(
      "| noise | false REGRESSION | false IMPROVEMENT | MAINTAINED | INCONCLUSIVE | moves | blocks "
      "a push | unpaired "
      "rule: "
      "false REGRESSION | IMPROVEMENT | moves "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
    const struct tally t = push_all(&machines[i], pushes, seed, false),
                       u = push_all(&machines[i], pushes, seed, true);
    printf("| %s | %d | %d | %d | %d | %d | %.1f | %d | %d | %d |\n", machines[i].name,
           t.decisions[PAWL_DECISION_REGRESSION], t.decisions[PAWL_DECISION_IMPROVEMENT],
           t.decisions[PAWL_DECISION_MAINTAINED], t.decisions[PAWL_DECISION_INCONCLUSIVE], t.moves,
           (double)t.blocks / pushes, u.decisions[PAWL_DECISION_REGRESSION],
           u.decisions[PAWL_DECISION_IMPROVEMENT], u.moves);
  }
  return 0;
}
