/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/measure.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/ndjson.h"
#include "base/philox.h"
#include "base/progress.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "measure/guard.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/integrity/integrity.h"
#include "measure/result_builder.h"
#include "project/bench_kernels.h"
#include "project/bench_row.h"
#include "project/operators.h"
#include "sweep/claims.h"

#define VISIT_BLOCKS 4                /* blocks of a point, before another point has its turn */
#define STREAM_POINTS 0x706f696e7473u /* a stream of the sweep's seed */
#define STREAM_FIRST 0x6669727374u

struct sweep_run {
  struct pawl_project *project;
  const struct pawl_ready_kernel *kernels;
  struct pawl_sweep *sweep;
  char *journal;
  struct pawl_random points, first;
  /* [point][PAWL_MAX_ARMS], in the order of the point's arms */
  struct pawl_verified (*verified)[PAWL_MAX_ARMS];
  size_t *blocks; /* the number for each point, with the spoiled ones */
  bool *done;
};

/* The arms of a point. */
struct sweep_visit {
  size_t point;
  const struct pawl_ready_kernel *kernels[PAWL_MAX_ARMS];
  const struct pawl_sweep_arm *arms[PAWL_MAX_ARMS];
  /* the timing by which an arm failed in an earlier block; NULL: it takes part */
  const struct pawl_sweep_timing *failed[PAWL_MAX_ARMS];
  int count;
  struct pawl_bench_row row;
  struct pawl_problem problem;
};

static struct sweep_visit sweep_visit_of(const struct sweep_run *run, size_t point) {
  const struct pawl_sweep_plan *plan = &run->sweep->plan;
  struct sweep_visit visit = {.point = point};
  for (size_t i = 0; i < plan->arm_count; i++) {
    if (!pawl_sweep_takes_part(&plan->arms[i], &plan->points[point])) continue;
    visit.kernels[visit.count] = &run->kernels[i];
    visit.arms[visit.count++] = &plan->arms[i];
  }
  return visit;
}

static void sweep_find_failed(const struct sweep_run *run, struct sweep_visit *visit) {
  for (size_t i = 0; i < run->sweep->block_count; i++) {
    const struct pawl_sweep_block *block = &run->sweep->blocks[i];
    for (int arm = 0; block->point == visit->point && arm < visit->count; arm++) {
      const struct pawl_sweep_timing *timing = pawl_sweep_timing_of(block, visit->arms[arm]->name);
      if (timing && timing->outcome != PAWL_OUTCOME_OK) visit->failed[arm] = timing;
    }
  }
}

static struct pawl_sweep_state sweep_state(const struct pawl_device_state *state) {
  return (struct pawl_sweep_state){state->frequency_mhz, state->memory_frequency_mhz,
                                   state->temperature_c, state->power_w};
}

static double *sweep_to_ms(const double *seconds, size_t count, struct pawl_arena *arena) {
  double *ms = pawl_arena_alloc(arena, count + 1, sizeof *ms);
  for (size_t i = 0; i < count; i++) ms[i] = pawl_sample_ms(seconds[i]);
  return ms;
}

/* Returns why the arm's time proves nothing beside that of a reference, or NULL. */
static const char *sweep_ahead(const struct sweep_run *run, const struct sweep_visit *visit,
                               const struct pawl_block *block, int arm) {
  const char *reason = NULL;
  for (int i = 0; i < visit->count && !reason; i++)
    if (!visit->failed[i] &&
        pawl_sweep_compares(&run->sweep->plan, visit->arms[arm], visit->arms[i]))
      reason = pawl_block_ahead(block, arm, i);
  return reason;
}

static struct pawl_sweep_timing sweep_timing(struct sweep_run *run, const struct sweep_visit *visit,
                                             int arm, const struct pawl_block *all) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_arm_block *block = &all->arms[arm];
  struct pawl_sweep_timing timing = {
      .arm = visit->arms[arm]->name,
      .outcome = block->outcome,
      .reason = block->reason,
      .isolation = pawl_isolation_name(block->isolation),
      .environment = run->blocks[visit->point] ? NULL : block->environment};
  if (block->environment)
    PAWL_ASSERT(!json_array_append_new(run->sweep->documents, block->environment));
  if (visit->failed[arm]) return *visit->failed[arm];
  const char *ahead = sweep_ahead(run, visit, all, arm);
  if (timing.outcome == PAWL_OUTCOME_OK && ahead) {
    timing.outcome = PAWL_OUTCOME_INCONCLUSIVE;
    timing.reason = ahead;
  }
  if (timing.outcome != PAWL_OUTCOME_OK) return timing;
  timing.samples_ms = sweep_to_ms(block->seconds, block->count, arena);
  timing.sample_count = block->count;
  timing.fresh_ms = sweep_to_ms(block->fresh_seconds, 2 * block->fresh_pairs, arena);
  timing.fresh_count = 2 * block->fresh_pairs;
  return timing;
}

/* Other programs spoil a block, unless the suite counts busy blocks. */
static const char *sweep_spoiled(struct sweep_run *run, const struct pawl_block *block) {
  struct pawl_arena *arena = &run->project->arena;
  if (block->stray_write) return "an arm wrote to the memory of another";
  const char *reason = pawl_block_spoiled(block, arena);
  if (!reason && run->project->suite.gate.busy == PAWL_BUSY_REPEAT)
    reason = pawl_block_crowded(block, arena);
  return reason;
}

static pawl_status sweep_keep(struct sweep_run *run, const struct pawl_sweep_block *block,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *line = pawl_struct_write(&pawl_sweep_block_fields, block);
  PAWL_TRY(pawl_ndjson_append(run->journal, line, err));
  pawl_sweep_add(run->sweep, block);
  run->blocks[block->point]++;
  return PAWL_OK;
}

/* Returns the pairs on new inputs that the next block of the point takes: as many as the arm that
   needs most. */
static int sweep_fresh_pairs(const struct sweep_run *run, const struct sweep_visit *visit) {
  const struct pawl_device *device = visit->row.options.device;
  struct pawl_arena arena = {0};
  int most = 0;
  for (int arm = 0; arm < visit->count && device->kind == PAWL_CPU; arm++) {
    struct pawl_fresh_calls fresh = {0};
    if (visit->failed[arm]) continue;
    for (size_t i = 0; i < run->sweep->block_count; i++)
      if (run->sweep->blocks[i].point == visit->point)
        pawl_sweep_add_fresh(
            &fresh, pawl_sweep_timing_of(&run->sweep->blocks[i], visit->arms[arm]->name), &arena);
    const bool charged = pawl_fresh_pairs_ratio(fresh.pairs, fresh.count) > 1;
    const int left = pawl_fresh_pairs_left(&fresh, device, charged);
    if (left > most) most = left;
  }
  pawl_arena_clear(&arena);
  return most;
}

static struct pawl_block_plan sweep_block_plan(struct sweep_run *run, struct sweep_visit *visit) {
  const struct pawl_sweep_plan *plan = &run->sweep->plan;
  const struct pawl_device *device = visit->row.options.device;
  const size_t number = run->blocks[visit->point];
  const uint64_t seed = plan->seed + visit->point * (uint64_t)plan->most_blocks * 4 + number;
  return (struct pawl_block_plan){
      .warmup = plan->warmup,
      .samples = plan->samples,
      .rounds = plan->points[visit->point].rounds,
      .cache = run->project->suite.measure.cache,
      .flush_bytes = pawl_measure_flush_bytes(device),
      .threads = visit->row.options.threads,
      .unproven = true,
      .verified = run->verified[visit->point],
      .shutdown = &run->project->shutdown,
      .fresh_pairs = sweep_fresh_pairs(run, visit),
      .seed = seed,
      .order_seed = seed,
      .first_arm = (int)pawl_random_below(&run->first, (uint32_t)visit->count),
      .tolerance = &visit->row.tolerance,
      .device = device};
}

static void sweep_say_failure(struct sweep_run *run, const struct sweep_visit *visit, int arm,
                              const struct pawl_sweep_timing *timing) {
  if (timing->outcome == PAWL_OUTCOME_OK || visit->failed[arm]) return;
  pawl_bench_row_say(run->project->options.log, timing->arm, &visit->problem.config,
                     timing->outcome, timing->reason);
}

static pawl_status sweep_take_block(struct sweep_run *run, struct sweep_visit *visit,
                                    struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_worker_options *arms[PAWL_MAX_ARMS];
  const struct pawl_block_plan plan = sweep_block_plan(run, visit);
  struct pawl_block block;
  char started[20];
  for (int i = 0; i < visit->count; i++)
    arms[i] = visit->failed[i] ? NULL : &visit->kernels[i]->worker;
  pawl_format_time(pawl_wall_clock(), started);
  PAWL_TRY(pawl_measure_block(&visit->problem, arms, visit->count, &plan, arena, &block, err));
  struct pawl_sweep_block kept = {
      .point = visit->point,
      .number = run->blocks[visit->point],
      .started = pawl_arena_copy(arena, started),
      .first_arm = plan.first_arm,
      .spoiled = sweep_spoiled(run, &block),
      .before = sweep_state(&block.before),
      .after = sweep_state(&block.after),
      .other_busy = block.other_busy,
      .timings = pawl_arena_alloc(arena, (size_t)visit->count, sizeof *kept.timings),
      .timing_count = (size_t)visit->count};
  for (int i = 0; i < visit->count; i++) {
    kept.timings[i] = sweep_timing(run, visit, i, &block);
    sweep_say_failure(run, visit, i, &kept.timings[i]);
  }
  return sweep_keep(run, &kept, err);
}

/* The operator has no exact answer for this shape, so no arm counts. */
static pawl_status sweep_leave_point(struct sweep_run *run, const struct sweep_visit *visit,
                                     const char *reason, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_sweep_block kept;
  pawl_struct_init(&pawl_sweep_block_fields, &kept);
  kept.point = visit->point;
  kept.number = run->blocks[visit->point];
  kept.timings = pawl_arena_alloc(arena, (size_t)visit->count, sizeof *kept.timings);
  kept.timing_count = (size_t)visit->count;
  for (int i = 0; i < visit->count; i++)
    kept.timings[i] = (struct pawl_sweep_timing){.arm = visit->arms[i]->name,
                                                 .outcome = PAWL_OUTCOME_UNSUPPORTED,
                                                 .reason = pawl_arena_copy(arena, reason)};
  return sweep_keep(run, &kept, err);
}

/* --- progress --- */

/* A point that is not done needs at least one more visit. */
static void sweep_show_progress(const struct sweep_run *run, const struct sweep_visit *visit) {
  const struct pawl_sweep_plan *plan = &run->sweep->plan;
  struct pawl_progress progress = {"measuring", 0, 0, false};
  size_t done = 0;
  for (size_t i = 0; i < plan->point_count; i++) {
    const size_t least = (size_t)plan->least_blocks, blocks = run->blocks[i];
    done += run->done[i];
    progress.done += (double)blocks;
    progress.total += (double)(run->done[i]      ? blocks
                               : blocks >= least ? blocks + VISIT_BLOCKS
                                                 : least);
  }
  pawl_progress_show(run->project->options.log, &progress,
                     "%zu of %zu shapes done; block %zu of %s", done, plan->point_count,
                     run->blocks[visit->point] + 1, plan->points[visit->point].case_name);
}

/* --- visits --- */

static pawl_status sweep_take_blocks(struct sweep_run *run, struct sweep_visit *visit,
                                     struct pawl_error *err) {
  enum pawl_status_code status =
      pawl_measure_fill(&visit->problem, run->sweep->plan.seed, true, err);
  if (status == PAWL_UNDECIDED) {
    PAWL_TRY(sweep_leave_point(run, visit, err->message, err));
    return pawl_sweep_point_done(run->sweep, visit->point, &run->done[visit->point], err);
  }
  for (int i = 0;
       status == PAWL_OK && i < VISIT_BLOCKS && !run->done[visit->point] && !pawl_budget_is_over();
       i++) {
    sweep_find_failed(run, visit);
    sweep_show_progress(run, visit);
    status = sweep_take_block(run, visit, err);
    if (status == PAWL_OK)
      status = pawl_sweep_point_done(run->sweep, visit->point, &run->done[visit->point], err);
  }
  return status;
}

/* Opens the point's problem, which other points do not need meanwhile. */
static pawl_status sweep_visit_point(struct sweep_run *run, size_t point, struct pawl_error *err) {
  const struct pawl_sweep_point *planned = &run->sweep->plan.points[point];
  struct sweep_visit visit = sweep_visit_of(run, point);
  struct pawl_oracle *oracle;
  PAWL_TRY(pawl_project_oracle(run->project, planned->operator_name, &oracle, err));
  PAWL_TRY(pawl_bench_row_begin(run->project, visit.kernels[0], oracle, &planned->shape,
                                &run->project->suite.measure, &visit.row, err));
  PAWL_TRY(pawl_problem_init(&visit.problem, oracle, &planned->shape, PAWL_MEASURE_SETS, err));
  const enum pawl_status_code status = sweep_take_blocks(run, &visit, err);
  pawl_shutdown_end(&run->project->shutdown);
  pawl_problem_release(&visit.problem);
  return status;
}

/* Returns whether a point is not done. */
static bool sweep_is_open(const struct sweep_run *run) {
  for (size_t i = 0; i < run->sweep->plan.point_count; i++)
    if (!run->done[i]) return true;
  return false;
}

/* Fisher and Yates' shuffle of the points that are not done. Returns their number. */
static size_t sweep_shuffle(struct sweep_run *run, size_t *order) {
  size_t count = 0;
  for (size_t i = 0; i < run->sweep->plan.point_count; i++)
    if (!run->done[i]) order[count++] = i;
  for (size_t i = count; i > 1; i--) {
    const size_t other = pawl_random_below(&run->points, (uint32_t)i), last = order[i - 1];
    order[i - 1] = order[other];
    order[other] = last;
  }
  return count;
}

static pawl_status sweep_take_turns(struct sweep_run *run, struct pawl_error *err) {
  size_t *order =
      pawl_arena_alloc(&run->project->arena, run->sweep->plan.point_count + 1, sizeof *order);
  for (size_t count; (count = sweep_shuffle(run, order));)
    for (size_t i = 0; i < count; i++) {
      if (pawl_budget_is_over()) return PAWL_OK;
      const enum pawl_status_code status = sweep_visit_point(run, order[i], err);
      if (pawl_budget_ended(status)) return PAWL_OK;
      if (status != PAWL_OK) return status;
    }
  return PAWL_OK;
}

static pawl_status sweep_begin(struct sweep_run *run, struct pawl_error *err) {
  const struct pawl_sweep *sweep = run->sweep;
  const size_t count = sweep->plan.point_count + 1;
  struct pawl_arena *arena = &run->project->arena;
  run->verified = pawl_arena_alloc(arena, count, sizeof *run->verified);
  run->blocks = pawl_arena_alloc(arena, count, sizeof *run->blocks);
  run->done = pawl_arena_alloc(arena, count, sizeof *run->done);
  for (size_t i = 0; i < sweep->block_count; i++) run->blocks[sweep->blocks[i].point]++;
  for (size_t i = 0; i < sweep->plan.point_count; i++)
    PAWL_TRY(pawl_sweep_point_done(sweep, i, &run->done[i], err));
  /* blocks of earlier runs used up the numbers of their streams */
  run->points = pawl_random_init(sweep->plan.seed + sweep->block_count, STREAM_POINTS);
  run->first = pawl_random_init(sweep->plan.seed + sweep->block_count, STREAM_FIRST);
  return PAWL_OK;
}

pawl_status pawl_sweep_measure(struct pawl_project *project,
                               const struct pawl_ready_kernel *kernels, const char *folder,
                               struct pawl_sweep *sweep, struct pawl_error *err) {
  struct sweep_run run = {.project = project,
                          .kernels = kernels,
                          .sweep = sweep,
                          .journal = pawl_path_join(folder, PAWL_SWEEP_JOURNAL)};
  enum pawl_status_code status = sweep_begin(&run, err);
  if (status == PAWL_OK && sweep_is_open(&run)) {
    status = pawl_bench_take_turns(project, kernels, sweep->plan.arm_count, err);
    pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
    if (status == PAWL_OK) status = sweep_take_turns(&run, err);
  }
  pawl_progress_end(project->options.log);
  pawl_free(run.journal);
  return status;
}
