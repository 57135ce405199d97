/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/spread.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "pairs/bench.h"
#include "project/operators.h"
#include "project/project.h"
#include "stats/sign_test.h"

#define NAME "spread"
#define LEAST_BLOCKS 8 /* fewer blocks give no useful standard deviation */
#define MOST_BLOCKS 24 /* enough, and a quiet machine takes them in two seconds */
#define SAMPLES 20     /* for each arm in a block */

/* Calls of about 10 us, 200 us and 5 ms. With cold calls of a large cache the time allows only two
 * blocks. Load is part of the answer. */
static const char suite[] =
    "version: 1\n"
    "kernels: {" NAME
    ": {operator: attention, device: cpu, sources: [sdpa_cpu.c]}}\n"
    "cases:\n"
    "  short: {operator: attention, B: 1, H: 1, S: 16, D: 64, dtype: f32}\n"
    "  middle: {operator: attention, B: 1, H: 1, S: 64, D: 64, dtype: f32}\n"
    "  long: {operator: attention, B: 1, H: 1, S: 320, D: 64, dtype: f32}\n"
    "measure: {cache: warm, threads: 1}\n"
    "gate: {busy: count}\n";

static pawl_status write_suite(const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_TRY(
      pawl_copy_file(pawl_arena_printf(&arena, "%s/share/pawl/kernels/attention/sdpa_cpu.c", home),
                     pawl_arena_printf(&arena, "%s/sdpa_cpu.c", folder), err));
  return pawl_file_write(pawl_arena_printf(&arena, "%s/pawl.yaml", folder), suite, strlen(suite),
                         err);
}

/* Returns the least slow-down that blocks of this noise show in the time; NaN: none. */
static double detectable_in(const struct pawl_spread *spread, double seconds) {
  PAWL_CLEANUP(pawl_sequential_release) struct pawl_sequential test = {0};
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_error ignored;
  policy.comparisons = 1;
  policy.max_blocks = (int)fmin(seconds / spread->block_seconds, PAWL_SIGN_MAX_BLOCKS);
  if (policy.max_blocks < 1 || pawl_sequential_init(&test, &policy, &ignored) != PAWL_OK)
    return NAN;
  return pawl_sequential_detectable(&test, spread->block_sd, PAWL_PAIRED_POWER);
}

/* Blocks have figures even if the test has no answer in the time. */
static pawl_status look(const struct pawl_paired_test *paired, double seconds,
                        struct pawl_spread *out, struct pawl_error *err) {
  const size_t spoiled = paired->block_count - paired->counted;
  if (paired->counted < LEAST_BLOCKS || !(paired->block_sd > 0))
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "too few blocks in the time: %zu, and %zu that do not count", paired->counted,
                     spoiled);
  struct pawl_comparison figures = {.baseline_ms = NAN};
  pawl_paired_test_figures(paired, &figures);
  struct pawl_spread spread = {.counted = paired->counted,
                               .spoiled = spoiled,
                               .block_sd = paired->block_sd,
                               .call_ms = figures.baseline_ms,
                               .block_seconds = seconds / (double)paired->block_count,
                               .detect = paired->policy.detect};
  spread.detectable[0] = detectable_in(&spread, PAWL_SPREAD_SHORT);
  spread.detectable[1] = detectable_in(&spread, PAWL_SPREAD_LONG);
  *out = spread;
  return PAWL_OK;
}

static pawl_status measure_case(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel, struct pawl_oracle *oracle,
                                const struct pawl_case *config, double seconds,
                                struct pawl_spread *out, struct pawl_error *err) {
  struct pawl_paired_test paired;
  struct pawl_paired_bench_outcome outcome;
  const int64_t begin = pawl_clock_ns();
  const struct pawl_paired_bench_request request = {
      .silent = true,
      .base = kernel,
      .candidate = kernel,
      .oracle = oracle,
      .config = config,
      .comparisons = 1,
      .seed = PAWL_DEFAULT_SEED,
      .input_seed = PAWL_DEFAULT_SEED,
      .injected = true,
      .samples = SAMPLES,
      .max_blocks = MOST_BLOCKS,
      .deadline_ns = begin + (int64_t)(seconds * 1e9)};
  PAWL_TRY(pawl_paired_bench(project, &request, 1, &paired, &outcome, err));
  if (outcome.base != PAWL_OUTCOME_OK || outcome.candidate != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", outcome.reason);
  return look(&paired, pawl_seconds_since(begin), out, err);
}

static pawl_status spread_take_blocks(struct pawl_project *project, double seconds,
                                      struct pawl_spread *out, struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_ready(project, &project->suite.kernels[0], &kernel, err));
  if (kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", kernel.reason);
  PAWL_TRY(pawl_project_oracle(project, kernel.spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, NULL, NULL, &project->arena, &cases,
                               &count, err));
  PAWL_ASSERT(count == PAWL_SPREAD_LENGTHS);
  for (size_t i = 0; i < count; i++)
    PAWL_TRY(measure_case(project, &kernel, oracle, &cases[i], seconds / PAWL_SPREAD_LENGTHS,
                          &out[i], err));
  return PAWL_OK;
}

static pawl_status measure(const char *folder, double seconds, struct pawl_log *log,
                           struct pawl_spread *out, struct pawl_error *err) {
  const struct pawl_project_options options = {.folder = folder, .suite = "pawl.yaml", .log = log};
  struct pawl_project project;
  PAWL_TRY(write_suite(folder, err));
  enum pawl_status_code status = pawl_project_open(&project, &options, err);
  if (status == PAWL_OK) status = spread_take_blocks(&project, seconds, out, err);
  pawl_project_close(&project);
  return status;
}

pawl_status pawl_spread_measure(double seconds, struct pawl_log *log,
                                struct pawl_spread out[PAWL_SPREAD_LENGTHS],
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_error ignored;
  const char *folder;
  if (!pawl_make_temporary("spread", &arena, &folder))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", folder);
  const enum pawl_status_code status = measure(folder, seconds, log, out, err);
  (void)!pawl_remove_tree(folder, &ignored);
  return status;
}
