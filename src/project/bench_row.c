/* SPDX-License-Identifier: Apache-2.0 */
#include "project/bench_row.h"
#include "project/base_oracle.h"

#include <math.h>
#include <string.h>

#include "device/backends.h"
#include "model/dtype.h"
#include "project/static_code.h"

static struct pawl_result *bench_row_append(struct pawl_project *project,
                                            struct pawl_results *results) {
  struct pawl_result *grown = pawl_arena_alloc(&project->arena, results->count + 1, sizeof *grown);
  if (results->count) memcpy(grown, results->items, results->count * sizeof *grown);
  results->items = grown;
  pawl_result_init(&grown[results->count]);
  return &grown[results->count++];
}

static void keep_alive(struct pawl_results *results, json_t *value) {
  if (value) PAWL_ASSERT(!json_array_append_new(results->document, value));
}

void pawl_bench_row_add_unready(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_case *config, struct pawl_results *results) {
  struct pawl_result *row = bench_row_append(project, results);
  row->kernel_name = kernel->spec->name;
  row->config = *config;
  row->outcome = kernel->outcome;
  row->reason = kernel->reason;
  row->reference = kernel->spec->reference;
  row->device = pawl_device_kind_name(kernel->spec->device);
  row->timestamp = results->timestamp;
  pawl_describe_code(kernel, row);
}

static struct pawl_result *add(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                               const struct pawl_result *measured, struct pawl_results *results) {
  struct pawl_result *row = bench_row_append(project, results);
  *row = *measured;
  row->reference = kernel->spec->reference;
  keep_alive(results, row->environment);
  keep_alive(results, row->gpu_state);
  return row;
}

void pawl_bench_row_add_command(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_result *measured, struct pawl_results *results) {
  add(project, kernel, measured, results);
}

struct pawl_result *pawl_bench_row_add(struct pawl_project *project,
                                       const struct pawl_ready_kernel *kernel,
                                       const struct pawl_case *config,
                                       const struct pawl_result *measured,
                                       struct pawl_results *results) {
  struct pawl_result *row = add(project, kernel, measured, results);
  row->config = *config;
  pawl_describe_code(kernel, row);
  if ((row->outcome == PAWL_OUTCOME_CRASHED || row->outcome == PAWL_OUTCOME_HUNG) &&
      pawl_devices_lost(&project->devices, kernel->spec->device)) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = project->devices.gpu_lost;
  }
  if (project->devices.clocks)
    pawl_json_set_string(row->environment, "clocks", project->devices.clocks);
  return row;
}

/* The shape repeats cases of --set too, which have no name in the suite. */
void pawl_bench_row_say(struct pawl_log *log, const char *kernel, const struct pawl_case *config,
                        enum pawl_outcome outcome, const char *reason) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text word = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_outcome_capitals(outcome, &word);
  pawl_case_key(config, &shape);
  pawl_log_info(log, "%s: %s on %s, while pawl timed it: %s; repeat it: pawl bench %s --set %s",
                pawl_text_string(&word), kernel, config->name, reason, kernel,
                pawl_text_string(&shape));
}

/* If pawl's table lacks a device, its peaks are unknown and pawl still times kernels on it. */
static pawl_status find_limits(struct pawl_project *project, int32_t kind,
                               const struct pawl_device *device, int32_t dtype,
                               struct pawl_device_limits *out, struct pawl_error *err) {
  const struct pawl_device_backend *backend = pawl_device_backend(kind);
  *out = (struct pawl_device_limits){.gflops = NAN, .bandwidth_gb_s = NAN};
  if (!backend->limits) return PAWL_OK;
  const enum pawl_status_code status =
      backend->limits(device, dtype, pawl_measure_threads(&project->suite.measure),
                      project->paths.machine_folder, &project->arena, out, err);
  return status == PAWL_UNAVAILABLE ? PAWL_OK : status;
}

pawl_status pawl_bench_row_begin(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernel, struct pawl_oracle *oracle,
                                 const struct pawl_case *config,
                                 const struct pawl_measure_spec *spec, struct pawl_bench_row *out,
                                 struct pawl_error *err) {
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  PAWL_TRY(pawl_base_oracle_use(project, kernel->spec, oracle, err));
  const struct pawl_device *device =
      pawl_devices_find(&project->devices, kernel->spec->device, NULL);
  PAWL_TRY(pawl_oracle_tolerance(oracle, config->dtype, check, &out->tolerance, err));
  PAWL_TRY(find_limits(project, kernel->spec->device, device, config->dtype, &out->limits, err));
  out->options =
      (struct pawl_bench_options){.worker = &kernel->worker,
                                  .spec = spec,
                                  .tolerance = &out->tolerance,
                                  .device = device,
                                  .limits = &out->limits,
                                  .limits_folder = project->paths.machine_folder,
                                  .threads = pawl_measure_threads(&project->suite.measure),
                                  .busy_counts = project->suite.gate.busy == PAWL_BUSY_COUNT,
                                  .seed = PAWL_DEFAULT_SEED,
                                  .log = project->options.log};
  return PAWL_OK;
}
