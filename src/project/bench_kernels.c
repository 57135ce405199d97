/* SPDX-License-Identifier: Apache-2.0 */
#include "project/bench_kernels.h"

#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/progress.h"
#include "base/text.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "measure/harness.h"
#include "project/bench_row.h"
#include "project/operators.h"

struct bench_batch {
  struct pawl_measure_spec spec;
  size_t first;      /* index in the results of the batch's first row */
  size_t done, rows; /* progress in cases and commands; a command's file can give many results */
  size_t later;      /* the rows of other steps */
};

#define PARKED_SHARE 0.25 /* share of the GPU's memory */

void pawl_results_begin(const struct pawl_git *git, struct pawl_devices *devices,
                        struct pawl_results *results) {
  char now[20];
  pawl_format_time(pawl_wall_clock(), now);
  *results = (struct pawl_results){.commit = git->commit,
                                   .dirty = git->dirty,
                                   .timestamp = pawl_arena_copy(devices->arena, now),
                                   .document = json_array()};
  const struct pawl_device *device = pawl_devices_find(devices, PAWL_CUDA, NULL);
  if (!device) device = pawl_devices_find(devices, PAWL_CPU, NULL);
  if (!device) return;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  pawl_device_identity(device, &identity);
  results->hardware = pawl_arena_copy(devices->arena, pawl_text_string(&identity));
  results->hardware_name = device->name;
}

/* A GPU process takes a quarter of a second to start, so the processes of one case serve the next
   cases too. Between cases they are parked, if all of them leave most of the GPU's memory free. */
static bool may_park(const struct pawl_device *device, const struct pawl_problem *problem,
                     const struct pawl_measure_spec *spec) {
  if (!device || device->kind != PAWL_CUDA) return false;
  const double bytes =
      (double)(problem->end - problem->first) + (double)pawl_measure_flush_bytes(device);
  return bytes * spec->processes <= PARKED_SHARE * (double)device->memory_bytes;
}

static pawl_status bench_case(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                              struct pawl_oracle *oracle, const struct pawl_case *config,
                              const struct bench_batch *batch,
                              struct pawl_block_processes *processes, struct pawl_results *results,
                              struct pawl_error *err) {
  struct pawl_bench_row row;
  PAWL_TRY(pawl_bench_row_begin(project, kernel, oracle, config, &batch->spec, &row, err));
  row.options.row = batch->done;
  row.options.rows = batch->rows;
  row.options.later = batch->later;
  struct pawl_problem problem = {0};
  struct pawl_result measured;
  enum pawl_status_code status =
      pawl_problem_init(&problem, oracle, config, PAWL_MEASURE_SETS, err);
  if (status == PAWL_OK && may_park(row.options.device, &problem, &batch->spec))
    row.options.processes = processes;
  if (status == PAWL_OK)
    status = pawl_bench(&problem, &row.options, &project->arena, &measured, err);
  pawl_problem_release(&problem);
  if (status != PAWL_OK)
    return pawl_prefix(err, "kernel '%s', case '%s'", kernel->spec->name, config->name);
  const struct pawl_result *added = pawl_bench_row_add(project, kernel, config, &measured, results);
  if (pawl_outcome_fails(added->outcome))
    pawl_bench_row_say(project->options.log, kernel->spec->name, config, added->outcome,
                       added->reason);
  return PAWL_OK;
}

/* Returns whether the selection keeps the benchmark. */
static bool wants_benchmark(const struct pawl_bench_selection *selection,
                            const struct pawl_kernel_spec *spec, const char *name) {
  if (selection->only_case && strcmp(selection->only_case, name) != 0) return false;
  return pawl_kernel_selects(spec, name) &&
         !(selection->skip && selection->skip(selection->context, spec->name, name));
}

/* A pattern without a match is a misspelling, or its benchmarks are gone. */
static void warn_of_patterns(struct pawl_log *log, const struct pawl_kernel_spec *spec,
                             const struct pawl_harness_results *measured) {
  for (size_t i = 0; i < spec->select.count; i++) {
    bool found = false;
    for (size_t j = 0; j < measured->count && !found; j++)
      found = pawl_pattern_matches(spec->select.items[i], measured->items[j].config.name);
    if (!found)
      pawl_log_warning(log, "'%s' in 'select' of kernel '%s' matches no benchmark of its file",
                       spec->select.items[i], spec->name);
  }
}

/* If a command fails, a benchmark that its file lacks has failed, perhaps the wanted one. */
static void name_failure(const struct pawl_bench_selection *selection, const char *unnamed,
                         struct pawl_harness_results *measured) {
  struct pawl_result *last = &measured->items[measured->count - 1];
  if (!selection->only_case || measured->count == 1 || strcmp(last->config.name, unnamed) != 0)
    return;
  for (size_t i = 0; i < measured->count; i++)
    if (!strcmp(measured->items[i].config.name, selection->only_case)) return;
  if (pawl_outcome_fails(last->outcome)) last->config.name = selection->only_case;
}

/* Adds a row for each benchmark that the selection keeps. A failed run always keeps its one row. */
static pawl_status bench_harness(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernel,
                                 const struct pawl_bench_selection *selection,
                                 const struct pawl_bench_options *options,
                                 const struct pawl_case *unnamed, struct pawl_results *results,
                                 struct pawl_error *err) {
  struct pawl_harness_results measured;
  struct pawl_ready_kernel failed = *kernel;
  bool any = false;
  PAWL_TRY(pawl_bench_harness(options, unnamed->name, &project->arena, &measured, err));
  if (measured.note)
    pawl_log_warning(project->options.log, "kernel '%s': %s", kernel->spec->name, measured.note);
  name_failure(selection, unnamed->name, &measured);
  for (size_t i = 0; i < measured.count; i++) {
    const struct pawl_result *row = &measured.items[i];
    const bool whole =
        measured.count == 1 || (!selection->only_case && !strcmp(row->config.name, unnamed->name));
    const bool stopped = whole && pawl_outcome_fails(row->outcome);
    any = any || stopped || pawl_kernel_selects(kernel->spec, row->config.name);
    if (stopped || wants_benchmark(selection, kernel->spec, row->config.name)) {
      pawl_bench_row_add_command(project, kernel, row, results);
    } else {
      json_decref(row->environment);
      json_decref(row->gpu_state);
    }
  }
  if (any) {
    warn_of_patterns(project->options.log, kernel->spec, &measured);
    return PAWL_OK;
  }
  failed.outcome = PAWL_OUTCOME_NO_TIMES;
  failed.reason =
      pawl_arena_printf(&project->arena,
                        "kernel '%s' has no benchmark that its 'select' matches; its file "
                        "has %zu, and the first is '%s'",
                        kernel->spec->name, measured.count, measured.items[0].config.name);
  pawl_bench_row_add_unready(project, &failed, unnamed, results);
  return PAWL_OK;
}

/* Adds one row whose case is the command itself, or the rows of a harness. */
static pawl_status bench_command(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernel,
                                 const struct pawl_bench_selection *selection,
                                 const struct bench_batch *batch, struct pawl_results *results,
                                 struct pawl_error *err) {
  struct pawl_problem problem = pawl_measure_command_problem();
  problem.config = pawl_command_case(&project->suite);
  if (kernel->outcome != PAWL_OUTCOME_OK) {
    pawl_bench_row_add_unready(project, kernel, &problem.config, results);
    return PAWL_OK;
  }
  const struct pawl_bench_options options = {
      .worker = &kernel->worker,
      .spec = &batch->spec,
      .row = batch->done,
      .rows = batch->rows,
      .later = batch->later,
      .device = pawl_devices_find(&project->devices, kernel->spec->device, NULL),
      .seed = PAWL_DEFAULT_SEED,
      .log = project->options.log};
  struct pawl_result measured;
  struct pawl_ready_kernel failed = *kernel;
  const bool harness = kernel->worker.reader.read != NULL;
  const enum pawl_status_code status =
      harness ? bench_harness(project, kernel, selection, &options, &problem.config, results, err)
              : pawl_bench(&problem, &options, &project->arena, &measured, err);
  if (pawl_budget_ended(status)) pawl_kernel_leave(&failed, pawl_budget_words());
  if (pawl_budget_ended(status) ||
      pawl_kernel_cannot_start(&failed, status, err, &project->arena)) {
    pawl_bench_row_add_unready(project, &failed, &problem.config, results);
    return PAWL_OK;
  }
  if (status != PAWL_OK) return pawl_prefix(err, "command '%s'", kernel->spec->name);
  if (!harness) pawl_bench_row_add_command(project, kernel, &measured, results);
  return PAWL_OK;
}

/* Returns whether the selection keeps the command. The benchmarks of a harness are unknown here,
 * but no case of the suite is one. */
static bool wants_command(const struct pawl_project *project,
                          const struct pawl_bench_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index) {
  const struct pawl_case config = pawl_command_case(&project->suite);
  const char *only = selection->only_case;
  const bool harness = pawl_kernel_is_harness(spec);
  if (selection->assignments) return false;
  if (only && strcmp(only, config.name) != 0 &&
      (!harness || pawl_suite_case(&project->suite, only)))
    return false;
  if (selection->skip && selection->skip(selection->context, spec->name, only ? only : config.name))
    return false;
  return pawl_selection_takes(&selection->part, spec, index);
}

static struct pawl_measure_spec measure_spec(const struct pawl_project *project,
                                             const struct pawl_bench_selection *selection) {
  struct pawl_measure_spec spec = project->suite.measure;
  if (selection->samples > 0) spec.samples = selection->samples;
  if (selection->warmup >= 0) spec.warmup = selection->warmup;
  return spec;
}

/* Always adds a row for the kernel on the case. */
static pawl_status bench_or_tell(struct pawl_project *project,
                                 const struct pawl_ready_kernel *ready, struct pawl_oracle *oracle,
                                 const struct pawl_case *config, const struct bench_batch *batch,
                                 struct pawl_block_processes *processes,
                                 struct pawl_results *results, struct pawl_error *err) {
  struct pawl_ready_kernel kernel = *ready;
  if (kernel.outcome == PAWL_OUTCOME_OK && !pawl_kernel_is_lost(&kernel, &project->devices)) {
    const enum pawl_status_code status =
        bench_case(project, &kernel, oracle, config, batch, processes, results, err);
    if (status == PAWL_OK) return PAWL_OK;
    const bool lost =
        status == PAWL_UNAVAILABLE && pawl_devices_lost(&project->devices, kernel.spec->device);
    if (pawl_budget_ended(status))
      pawl_kernel_leave(&kernel, pawl_budget_words());
    else if (!lost && !pawl_kernel_cannot_start(&kernel, status, err, &project->arena))
      return status;
    pawl_kernel_is_lost(&kernel, &project->devices);
  }
  pawl_bench_row_add_unready(project, &kernel, config, results);
  return PAWL_OK;
}

static void end_processes(struct pawl_block_processes *processes, int count) {
  for (int i = 0; i < count; i++) pawl_worker_dismiss(processes[i].workers[0]);
  for (int i = 0; i < count; i++) pawl_block_processes_release(&processes[i]);
  pawl_free(processes);
}

/* Returns whether the selection keeps the case of the kernel. */
static bool wants_case(const struct pawl_bench_selection *selection,
                       const struct pawl_kernel_spec *spec, const char *case_name, int64_t *index) {
  if (selection->skip && selection->skip(selection->context, spec->name, case_name)) return false;
  return pawl_selection_takes(&selection->part, spec, index);
}

/* The cases as the suite has them, where the budget ended before the operator could complete them.
 */
static void name_cases(struct pawl_project *project, const struct pawl_bench_selection *selection,
                       const struct pawl_kernel_spec *spec, struct pawl_case **cases,
                       size_t *count) {
  const struct pawl_suite *suite = &project->suite;
  *cases = pawl_arena_alloc(&project->arena, suite->case_count + 1, sizeof **cases);
  *count = 0;
  for (size_t i = 0; i < suite->case_count; i++)
    if (pawl_text_equal(suite->cases[i].operator_name, spec->operator_name) &&
        (!selection->only_case || !strcmp(selection->only_case, suite->cases[i].name)))
      (*cases)[(*count)++] = suite->cases[i];
}

static pawl_status bench_kernels_find_cases(struct pawl_project *project,
                                            const struct pawl_bench_selection *selection,
                                            const struct pawl_kernel_spec *spec,
                                            struct pawl_oracle **oracle, struct pawl_case **cases,
                                            size_t *count, struct pawl_error *err) {
  const enum pawl_status_code status =
      pawl_project_oracle(project, spec->operator_name, oracle, err);
  if (pawl_budget_ended(status)) {
    name_cases(project, selection, spec, cases, count);
    return PAWL_OK;
  }
  if (status != PAWL_OK) return status;
  return pawl_operator_cases(&project->suite, &(*oracle)->info, selection->only_case,
                             selection->assignments, &project->arena, cases, count, err);
}

static pawl_status count_rows(struct pawl_project *project, const struct pawl_ready_kernel *kernels,
                              size_t count, const struct pawl_bench_selection *selection,
                              size_t *rows, struct pawl_error *err) {
  int64_t index = 0;
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_kernel_spec *spec = kernels[i].spec;
    struct pawl_oracle *oracle;
    struct pawl_case *cases = NULL;
    size_t case_count = 0;
    if (spec->operator_name)
      PAWL_TRY(
          bench_kernels_find_cases(project, selection, spec, &oracle, &cases, &case_count, err));
    else
      found += wants_command(project, selection, spec, &index);
    for (size_t j = 0; j < case_count; j++)
      found += wants_case(selection, spec, cases[j].name, &index);
  }
  *rows = found;
  return PAWL_OK;
}

static void tell_measured(struct pawl_project *project,
                          const struct pawl_bench_selection *selection,
                          const struct pawl_result *row) {
  if (!selection->measured) return;
  pawl_log_progress(project->options.log, "%s", "");
  selection->measured(selection->watcher, row);
}

static pawl_status bench_cases(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                               const struct pawl_bench_selection *selection,
                               struct bench_batch *batch, int64_t *index,
                               struct pawl_results *results, struct pawl_error *err) {
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(
      bench_kernels_find_cases(project, selection, kernel->spec, &oracle, &cases, &count, err));
  struct pawl_block_processes *processes =
      pawl_alloc((size_t)batch->spec.processes, sizeof *processes);
  enum pawl_status_code status = PAWL_OK;
  for (size_t j = 0; j < count && status == PAWL_OK; j++) {
    if (!wants_case(selection, kernel->spec, cases[j].name, index)) continue;
    status = bench_or_tell(project, kernel, oracle, &cases[j], batch, processes, results, err);
    batch->done++;
    if (status == PAWL_OK) tell_measured(project, selection, &results->items[results->count - 1]);
  }
  end_processes(processes, batch->spec.processes);
  return status;
}

/* A case that the suite lacks must be a benchmark of one of the harnesses. */
static pawl_status require_benchmark(const struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernels, size_t count,
                                     const struct pawl_bench_selection *selection, size_t first,
                                     const struct pawl_results *results, struct pawl_error *err) {
  const char *only = selection->only_case;
  bool ran = false;
  if (!only || pawl_suite_case(&project->suite, only) || results->count > first ||
      selection->part.count > 1)
    return PAWL_OK;
  for (size_t i = 0; i < count; i++) ran = ran || kernels[i].worker.reader.read;
  if (!ran) return PAWL_OK;
  return pawl_fail(
      err, PAWL_USAGE,
      "no case '%s' in '%s', and no benchmark of that name in the files of its commands", only,
      project->suite.path);
}

/* The GPU comes first, as in pawl_loop_run, so that no two pawls wait for each other. */
pawl_status pawl_bench_take_turns(struct pawl_project *project,
                                  const struct pawl_ready_kernel *kernels, size_t count,
                                  struct pawl_error *err) {
  static const int32_t kinds[] = {PAWL_CUDA, PAWL_CPU};
  for (size_t k = 0; k < PAWL_COUNT(kinds); k++)
    for (size_t i = 0; i < count; i++)
      if (kernels[i].outcome == PAWL_OUTCOME_OK && kernels[i].spec->device == kinds[k])
        PAWL_TRY(pawl_devices_take_turn(&project->devices, kinds[k], &project->suite.measure,
                                        project->options.log, err));
  return PAWL_OK;
}

pawl_status pawl_bench_kernels(struct pawl_project *project,
                               const struct pawl_ready_kernel *kernels, size_t count,
                               const struct pawl_bench_selection *selection,
                               struct pawl_results *results, struct pawl_error *err) {
  struct bench_batch batch = {
      .spec = measure_spec(project, selection), .first = results->count, .later = selection->later};
  int64_t index = 0;
  enum pawl_status_code status = count_rows(project, kernels, count, selection, &batch.rows, err);
  if (batch.rows) pawl_shutdown_end(&project->shutdown);
  if (status == PAWL_OK && batch.rows) status = pawl_bench_take_turns(project, kernels, count, err);
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    const struct pawl_ready_kernel *kernel = &kernels[i];
    if (kernel->spec->operator_name) {
      status = bench_cases(project, kernel, selection, &batch, &index, results, err);
    } else if (wants_command(project, selection, kernel->spec, &index)) {
      const size_t before = results->count;
      status = bench_command(project, kernel, selection, &batch, results, err);
      batch.done++;
      for (size_t row = before; status == PAWL_OK && row < results->count; row++)
        tell_measured(project, selection, &results->items[row]);
    }
  }
  pawl_progress_end(project->options.log);
  return status == PAWL_OK
             ? require_benchmark(project, kernels, count, selection, batch.first, results, err)
             : status;
}

pawl_status pawl_bench_named(struct pawl_project *project, char *const *names, int count,
                             const struct pawl_bench_selection *selection,
                             struct pawl_results *results, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, names, count, &specs, &spec_count, err));
  struct pawl_ready_kernel *kernels =
      pawl_arena_alloc(&project->arena, spec_count, sizeof *kernels);
  for (size_t i = 0; i < spec_count; i++) {
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernels[i], err));
    if (kernels[i].diagnostics) pawl_log_info(project->options.log, "%s", kernels[i].diagnostics);
  }
  return pawl_bench_kernels(project, kernels, spec_count, selection, results, err);
}
