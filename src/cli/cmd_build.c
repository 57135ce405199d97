/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "build/demangle.h"
#include "cli/command.h"
#include "project/definitions.h"
#include "project/kernels.h"
#include "project/static_code.h"
#include "record/run_report.h"

static json_t *code_to_json(const struct pawl_build_result *build) {
  struct pawl_result facts;
  pawl_result_init(&facts);
  pawl_static_code(build, &facts.code);
  json_t *code = json_object();
  pawl_json_set_string(code, "arch", facts.code.arch);
  pawl_json_set_int(code, "registers", facts.code.registers);
  pawl_json_set_int(code, "spill_bytes", facts.code.spill_bytes);
  pawl_json_set_int(code, "local_bytes", facts.code.local_bytes);
  pawl_json_set_int(code, "stack_bytes", facts.code.stack_bytes);
  pawl_json_set_int(code, "shared_bytes", facts.code.shared_bytes);
  pawl_json_set_int(code, "code_bytes", facts.code.code_bytes);
  pawl_json_set_number(code, "occupancy_pct", facts.code.occupancy_pct);
  return code;
}

static json_t *cmd_build_to_json(const struct pawl_ready_kernel *kernel) {
  json_t *row = json_object();
  pawl_json_set_string(row, "kernel_name", kernel->spec->name);
  pawl_json_set_string(row, "outcome", pawl_outcome_name(kernel->outcome));
  pawl_json_set_string(row, "reason", kernel->reason);
  pawl_json_set_string(row, "plugin", kernel->build.plugin);
  pawl_json_set_number(row, "seconds", kernel->build.seconds);
  pawl_json_set(row, "compiles",
                kernel->build.compiles < 0 ? NULL : json_integer(kernel->build.compiles));
  pawl_json_set(row, "cache_hits",
                kernel->build.cache_hits < 0 ? NULL : json_integer(kernel->build.cache_hits));
  pawl_json_set_string(row, "command", kernel->build.command);
  pawl_json_set_string(row, "toolchain", kernel->build.toolchain);
  pawl_json_set_string(row, "code_hash", kernel->build.code_hash);
  pawl_json_set_string(row, "diagnostics", kernel->diagnostics);
  if (kernel->build.function_count) pawl_json_set(row, "code", code_to_json(&kernel->build));
  return row;
}

/* Prints the GPU resources of each function. */
static void print_functions(const struct pawl_build_result *build, struct pawl_arena *arena) {
  for (size_t i = 0; i < build->function_count; i++) {
    const struct pawl_device_function *f = &build->functions[i];
    const double occupancy = pawl_device_function_occupancy(f);
    printf("  sm_%d: %lld registers, %lld bytes of static shared memory, %lld of code", f->arch,
           f->registers, f->shared_bytes, f->code_bytes);
    if (occupancy >= 0) printf(", occupancy up to %.0f %%", occupancy);
    if (f->spill_bytes > 0) printf(", SPILLS %lld bytes", f->spill_bytes);
    if (f->local_bytes > 0) printf(", stores %lld bytes of arrays to local memory", f->local_bytes);
    printf(": %s\n", pawl_demangle(f->name, arena));
  }
}

static void print_change(const char *what, long long before, long long now) {
  if (before < 0 || now < 0) return;
  if (before == now)
    printf(" %lld %s,", now, what);
  else
    printf(" %lld -> %lld %s,", before, now, what);
}

/* Compares with the baseline's code for the same architecture. */
static void print_against(const struct pawl_ready_kernel *kernel,
                          const struct pawl_baseline *baseline) {
  struct pawl_result row;
  pawl_result_init(&row);
  pawl_static_code(&kernel->build, &row.code);
  const struct pawl_code *now = &row.code;
  const struct pawl_code *before =
      now->registers < 0 ? NULL : pawl_baseline_code(baseline, kernel->spec->name, now->arch);
  if (!before) return;
  printf("  against the baseline:");
  print_change("registers", before->registers, now->registers);
  print_change("bytes of code", before->code_bytes, now->code_bytes);
  print_change("bytes of spills", before->spill_bytes, now->spill_bytes);
  print_change("bytes of other local memory", before->local_bytes, now->local_bytes);
  puts(pawl_code_spills_more(before, now)   ? " MORE SPILLS"
       : now->registers > before->registers ? " MORE REGISTERS"
                                            : " no worse");
}

static void cmd_build_print(const struct pawl_ready_kernel *kernel,
                            const struct pawl_baseline *baseline, struct pawl_arena *arena) {
  const struct pawl_build_result *build = &kernel->build;
  printf("%-20s ", kernel->spec->name);
  if (kernel->outcome != PAWL_OUTCOME_OK) {
    const bool absent = kernel->outcome == PAWL_OUTCOME_ABSENT;
    if (absent || !kernel->diagnostics)
      printf("%s: %s\n", absent ? "absent" : "FAILED", kernel->reason);
    else /* the diagnostics hold the reason */
      printf("FAILED: it does not build\n%s", kernel->diagnostics);
  } else if (!build->plugin) {
    puts("nothing to build");
  } else {
    printf("built in %.2f s, ", build->seconds);
    if (build->compiles == 0)
      puts("up to date");
    else if (build->compiles < 0)
      puts("by its own command");
    else
      printf("%d compiled, %d from kept objects\n", build->compiles, build->cache_hits);
  }
  print_functions(build, arena);
  print_against(kernel, baseline);
}

static pawl_status build_all(struct pawl_cli *cli, struct pawl_project *project, char **names,
                             int count, enum pawl_status_code *verdict, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, names, count, &specs, &spec_count, err));
  struct pawl_baseline baseline;
  PAWL_TRY(pawl_baseline_read(pawl_suite_path(&project->paths, PAWL_BASELINE_PATH), &project->arena,
                              &baseline, err));
  pawl_devices_choose_arch(&project->devices, &baseline);
  PAWL_CLEANUP(pawl_json_release) json_t *rows = json_array();
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    PAWL_TRY(pawl_project_build_kernel(project, specs[i], &kernel, err));
    if (cli->json)
      json_array_append_new(rows, cmd_build_to_json(&kernel));
    else
      cmd_build_print(&kernel, &baseline, &project->arena);
    if (kernel.outcome == PAWL_OUTCOME_BUILD) *verdict = PAWL_FAILED;
  }
  if (!cli->json) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "builds", json_incref(rows));
  return pawl_cli_write_json(NULL, document, err);
}

enum pawl_status_code pawl_cmd_build(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  struct pawl_option_list definitions = {0};
  const struct pawl_option options[] = {PAWL_CLI_DEFINITIONS(&definitions), {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  enum pawl_status_code verdict = PAWL_OK;
  enum pawl_status_code status = pawl_definitions_check(&project, argv, argc, err);
  if (status == PAWL_OK) status = build_all(cli, &project, argv, argc, &verdict, err);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
