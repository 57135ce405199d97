/* SPDX-License-Identifier: Apache-2.0 */
/* A run shared by several machines, or by the GPUs of one. A unit is a kernel on a case; units go round the shards in
   the suite's order, so that each knows its own without asking. References are no units: they are timed beside the
   kernels. */
#include <string.h>

#include "loop/run_state.h"

static bool is_apart(const struct pawl_run_state *run, const struct pawl_kernel_spec *spec) {
  return run->options->cpu_apart && spec->device != PAWL_CUDA;
}

/* The number of a kernel's case among the units that shards share, from 0, and how many units there are at all. What
   the suite does not have (an entry of the baseline whose kernel is gone) counts as the first, so that one shard says
   it. */
static size_t unit_of(const struct pawl_run_state *run, const char *kernel, const char *case_name, size_t *units) {
  const struct pawl_suite *suite = &run->project->suite;
  const struct pawl_case of_commands = pawl_project_command_case(run->project);
  size_t found = 0, shared = 0, count = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    const bool ours = kernel && !strcmp(spec->name, kernel);
    const size_t step = !is_apart(run, spec);
    if (spec->reference) continue;
    if (!spec->operator_name && ours && !strcmp(of_commands.name, case_name)) found = shared;
    if (!spec->operator_name) count++, shared += step;
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++) {
      const struct pawl_case *item = &suite->cases[j];
      if (!item->operator_name || strcmp(item->operator_name, spec->operator_name) != 0) continue;
      if (ours && !strcmp(item->name, case_name)) found = shared;
      count++, shared += step;
    }
  }
  *units = count;
  return found;
}

bool pawl_run_in_shard(const struct pawl_run_state *run, const char *kernel, const char *case_name) {
  const struct pawl_run_options *options = run->options;
  const struct pawl_kernel_spec *spec = kernel ? pawl_suite_kernel(&run->project->suite, kernel) : NULL;
  size_t units;
  if (options->shards < 2) return true;
  if (spec && is_apart(run, spec)) return options->shard == options->shards;
  const size_t sharing = (size_t)options->shards - options->cpu_apart;
  return unit_of(run, kernel, case_name ? case_name : "", &units) % sharing == (size_t)options->shard - 1;
}

bool pawl_run_accompanies(const struct pawl_run_state *run, const struct pawl_kernel_spec *reference,
                          const struct pawl_kernel_spec *kernel) {
  const struct pawl_suite *suite = &run->project->suite;
  if (kernel->reference || !kernel->operator_name || strcmp(kernel->operator_name, reference->operator_name) != 0)
    return false;
  if (!run->options->cpu_apart || kernel->device == reference->device) return true;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *other = &suite->kernels[i];
    if (!other->reference && other->operator_name && !strcmp(other->operator_name, reference->operator_name) &&
        other->device == reference->device)
      return false;
  }
  return true;
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
    if (spec->reference ? !pawl_run_accompanies(run, spec, kernel) : kernel != spec) continue;
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
