/* SPDX-License-Identifier: Apache-2.0 */
#include "project/canary_kernel.h"

#include <math.h>
#include <string.h>

#include "measure/bench.h"
#include "project/kernels.h"
#include "project/operators.h"

#define OPERATOR "attention"
#define GPU_TOLERANCE 0.02
#define CPU_TOLERANCE 0.1 /* a CPU's clock follows its load */

static bool has_own_operator(const struct pawl_project *project) {
  return pawl_suite_operator(&project->suite, OPERATOR) != NULL;
}

static struct pawl_kernel_spec make_spec(struct pawl_project *project, int32_t device) {
  const char *file = device == PAWL_CUDA ? "sdpa_cuda.cu" : "sdpa_cpu.c";
  struct pawl_kernel_spec spec = {
      .name = device == PAWL_CUDA ? "pawl.canary_cuda" : "pawl.canary_cpu",
      .operator_name = OPERATOR,
      .device = device,
      .kind = PAWL_FROM_SOURCES,
      .optional = true};
  pawl_strings_add(&spec.sources, &project->arena,
                   pawl_arena_printf(&project->arena, "%s/share/pawl/kernels/" OPERATOR "/%s",
                                     project->paths.home, file));
  return spec;
}

void pawl_canary_build_begin(struct pawl_project *project, int32_t device,
                             struct pawl_build_thread *out) {
  if (has_own_operator(project)) return;
  const struct pawl_kernel_spec spec = make_spec(project, device);
  const struct pawl_build_options options =
      pawl_project_build_options(project, device == PAWL_CUDA);
  pawl_build_thread_begin(&spec, &options, out);
}

static pawl_status make_case(struct pawl_project *project, int32_t device,
                             const struct pawl_oracle *oracle, struct pawl_case *out,
                             struct pawl_error *err) {
  struct pawl_case config = {.name = "canary", .operator_name = OPERATOR};
  PAWL_TRY(pawl_case_set(
      &config,
      device == PAWL_CUDA ? "B=1,H=8,S=512,D=64,dtype=f16" : "B=1,H=2,S=128,D=64,dtype=f32",
      &project->arena, err));
  return pawl_case_resolve(&config, &oracle->info, &project->arena, out, err);
}

static pawl_status time_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                               double *ms, struct pawl_error *err) {
  struct pawl_oracle *oracle;
  struct pawl_case config;
  struct pawl_tolerance tolerance;
  PAWL_TRY(pawl_project_oracle(project, OPERATOR, &oracle, err));
  PAWL_TRY(make_case(project, kernel->spec->device, oracle, &config, err));
  PAWL_TRY(pawl_oracle_tolerance(oracle, config.dtype, NULL, &tolerance, err));
  struct pawl_measure_spec spec = project->suite.measure;
  spec.warmup = 3;
  spec.samples = 30;
  spec.processes = 3;
  const struct pawl_bench_options options = {
      .worker = &kernel->worker,
      .spec = &spec,
      .tolerance = &tolerance,
      .device = pawl_devices_find(&project->devices, kernel->spec->device, NULL),
      .threads = 1,
      .seed = PAWL_DEFAULT_SEED,
  };
  struct pawl_problem problem = {0};
  struct pawl_result result;
  enum pawl_status_code status =
      pawl_problem_init(&problem, oracle, &config, PAWL_MEASURE_SETS, err);
  if (status == PAWL_OK) status = pawl_bench(&problem, &options, &project->arena, &result, err);
  pawl_problem_release(&problem);
  if (status != PAWL_OK) return status;
  json_decref(result.environment);
  json_decref(result.gpu_state);
  if (result.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "it fails: %s", result.reason);
  *ms = result.performance.median_ms;
  return PAWL_OK;
}

static pawl_status measure(struct pawl_project *project, int32_t device, struct pawl_canary *out,
                           struct pawl_error *err) {
  if (has_own_operator(project))
    return pawl_fail(err, PAWL_UNAVAILABLE, "the suite has its own operator '" OPERATOR "'");
  struct pawl_kernel_spec *spec = pawl_arena_alloc(&project->arena, 1, sizeof *spec);
  *spec = make_spec(project, device);
  struct pawl_ready_kernel kernel;
  PAWL_TRY(pawl_project_ready(project, spec, &kernel, err));
  if (kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", kernel.reason);
  if (!kernel.build.code_hash)
    return pawl_fail(err, PAWL_UNAVAILABLE, "the hash of its machine code is unknown");
  struct pawl_canary canary = {.code_hash = kernel.build.code_hash};
  PAWL_TRY(time_kernel(project, &kernel, &canary.median_ms, err));
  *out = canary;
  return PAWL_OK;
}

pawl_status pawl_canary_measure(struct pawl_project *project, int32_t device,
                                struct pawl_canary *out, struct pawl_error *err) {
  pawl_log_progress(project->options.log, "timing the canary");
  const enum pawl_status_code status = measure(project, device, out, err);
  pawl_log_progress(project->options.log, "%s", "");
  return status == PAWL_OK ? PAWL_OK : pawl_prefix(err, "cannot time the canary");
}

bool pawl_canary_agrees(int32_t device, const struct pawl_canary *then,
                        const struct pawl_canary *now) {
  const double tolerance = device == PAWL_CUDA ? GPU_TOLERANCE : CPU_TOLERANCE;
  return !strcmp(then->code_hash, now->code_hash) &&
         fabs(now->median_ms / then->median_ms - 1) <= tolerance;
}
