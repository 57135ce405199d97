/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/pair.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "measure/guard.h"
#include "measure/round_ratio.h"
#include "stats/describe.h"
#include "stats/sort.h"

/* Hand-overs between the arms inside a block. What else runs on a CPU comes and goes within milliseconds: there the
   arms take turns at nearly every sample. */
#define GPU_ROUNDS 3
#define CPU_ROUNDS 20
/* Spoiled blocks are repeated, one in this many of max_blocks. On a machine that stays busy the later ones count all
   the same: arms that take turns at random suffer alike, so noise costs power, not truth. The report warns of the load.
 */
#define SPOILED_SHARE 10
#define MIN_SAMPLES 10
#define CONFIRMATION_SEED 1000000u /* added: the confirmation's blocks are other blocks */

bool pawl_pair_identical(const struct pawl_ready_kernel *base, const struct pawl_ready_kernel *candidate) {
  return base->build.code_hash && candidate->build.code_hash &&
         !strcmp(base->build.code_hash, candidate->build.code_hash);
}

/* Blocks as they come. */
struct measuring {
  struct pawl_project *project;
  const struct pawl_pair_request *request;
  struct pawl_arena *arena;
  struct pawl_problem problem;
  struct pawl_block_plan plan;
  struct pawl_verified verified[PAWL_MAX_ARMS];
  struct pawl_tolerance tolerance;
  struct pawl_pair_outcome *outcome;
};

static void keep_samples(struct pawl_arena *arena, const struct pawl_arm_block *arm, double **samples, size_t *count) {
  double *grown = pawl_arena_alloc(arena, *count + arm->count, sizeof *grown);
  if (*count) memcpy(grown, *samples, *count * sizeof *grown);
  for (size_t i = 0; i < arm->count; i++) grown[*count + i] = round(arm->seconds[i] * 1e9) / 1e6;
  *samples = grown;
  *count += arm->count;
}

/* So many blocks were spoiled that it is no chance: the next ones count. */
static bool stays_busy(const struct pawl_paired *paired) {
  int spoiled = 0;
  for (size_t i = 0; i < paired->block_count; i++) spoiled += paired->blocks[i].spoiled != NULL;
  return spoiled >= paired->policy.max_blocks / SPOILED_SHARE;
}

/* Measures one block and appends it. *ended: an arm is not OK. */
static pawl_status add_block(struct measuring *measuring, struct pawl_paired *paired, uint64_t seed, bool *ended,
                             struct pawl_error *err) {
  struct pawl_arena *arena = measuring->arena;
  const struct pawl_worker_options *const arms[] = {&measuring->request->base->worker,
                                                    &measuring->request->candidate->worker};
  struct pawl_block block;
  measuring->plan.seed = seed;
  PAWL_TRY(pawl_measure_block(&measuring->problem, arms, 2, &measuring->plan, arena, &block, err));
  for (int i = 0; i < 2; i++) json_decref(block.arms[i].environment);
  pawl_log_detail(measuring->project->options.log, "%s on %s: a block took %.2f s, %.2f s of them to start",
                  paired->kernel_name, paired->case_name, block.total_seconds, block.start_seconds);
  measuring->outcome->base = block.arms[0].outcome;
  measuring->outcome->candidate = block.arms[1].outcome;
  for (int i = 0; i < 2 && !*ended; i++) {
    if (block.arms[i].outcome == PAWL_OUTCOME_OK) continue;
    measuring->outcome->reason = block.arms[i].reason;
    *ended = true;
  }
  if (*ended) return PAWL_OK;
  struct pawl_paired_block *grown = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *grown);
  if (paired->block_count) memcpy(grown, paired->blocks, paired->block_count * sizeof *grown);
  struct pawl_paired_block *added = &grown[paired->block_count];
  double base, candidate;
  PAWL_TRY(pawl_round_ratio(block.arms[0].seconds, block.arms[1].seconds, block.arms[0].count, measuring->plan.rounds,
                            arena, &base, &candidate, err));
  added->base_ms = base * 1e3;
  added->candidate_ms = candidate * 1e3;
  added->spoiled = stays_busy(paired) ? NULL : pawl_block_spoiled(&block, arena);
  paired->blocks = grown;
  paired->block_count++;
  if (added->spoiled) return PAWL_OK;
  keep_samples(arena, &block.arms[0], &paired->base_samples_ms, &paired->base_sample_count);
  keep_samples(arena, &block.arms[1], &paired->candidate_samples_ms, &paired->candidate_sample_count);
  return PAWL_OK;
}

/* Until the test answers, or an arm fails. */
static pawl_status measure_blocks(struct measuring *measuring, struct pawl_paired *paired, struct pawl_error *err) {
  bool ended = false;
  const size_t most = measuring->request->most_blocks > 0 ? (size_t)measuring->request->most_blocks : SIZE_MAX;
  while (!ended && paired->answer == PAWL_ANSWER_CONTINUE && paired->block_count < most) {
    pawl_log_progress(measuring->project->options.log, "judging %s on %s: block %zu, at most %d", paired->kernel_name,
                      paired->case_name, paired->counted + 1, paired->policy.max_blocks);
    PAWL_TRY(add_block(measuring, paired, paired->seed + paired->block_count, &ended, err));
    PAWL_TRY(pawl_paired_judge(paired, err));
  }
  pawl_log_progress(measuring->project->options.log, "%s", "");
  if (paired->answer != PAWL_ANSWER_CONTINUE || paired->block_count == most) return PAWL_OK;
  paired->answer = PAWL_ANSWER_INCONCLUSIVE;
  paired->reason = measuring->outcome->reason;
  return PAWL_OK;
}

/* As many blocks again, none of which the verdict has seen: their median alone says how large the improvement is. */
static pawl_status confirm(struct measuring *measuring, struct pawl_paired *paired, struct pawl_error *err) {
  struct pawl_paired again;
  pawl_paired_init(&again);
  bool ended = false;
  size_t counted = 0;
  again.policy = paired->policy;
  while (!ended && counted < paired->counted) {
    pawl_log_progress(measuring->project->options.log, "confirming %s on %s: block %zu of %zu", paired->kernel_name,
                      paired->case_name, counted + 1, paired->counted);
    PAWL_TRY(add_block(measuring, &again, paired->seed + CONFIRMATION_SEED + again.block_count, &ended, err));
    if (!ended) counted += !again.blocks[again.block_count - 1].spoiled;
  }
  pawl_log_progress(measuring->project->options.log, "%s", "");
  if (ended) return PAWL_OK;
  paired->confirmation = again.blocks;
  paired->confirmation_count = again.block_count;
  paired->confirmed_samples_ms = again.candidate_samples_ms;
  paired->confirmed_sample_count = again.candidate_sample_count;
  return pawl_paired_judge(paired, err);
}

int pawl_pair_samples(const struct pawl_measure_spec *spec) {
  const int share = spec->samples / (spec->processes > 0 ? spec->processes : 1);
  return share < MIN_SAMPLES ? MIN_SAMPLES : share;
}

static void describe(const struct pawl_pair_request *request, const struct pawl_gate_spec *gate,
                     struct pawl_paired *paired) {
  pawl_paired_init(paired);
  paired->kernel_name = request->candidate->spec->name;
  paired->case_name = request->item->name;
  paired->anchor = request->anchor;
  paired->anchor_kind = request->anchor_kind;
  paired->seed = request->seed;
  paired->identical = !request->injected && pawl_pair_identical(request->base, request->candidate);
  paired->policy = (struct pawl_sequential_policy){.tolerate = gate->tolerate,
                                                   .detect = gate->detect,
                                                   .false_alarm = gate->false_alarm,
                                                   .miss = gate->miss,
                                                   .max_blocks = gate->max_blocks,
                                                   .comparisons = request->comparisons};
}

/* A kernel's process serves many samples, a command's one: there a block is a run of each arm, after one that counts
   for nothing, so that neither is the first to read its files. */
static pawl_status prepare(struct measuring *measuring, struct pawl_error *err) {
  const struct pawl_pair_request *request = measuring->request;
  const struct pawl_suite *suite = &measuring->project->suite;
  const struct pawl_measure_spec *spec = &suite->measure;
  const struct pawl_device *device = pawl_project_device(measuring->project, request->candidate->spec->device, NULL);
  measuring->plan = (struct pawl_block_plan){.samples = 1, .rounds = 1, .cache = spec->cache, .device = device};
  if (request->candidate->worker.reader)
    measuring->plan.samples = pawl_pair_samples(spec); /* as many runs as give them */
  if (!request->oracle) return PAWL_OK;
  const struct pawl_check_spec *check = pawl_suite_check(suite, request->oracle->info.name);
  PAWL_TRY(pawl_oracle_tolerance(request->oracle, request->item->dtype, check, &measuring->tolerance, err));
  measuring->plan.warmup = spec->warmup;
  measuring->plan.samples = request->samples > 0 ? request->samples : pawl_pair_samples(spec);
  measuring->plan.rounds = request->candidate->spec->device == PAWL_CUDA ? GPU_ROUNDS : CPU_ROUNDS;
  measuring->plan.flush_bytes = pawl_measure_flush_bytes(device);
  measuring->plan.threads = pawl_cpu_count();
  measuring->plan.tolerance = &measuring->tolerance;
  measuring->plan.unchecked = request->injected;
  measuring->plan.verified = measuring->verified;
  for (int i = 0; i < 2; i++) measuring->plan.delay_ns[i] = request->delay_ns[i];
  return pawl_measure_fill(&measuring->problem, request->injected ? request->input_seed : request->seed, err);
}

static pawl_status measure(struct measuring *measuring, struct pawl_paired *paired, struct pawl_error *err) {
  PAWL_TRY(prepare(measuring, err));
  if (!measuring->request->oracle) {
    struct pawl_paired first;
    bool ended = false;
    pawl_paired_init(&first);
    PAWL_TRY(add_block(measuring, &first, paired->seed, &ended, err));
  }
  PAWL_TRY(measure_blocks(measuring, paired, err));
  if (measuring->request->confirm && paired->answer == PAWL_ANSWER_IMPROVEMENT)
    PAWL_TRY(confirm(measuring, paired, err));
  return PAWL_OK;
}

pawl_status pawl_loop_pair(struct pawl_project *project, const struct pawl_pair_request *request,
                           struct pawl_paired *out, struct pawl_pair_outcome *outcome, struct pawl_error *err) {
  struct pawl_paired paired;
  struct pawl_pair_outcome became = {0};
  describe(request, &project->suite.gate, &paired);
  if (paired.identical) {
    PAWL_TRY(pawl_paired_judge(&paired, err));
    *out = paired;
    *outcome = became;
    return PAWL_OK;
  }
  struct measuring measuring = {.project = project,
                                .request = request,
                                .arena = request->arena ? request->arena : &project->arena,
                                .outcome = &became};
  enum pawl_status_code status = PAWL_OK;
  if (request->oracle)
    status = pawl_problem_init(&measuring.problem, request->oracle, request->item, PAWL_MEASURE_SETS, err);
  else
    measuring.problem = pawl_measure_command_problem();
  if (status == PAWL_OK) status = measure(&measuring, &paired, err);
  if (request->oracle) pawl_problem_release(&measuring.problem);
  if (status != PAWL_OK) return status;
  *out = paired;
  *outcome = became;
  return PAWL_OK;
}
