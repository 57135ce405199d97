/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/bench.h"

#include <math.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/progress.h"
#include "measure/ahead.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/result_builder.h"
#include "oracle/gpu.h"

/* Once other programs delayed this many processes more than count, the delayed ones count too. */
#define HOPELESS 2
/* The samples of one request: few enough that pawl notices a hang in time. */
#define SAMPLES_PER_CHUNK 10

static pawl_status fill_sets(struct pawl_problem *problem, uint64_t seed, bool expect,
                             struct pawl_error *err) {
  const char *timed = problem->oracle->info.distributions[0].name;
  for (int set = 0; set < problem->set_count; set++) {
    const uint64_t set_seed = pawl_measure_set_seed(seed, set);
    PAWL_TRY(pawl_problem_fill(problem, set, timed, set_seed, err));
    /* now, while nothing is timed */
    if (expect) PAWL_TRY(pawl_problem_expect(problem, set, err));
  }
  return PAWL_OK;
}

/* pawl compares the first process on all sets, so their expected values stay in memory until then.
 */
pawl_status pawl_measure_fill(struct pawl_problem *problem, uint64_t seed, bool expect,
                              struct pawl_error *err) {
  problem->oracle->cache.keeps = true;
  const enum pawl_status_code status = fill_sets(problem, seed, expect, err);
  problem->oracle->cache.keeps = false;
  if (status == PAWL_OK) pawl_oracle_gpu_settle(problem->oracle);
  return status;
}

/* A fresh process replaces one that does not count. */
static struct pawl_block_processes *find_process(const struct pawl_bench_options *options,
                                                 int process, int again) {
  return options->processes && !again ? &options->processes[process] : NULL;
}

static uint64_t process_seed(const struct pawl_bench_options *options, int process) {
  return options->seed + 1 + (uint64_t)process;
}

/* Starts the processes from `first` on, as many as may exist at once. With `ready` it also makes
 * them ready. Returns the first process that it did not start. */
static int start_ahead(struct pawl_problem *problem, const struct pawl_bench_options *options,
                       int first, int count, bool ready) {
  const int limit = pawl_ahead_limit(options->device, pawl_ahead_bytes(options->device, problem));
  const int end = first + limit < count ? first + limit : count;
  if (limit < 2) return count;
  struct pawl_starting_block *blocks = pawl_alloc((size_t)(end - first), sizeof *blocks);
  for (int i = first; i < end; i++)
    blocks[i - first] = (struct pawl_starting_block){&options->processes[i], 0, NULL};
  if (ready)
    pawl_ahead_start(problem, &options->worker, 1, options->threads, blocks, (size_t)(end - first));
  else
    pawl_ahead_launch(problem, &options->worker, 1, blocks, (size_t)(end - first), false);
  pawl_free(blocks);
  return end;
}

/* Returns whether other programs delay more processes than pawl repeats. */
static bool is_hopeless(const struct pawl_result_builder *builder, int processes, int counted) {
  const int most = processes > HOPELESS ? processes : HOPELESS;
  return !builder->counts_held_up &&
         (builder->held_up > most || builder->held_up > counted + HOPELESS);
}

int64_t pawl_bench_share_end(const struct pawl_bench_options *options) {
  return pawl_budget_share_end(options->rows - options->row + options->later);
}

bool pawl_bench_share_is_over(int64_t begin, int64_t end, int processes) {
  const int64_t now = pawl_clock_ns();
  if (!processes || end == INT64_MAX) return pawl_budget_is_over();
  return now + (now - begin) / processes > end;
}

pawl_status pawl_bench(struct pawl_problem *problem, const struct pawl_bench_options *options,
                       struct pawl_arena *arena, struct pawl_result *out, struct pawl_error *err) {
  const struct pawl_measure_spec *spec = options->spec;
  const bool command = !problem->oracle;
  /* each run is a fresh process and one sample */
  const bool single = command && !options->worker->reader.read;
  const int processes = single || spec->samples < spec->processes ? spec->samples : spec->processes;
  struct pawl_result_builder builder;
  pawl_result_builder_init(&builder, problem, options, arena);
  builder.late = pawl_budget_is_over();
  if (builder.late) return pawl_result_builder_finish(&builder, out, err);
  /* they start while pawl draws the inputs */
  if (options->processes) start_ahead(problem, options, 0, processes, false);
  if (problem->oracle) {
    const enum pawl_status_code status = pawl_measure_fill(problem, options->seed, true, err);
    if (status == PAWL_UNDECIDED) {
      builder.result.outcome = PAWL_OUTCOME_UNSUPPORTED;
      builder.result.reason = pawl_arena_copy(arena, err->message);
      return pawl_result_builder_finish(&builder, out, err);
    }
    PAWL_TRY(status);
  }
  const int64_t begin = pawl_clock_ns(), end = pawl_bench_share_end(options);
  int taken = 0, again = 0;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  /* the first process that does not wait yet */
  int ready = options->processes ? 0 : processes;
  /* a process that served another case must prepare for this one */
  for (int i = 0; options->processes && i < processes; i++)
    options->processes[i].prepared[0] = NULL;
  for (int process = 0; process < processes && builder.throttled <= processes;) {
    builder.late = pawl_bench_share_is_over(begin, end, process);
    if (builder.late) break;
    const int left = (int)((int64_t)spec->samples * (process + 1) / processes) - taken;
    const int samples = left > 0 ? left : 1; /* delayed processes may have taken more */
    const struct pawl_fresh_calls fresh = {.pairs = builder.fresh_seconds,
                                           .count = (size_t)builder.fresh_pairs};
    const struct pawl_block_plan plan = {
        .warmup = !command                           ? spec->warmup
                  : process == 0 && spec->warmup > 0 ? 1
                                                     : 0,
        .samples = samples,
        .rounds = (samples + SAMPLES_PER_CHUNK - 1) / SAMPLES_PER_CHUNK,
        .cache = spec->cache,
        .flush_bytes = pawl_measure_flush_bytes(options->device),
        .threads = options->threads,
        .fresh_pairs = pawl_fresh_pairs_of_process(&fresh, options->device, processes),
        .renews_all = spec->samples < 2 * pawl_fresh_pairs_wanted(options->device),
        .seed = process_seed(options, process + again),
        .verified = verified,
        .processes = find_process(options, process, again),
        .tolerance = options->tolerance,
        .device = options->device};
    const struct pawl_progress progress = {"timing",
                                           (double)options->row + (double)process / processes,
                                           options->rows ? (double)options->rows : 1, false};
    pawl_progress_show(options->log, &progress, "%s on %s, process %d of %d", options->worker->name,
                       problem->config.name ? problem->config.name : "the case", process + 1,
                       processes);
    struct pawl_block block;
    if (process >= ready) ready = start_ahead(problem, options, process, processes, true);
    const enum pawl_status_code status =
        pawl_measure_block(problem, &options->worker, 1, &plan, arena, &block, err);
    builder.late = pawl_budget_ended(status);
    if (builder.late) break;
    if (status != PAWL_OK) return status;
    const bool counts = pawl_result_builder_add(&builder, &block, 0);
    if (block.arms[0].outcome != PAWL_OUTCOME_OK) break;
    if (!counts) {
      again++;
      if (is_hopeless(&builder, processes, process))
        process += pawl_result_builder_take_held_up(&builder, processes - process, &taken);
      continue;
    }
    taken += samples;
    process++;
  }
  return pawl_result_builder_finish(&builder, out, err);
}
