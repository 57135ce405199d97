/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/bench_kernels.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "device/backends.h"
#include "loop/operators.h"
#include "loop/static_code.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "model/dtype.h"

#define PARKED_SHARE 0.25 /* of the GPU's memory */

void pawl_project_results_init(struct pawl_project *project, struct pawl_results *results) {
  char now[20];
  pawl_format_time(pawl_wall_clock(), now);
  *results = (struct pawl_results){.commit = project->git.commit,
                                   .dirty = project->git.dirty,
                                   .timestamp = pawl_arena_copy(&project->arena, now),
                                   .document = json_array()};
  const struct pawl_device *device = pawl_devices_find(&project->devices, PAWL_CUDA, NULL);
  if (!device) device = pawl_devices_find(&project->devices, PAWL_CPU, NULL);
  if (!device) return;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  pawl_device_identity(device, &identity);
  results->hardware = pawl_arena_copy(&project->arena, pawl_text_string(&identity));
  results->hardware_name = device->name;
}

static struct pawl_result *append(struct pawl_project *project, struct pawl_results *results) {
  struct pawl_result *grown = pawl_arena_alloc(&project->arena, results->count + 1, sizeof *grown);
  if (results->count) memcpy(grown, results->items, results->count * sizeof *grown);
  results->items = grown;
  pawl_result_init(&grown[results->count]);
  return &grown[results->count++];
}

static void keep_alive(struct pawl_results *results, json_t *value) {
  if (value) PAWL_ASSERT(!json_array_append_new(results->document, value));
}

/* A row for a kernel that never ran. */
static void add_unready(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        const struct pawl_case *config, struct pawl_results *results) {
  struct pawl_result *row = append(project, results);
  row->kernel_name = kernel->spec->name;
  row->config = *config;
  row->outcome = kernel->outcome;
  row->reason = kernel->reason;
  row->device = pawl_device_kind_name(kernel->spec->device);
  row->timestamp = results->timestamp;
  pawl_describe_code(kernel, row);
}

/* The peaks of a device that pawl's table does not know are unknown, which keeps nobody from timing on it. */
static pawl_status find_limits(struct pawl_project *project, const struct pawl_device_backend *backend,
                               const struct pawl_device *device, int32_t dtype, struct pawl_device_limits *out,
                               struct pawl_error *err) {
  *out = (struct pawl_device_limits){.gflops = NAN, .bandwidth_gb_s = NAN};
  if (!backend->limits) return PAWL_OK;
  const enum pawl_status_code status = backend->limits(device, dtype, project->cache_folder, &project->arena, out, err);
  return status == PAWL_UNAVAILABLE ? PAWL_OK : status;
}

/* A process on a GPU takes a quarter of a second to start: those of one case serve the others too, and are parked in
   between, where all of them together leave most of the GPU's memory free. */
static bool may_park(const struct pawl_device *device, const struct pawl_problem *problem,
                     const struct pawl_measure_spec *spec) {
  if (!device || device->kind != PAWL_CUDA) return false;
  const double bytes = (double)(problem->end - problem->first) + (double)pawl_measure_flush_bytes(device);
  return bytes * spec->processes <= PARKED_SHARE * (double)device->memory_bytes;
}

static pawl_status bench_case(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                              struct pawl_oracle *oracle, const struct pawl_case *config,
                              const struct pawl_measure_spec *spec, struct pawl_block_processes *processes,
                              struct pawl_results *results, struct pawl_error *err) {
  struct pawl_tolerance tolerance;
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  PAWL_TRY(pawl_oracle_tolerance(oracle, config->dtype, check, &tolerance, err));
  const struct pawl_device *device = pawl_devices_find(&project->devices, kernel->spec->device, NULL);
  const struct pawl_device_backend *backend = pawl_device_backend(kernel->spec->device);
  struct pawl_device_limits limits;
  PAWL_TRY(find_limits(project, backend, device, config->dtype, &limits, err));
  struct pawl_bench_options options = {.worker = &kernel->worker,
                                       .spec = spec,
                                       .tolerance = &tolerance,
                                       .device = device,
                                       .limits = &limits,
                                       .threads = pawl_project_threads(project),
                                       .seed = PAWL_DEFAULT_SEED,
                                       .log = project->options.log};
  struct pawl_problem problem = {0};
  struct pawl_result measured;
  enum pawl_status_code status = pawl_problem_init(&problem, oracle, config, PAWL_MEASURE_SETS, err);
  if (status == PAWL_OK && may_park(device, &problem, spec)) options.processes = processes;
  if (status == PAWL_OK) status = pawl_bench(&problem, &options, &project->arena, &measured, err);
  pawl_problem_release(&problem);
  if (status != PAWL_OK) return pawl_prefix(err, "kernel '%s', case '%s'", kernel->spec->name, config->name);
  struct pawl_result *row = append(project, results);
  *row = measured;
  row->config = *config;
  keep_alive(results, row->environment);
  keep_alive(results, row->gpu_state);
  pawl_describe_code(kernel, row);
  if (row->outcome == PAWL_OUTCOME_CRASHED && pawl_devices_lost(&project->devices, kernel->spec->device)) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = project->devices.gpu_lost;
  }
  if (project->devices.clocks) pawl_json_set_string(row->environment, "clocks", project->devices.clocks);
  return PAWL_OK;
}

/* One row: its case is the command itself. */
static pawl_status bench_command(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                 const struct pawl_measure_spec *spec, struct pawl_results *results,
                                 struct pawl_error *err) {
  struct pawl_problem problem = pawl_measure_command_problem();
  problem.config = pawl_command_case(&project->suite);
  if (kernel->outcome != PAWL_OUTCOME_OK) {
    add_unready(project, kernel, &problem.config, results);
    return PAWL_OK;
  }
  const struct pawl_bench_options options = {.worker = &kernel->worker,
                                             .spec = spec,
                                             .device = pawl_devices_find(&project->devices, kernel->spec->device, NULL),
                                             .seed = PAWL_DEFAULT_SEED,
                                             .log = project->options.log};
  struct pawl_result measured;
  if (pawl_bench(&problem, &options, &project->arena, &measured, err) != PAWL_OK)
    return pawl_prefix(err, "command '%s'", kernel->spec->name);
  struct pawl_result *row = append(project, results);
  *row = measured;
  keep_alive(results, row->environment);
  keep_alive(results, row->gpu_state);
  return PAWL_OK;
}

/* Whether the selection leaves a command in. */
static bool wants_command(const struct pawl_project *project, const struct pawl_bench_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index) {
  const struct pawl_case config = pawl_command_case(&project->suite);
  if (selection->assignments || (selection->only_case && strcmp(selection->only_case, config.name) != 0)) return false;
  if (selection->skip && selection->skip(selection->context, spec->name, config.name)) return false;
  return pawl_shard_takes(&selection->shard, spec, index);
}

static struct pawl_measure_spec measure_spec(const struct pawl_project *project,
                                             const struct pawl_bench_selection *selection) {
  struct pawl_measure_spec spec = project->suite.measure;
  if (selection->samples > 0) spec.samples = selection->samples;
  if (selection->warmup >= 0) spec.warmup = selection->warmup;
  return spec;
}

/* A row of the kernel on the case, whatever becomes of it. */
static pawl_status bench_or_tell(struct pawl_project *project, const struct pawl_ready_kernel *ready,
                                 struct pawl_oracle *oracle, const struct pawl_case *config,
                                 const struct pawl_measure_spec *spec, struct pawl_block_processes *processes,
                                 struct pawl_results *results, struct pawl_error *err) {
  struct pawl_ready_kernel kernel = *ready;
  if (kernel.outcome == PAWL_OUTCOME_OK && !pawl_kernel_is_lost(&kernel, &project->devices)) {
    const enum pawl_status_code status = bench_case(project, &kernel, oracle, config, spec, processes, results, err);
    if (status == PAWL_OK) return PAWL_OK;
    const bool lost = status == PAWL_UNAVAILABLE && pawl_devices_lost(&project->devices, kernel.spec->device);
    if (!lost && !pawl_kernel_is_absent(&kernel, status, err, &project->arena)) return status;
    pawl_kernel_is_lost(&kernel, &project->devices);
  }
  add_unready(project, &kernel, config, results);
  return PAWL_OK;
}

static void end_processes(struct pawl_block_processes *processes, int count) {
  for (int i = 0; i < count; i++) pawl_worker_dismiss(processes[i].workers[0]);
  for (int i = 0; i < count; i++) pawl_block_processes_release(&processes[i]);
  pawl_free(processes);
}

pawl_status pawl_bench_kernels(struct pawl_project *project, const struct pawl_ready_kernel *kernels, size_t count,
                               const struct pawl_bench_selection *selection, struct pawl_results *results,
                               struct pawl_error *err) {
  const struct pawl_measure_spec spec = measure_spec(project, selection);
  int64_t index = 0;
  pawl_project_lock_clocks(project);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_ready_kernel *kernel = &kernels[i];
    if (!kernel->spec->operator_name) {
      if (wants_command(project, selection, kernel->spec, &index))
        PAWL_TRY(bench_command(project, kernel, &spec, results, err));
      continue;
    }
    struct pawl_oracle *oracle;
    PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
    struct pawl_case *cases;
    size_t case_count;
    PAWL_TRY(
        pawl_project_cases(project, oracle, selection->only_case, selection->assignments, &cases, &case_count, err));
    struct pawl_block_processes *processes = pawl_alloc((size_t)spec.processes, sizeof *processes);
    enum pawl_status_code status = PAWL_OK;
    for (size_t j = 0; j < case_count && status == PAWL_OK; j++) {
      if (selection->skip && selection->skip(selection->context, kernel->spec->name, cases[j].name)) continue;
      if (!pawl_shard_takes(&selection->shard, kernel->spec, &index)) continue;
      status = bench_or_tell(project, kernel, oracle, &cases[j], &spec, processes, results, err);
    }
    end_processes(processes, spec.processes);
    if (status != PAWL_OK) return status;
  }
  return PAWL_OK;
}

pawl_status pawl_bench_named(struct pawl_project *project, char *const *names, int count,
                             const struct pawl_bench_selection *selection, struct pawl_results *results,
                             struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  struct pawl_ready_kernel *kernels = pawl_arena_alloc(&project->arena, spec_count, sizeof *kernels);
  for (size_t i = 0; i < spec_count; i++) {
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernels[i], err));
    if (kernels[i].diagnostics) pawl_log_info(project->options.log, "%s", kernels[i].diagnostics);
  }
  return pawl_bench_kernels(project, kernels, spec_count, selection, results, err);
}
