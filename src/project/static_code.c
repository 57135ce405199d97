/* SPDX-License-Identifier: Apache-2.0 */
#include "project/static_code.h"

/* -1 means unknown. */
static long long larger(long long a, long long b) { return a > b ? a : b; }

/* A sum with an unknown term is unknown. */
static long long add_known(long long sum, long long value) {
  return sum < 0 || value < 0 ? -1 : sum + value;
}

void pawl_static_code(const struct pawl_build_result *build, struct pawl_code *code) {
  if (build->function_count) code->spill_bytes = code->local_bytes = code->code_bytes = 0;
  if (build->function_count) code->arch = build->cuda_arch;
  for (size_t i = 0; i < build->function_count; i++) {
    const struct pawl_device_function *function = &build->functions[i];
    const double occupancy = pawl_device_function_occupancy(function);
    code->registers = larger(code->registers, function->registers);
    code->stack_bytes = larger(code->stack_bytes, function->stack_bytes);
    code->shared_bytes = larger(code->shared_bytes, function->shared_bytes);
    code->code_bytes += function->code_bytes;
    code->spill_bytes = add_known(code->spill_bytes, function->spill_bytes);
    code->local_bytes = add_known(code->local_bytes, function->local_bytes);
    if (!(code->occupancy_pct <= occupancy)) code->occupancy_pct = occupancy;
  }
}

void pawl_devices_choose_arch(struct pawl_devices *devices, const struct pawl_baseline *baseline) {
  for (size_t i = 0; i < baseline->count && !devices->absent_arch; i++) {
    const struct pawl_code *code = &baseline->entries[i].code;
    if (code->registers >= 0) devices->absent_arch = pawl_arena_copy(devices->arena, code->arch);
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
    if (f->local_bytes >= 0) pawl_json_set_int(row, "local_bytes", f->local_bytes);
    if (f->max_threads >= 0) pawl_json_set_int(row, "max_threads", f->max_threads);
    pawl_json_set_int(row, "shared_bytes", f->shared_bytes);
    pawl_json_set_int(row, "code_bytes", f->code_bytes);
    pawl_json_set_number(row, "occupancy_pct", pawl_device_function_occupancy(f));
    pawl_json_set(functions, f->name, row);
  }
  if (functions) pawl_json_set(environment, "device_functions", functions);
}

void pawl_describe_code(const struct pawl_ready_kernel *kernel, struct pawl_result *row) {
  row->code.hash = kernel->build.code_hash;
  pawl_static_code(&kernel->build, &row->code);
  if (row->environment) describe_functions(&kernel->build, row->environment);
  for (size_t i = 0; row->environment && i < kernel->spec->param_count; i++) {
    json_t *params = json_object_get(row->environment, "params");
    if (!params) pawl_json_set(row->environment, "params", params = json_object());
    pawl_json_set_string(params, kernel->spec->params[i].name, kernel->spec->params[i].value);
  }
  if (row->environment)
    pawl_json_set_string(row->environment, "toolchain", kernel->build.toolchain);
}
