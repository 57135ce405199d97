/* SPDX-License-Identifier: Apache-2.0 */
/* The single steps that commands and the whole run share: check, bench. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/parallel.h"
#include "device/backends.h"
#include "loop/run.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "model/dtype.h"

#define PARKED_SHARE 0.25 /* of the GPU's memory */

bool pawl_loop_is_absent(struct pawl_project *project, struct pawl_ready_kernel *kernel, enum pawl_status_code status,
                         const struct pawl_error *err) {
  if (status != PAWL_UNAVAILABLE || !kernel->spec->optional) return false;
  kernel->outcome = PAWL_OUTCOME_ABSENT;
  kernel->reason = pawl_arena_copy(&project->arena, err->message);
  return true;
}

static pawl_status check_options(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                 const char *only_case, uint64_t seed, struct pawl_check_options *out,
                                 struct pawl_error *err) {
  struct pawl_oracle *oracle;
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_cases(project, oracle, only_case, NULL, &cases, &count, err));
  *out = (struct pawl_check_options){.worker = &kernel->worker,
                                     .oracle = oracle,
                                     .spec = only_case ? NULL : pawl_suite_check(&project->suite, oracle->info.name),
                                     .cases = cases,
                                     .case_count = count,
                                     .seed = seed,
                                     .threads = pawl_project_threads(project),
                                     .log = project->options.log};
  return PAWL_OK;
}

pawl_status pawl_loop_check(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                            const struct pawl_check_selection *selection, struct pawl_check_report *out,
                            struct pawl_error *err) {
  struct pawl_check_options options;
  PAWL_TRY(check_options(project, kernel, selection->only_case, selection->seed, &options, err));
  options.reduced = selection->reduced;
  options.shard = selection->shard;
  options.shards = selection->shards;
  return pawl_check_kernel(&options, &project->arena, out, err);
}

pawl_status pawl_loop_sanitize(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                               const char *only_case, uint64_t seed, const char *tool,
                               struct pawl_sanitizer_report *out, struct pawl_error *err) {
  struct pawl_check_options options;
  PAWL_TRY(check_options(project, kernel, only_case, seed, &options, err));
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(project->cache_folder, "sanitizer");
  PAWL_TRY(pawl_make_folders(folder, err));
  const char *log = pawl_arena_printf(&project->arena, "%s/%s-%s.txt", folder, kernel->spec->name, tool);
  return pawl_sanitize(&options, tool, log, &project->arena, out, err);
}

void pawl_loop_results_init(struct pawl_project *project, struct pawl_results *results) {
  char now[20];
  pawl_format_time(pawl_wall_clock(), now);
  *results = (struct pawl_results){.commit = project->git.commit,
                                   .dirty = project->git.dirty,
                                   .timestamp = pawl_arena_copy(&project->arena, now),
                                   .document = json_array()};
  const struct pawl_device *device = pawl_project_device(project, PAWL_CUDA, NULL);
  if (!device) device = pawl_project_device(project, PAWL_CPU, NULL);
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

/* The larger, where -1 is unknown. */
static long long most(long long a, long long b) {
  return a > b ? a : b;
}

void pawl_loop_static_code(const struct pawl_build_result *build, struct pawl_code *code) {
  if (build->function_count) code->spill_bytes = code->code_bytes = 0;
  if (build->function_count) code->arch = build->cuda_arch;
  for (size_t i = 0; i < build->function_count; i++) {
    const struct pawl_device_function *function = &build->functions[i];
    const double occupancy = pawl_device_function_occupancy(function);
    code->registers = most(code->registers, function->registers);
    code->stack_bytes = most(code->stack_bytes, function->stack_bytes);
    code->shared_bytes = most(code->shared_bytes, function->shared_bytes);
    code->code_bytes += function->code_bytes;
    code->spill_bytes += most(function->spill_bytes, 0);
    if (!(code->occupancy_pct <= occupancy)) code->occupancy_pct = occupancy;
  }
}

void pawl_loop_choose_arch(struct pawl_project *project, const struct pawl_baseline *baseline) {
  for (size_t i = 0; i < baseline->count && !project->cuda_arch; i++) {
    const struct pawl_code *code = &baseline->entries[i].code;
    if (code->registers >= 0) project->cuda_arch = pawl_arena_copy(&project->arena, code->arch);
  }
}

static void describe_functions(const struct pawl_build_result *build, json_t *environment) {
  json_t *functions = build->function_count ? json_object() : NULL;
  for (size_t i = 0; i < build->function_count; i++) {
    const struct pawl_device_function *f = &build->functions[i];
    json_t *row = json_object();
    pawl_json_set_int(row, "arch", f->arch);
    if (f->registers >= 0) pawl_json_set_int(row, "registers", f->registers);
    if (f->stack_bytes >= 0) pawl_json_set_int(row, "stack_bytes", f->stack_bytes);
    if (f->spill_bytes >= 0) pawl_json_set_int(row, "spill_bytes", f->spill_bytes);
    if (f->max_threads >= 0) pawl_json_set_int(row, "max_threads", f->max_threads);
    pawl_json_set_int(row, "shared_bytes", f->shared_bytes);
    pawl_json_set_int(row, "code_bytes", f->code_bytes);
    pawl_json_set_number(row, "occupancy_pct", pawl_device_function_occupancy(f));
    pawl_json_set(functions, f->name, row);
  }
  if (functions) pawl_json_set(environment, "device_functions", functions);
}

static void describe_code(const struct pawl_ready_kernel *kernel, struct pawl_result *row) {
  row->code.hash = kernel->build.code_hash;
  pawl_loop_static_code(&kernel->build, &row->code);
  if (row->environment) describe_functions(&kernel->build, row->environment);
  for (size_t i = 0; row->environment && i < kernel->spec->param_count; i++) {
    json_t *params = json_object_get(row->environment, "params");
    if (!params) pawl_json_set(row->environment, "params", params = json_object());
    pawl_json_set_string(params, kernel->spec->params[i].name, kernel->spec->params[i].value);
  }
  if (row->environment) pawl_json_set_string(row->environment, "toolchain", kernel->build.toolchain);
}

/* A row for a kernel that never ran. */
static void add_unready(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        const struct pawl_case *item, struct pawl_results *results) {
  struct pawl_result *row = append(project, results);
  row->kernel_name = kernel->spec->name;
  row->config = *item;
  row->outcome = kernel->outcome;
  row->reason = kernel->reason;
  row->device = pawl_device_kind_name(kernel->spec->device);
  row->timestamp = results->timestamp;
  describe_code(kernel, row);
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
                              struct pawl_oracle *oracle, const struct pawl_case *item,
                              const struct pawl_measure_spec *spec, struct pawl_block_processes *processes,
                              struct pawl_results *results, struct pawl_error *err) {
  struct pawl_tolerance tolerance;
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  PAWL_TRY(pawl_oracle_tolerance(oracle, item->dtype, check, &tolerance, err));
  const struct pawl_device *device = pawl_project_device(project, kernel->spec->device, NULL);
  const struct pawl_device_backend *backend = pawl_device_backend(kernel->spec->device);
  struct pawl_device_limits limits;
  PAWL_TRY(find_limits(project, backend, device, item->dtype, &limits, err));
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
  enum pawl_status_code status = pawl_problem_init(&problem, oracle, item, PAWL_MEASURE_SETS, err);
  if (status == PAWL_OK && may_park(device, &problem, spec)) options.processes = processes;
  if (status == PAWL_OK) status = pawl_bench(&problem, &options, &project->arena, &measured, err);
  pawl_problem_release(&problem);
  if (status != PAWL_OK) return pawl_prefix(err, "kernel '%s', case '%s'", kernel->spec->name, item->name);
  struct pawl_result *row = append(project, results);
  *row = measured;
  row->config = *item;
  keep_alive(results, row->environment);
  keep_alive(results, row->gpu_state);
  describe_code(kernel, row);
  if (row->outcome == PAWL_OUTCOME_CRASHED && pawl_loop_gpu_is_lost(project, kernel->spec)) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = project->gpu_lost;
  }
  if (project->clocks) pawl_json_set_string(row->environment, "clocks", project->clocks);
  return PAWL_OK;
}

/* One row: its case is the command itself. */
static pawl_status bench_command(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                 const struct pawl_measure_spec *spec, struct pawl_results *results,
                                 struct pawl_error *err) {
  struct pawl_problem problem = pawl_measure_command_problem();
  problem.item = pawl_project_command_case(project);
  if (kernel->outcome != PAWL_OUTCOME_OK) {
    add_unready(project, kernel, &problem.item, results);
    return PAWL_OK;
  }
  const struct pawl_bench_options options = {.worker = &kernel->worker,
                                             .spec = spec,
                                             .device = pawl_project_device(project, kernel->spec->device, NULL),
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

/* Whether the next piece of work is this shard's; *index counts what shards share. */
static bool is_ours(const struct pawl_bench_selection *selection, const struct pawl_kernel_spec *spec, int64_t *index) {
  if (selection->shards <= 0) return true;
  const bool apart = selection->cpu_apart && spec->device != PAWL_CUDA;
  if (apart) return selection->shard == selection->shards;
  const int sharing = selection->shards - selection->cpu_apart;
  return (*index)++ % sharing == selection->shard - 1;
}

/* Whether the selection leaves a command in. */
static bool wants_command(const struct pawl_project *project, const struct pawl_bench_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index) {
  const struct pawl_case item = pawl_project_command_case(project);
  if (selection->assignments || (selection->only_case && strcmp(selection->only_case, item.name) != 0)) return false;
  if (selection->skip && selection->skip(selection->context, spec->name, item.name)) return false;
  return is_ours(selection, spec, index);
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
                                 struct pawl_oracle *oracle, const struct pawl_case *item,
                                 const struct pawl_measure_spec *spec, struct pawl_block_processes *processes,
                                 struct pawl_results *results, struct pawl_error *err) {
  struct pawl_ready_kernel kernel = *ready;
  if (kernel.outcome == PAWL_OUTCOME_OK && !pawl_loop_leave_lost(project, &kernel)) {
    const enum pawl_status_code status = bench_case(project, &kernel, oracle, item, spec, processes, results, err);
    if (status == PAWL_OK) return PAWL_OK;
    const bool lost = status == PAWL_UNAVAILABLE && pawl_loop_gpu_is_lost(project, kernel.spec);
    if (!lost && !pawl_loop_is_absent(project, &kernel, status, err)) return status;
    pawl_loop_leave_lost(project, &kernel);
  }
  add_unready(project, &kernel, item, results);
  return PAWL_OK;
}

static void end_processes(struct pawl_block_processes *processes, int count) {
  for (int i = 0; i < count; i++) pawl_worker_dismiss(processes[i].workers[0]);
  for (int i = 0; i < count; i++) pawl_block_processes_release(&processes[i]);
  pawl_free(processes);
}

pawl_status pawl_loop_bench(struct pawl_project *project, const struct pawl_ready_kernel *kernels, size_t count,
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
      if (!is_ours(selection, kernel->spec, &index)) continue;
      status = bench_or_tell(project, kernel, oracle, &cases[j], &spec, processes, results, err);
    }
    end_processes(processes, spec.processes);
    if (status != PAWL_OK) return status;
  }
  return PAWL_OK;
}
