/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/block.h"

#include <math.h>

#include "base/clock.h"
#include "base/philox.h"
#include "device/backends.h"
#include "device/cpu/cpu.h"
#include "measure/block_verify.h"
#include "measure/integrity/integrity.h"
#include "measure/load.h"
#include "measure/round_ratio.h"
#include "oracle/renew.h"

#define CROWDED 0.25 /* CPUs in use by other processes before the block */

uint64_t pawl_measure_set_seed(uint64_t seed, int set) {
  uint32_t words[4];
  pawl_philox(seed, PAWL_STREAM_SETS, (uint64_t)set, words);
  return (uint64_t)words[0] << 32 | words[1];
}

struct pawl_problem pawl_measure_command_problem(void) {
  return (struct pawl_problem){.config = {.name = PAWL_COMMAND_CASE}};
}

void pawl_block_processes_release(struct pawl_block_processes *processes) {
  for (int i = 0; processes && i < PAWL_MAX_ARMS; i++) pawl_worker_dismiss(processes->workers[i]);
  for (int i = 0; processes && i < PAWL_MAX_ARMS; i++) pawl_worker_free(processes->workers[i]);
  if (processes) *processes = (struct pawl_block_processes){0};
}

static pawl_status launch_worker(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 const struct pawl_worker_options *wanted, struct pawl_error *err) {
  if (!wanted) return PAWL_OK;
  struct pawl_worker_options options = *wanted;
  arm->driver = options.driver;
  arm->limit_seconds = options.timeout_seconds;
  arm->harness = options.reader.read != NULL;
  if (arm->worker) {
    const ptrdiff_t number = arm - run->arms;
    arm->launched = run->plan->processes->owes_hello[number];
    arm->served = run->plan->processes->served[number];
    return PAWL_OK;
  }
  if (run->crowded) options.placement = NULL;
  /* a command is a new process for every sample */
  if (options.driver != PAWL_DRIVER_COMMAND) options.tensors = &run->problem->oracle->tensors;
  const enum pawl_status_code status = pawl_worker_launch(&arm->worker, &options, err);
  arm->launched = status == PAWL_OK;
  return status == PAWL_OK ? PAWL_OK : pawl_block_settle(run, arm, status, err);
}

static pawl_status prepare_worker(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  struct pawl_block_processes *processes, struct pawl_error *err) {
  const ptrdiff_t number = arm - run->arms;
  if (!arm->worker) return PAWL_OK;
  enum pawl_status_code status = arm->launched ? pawl_worker_greet(arm->worker, err) : PAWL_OK;
  processes->owes_hello[number] = false;
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (arm->driver == PAWL_DRIVER_COMMAND) return PAWL_OK;
  struct pawl_kernel_info info = {0};
  status = pawl_worker_describe_kernel(arm->worker, run->arena, &info, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  arm->deterministic = info.deterministic;
  arm->device = info.device;
  arm->out->environment = info.environment;
  arm->out->workspace_bytes = processes->workspace_bytes[number];
  if (processes->prepared[number] == run->problem) return PAWL_OK;
  processes->prepared[number] = run->problem;
  const struct pawl_shape shape = pawl_case_shape(&run->problem->config);
  const char *reason = NULL;
  status =
      pawl_worker_prepare(arm->worker, &shape, run->problem->sets, run->problem->set_count,
                          run->plan->threads, run->arena, &reason, &arm->out->workspace_bytes, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  processes->workspace_bytes[number] = arm->out->workspace_bytes;
  if (reason) pawl_block_give_up(run, arm, PAWL_OUTCOME_UNSUPPORTED, reason);
  return PAWL_OK;
}

/* Puts the inputs back that earlier calls replaced, while the workers start. Cold requests seldom
 * need them. */
static pawl_status draw_usual(struct pawl_block_run *run, struct pawl_error *err) {
  if (run->plan->cache == PAWL_CACHE_COLD) return PAWL_OK;
  for (int set = 0; set < run->problem->set_count; set++)
    PAWL_TRY(pawl_problem_put_usual(run->problem, set, err));
  return PAWL_OK;
}

static pawl_status run_harness(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               struct pawl_error *err) {
  const enum pawl_status_code status =
      pawl_worker_run_harness(arm->worker, run->arena, &arm->out->benchmarks, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  arm->out->isolation = pawl_worker_isolation(arm->worker);
  arm->out->bounds = pawl_worker_bounds(arm->worker);
  return PAWL_OK;
}

static void order_starts(const struct pawl_block_plan *plan, int count, int order[PAWL_MAX_ARMS]) {
  for (int i = 0; i < count; i++)
    order[i] = pawl_nth_start(plan->start_order, plan->first_arm, count, i);
}

/* Draws an order that begins with the given arm. The others are random, so that no arm follows the
 * same other arm in each block. */
static void draw_first_order(struct pawl_random *random, int first, int count,
                             int order[PAWL_MAX_ARMS]) {
  int others[PAWL_MAX_ARMS];
  pawl_random_order(random, count - 1, others);
  order[0] = first;
  for (int i = 0; i + 1 < count; i++) order[i + 1] = (first + 1 + others[i]) % count;
}

static void reverse_order(int count, int order[PAWL_MAX_ARMS]) {
  for (int i = 0, j = count - 1; i < j; i++, j--) {
    const int arm = order[i];
    order[i] = order[j];
    order[j] = arm;
  }
}

/* On a CPU only a wait shows the work of other programs. `wait` asks for it. */
static pawl_status read_state(const struct pawl_device *device, bool wait, struct pawl_arena *arena,
                              struct pawl_device_state *state, struct pawl_error *err) {
  const struct pawl_device_backend *backend = device ? pawl_device_backend(device->kind) : NULL;
  if (backend && (wait || device->kind != PAWL_CPU))
    return backend->state(device, arena, state, err);
  *state = backend ? pawl_cpu_state_at_once() : pawl_device_state_unknown();
  return PAWL_OK;
}

/* A GPU lowers its clocks when idle. pawl reads its state behind rounds, right after work. */
static bool is_read_at_work(const struct pawl_block_plan *plan) {
  return plan->device && plan->device->kind == PAWL_CUDA;
}

/* The two times tell of all that happens between two readings. */
static bool counts_throttling(const struct pawl_device_state *state) {
  return !isnan(state->power_capped_s) && !isnan(state->heat_capped_s);
}

static pawl_status read_at_work(struct pawl_block_run *run, int round, struct pawl_error *err) {
  if (!is_read_at_work(run->plan)) return PAWL_OK;
  const bool last = round == run->plan->rounds - 1;
  if (round > 0 && !last && counts_throttling(&run->last)) return PAWL_OK;
  const int64_t begin = pawl_clock_ns();
  PAWL_TRY(read_state(run->plan->device, false, run->arena, &run->last, err));
  run->state_seconds += pawl_seconds_since(begin);
  if (round == 0) run->first = run->last;
  if (run->last.event_reasons && *run->last.event_reasons) run->throttled = run->last.event_reasons;
  return PAWL_OK;
}

/* Returns the number of calls before the first sample of the arm. */
static int warmup_of_block(const struct pawl_block_run *run, const struct pawl_arm_run *arm) {
  const int all = run->plan->warmup, sets = run->problem->set_count;
  return arm->served && arm->device == PAWL_CUDA && all > sets ? sets : all;
}

/* Takes the samples of one arm in one round. The first call after another arm's is a warm-up,
   because the caches hold the other arm's data. */
static pawl_status block_take_turn(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   struct pawl_turn turn, struct pawl_error *err) {
  if (arm->harness) return run_harness(run, arm, err);
  const bool handover = run->problem->oracle && (run->count > 1 || turn.round == 0);
  turn.warmup = turn.round == 0 ? warmup_of_block(run, arm) : handover;
  turn.last = turn.round == run->plan->rounds - 1;
  do {
    struct pawl_checked_request checked;
    struct pawl_time_reply reply = {0};
    enum pawl_status_code status = PAWL_OK;
    PAWL_TRY(pawl_integrity_before(&checked, run, arm, &turn, err));
    if (arm->worker) status = pawl_block_take_time(run, arm, &checked.request, &reply, err);
    PAWL_TRY(pawl_integrity_after(&checked, status, &reply, err));
  } while (arm->worker && turn.samples > 0);
  return PAWL_OK;
}

static void order_round(struct pawl_block_run *run, struct pawl_random *random, int rounds,
                        int order[PAWL_MAX_ARMS]) {
  if (rounds == 0)
    draw_first_order(random, run->plan->first_arm, run->count, order);
  else if (rounds % 2 == 1)
    reverse_order(run->count, order);
  else
    pawl_random_order(random, run->count, order);
}

static pawl_status take_rounds(struct pawl_block_run *run, struct pawl_error *err) {
  const struct pawl_block_plan *plan = run->plan;
  struct pawl_random random = pawl_random_init(plan->order_seed, PAWL_STREAM_ORDER);
  int taken = 0, first_set = 0, rounds = 0, order[PAWL_MAX_ARMS];
  PAWL_TRY(pawl_integrity_draw(run, err));
  for (int round = 0; round < plan->rounds; round++) {
    const int samples = (int)pawl_round_end((size_t)plan->samples, plan->rounds, round) - taken;
    if (samples == 0) continue;
    order_round(run, &random, rounds++, order);
    for (int i = 0; i < run->count; i++) {
      const struct pawl_turn turn = {.round = round, .samples = samples, .first_set = first_set};
      struct pawl_arm_run *arm = &run->arms[order[i]];
      if (arm->worker) PAWL_TRY(block_take_turn(run, arm, turn, err));
    }
    PAWL_TRY(read_at_work(run, round, err));
    taken += samples;
    if (run->problem->set_count) first_set = (first_set + samples) % run->problem->set_count;
  }
  return PAWL_OK;
}

/* A worker knows the names of the functions that ran only after its calls. */
static pawl_status describe_again(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  struct pawl_error *err) {
  struct pawl_kernel_info info = {0};
  if (!arm->worker || arm->driver != PAWL_DRIVER_PROTOCOL) return PAWL_OK;
  const enum pawl_status_code status =
      pawl_worker_describe_kernel(arm->worker, run->arena, &info, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!info.environment) return PAWL_OK;
  json_decref(arm->out->environment);
  arm->out->environment = info.environment;
  return PAWL_OK;
}

static pawl_status measure_arms(struct pawl_block_run *run,
                                const struct pawl_worker_options *const *wanted,
                                struct pawl_block *block, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_block_processes none = {0},
                              *processes = run->plan->processes ? run->plan->processes : &none;
  int order[PAWL_MAX_ARMS];
  if (run->problem->oracle) pawl_problem_hide_blocks(run->problem);
  order_starts(run->plan, run->count, order);
  for (int i = 0; i < run->count; i++)
    PAWL_TRY(launch_worker(run, &run->arms[order[i]], wanted[order[i]], err));
  const int64_t launched = pawl_clock_ns();
  PAWL_TRY(draw_usual(run, err));
  const double drawing = pawl_seconds_since(launched);
  for (int i = 0; i < run->count; i++)
    PAWL_TRY(prepare_worker(run, &run->arms[order[i]], processes, err));
  block->start_seconds = pawl_seconds_since(begin) - drawing;
  if (run->spent) run->spent->start += block->start_seconds;
  pawl_block_begin_timing(run);
  const struct pawl_load load = pawl_load_begin(run);
  PAWL_TRY(take_rounds(run, err));
  pawl_load_end(run, &load, block);
  PAWL_TRY(pawl_integrity_end(run, err));
  pawl_block_end_timing(run);
  for (int i = 0; i < run->count; i++) PAWL_TRY(describe_again(run, &run->arms[i], err));
  PAWL_TRY(pawl_block_verify(run, err));
  block->state_seconds = run->state_seconds;
  block->stop_seconds = run->stop_seconds;
  block->disturbed = run->disturbed;
  block->stray_write = run->stray_write && run->count > 2;
  block->total_seconds = pawl_seconds_since(begin);
  return PAWL_OK;
}

pawl_status pawl_measure_block(struct pawl_problem *problem,
                               const struct pawl_worker_options *const *wanted, int arm_count,
                               const struct pawl_block_plan *plan, struct pawl_arena *arena,
                               struct pawl_block *out, struct pawl_error *err) {
  PAWL_ASSERT(arm_count >= 1 && arm_count <= PAWL_MAX_ARMS && plan->samples > 0 &&
              plan->rounds > 0);
  PAWL_ASSERT(problem->set_count <= PAWL_MEASURE_SETS);
  struct pawl_block_run run = {.problem = problem,
                               .plan = plan,
                               .arena = arena,
                               .count = arm_count,
                               .spent = problem->oracle ? &problem->oracle->spent : NULL,
                               .first = pawl_device_state_unknown(),
                               .last = pawl_device_state_unknown()};
  struct pawl_block block = {0};
  for (int i = 0; i < arm_count; i++) {
    block.arms[i].memory_bytes = -1;
    block.arms[i].seconds = pawl_arena_alloc(arena, (size_t)plan->samples, sizeof(double));
    block.arms[i].added = pawl_arena_alloc(arena, (size_t)plan->samples, sizeof(double));
    run.arms[i].out = &block.arms[i];
    run.arms[i].worker = plan->processes ? plan->processes->workers[i] : NULL;
    run.arms[i].verified = plan->verified ? &plan->verified[i] : NULL;
    run.arms[i].set_hash = pawl_arena_alloc(arena, (size_t)problem->set_count, sizeof(char *));
  }
  /* The placement of new processes depends on it. */
  const bool starts = !run.arms[0].worker;
  if (!is_read_at_work(plan)) PAWL_TRY(read_state(plan->device, starts, arena, &block.before, err));
  run.crowded = block.before.other_busy > CROWDED;
  const enum pawl_status_code status = measure_arms(&run, wanted, &block, err);
  if (run.timing) pawl_block_end_timing(&run); /* the block failed */
  for (int i = 0; i < arm_count; i++) {
    if (plan->processes) pawl_worker_rest(plan->processes->workers[i] = run.arms[i].worker);
    if (plan->processes) plan->processes->served[i] = run.arms[i].worker != NULL;
    if (!plan->processes) pawl_worker_free(run.arms[i].worker);
  }
  if (status != PAWL_OK) {
    for (int i = 0; i < arm_count; i++) json_decref(block.arms[i].environment);
    return status;
  }
  if (is_read_at_work(plan)) {
    block.before = run.first;
    block.after = run.last;
    if (run.throttled) block.after.event_reasons = run.throttled;
  } else {
    PAWL_TRY(read_state(plan->device, isnan(block.other_busy), arena, &block.after, err));
  }
  *out = block;
  return PAWL_OK;
}

void pawl_block_tell(struct pawl_log *log, const char *subject, const char *case_name,
                     const struct pawl_time_spent *then, const struct pawl_time_spent *now,
                     const struct pawl_block *block) {
  pawl_log_detail(
      log,
      "%s on %s: a block took %.3f s: starting processes %.3f, inputs %.3f, expected values %.3f, "
      "calls %.3f, hashing %.3f, comparing %.3f, reading the device's state %.3f, stopping others "
      "%.3f",
      subject, case_name, block->total_seconds, block->start_seconds, now->inputs - then->inputs,
      now->expected - then->expected, now->calls - then->calls, now->hashing - then->hashing,
      now->compare - then->compare, block->state_seconds, block->stop_seconds);
}
