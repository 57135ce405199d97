/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/harness.h"

#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/progress.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "measure/guard.h"
#include "measure/result_builder.h"

static const struct pawl_benchmark *find_benchmark(const struct pawl_benchmarks *all,
                                                   const char *name, const char *unnamed) {
  const struct pawl_benchmark *found = pawl_benchmarks_find(all, name);
  return !found && !strcmp(name, unnamed) ? pawl_benchmarks_find(all, NULL) : found;
}

static void harness_take_benchmark(struct pawl_arm_block *arm, const char *name,
                                   const char *unnamed, struct pawl_arena *arena) {
  const struct pawl_benchmark *benchmark = find_benchmark(&arm->benchmarks, name, unnamed);
  arm->environment = NULL; /* it belongs to the block */
  if (arm->outcome != PAWL_OUTCOME_OK) return;
  if (arm->benchmarks.failure && (!benchmark || !strcmp(name, unnamed))) {
    arm->outcome = PAWL_OUTCOME_CRASHED;
    arm->reason = arm->benchmarks.failure;
  } else if (!benchmark) {
    arm->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    arm->reason = "a run of the command did not have this benchmark";
  } else if (benchmark->outcome != PAWL_OUTCOME_OK) {
    arm->outcome = benchmark->outcome;
    arm->reason = benchmark->outcome == PAWL_OUTCOME_CRASHED
                      ? pawl_arena_printf(arena, "its harness reports: %s", benchmark->reason)
                      : pawl_arena_copy(arena, benchmark->reason);
  } else {
    arm->seconds = benchmark->seconds;
    arm->count = benchmark->count;
  }
}

struct pawl_block pawl_block_of_benchmark(const struct pawl_block *block, const char *name,
                                          const char *unnamed, struct pawl_arena *arena) {
  struct pawl_block out = *block;
  for (int i = 0; i < PAWL_MAX_ARMS; i++)
    harness_take_benchmark(&out.arms[i], name, unnamed, arena);
  return out;
}

static pawl_status harness_run_once(const struct pawl_bench_options *options,
                                    struct pawl_arena *arena, struct pawl_block *out,
                                    struct pawl_error *err) {
  struct pawl_problem problem = pawl_measure_command_problem();
  const struct pawl_block_plan plan = {
      .samples = 1, .rounds = 1, .cache = options->spec->cache, .device = options->device};
  PAWL_TRY(pawl_measure_block(&problem, &options->worker, 1, &plan, arena, out, err));
  json_decref(out->arms[0].environment);
  out->arms[0].environment = NULL;
  return PAWL_OK;
}

pawl_status pawl_harness_look(const struct pawl_bench_options *options, struct pawl_arena *arena,
                              struct pawl_benchmarks *out, const char **failure,
                              struct pawl_error *err) {
  struct pawl_block block;
  PAWL_TRY(harness_run_once(options, arena, &block, err));
  *out = block.arms[0].benchmarks;
  *failure = block.arms[0].outcome == PAWL_OUTCOME_OK ? NULL : block.arms[0].reason;
  return PAWL_OK;
}

/* The runs of a command. */
struct runs {
  const struct pawl_bench_options *options;
  const char *unnamed;
  struct pawl_arena *arena;
  struct pawl_block *blocks; /* includes throttled ones */
  size_t count;
};

static void show_progress(const struct pawl_bench_options *options, int process, int processes) {
  const struct pawl_progress progress = {"timing",
                                         (double)options->row + (double)process / processes,
                                         options->rows ? (double)options->rows : 1, false};
  pawl_progress_show(options->log, &progress, "%s, run %d of %d", options->worker->name,
                     process + 1, processes);
}

/* Runs the command until enough runs count, or one fails. It repeats a throttled run as
 * pawl_bench() does. */
static pawl_status take_runs(struct runs *runs, struct pawl_error *err) {
  const struct pawl_measure_spec *spec = runs->options->spec;
  const int processes = spec->samples < spec->processes ? spec->samples : spec->processes;
  int counted = 0, throttled = 0;
  const int64_t begin = pawl_clock_ns(), end = pawl_bench_share_end(runs->options);
  runs->blocks = pawl_arena_alloc(runs->arena, 2 * (size_t)processes + 1, sizeof *runs->blocks);
  while (counted < processes && throttled <= processes) {
    if (runs->count && pawl_bench_share_is_over(begin, end, (int)runs->count)) return PAWL_OK;
    struct pawl_block *block = &runs->blocks[runs->count];
    show_progress(runs->options, counted, processes);
    const enum pawl_status_code status = harness_run_once(runs->options, runs->arena, block, err);
    if (pawl_budget_ended(status) && runs->count) return PAWL_OK;
    if (status != PAWL_OK) return status;
    runs->count++;
    if (block->arms[0].outcome != PAWL_OUTCOME_OK) return PAWL_OK;
    if (pawl_block_throttled(block, runs->arena))
      throttled++;
    else
      counted++;
  }
  return PAWL_OK;
}

/* Returns the first run in which the benchmark fails; 0: none. */
static size_t harness_first_failure(const struct runs *runs, const char *name) {
  for (size_t i = 0; i < runs->count; i++) {
    const struct pawl_block block =
        pawl_block_of_benchmark(&runs->blocks[i], name, runs->unnamed, runs->arena);
    if (pawl_outcome_fails(block.arms[0].outcome)) return i;
  }
  return 0;
}

/* Makes the result of one benchmark from the blocks. */
static pawl_status build_result(const struct runs *runs, const char *name, struct pawl_result *out,
                                struct pawl_error *err) {
  struct pawl_problem *problem = pawl_arena_alloc(runs->arena, 1, sizeof *problem);
  struct pawl_result_builder builder;
  *problem = pawl_measure_command_problem();
  problem->config.name = name;
  pawl_result_builder_init(&builder, problem, runs->options, runs->arena);
  for (size_t i = harness_first_failure(runs, name); i < runs->count; i++) {
    struct pawl_block block =
        pawl_block_of_benchmark(&runs->blocks[i], name, runs->unnamed, runs->arena);
    pawl_result_builder_add(&builder, &block, 0);
    if (block.arms[0].outcome != PAWL_OUTCOME_OK) break;
  }
  return pawl_result_builder_finish(&builder, out, err);
}

/* Returns whether a run failed although no benchmark in its file has a fault. */
static bool fails_unnamed(const struct runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    const struct pawl_benchmarks *all = &runs->blocks[i].arms[0].benchmarks;
    bool seen = !all->failure;
    for (size_t j = 0; j < all->count && !seen; j++)
      seen = all->items[j].outcome == PAWL_OUTCOME_CRASHED;
    if (!seen) return true;
  }
  return false;
}

static bool has_name(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

/* Lists the names of all runs in the order of their first appearance, then the name for a failure
 * without a benchmark. */
static size_t gather_names(const struct runs *runs, const char ***out) {
  size_t room = 2, count = 0;
  for (size_t i = 0; i < runs->count; i++) room += runs->blocks[i].arms[0].benchmarks.count;
  const char **names = pawl_arena_alloc(runs->arena, room, sizeof *names);
  for (size_t i = 0; i < runs->count; i++) {
    const struct pawl_benchmarks *all = &runs->blocks[i].arms[0].benchmarks;
    for (size_t j = 0; j < all->count; j++) {
      const char *name = all->items[j].name ? all->items[j].name : runs->unnamed;
      bool known =
          i > 0 && pawl_benchmarks_find(&runs->blocks[0].arms[0].benchmarks, all->items[j].name);
      for (size_t k = runs->blocks[0].arms[0].benchmarks.count; k < count && !known; k++)
        known = !strcmp(names[k], name);
      if (!known) names[count++] = name;
    }
  }
  if (fails_unnamed(runs) && !has_name(names, count, runs->unnamed)) names[count++] = runs->unnamed;
  *out = names;
  return count;
}

pawl_status pawl_bench_harness(const struct pawl_bench_options *options, const char *unnamed,
                               struct pawl_arena *arena, struct pawl_harness_results *out,
                               struct pawl_error *err) {
  struct runs runs = {.options = options, .unnamed = unnamed, .arena = arena};
  const char **names = &unnamed;
  PAWL_TRY(take_runs(&runs, err));
  const bool failed = runs.blocks[runs.count - 1].arms[0].outcome != PAWL_OUTCOME_OK;
  const size_t count = failed ? 1 : gather_names(&runs, &names);
  if (failed) runs.blocks[0] = runs.blocks[runs.count - 1], runs.count = 1;
  struct pawl_result *rows = pawl_arena_alloc(arena, count + 1, sizeof *rows);
  for (size_t i = 0; i < count; i++) PAWL_TRY(build_result(&runs, names[i], &rows[i], err));
  *out = (struct pawl_harness_results){rows, count, runs.blocks[0].arms[0].benchmarks.note};
  return PAWL_OK;
}
