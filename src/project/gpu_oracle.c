/* SPDX-License-Identifier: Apache-2.0 */
#include "project/gpu_oracle.h"

#include <string.h>

#include "base/file.h"
#include "oracle/gpu.h"

static struct pawl_strings one_word(struct pawl_project *project, const char *word) {
  const char **items = pawl_arena_alloc(&project->arena, 2, sizeof *items);
  items[0] = word;
  return (struct pawl_strings){.items = items, .count = 1};
}

/* Returns false if this operator has no GPU oracle. */
static bool find_source(struct pawl_project *project, const char *name,
                        struct pawl_operator_spec *out, struct pawl_project **tree) {
  const struct pawl_operator_spec *spec = pawl_project_operator_spec(project, name, tree);
  if (spec) {
    if (spec->gpu_oracle) *out = *spec->gpu_oracle;
    return spec->gpu_oracle != NULL;
  }
  const char *file = pawl_arena_printf(&project->arena, "%s/share/pawl/kernels/%s/oracle_f64.cu",
                                       project->paths.home, name);
  *out = (struct pawl_operator_spec){.kind = PAWL_FROM_SOURCES, .sources = one_word(project, file)};
  return pawl_file_exists(file);
}

static pawl_status build(struct pawl_project *project, const char *name,
                         const struct pawl_operator_spec *spec, struct pawl_project *tree,
                         const char **plugin, struct pawl_error *err) {
  struct pawl_operator_spec named = *spec;
  struct pawl_build_options options = pawl_project_build_options(tree, true);
  struct pawl_build_result built = {0};
  const char *diagnostics = NULL;
  named.name = pawl_arena_printf(&project->arena, "%s.gpu_oracle", name);
  if (!named.flags_given)
    named.flags =
        one_word(project, "-O3"); /* without --use_fast_math, which flushes small inputs to zero */
  named.flags_given = true;
  options.line_info = false;
  options.check_flags = NULL;
  pawl_log_progress(project->options.log, "building the GPU oracle of %s", name);
  const enum pawl_status_code status =
      pawl_build_operator(&named, &options, &project->arena, &built, &diagnostics, err);
  pawl_log_progress(project->options.log, "%s", "");
  if (status == PAWL_FAILED && diagnostics) pawl_log_info(project->options.log, "%s", diagnostics);
  if (status != PAWL_OK) return status;
  if (built.compiles > 0)
    pawl_log_detail(project->options.log, "built the GPU oracle of '%s' in %.1f s", name,
                    built.seconds);
  *plugin = built.plugin;
  return PAWL_OK;
}

/* Identifies this GPU and its driver. */
static const char *machine_of(const struct pawl_device *device, struct pawl_arena *arena) {
  return pawl_arena_printf(arena, "%s %s, %s, driver %s", device->name,
                           device->uuid ? device->uuid : "without UUID",
                           device->arch ? device->arch : "unknown architecture",
                           device->driver ? device->driver : "unknown");
}

static pawl_status start(struct pawl_project *project, struct pawl_oracle *oracle,
                         const struct pawl_operator_spec *spec, struct pawl_project *tree,
                         const struct pawl_device *device, struct pawl_error *err) {
  struct pawl_gpu_oracle_options options = {
      .gpu = device->uuid,
      .machine = machine_of(device, &project->arena),
      .timeout_seconds = pawl_operator_timeout(&project->suite.measure)};
  PAWL_TRY(build(project, oracle->info.name, spec, tree, &options.plugin, err));
  return pawl_oracle_use_gpu(oracle, &options, err);
}

void pawl_gpu_oracle_use(struct pawl_project *project, struct pawl_oracle *oracle) {
  const char *name = oracle->info.name;
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, name);
  const bool forbidden = oracle->reference || oracle->by_base ||
                         (check && check->oracle && !strcmp(check->oracle, "cpu"));
  const struct pawl_device *device = pawl_devices_find(&project->devices, PAWL_CUDA, NULL);
  struct pawl_operator_spec spec;
  struct pawl_project *tree;
  struct pawl_error err = {0};
  if (forbidden || !device || !find_source(project, name, &spec, &tree)) return;
  const enum pawl_status_code status = start(project, oracle, &spec, tree, device, &err);
  if (status == PAWL_UNAVAILABLE) /* there is no nvcc */
    pawl_log_detail(project->options.log, "no GPU oracle of '%s': %s; pawl uses the CPU oracle",
                    name, err.message);
  else if (status != PAWL_OK)
    pawl_log_warning(project->options.log,
                     "cannot use the GPU oracle of '%s': %s; the CPU computes the expected values",
                     name, err.message);
}
