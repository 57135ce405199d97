/* SPDX-License-Identifier: Apache-2.0 */
/* A run shared by several machines. A unit is a kernel on a case; units go round the shards in the suite's order, so
   that each machine knows its own without asking. References are no units: they are timed beside the kernels. */
#include <string.h>

#include "loop/run_state.h"

/* The number of a kernel's case among all units from 0, and how many units there are. What the suite does not have (an
   entry of the baseline whose kernel is gone) counts as the first, so that one shard says it. */
static size_t unit_of(const struct pawl_run_state *run, const char *kernel, const char *case_name, size_t *units) {
  const struct pawl_suite *suite = &run->project->suite;
  const struct pawl_case of_commands = pawl_project_command_case(run->project);
  size_t found = 0, count = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    const bool ours = kernel && !strcmp(spec->name, kernel);
    if (spec->reference) continue;
    if (!spec->operator_name && ours && !strcmp(of_commands.name, case_name)) found = count;
    count += !spec->operator_name;
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++) {
      const struct pawl_case *item = &suite->cases[j];
      if (!item->operator_name || strcmp(item->operator_name, spec->operator_name) != 0) continue;
      if (ours && !strcmp(item->name, case_name)) found = count;
      count++;
    }
  }
  *units = count;
  return found;
}

bool pawl_run_in_shard(const struct pawl_run_state *run, const char *kernel, const char *case_name) {
  size_t units;
  if (run->options->shards < 2) return true;
  return unit_of(run, kernel, case_name ? case_name : "", &units) % (size_t)run->options->shards ==
         (size_t)run->options->shard - 1;
}

int pawl_run_units(const struct pawl_run_state *run) {
  size_t units;
  unit_of(run, NULL, "", &units);
  return (int)units;
}

/* Some case of the kernel's is ours; of a reference, some case of its operator. */
static bool has_work(const struct pawl_run_state *run, const struct pawl_kernel_spec *spec) {
  const struct pawl_suite *suite = &run->project->suite;
  if (!spec->operator_name) return pawl_run_in_shard(run, spec->name, pawl_project_command_case(run->project).name);
  for (size_t k = 0; k < suite->kernel_count; k++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[k];
    if (kernel->reference || !kernel->operator_name || strcmp(kernel->operator_name, spec->operator_name) != 0 ||
        (!spec->reference && kernel != spec))
      continue;
    for (size_t i = 0; i < suite->case_count; i++) {
      const char *operator_name = suite->cases[i].operator_name;
      if (operator_name && !strcmp(operator_name, spec->operator_name) &&
          pawl_run_in_shard(run, kernel->name, suite->cases[i].name))
        return true;
    }
  }
  return false;
}

void pawl_run_keep_shard(struct pawl_run_state *run) {
  size_t kept = 0;
  if (run->options->shards < 2) return;
  for (size_t i = 0; i < run->count; i++)
    if (has_work(run, run->specs[i])) run->specs[kept++] = run->specs[i];
  run->count = kept;
}

void pawl_run_leave_other_shards_out(struct pawl_run_state *run) {
  struct pawl_ratchet_report *ratchet = &run->ratchet;
  size_t kept = 0;
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_ratchet_row *row = &ratchet->rows[i];
    const struct pawl_comparison *item = &row->comparison;
    if (item->verdict == PAWL_VERDICT_MISSING && !pawl_run_in_shard(run, item->kernel_name, item->config.name)) {
      ratchet->missing--;
      continue;
    }
    ratchet->rows[kept++] = *row;
  }
  ratchet->count = kept;
}
