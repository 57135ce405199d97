/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_bench.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "loop/paired_bench.h"
#include "measure/ahead.h"
#include "measure/flush.h"
#include "measure/round_ratio.h"

#define FIRST_SAMPLES 3   /* of each arm, after which a slow candidate ends */
#define FIRST_WARMUP 3    /* calls before them: its first one may load code */
#define SCREEN_SAMPLES 10 /* of each arm, of a candidate that may win */
#define SLOWER                                                                                                         \
  1.25                    /* than the best, from which a candidate ends: three samples of one process err by a few per \
                             cent at most, and of what is dropped nothing is claimed */
#define PATIENCE 10.0     /* times the present time that a candidate gets */
#define LEAST_SECONDS 3.0 /* that it gets in any case: a first start may read from a slow disk */
#define FRESH_INPUTS 4    /* that end the blocks, in turn: each costs the oracle an answer, and the cache its bytes */
#define GPU_ROUNDS 4
#define CPU_ROUNDS 10

/* One way to measure a block. */
struct how {
  int samples, warmup, rounds;
  bool checked;
  struct pawl_block_processes *processes; /* NULL: fresh ones */
  uint64_t number;
};

static struct pawl_block_plan plan_of(struct pawl_tune_bench *bench, const struct how *how) {
  struct pawl_project *project = bench->project;
  const struct pawl_device *device = pawl_devices_find(&project->devices, bench->base->spec->device, NULL);
  return (struct pawl_block_plan){.warmup = how->warmup,
                                  .samples = how->samples,
                                  .rounds = how->rounds,
                                  .cache = project->suite.measure.cache,
                                  .flush_bytes = pawl_measure_flush_bytes(device),
                                  .threads = pawl_measure_threads(&project->suite.measure),
                                  .unchecked = !how->checked,
                                  .verified = bench->verified,
                                  .processes = how->processes,
                                  .seed = how->number % FRESH_INPUTS,
                                  .order_seed = how->number,
                                  .first_arm = (int)(how->number % 2),
                                  .tolerance = &bench->tolerance,
                                  .device = device};
}

/* A candidate that hangs ends soon. */
static struct pawl_worker_options bound(const struct pawl_tune_bench *bench,
                                        const struct pawl_ready_kernel *candidate) {
  struct pawl_worker_options options = candidate->worker;
  if (bench->block_seconds > 0)
    options.timeout_seconds = fmin(options.timeout_seconds, fmax(PATIENCE * bench->block_seconds / 2, LEAST_SECONDS));
  return options;
}

static pawl_status run_block(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                             const struct how *how, struct pawl_block *block, struct pawl_error *err) {
  const struct pawl_worker_options bounded = bound(bench, candidate);
  const struct pawl_worker_options *const arms[] = {&bench->base->worker, &bounded};
  const struct pawl_block_plan plan = plan_of(bench, how);
  PAWL_TRY(pawl_measure_block(&bench->problem, arms, 2, &plan, &bench->arena, block, err));
  for (int i = 0; i < 2; i++) json_decref(block->arms[i].environment);
  if (block->arms[0].outcome == PAWL_OUTCOME_OK) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails with its current parameters: %s", bench->base->spec->name,
                   block->arms[0].reason);
}

static pawl_status read_block(struct pawl_tune_bench *bench, const struct pawl_block *block, const struct how *how,
                              struct pawl_tune_block *out, struct pawl_error *err) {
  *out = (struct pawl_tune_block){.outcome = block->arms[1].outcome,
                                  .reason = block->arms[1].reason,
                                  .base_ms = NAN,
                                  .candidate_ms = NAN,
                                  .checked = how->checked,
                                  .start_seconds = block->start_seconds};
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  double base, candidate;
  PAWL_TRY(pawl_round_ratio(block->arms[0].seconds, block->arms[1].seconds, block->arms[0].count, how->rounds,
                            &bench->arena, &base, &candidate, err));
  out->base_ms = base * 1e3;
  out->candidate_ms = candidate * 1e3;
  return PAWL_OK;
}

static void drop_waiting(struct pawl_tune_bench *bench) {
  for (size_t i = 0; i < bench->waiting_count; i++) pawl_block_processes_release(&bench->waiting[i].process);
  bench->waiting_count = 0;
}

void pawl_tune_bench_start(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *const *candidates,
                           size_t count) {
  const struct pawl_device *device = pawl_devices_find(&bench->project->devices, bench->base->spec->device, NULL);
  const int limit = pawl_ahead_limit(device, pawl_ahead_bytes(device, &bench->problem));
  struct pawl_worker_options bounded[PAWL_TUNE_WAITING];
  const struct pawl_worker_options *arms[PAWL_TUNE_WAITING];
  struct pawl_ahead_block blocks[PAWL_TUNE_WAITING] = {0};
  drop_waiting(bench);
  if (limit < 2 || count < 2) return;
  for (size_t i = 0; i < count && i < PAWL_TUNE_WAITING && (int)i + 1 < limit; i++) { /* one is the current code's */
    struct pawl_waiting_candidate *waiting = &bench->waiting[bench->waiting_count];
    *waiting = (struct pawl_waiting_candidate){.plugin = candidates[i]->worker.plugin};
    bounded[i] = bound(bench, candidates[i]);
    arms[i] = &bounded[i];
    blocks[bench->waiting_count++] = (struct pawl_ahead_block){.processes = &waiting->process, .arms = &arms[i]};
  }
  pawl_ahead_start(&bench->problem, arms, 1, pawl_measure_threads(&bench->project->suite.measure), blocks,
                   bench->waiting_count);
}

/* The candidate's own process, if it waits, becomes the second arm. */
static void take_waiting(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate) {
  struct pawl_block_processes *pair = &bench->processes;
  for (size_t i = 0; i < bench->waiting_count; i++) {
    struct pawl_block_processes *process = &bench->waiting[i].process;
    if (!candidate->worker.plugin || strcmp(bench->waiting[i].plugin, candidate->worker.plugin) != 0) continue;
    pair->workers[1] = process->workers[0];
    pair->prepared[1] = process->prepared[0];
    pair->workspace_bytes[1] = process->workspace_bytes[0];
    *process = (struct pawl_block_processes){0};
  }
}

static double least(const double *values, size_t count) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) least = fmin(least, values[i]);
  return least;
}

/* The candidate's process ends; the current code's goes on to the next. */
static void end_candidate(struct pawl_tune_bench *bench) {
  struct pawl_block_processes candidate = {0};
  candidate.workers[0] = bench->processes.workers[1];
  bench->processes.workers[1] = NULL;
  bench->processes.prepared[1] = NULL;
  pawl_block_processes_release(&candidate);
}

static double ratio_of(const struct pawl_tune_block *block) {
  return block->candidate_ms / block->base_ms;
}

/* A new best decides which candidates end early from now on: it is measured twice, and the slower of the two counts. A
   moment in which something else held up the current code makes no best. */
static pawl_status confirm(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                           const struct how *how, struct pawl_tune_block *out, struct pawl_error *err) {
  struct pawl_block block;
  struct pawl_tune_block again;
  PAWL_TRY(run_block(bench, candidate, how, &block, err));
  PAWL_TRY(read_block(bench, &block, how, &again, err));
  if (again.outcome != PAWL_OUTCOME_OK || ratio_of(&again) > ratio_of(out)) *out = again;
  return PAWL_OK;
}

static pawl_status screen(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                          struct pawl_tune_block *out, struct pawl_error *err) {
  const bool gpu = candidate->spec->device == PAWL_CUDA;
  struct how how = {
      .samples = FIRST_SAMPLES, .warmup = FIRST_WARMUP, .rounds = FIRST_SAMPLES, .processes = &bench->processes};
  struct pawl_block block;
  take_waiting(bench, candidate);
  PAWL_TRY(run_block(bench, candidate, &how, &block, err));
  PAWL_TRY(read_block(bench, &block, &how, out, err));
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  const double fastest = least(block.arms[1].seconds, block.arms[1].count) * 1e3;
  if (fastest / out->base_ms > SLOWER * bench->best) return PAWL_OK;
  how.samples = SCREEN_SAMPLES;
  how.warmup = 1;
  how.rounds = gpu ? GPU_ROUNDS : CPU_ROUNDS;
  how.checked = true;
  PAWL_TRY(run_block(bench, candidate, &how, &block, err));
  PAWL_TRY(read_block(bench, &block, &how, out, err));
  if (out->outcome == PAWL_OUTCOME_OK && ratio_of(out) < bench->best)
    PAWL_TRY(confirm(bench, candidate, &how, out, err));
  if (out->outcome == PAWL_OUTCOME_OK) bench->best = fmin(bench->best, ratio_of(out));
  return PAWL_OK;
}

pawl_status pawl_tune_bench_screen(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                                   struct pawl_tune_block *out, struct pawl_error *err) {
  bench->verified[1] = (struct pawl_verified){0};
  const enum pawl_status_code status = screen(bench, candidate, out, err);
  end_candidate(bench);
  return status;
}

pawl_status pawl_tune_bench_block(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                                  uint64_t number, struct pawl_tune_block *out, struct pawl_error *err) {
  const struct pawl_measure_spec *spec = &bench->project->suite.measure;
  const struct how how = {.samples = pawl_paired_bench_samples(spec),
                          .warmup = spec->warmup,
                          .rounds = candidate->spec->device == PAWL_CUDA ? GPU_ROUNDS : CPU_ROUNDS,
                          .checked = true,
                          .number = number};
  struct pawl_block block;
  bench->verified[1] = (struct pawl_verified){0};
  PAWL_TRY(run_block(bench, candidate, &how, &block, err));
  bench->block_seconds = block.total_seconds;
  return read_block(bench, &block, &how, out, err);
}

pawl_status pawl_tune_bench_open(struct pawl_tune_bench *bench, struct pawl_project *project,
                                 struct pawl_oracle *oracle, const struct pawl_ready_kernel *base,
                                 const struct pawl_case *config, uint64_t seed, struct pawl_error *err) {
  struct pawl_tune_bench opened = {.project = project, .base = base, .config = config, .best = 1};
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  struct pawl_tune_block self;
  *bench = opened;
  PAWL_TRY(pawl_oracle_tolerance(oracle, config->dtype, check, &bench->tolerance, err));
  PAWL_TRY(pawl_problem_init(&bench->problem, oracle, config, PAWL_MEASURE_SETS, err));
  bench->open = true;
  PAWL_TRY(pawl_measure_fill(&bench->problem, seed, true, err));
  PAWL_TRY(pawl_tune_bench_block(bench, base, 0, &self, err));
  return PAWL_OK;
}

void pawl_tune_bench_close(struct pawl_tune_bench *bench) {
  if (!bench) return;
  pawl_block_processes_release(&bench->processes);
  drop_waiting(bench);
  if (bench->open) pawl_problem_release(&bench->problem);
  pawl_arena_clear(&bench->arena);
  *bench = (struct pawl_tune_bench){0};
}
