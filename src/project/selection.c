/* SPDX-License-Identifier: Apache-2.0 */
#include "project/selection.h"

#include <string.h>

static bool selection_is_apart(const struct pawl_selection *selection,
                               const struct pawl_kernel_spec *spec) {
  return selection->cpu_apart && spec->device != PAWL_CUDA;
}

bool pawl_selection_takes(const struct pawl_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index) {
  if (selection->count <= 0) return true;
  if (selection_is_apart(selection, spec)) return selection->number == selection->count;
  const int sharing = selection->count - selection->cpu_apart;
  return (*index)++ % sharing == selection->number - 1;
}

/* Returns the index of the kernel's case among the units that shards share, from 0. *units: their
   number. A kernel or case that the suite lacks, such as a stale entry of the baseline, counts as
   the first unit, so that one shard reports it. */
static size_t selection_unit_of(const struct pawl_selection *selection,
                                const struct pawl_suite *suite, const char *kernel,
                                const char *case_name, size_t *units) {
  const struct pawl_case of_commands = pawl_command_case(suite);
  size_t found = 0, shared = 0, count = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    const bool ours = kernel && !strcmp(spec->name, kernel);
    const size_t step = !selection_is_apart(selection, spec);
    if (spec->reference) continue;
    if (!spec->operator_name && ours &&
        (pawl_kernel_is_harness(spec) || !strcmp(of_commands.name, case_name)))
      found = shared;
    if (!spec->operator_name) count++, shared += step;
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++) {
      const struct pawl_case *config = &suite->cases[j];
      if (!config->operator_name || strcmp(config->operator_name, spec->operator_name) != 0)
        continue;
      if (ours && !strcmp(config->name, case_name)) found = shared;
      count++, shared += step;
    }
  }
  *units = count;
  return found;
}

static bool is_part(const struct pawl_selection *selection) {
  return selection->count > 1 || selection->kernel_count || selection->case_name;
}

static bool is_named(const struct pawl_selection *selection, const char *kernel,
                     const char *case_name) {
  bool found = selection->kernel_count == 0;
  for (int i = 0; i < selection->kernel_count && !found; i++)
    found = kernel && !strcmp(selection->kernels[i], kernel);
  return found &&
         (!selection->case_name || (case_name && !strcmp(selection->case_name, case_name)));
}

bool pawl_selection_has(const struct pawl_selection *selection, const struct pawl_suite *suite,
                        const char *kernel, const char *case_name) {
  const struct pawl_kernel_spec *spec = kernel ? pawl_suite_kernel(suite, kernel) : NULL;
  size_t units;
  if (!is_named(selection, kernel, case_name)) return false;
  if (selection->count < 2) return true;
  if (spec && selection_is_apart(selection, spec)) return selection->number == selection->count;
  const size_t sharing = (size_t)selection->count - selection->cpu_apart;
  return selection_unit_of(selection, suite, kernel, case_name ? case_name : "", &units) %
             sharing ==
         (size_t)selection->number - 1;
}

bool pawl_selection_accompanies(const struct pawl_selection *selection,
                                const struct pawl_suite *suite,
                                const struct pawl_kernel_spec *reference,
                                const struct pawl_kernel_spec *kernel) {
  if (kernel->reference || !kernel->operator_name ||
      strcmp(kernel->operator_name, reference->operator_name) != 0)
    return false;
  if (!selection->cpu_apart || kernel->device == reference->device) return true;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *other = &suite->kernels[i];
    if (!other->reference && other->operator_name &&
        !strcmp(other->operator_name, reference->operator_name) &&
        other->device == reference->device)
      return false;
  }
  return true;
}

int pawl_suite_units(const struct pawl_suite *suite) {
  const struct pawl_selection whole = {0};
  size_t units;
  selection_unit_of(&whole, suite, NULL, "", &units);
  return (int)units;
}

/* The benchmarks of a harness are unknown here, but no case of the suite is one. */
static bool may_have_work(const struct pawl_selection *selection, const struct pawl_suite *suite,
                          const struct pawl_kernel_spec *spec) {
  const char *only = selection->case_name, *of_commands = pawl_command_case(suite).name;
  if (!pawl_kernel_is_harness(spec) || !only)
    return pawl_selection_has(selection, suite, spec->name, of_commands);
  return !pawl_suite_case(suite, only) && pawl_selection_has(selection, suite, spec->name, only);
}

/* Returns whether this shard has a case of the kernel, or for a reference a case of its
 * operator. */
static bool has_work(const struct pawl_selection *selection, const struct pawl_suite *suite,
                     const struct pawl_kernel_spec *spec) {
  if (!spec->operator_name) return may_have_work(selection, suite, spec);
  for (size_t k = 0; k < suite->kernel_count; k++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[k];
    if (spec->reference ? !pawl_selection_accompanies(selection, suite, spec, kernel)
                        : kernel != spec)
      continue;
    for (size_t i = 0; i < suite->case_count; i++) {
      const char *operator_name = suite->cases[i].operator_name;
      if (operator_name && !strcmp(operator_name, spec->operator_name) &&
          pawl_selection_has(selection, suite, kernel->name, suite->cases[i].name))
        return true;
    }
  }
  return false;
}

pawl_status pawl_selection_check_names(const struct pawl_selection *selection,
                                       const struct pawl_suite *suite, struct pawl_error *err) {
  const struct pawl_selection names = {.kernels = selection->kernels,
                                       .kernel_count = selection->kernel_count,
                                       .case_name = selection->case_name};
  for (int i = 0; i < selection->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, selection->kernels[i]);
    if (spec && spec->reference)
      return pawl_fail(err, PAWL_USAGE,
                       "cannot judge '%s': it is a reference; name the kernels beside it",
                       spec->name);
    if (spec && selection->case_name && !has_work(&names, suite, spec))
      return pawl_fail(err, PAWL_USAGE,
                       "kernel '%s' does not run on case '%s'; pawl list shows the cases",
                       spec->name, selection->case_name);
  }
  return PAWL_OK;
}

size_t pawl_selection_keep_kernels(const struct pawl_selection *selection,
                                   const struct pawl_suite *suite,
                                   const struct pawl_kernel_spec **specs, size_t count) {
  size_t kept = 0;
  if (!is_part(selection)) return count;
  for (size_t i = 0; i < count; i++)
    if (has_work(selection, suite, specs[i])) specs[kept++] = specs[i];
  return kept;
}

void pawl_selection_keep_rows(const struct pawl_selection *selection,
                              const struct pawl_suite *suite, struct pawl_ratchet_report *report) {
  size_t kept = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    const struct pawl_comparison *item = &row->comparison;
    if (item->verdict == PAWL_VERDICT_MISSING &&
        !pawl_selection_has(selection, suite, item->kernel_name, item->config.name)) {
      report->counts[PAWL_VERDICT_MISSING]--;
      continue;
    }
    report->rows[kept++] = *row;
  }
  report->count = kept;
}
