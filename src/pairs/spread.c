/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "pairs/bench.h"
#include "project/operators.h"
#include "project/project.h"

#define NAME "spread"
#define LEAST_BLOCKS 8 /* fewer blocks give no useful standard deviation */
#define SAMPLES 20     /* for each arm in a block */

/* with cold calls of a large cache the time allows only two blocks */
static const char suite[] =
    "version: 1\n"
    "kernels: {" NAME
    ": {operator: attention, device: cpu, sources: [sdpa_cpu.c]}}\n"
    "cases: {" NAME
    ": {operator: attention, B: 1, H: 2, S: 128, D: 64, dtype: f32}}\n"
    "measure: {cache: warm}\n"
    "gate: {busy: count}\n"; /* load is part of the answer */

static pawl_status write_suite(const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_TRY(
      pawl_copy_file(pawl_arena_printf(&arena, "%s/share/pawl/kernels/attention/sdpa_cpu.c", home),
                     pawl_arena_printf(&arena, "%s/sdpa_cpu.c", folder), err));
  return pawl_file_write(pawl_arena_printf(&arena, "%s/pawl.yaml", folder), suite, strlen(suite),
                         err);
}

static pawl_status spread_take_blocks(struct pawl_project *project, double seconds,
                                      struct pawl_paired_test *out, struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  struct pawl_paired_bench_outcome outcome;
  PAWL_TRY(pawl_project_ready(project, &project->suite.kernels[0], &kernel, err));
  if (kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", kernel.reason);
  PAWL_TRY(pawl_project_oracle(project, kernel.spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, NULL, NULL, &project->arena, &cases,
                               &count, err));
  const struct pawl_paired_bench_request request = {
      .silent = true,
      .base = &kernel,
      .candidate = &kernel,
      .oracle = oracle,
      .config = &cases[0],
      .comparisons = 1,
      .seed = PAWL_DEFAULT_SEED,
      .input_seed = PAWL_DEFAULT_SEED,
      .injected = true,
      .samples = SAMPLES,
      .deadline_ns = pawl_clock_ns() + (int64_t)(seconds * 1e9)};
  PAWL_TRY(pawl_paired_bench(project, &request, 1, out, &outcome, err));
  if (outcome.base != PAWL_OUTCOME_OK || outcome.candidate != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", outcome.reason);
  return PAWL_OK;
}

/* Blocks have figures even if the test has no answer in the time. */
static pawl_status look(const struct pawl_paired_test *paired, struct pawl_spread *out,
                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_sequential_release) struct pawl_sequential test = {0};
  const size_t spoiled = paired->block_count - paired->counted;
  if (paired->counted < LEAST_BLOCKS || !(paired->block_sd > 0))
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "too few blocks in the time: %zu, and %zu that do not count", paired->counted,
                     spoiled);
  PAWL_TRY(pawl_sequential_init(&test, &paired->policy, err));
  *out = (struct pawl_spread){
      .counted = paired->counted,
      .spoiled = spoiled,
      .block_sd = paired->block_sd,
      .detectable = pawl_sequential_detectable(&test, paired->block_sd, PAWL_PAIRED_POWER),
      .detect = paired->policy.detect};
  return PAWL_OK;
}

static pawl_status measure(const char *folder, double seconds, struct pawl_log *log,
                           struct pawl_spread *out, struct pawl_error *err) {
  const struct pawl_project_options options = {.folder = folder, .suite = "pawl.yaml", .log = log};
  struct pawl_project project;
  struct pawl_paired_test paired;
  PAWL_TRY(write_suite(folder, err));
  enum pawl_status_code status = pawl_project_open(&project, &options, err);
  if (status == PAWL_OK) status = spread_take_blocks(&project, seconds, &paired, err);
  if (status == PAWL_OK) status = look(&paired, out, err);
  pawl_project_close(&project);
  return status;
}

pawl_status pawl_spread_measure(double seconds, struct pawl_log *log, struct pawl_spread *out,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text folder = {0};
  struct pawl_error ignored;
  const char *place = getenv("TMPDIR");
  pawl_text_printf(&folder, "%s/pawl-spread-XXXXXX", place && *place ? place : "/tmp");
  if (!mkdtemp(folder.data))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", folder.data);
  const enum pawl_status_code status = measure(folder.data, seconds, log, out, err);
  (void)!pawl_remove_tree(folder.data, &ignored);
  return status;
}
