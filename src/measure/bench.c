/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/bench.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "measure/result_builder.h"
#include "oracle/gpu.h"

#define SAMPLES_PER_CHUNK 10 /* what one request takes, so that a hang is noticed in good time */

pawl_status pawl_measure_fill(struct pawl_problem *problem, uint64_t seed, bool expect, struct pawl_error *err) {
  const char *timed = problem->oracle->info.distributions[0].name;
  for (int set = 0; set < problem->set_count; set++) {
    const uint64_t set_seed = pawl_measure_set_seed(seed, set);
    PAWL_TRY(pawl_problem_fill(problem, set, timed, set_seed, err));
    if (expect) PAWL_TRY(pawl_problem_expect(problem, set, err)); /* now, while nothing is timed */
  }
  pawl_oracle_gpu_settle(problem->oracle);
  return PAWL_OK;
}

/* One that is to be used again must not take the next case for this one. In place of a throttled process comes a fresh
   one. */
static struct pawl_block_processes *find_process(const struct pawl_bench_options *options, int process, int throttled) {
  if (!options->processes || throttled) return NULL;
  options->processes[process].prepared[0] = NULL;
  return &options->processes[process];
}

pawl_status pawl_bench(struct pawl_problem *problem, const struct pawl_bench_options *options, struct pawl_arena *arena,
                       struct pawl_result *out, struct pawl_error *err) {
  const struct pawl_measure_spec *spec = options->spec;
  if (problem->oracle) PAWL_TRY(pawl_measure_fill(problem, options->seed, true, err));
  struct pawl_result_builder builder;
  pawl_result_builder_init(&builder, problem, options, arena);
  const bool command = !problem->oracle;
  const bool single = command && !options->worker->reader.read; /* every run is a fresh process and one sample */
  const int processes = single || spec->samples < spec->processes ? spec->samples : spec->processes;
  int taken = 0, throttled = 0;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  for (int process = 0; process < processes && throttled <= processes;) {
    const int samples = (int)((int64_t)spec->samples * (process + 1) / processes) - taken;
    const struct pawl_block_plan plan = {.warmup = !command                           ? spec->warmup
                                                   : process == 0 && spec->warmup > 0 ? 1
                                                                                      : 0,
                                         .samples = samples,
                                         .rounds = (samples + SAMPLES_PER_CHUNK - 1) / SAMPLES_PER_CHUNK,
                                         .cache = spec->cache,
                                         .flush_bytes = pawl_measure_flush_bytes(options->device),
                                         .threads = options->threads,
                                         .unseen_pairs = (PAWL_UNSEEN_PAIRS + processes - 1) / processes,
                                         .seed = options->seed + 1 + (uint64_t)(process + throttled),
                                         .verified = verified,
                                         .processes = find_process(options, process, throttled),
                                         .tolerance = options->tolerance,
                                         .device = options->device};
    pawl_log_progress(options->log, "timing %s on %s: process %d of %d", options->worker->name,
                      problem->config.name ? problem->config.name : "the case", process + 1, processes);
    struct pawl_block block;
    PAWL_TRY(pawl_measure_block(problem, &options->worker, 1, &plan, arena, &block, err));
    const bool counts = pawl_result_builder_add(&builder, &block);
    if (block.arms[0].outcome != PAWL_OUTCOME_OK) break;
    if (!counts) {
      throttled++;
      continue;
    }
    taken += samples;
    process++;
  }
  pawl_log_progress(options->log, "%s", "");
  return pawl_result_builder_finish(&builder, out, err);
}
