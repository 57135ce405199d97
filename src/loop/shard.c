/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/shard.h"

#include <string.h>

static bool is_apart(const struct pawl_shard *shard, const struct pawl_kernel_spec *spec) {
  return shard->cpu_apart && spec->device != PAWL_CUDA;
}

bool pawl_shard_takes(const struct pawl_shard *shard, const struct pawl_kernel_spec *spec, int64_t *index) {
  if (shard->count <= 0) return true;
  if (is_apart(shard, spec)) return shard->number == shard->count;
  const int sharing = shard->count - shard->cpu_apart;
  return (*index)++ % sharing == shard->number - 1;
}

/* The number of a kernel's case among the units that shards share, from 0, and how many units there are at all. What
   the suite does not have (an entry of the baseline whose kernel is gone) counts as the first, so that one shard says
   it. */
static size_t unit_of(const struct pawl_shard *shard, const struct pawl_suite *suite, const char *kernel,
                      const char *case_name, size_t *units) {
  const struct pawl_case of_commands = pawl_command_case(suite);
  size_t found = 0, shared = 0, count = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    const bool ours = kernel && !strcmp(spec->name, kernel);
    const size_t step = !is_apart(shard, spec);
    if (spec->reference) continue;
    if (!spec->operator_name && ours && !strcmp(of_commands.name, case_name)) found = shared;
    if (!spec->operator_name) count++, shared += step;
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++) {
      const struct pawl_case *config = &suite->cases[j];
      if (!config->operator_name || strcmp(config->operator_name, spec->operator_name) != 0) continue;
      if (ours && !strcmp(config->name, case_name)) found = shared;
      count++, shared += step;
    }
  }
  *units = count;
  return found;
}

static bool is_part(const struct pawl_shard *shard) {
  return shard->count > 1 || shard->kernel_count || shard->case_name;
}

static bool is_named(const struct pawl_shard *shard, const char *kernel, const char *case_name) {
  bool found = shard->kernel_count == 0;
  for (int i = 0; i < shard->kernel_count && !found; i++) found = kernel && !strcmp(shard->kernels[i], kernel);
  return found && (!shard->case_name || (case_name && !strcmp(shard->case_name, case_name)));
}

bool pawl_shard_has(const struct pawl_shard *shard, const struct pawl_suite *suite, const char *kernel,
                    const char *case_name) {
  const struct pawl_kernel_spec *spec = kernel ? pawl_suite_kernel(suite, kernel) : NULL;
  size_t units;
  if (!is_named(shard, kernel, case_name)) return false;
  if (shard->count < 2) return true;
  if (spec && is_apart(shard, spec)) return shard->number == shard->count;
  const size_t sharing = (size_t)shard->count - shard->cpu_apart;
  return unit_of(shard, suite, kernel, case_name ? case_name : "", &units) % sharing == (size_t)shard->number - 1;
}

bool pawl_shard_accompanies(const struct pawl_shard *shard, const struct pawl_suite *suite,
                            const struct pawl_kernel_spec *reference, const struct pawl_kernel_spec *kernel) {
  if (kernel->reference || !kernel->operator_name || strcmp(kernel->operator_name, reference->operator_name) != 0)
    return false;
  if (!shard->cpu_apart || kernel->device == reference->device) return true;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *other = &suite->kernels[i];
    if (!other->reference && other->operator_name && !strcmp(other->operator_name, reference->operator_name) &&
        other->device == reference->device)
      return false;
  }
  return true;
}

int pawl_suite_units(const struct pawl_suite *suite) {
  const struct pawl_shard whole = {0};
  size_t units;
  unit_of(&whole, suite, NULL, "", &units);
  return (int)units;
}

/* Some case of the kernel's is ours; of a reference, some case of its operator. */
static bool has_work(const struct pawl_shard *shard, const struct pawl_suite *suite,
                     const struct pawl_kernel_spec *spec) {
  if (!spec->operator_name) return pawl_shard_has(shard, suite, spec->name, pawl_command_case(suite).name);
  for (size_t k = 0; k < suite->kernel_count; k++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[k];
    if (spec->reference ? !pawl_shard_accompanies(shard, suite, spec, kernel) : kernel != spec) continue;
    for (size_t i = 0; i < suite->case_count; i++) {
      const char *operator_name = suite->cases[i].operator_name;
      if (operator_name && !strcmp(operator_name, spec->operator_name) &&
          pawl_shard_has(shard, suite, kernel->name, suite->cases[i].name))
        return true;
    }
  }
  return false;
}

pawl_status pawl_shard_check_names(const struct pawl_shard *shard, const struct pawl_suite *suite,
                                   struct pawl_error *err) {
  const struct pawl_shard names = {
      .kernels = shard->kernels, .kernel_count = shard->kernel_count, .case_name = shard->case_name};
  for (int i = 0; i < shard->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, shard->kernels[i]);
    if (spec && spec->reference)
      return pawl_fail(err, PAWL_USAGE, "cannot judge '%s': it is a reference; name the kernels beside it", spec->name);
    if (spec && shard->case_name && !has_work(&names, suite, spec))
      return pawl_fail(err, PAWL_USAGE, "kernel '%s' does not run on case '%s'; pawl list shows the cases", spec->name,
                       shard->case_name);
  }
  return PAWL_OK;
}

size_t pawl_shard_keep_kernels(const struct pawl_shard *shard, const struct pawl_suite *suite,
                               const struct pawl_kernel_spec **specs, size_t count) {
  size_t kept = 0;
  if (!is_part(shard)) return count;
  for (size_t i = 0; i < count; i++)
    if (has_work(shard, suite, specs[i])) specs[kept++] = specs[i];
  return kept;
}

void pawl_shard_keep_rows(const struct pawl_shard *shard, const struct pawl_suite *suite,
                          struct pawl_ratchet_report *report) {
  size_t kept = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    const struct pawl_comparison *item = &row->comparison;
    if (item->verdict == PAWL_VERDICT_MISSING && !pawl_shard_has(shard, suite, item->kernel_name, item->config.name)) {
      report->missing--;
      continue;
    }
    report->rows[kept++] = *row;
  }
  report->count = kept;
}
