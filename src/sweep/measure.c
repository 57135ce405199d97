/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/measure.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/ndjson.h"
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

#define FRESH_LEAST 2  /* blocks of a shape with a call on fresh inputs */
#define FRESH_ONE_OF 4 /* one of as many other blocks has it too */
#define MOST_TRIES 3   /* to measure a block that counts with the same processes */

/* The arms of a point. */
struct sweep_visit {
  size_t point;
  const struct pawl_ready_kernel *kernels[PAWL_MAX_ARMS];
  const struct pawl_sweep_arm *arms[PAWL_MAX_ARMS];
  /* the timing by which an arm failed in an earlier block; NULL: it takes part */
  const struct pawl_sweep_timing *failed[PAWL_MAX_ARMS];
  bool references[PAWL_MAX_ARMS];
  int count;
  int starts[PAWL_MAX_ARMS]; /* the order in which the arms of the block start */
  /* the worker of each arm; NULL: it failed */
  const struct pawl_worker_options *workers[PAWL_MAX_ARMS];
  struct pawl_bench_row row;
  struct pawl_problem problem;
};

static struct sweep_visit sweep_visit_of(const struct pawl_sweep_visitor *visitor, size_t point) {
  const struct pawl_sweep_plan *plan = &visitor->sweep->plan;
  struct sweep_visit visit = {.point = point};
  for (size_t i = 0; i < plan->arm_count; i++) {
    if (!pawl_sweep_takes_part(&plan->arms[i], &plan->points[point])) continue;
    visit.kernels[visit.count] = &visitor->kernels[i];
    visit.references[visit.count] = plan->arms[i].reference;
    visit.arms[visit.count++] = &plan->arms[i];
  }
  return visit;
}

static void sweep_find_failed(const struct pawl_sweep_visitor *visitor, struct sweep_visit *visit) {
  for (size_t i = 0; i < visitor->sweep->block_count; i++) {
    const struct pawl_sweep_block *block = &visitor->sweep->blocks[i];
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
static const char *sweep_ahead(const struct pawl_sweep_visitor *visitor,
                               const struct sweep_visit *visit, const struct pawl_block *block,
                               int arm) {
  const char *reason = NULL;
  for (int i = 0; i < visit->count && !reason; i++)
    if (!visit->failed[i] &&
        pawl_sweep_compares(&visitor->sweep->plan, visit->arms[arm], visit->arms[i]))
      reason = pawl_block_ahead(block, arm, i);
  return reason;
}

static struct pawl_sweep_timing sweep_timing(struct pawl_sweep_visitor *visitor,
                                             const struct sweep_visit *visit, int arm,
                                             const struct pawl_block *all) {
  struct pawl_arena *arena = &visitor->project->arena;
  const struct pawl_arm_block *block = &all->arms[arm];
  struct pawl_sweep_timing timing = {
      .arm = visit->arms[arm]->name,
      .outcome = block->outcome,
      .reason = block->reason,
      .isolation = pawl_isolation_name(block->isolation),
      .environment =
          pawl_sweep_count_blocks(visitor->sweep, visit->point) ? NULL : block->environment};
  if (block->environment)
    PAWL_ASSERT(!json_array_append_new(visitor->sweep->documents, block->environment));
  if (visit->failed[arm]) return *visit->failed[arm];
  const char *ahead = sweep_ahead(visitor, visit, all, arm);
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

/* Other programs spoil a block, unless the suite counts busy blocks. The power limit does not: all
   arms of the block meet it. */
static const char *sweep_spoiled(struct pawl_sweep_visitor *visitor,
                                 const struct pawl_block *block) {
  struct pawl_arena *arena = &visitor->project->arena;
  if (block->stray_write) return "an arm wrote to the memory of another";
  const struct pawl_block cool = pawl_block_without_power_limit(block);
  const char *reason = pawl_block_spoiled(&cool, arena);
  if (!reason && visitor->project->suite.gate.busy == PAWL_BUSY_REPEAT)
    reason = pawl_block_crowded(block, arena);
  return reason;
}

static pawl_status sweep_keep(struct pawl_sweep_visitor *visitor,
                              const struct pawl_sweep_block *block, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *line = pawl_struct_write(&pawl_sweep_block_fields, block);
  if (visitor->journal) PAWL_TRY(pawl_ndjson_append(visitor->journal, line, err));
  pawl_sweep_add(visitor->sweep, block);
  return PAWL_OK;
}

/* Returns the pairs on new inputs that the next block of the point takes: as many as the arm that
   needs most. */
static int sweep_fresh_pairs(const struct pawl_sweep_visitor *visitor,
                             const struct sweep_visit *visit) {
  const struct pawl_device *device = visit->row.options.device;
  struct pawl_arena arena = {0};
  int most = 0;
  for (int arm = 0; arm < visit->count && device->kind == PAWL_CPU; arm++) {
    struct pawl_fresh_calls fresh = {0};
    if (visit->failed[arm]) continue;
    for (size_t i = 0; i < visitor->sweep->block_count; i++)
      if (visitor->sweep->blocks[i].point == visit->point)
        pawl_sweep_add_fresh(
            &fresh, pawl_sweep_timing_of(&visitor->sweep->blocks[i], visit->arms[arm]->name),
            &arena);
    const bool charged = pawl_fresh_pairs_ratio(fresh.pairs, fresh.count) > 1;
    const int left = pawl_fresh_pairs_left(&fresh, device, charged);
    if (left > most) most = left;
  }
  pawl_arena_clear(&arena);
  return most;
}

/* Returns the seed of the block with this number. */
static uint64_t sweep_block_seed(const struct pawl_sweep_plan *plan, size_t point, size_t number) {
  return plan->seed + point * (uint64_t)plan->most_blocks * 4 + number;
}

bool pawl_sweep_takes_fresh(const struct pawl_sweep *sweep, size_t point, uint32_t word) {
  const size_t taken = pawl_sweep_count_fresh(sweep, point),
               counted = pawl_sweep_count_counted(sweep, point);
  const bool last =
      taken < FRESH_LEAST && counted + FRESH_LEAST - taken >= (size_t)sweep->plan.least_blocks;
  return !taken || last || word % FRESH_ONE_OF == 0;
}

/* On a GPU a call on fresh inputs takes longer than the samples if the tensors are large. */
static pawl_status sweep_draw_fresh(const struct pawl_sweep_visitor *visitor,
                                    const struct sweep_visit *visit, struct pawl_block_plan *plan,
                                    struct pawl_error *err) {
  uint32_t word;
  PAWL_TRY(pawl_entropy(&word, sizeof word, err));
  plan->skips_fresh =
      plan->device->kind != PAWL_CPU && !pawl_sweep_takes_fresh(visitor->sweep, visit->point, word);
  return PAWL_OK;
}

static struct pawl_block_plan sweep_block_plan(struct pawl_sweep_visitor *visitor,
                                               struct sweep_visit *visit) {
  const struct pawl_sweep_plan *plan = &visitor->sweep->plan;
  const struct pawl_device *device = visit->row.options.device;
  const uint64_t seed =
      sweep_block_seed(plan, visit->point, pawl_sweep_count_blocks(visitor->sweep, visit->point));
  return (struct pawl_block_plan){.warmup = plan->warmup,
                                  .samples = plan->samples,
                                  .rounds = plan->points[visit->point].rounds,
                                  .cache = visitor->project->suite.measure.cache,
                                  .flush_bytes = pawl_measure_flush_bytes(device),
                                  .threads = visit->row.options.threads,
                                  .unproven = true,
                                  .references = visit->references,
                                  .verified = visitor->verified[visit->point],
                                  .shutdown = &visitor->project->shutdown,
                                  .fresh_pairs = sweep_fresh_pairs(visitor, visit),
                                  .seed = seed,
                                  .order_seed = seed,
                                  .first_arm = visit->starts[0],
                                  .start_order = visit->starts,
                                  .tolerance = &visit->row.tolerance,
                                  .device = device};
}

static void sweep_say_failure(struct pawl_sweep_visitor *visitor, const struct sweep_visit *visit,
                              int arm, const struct pawl_sweep_timing *timing) {
  if (timing->outcome == PAWL_OUTCOME_OK || visit->failed[arm]) return;
  pawl_bench_row_say(visitor->project->options.log, timing->arm, &visit->problem.config,
                     timing->outcome, timing->reason);
}

/* The next crews need room for what kernels allocate by themselves. */
static void sweep_note_memory(struct pawl_sweep_crews *crews, const struct pawl_block *block,
                              int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++)
    if (block->arms[i].memory_bytes > 0) bytes += (uint64_t)block->arms[i].memory_bytes;
  if (bytes > crews->own_bytes) crews->own_bytes = bytes;
}

/* Measures a block with the processes of the crew; NULL: with its own. */
static pawl_status sweep_take_block(struct pawl_sweep_visitor *visitor, struct sweep_visit *visit,
                                    struct pawl_sweep_crew *crew, struct pawl_error *err) {
  struct pawl_arena *arena = &visitor->project->arena;
  if (!crew)
    pawl_sweep_draw_starts(&visitor->sweep->plan,
                           pawl_sweep_count_counted(visitor->sweep, visit->point), visit->count,
                           visit->starts);
  for (int i = 0; crew && i < visit->count; i++) {
    visit->starts[i] = crew->starts[i];
    if (visit->failed[i]) pawl_sweep_crew_leave_out(crew, i, &visitor->project->shutdown);
  }
  struct pawl_block_plan plan = sweep_block_plan(visitor, visit);
  struct pawl_block block;
  char started[20];
  plan.processes = crew ? &crew->processes : NULL;
  plan.starting = visitor->crews.starting;
  pawl_format_time(pawl_wall_clock(), started);
  PAWL_TRY(sweep_draw_fresh(visitor, visit, &plan, err));
  const struct pawl_time_spent before = visit->problem.oracle->spent;
  PAWL_TRY(
      pawl_measure_block(&visit->problem, visit->workers, visit->count, &plan, arena, &block, err));
  pawl_block_tell(visitor->project->options.log, "all arms",
                  visitor->sweep->plan.points[visit->point].case_name, &before,
                  &visit->problem.oracle->spent, &block);
  sweep_note_memory(&visitor->crews, &block, visit->count);
  struct pawl_sweep_block kept = {
      .point = visit->point,
      .number = pawl_sweep_count_blocks(visitor->sweep, visit->point),
      .started = pawl_arena_copy(arena, started),
      .first_arm = plan.first_arm,
      .spoiled = sweep_spoiled(visitor, &block),
      .throttled = pawl_block_throttled(&block, arena),
      .before = sweep_state(&block.before),
      .after = sweep_state(&block.after),
      .other_busy = block.other_busy,
      .fresh = visit->problem.oracle && !plan.skips_fresh,
      .timings = pawl_arena_alloc(arena, (size_t)visit->count, sizeof *kept.timings),
      .timing_count = (size_t)visit->count};
  for (int i = 0; i < visit->count; i++) {
    kept.timings[i] = sweep_timing(visitor, visit, i, &block);
    sweep_say_failure(visitor, visit, i, &kept.timings[i]);
  }
  return sweep_keep(visitor, &kept, err);
}

/* The operator has no exact answer for this shape, so no arm counts. */
static pawl_status sweep_leave_point(struct pawl_sweep_visitor *visitor,
                                     const struct sweep_visit *visit, const char *reason,
                                     struct pawl_error *err) {
  struct pawl_arena *arena = &visitor->project->arena;
  struct pawl_sweep_block kept;
  pawl_struct_init(&pawl_sweep_block_fields, &kept);
  kept.point = visit->point;
  kept.number = pawl_sweep_count_blocks(visitor->sweep, visit->point);
  kept.timings = pawl_arena_alloc(arena, (size_t)visit->count, sizeof *kept.timings);
  kept.timing_count = (size_t)visit->count;
  for (int i = 0; i < visit->count; i++)
    kept.timings[i] = (struct pawl_sweep_timing){.arm = visit->arms[i]->name,
                                                 .outcome = PAWL_OUTCOME_UNSUPPORTED,
                                                 .reason = pawl_arena_copy(arena, reason)};
  return sweep_keep(visitor, &kept, err);
}

/* --- visits --- */

static void sweep_find_workers(const struct pawl_sweep_visitor *visitor,
                               struct sweep_visit *visit) {
  sweep_find_failed(visitor, visit);
  for (int i = 0; i < visit->count; i++)
    visit->workers[i] = visit->failed[i] ? NULL : &visit->kernels[i]->worker;
}

/* A block that did not count is repeated with the same processes: another crew has another order of
   starts. */
static pawl_status sweep_take_counted(struct pawl_sweep_visitor *visitor, struct sweep_visit *visit,
                                      struct pawl_sweep_crew *crew, struct pawl_error *err) {
  for (int tries = 0; tries < (crew ? MOST_TRIES : 1); tries++) {
    sweep_find_workers(visitor, visit);
    PAWL_TRY(sweep_take_block(visitor, visit, crew, err));
    if (!visitor->sweep->blocks[visitor->sweep->block_count - 1].spoiled) break;
  }
  return PAWL_OK;
}

/* Returns whether an arm has outputs that pawl has not compared yet. Otherwise the blocks of this
   visit need expected values only for fresh inputs, or where the bits of an output change. */
static bool sweep_compares_usual(const struct pawl_sweep_visitor *visitor,
                                 const struct sweep_visit *visit) {
  for (int arm = 0; arm < visit->count; arm++)
    for (int set = 0; set < visit->problem.set_count && visit->workers[arm]; set++)
      if (!visitor->verified[visit->point][arm].hash[set]) return true;
  return false;
}

/* The crews get ready beside the inputs and their expected values, which take seconds if the
   tensors are large. `counted` blocks of the point count. Returns the number of crews. */
static size_t sweep_call_crews(struct pawl_sweep_visitor *visitor, struct sweep_visit *visit,
                               size_t counted, size_t wanted) {
  const struct pawl_sweep_call call = {.plan = &visitor->sweep->plan,
                                       .point = visit->point,
                                       .counted = counted,
                                       .problem = &visit->problem,
                                       .device = visit->row.options.device,
                                       .workers = visit->workers,
                                       .arm_count = visit->count,
                                       .threads = visit->row.options.threads,
                                       .shutdown = &visitor->project->shutdown};
  return pawl_sweep_crews_call(&visitor->crews, &call, wanted);
}

static struct pawl_sweep_crew *sweep_await_crew(struct pawl_sweep_visitor *visitor,
                                                const struct sweep_visit *visit, size_t n) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_sweep_crew *crew = pawl_sweep_crews_await(&visitor->crews, n);
  visit->problem.oracle->spent.start += pawl_seconds_since(begin);
  return crew;
}

/* A visit ends where those of other shapes do, so that the same crews serve them next. A last block
   joins it: another visit would draw all inputs again. */
static size_t sweep_visit_blocks(size_t counted, size_t left) {
  const size_t usual = PAWL_SWEEP_VISIT_BLOCKS - counted % PAWL_SWEEP_VISIT_BLOCKS;
  return left <= usual + 1 ? left : usual;
}

/* Where the device has no room for all crews of the visit, it is shorter: a block without a crew
   starts processes of its own, which takes longer than another visit. */
static pawl_status sweep_take_blocks(struct pawl_sweep_visitor *visitor, struct sweep_visit *visit,
                                     struct pawl_error *err) {
  const struct pawl_sweep *sweep = visitor->sweep;
  const size_t counted = pawl_sweep_count_counted(sweep, visit->point);
  size_t left = 1;
  PAWL_TRY(pawl_sweep_point_left(sweep, visit->point, &left, err));
  sweep_find_workers(visitor, visit);
  const size_t wanted = sweep_visit_blocks(counted, left),
               crews = sweep_call_crews(visitor, visit, counted, wanted),
               most = crews ? crews : wanted;
  enum pawl_status_code status = pawl_measure_fill(&visit->problem, sweep->plan.seed,
                                                   sweep_compares_usual(visitor, visit), err);
  if (status == PAWL_UNDECIDED) return sweep_leave_point(visitor, visit, err->message, err);
  for (size_t i = 0; status == PAWL_OK && i < most && left && !pawl_budget_is_over(); i++) {
    struct pawl_sweep_crew *crew = sweep_await_crew(visitor, visit, i);
    status = sweep_take_counted(visitor, visit, crew, err);
    if (status == PAWL_OK) status = pawl_sweep_point_left(sweep, visit->point, &left, err);
    /* the next crew has the order of starts that follows on a block that counts */
    if (crew && status == PAWL_OK && sweep->blocks[sweep->block_count - 1].spoiled) break;
  }
  return status;
}

void pawl_sweep_visitor_init(struct pawl_sweep_visitor *visitor, struct pawl_project *project,
                             const struct pawl_ready_kernel *kernels, struct pawl_sweep *sweep) {
  *visitor = (struct pawl_sweep_visitor){.project = project, .kernels = kernels, .sweep = sweep};
  visitor->verified =
      pawl_arena_alloc(&project->arena, sweep->plan.point_count + 1, sizeof *visitor->verified);
  visitor->crews.served =
      pawl_arena_alloc(&project->arena, sweep->plan.point_count + 1, sizeof *visitor->crews.served);
}

void pawl_sweep_visitor_release(struct pawl_sweep_visitor *visitor) {
  pawl_sweep_crews_dismiss(&visitor->crews, &visitor->project->shutdown);
  pawl_shutdown_end(&visitor->project->shutdown);
}

/* Opens the point's problem, which other points do not need meanwhile. */
pawl_status pawl_sweep_visit(struct pawl_sweep_visitor *visitor, size_t point,
                             struct pawl_error *err) {
  struct pawl_project *project = visitor->project;
  const struct pawl_sweep_point *planned = &visitor->sweep->plan.points[point];
  struct sweep_visit visit = sweep_visit_of(visitor, point);
  struct pawl_oracle *oracle;
  PAWL_TRY(pawl_project_oracle(project, planned->operator_name, &oracle, err));
  PAWL_TRY(pawl_bench_row_begin(project, visit.kernels[0], oracle, &planned->shape,
                                &project->suite.measure, &visit.row, err));
  PAWL_TRY(pawl_problem_init(&visit.problem, oracle, &planned->shape, PAWL_MEASURE_SETS, err));
  const enum pawl_status_code status = sweep_take_blocks(visitor, &visit, err);
  pawl_sweep_crews_settle(&visitor->crews, status != PAWL_OK || pawl_budget_is_over());
  pawl_shutdown_end(&project->shutdown);
  pawl_problem_release(&visit.problem);
  return status;
}
