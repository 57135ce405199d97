/* SPDX-License-Identifier: Apache-2.0 */
#include "project/definitions.h"

#include <string.h>

#include "build/build.h"
#include "build/macro_use.h"
#include "project/kernels.h"

/* Searching the sources' text takes no time. If the text lacks the name, the compiler knows what
   else it reads. */
static bool kernel_reads(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                         const char *macro, struct pawl_arena *arena) {
  const size_t own = spec->include_dirs.count;
  const char **folders = pawl_arena_alloc(arena, own + 1, sizeof *folders);
  if (spec->kind != PAWL_FROM_SOURCES) return false; /* pawl does not compile it */
  for (size_t i = 0; i < own; i++)
    folders[i] = pawl_suite_path(&project->paths, spec->include_dirs.items[i]);
  folders[own] = project->paths.include_folder;
  for (size_t i = 0; i < spec->sources.count; i++) {
    const char *path = pawl_suite_path(&project->paths, spec->sources.items[i]);
    if (pawl_source_reads(path, macro, folders, own + 1)) return true;
  }
  for (size_t i = 0; i < spec->flags.count; i++)
    if (strstr(spec->flags.items[i], macro))
      return true; /* a flag may use the macro, as -DTYPE=MACRO does */
  const struct pawl_build_options options =
      pawl_project_build_options(project, spec->device == PAWL_CUDA);
  return pawl_build_reads_macro(spec, &options, macro);
}

static void definitions_warn(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                             const char *key, const char *macro, struct pawl_arena *arena) {
  const char *nearest = NULL;
  if (kernel_reads(project, spec, macro, arena)) return;
  for (size_t i = 0; i < spec->sources.count && !nearest; i++)
    nearest = pawl_source_nearest_macro(pawl_suite_path(&project->paths, spec->sources.items[i]),
                                        macro, arena);
  pawl_log_warning(
      project->options.log,
      "'%s' in '%s' of kernel '%s' changes nothing: no source of the kernel reads it%s", macro, key,
      spec->name, pawl_did_you_mean(nearest, arena));
}

void pawl_params_warn(struct pawl_project *project, const struct pawl_kernel_spec *spec) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  if (spec->kind != PAWL_FROM_SOURCES) return; /* pawl does not compile it */
  for (size_t i = 0; i < spec->param_count; i++)
    definitions_warn(project, spec, "params", spec->params[i].name, &arena);
  for (size_t i = 0; i < spec->tune_count; i++)
    if (!pawl_kernel_param(spec, spec->tune[i].name))
      definitions_warn(project, spec, "tune", spec->tune[i].name, &arena);
}

pawl_status pawl_definitions_check(struct pawl_project *project, char *const *names, int count,
                                   struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_TRY(pawl_kernels_named(&project->suite, &arena, names, count, &specs, &spec_count, err));
  for (size_t i = 0; i < spec_count; i++) pawl_params_warn(project, specs[i]);
  for (size_t i = 0; i < project->options.override_count; i++) {
    const char *macro = project->options.overrides[i].name, *known[64];
    size_t known_count = 0;
    bool read = false;
    for (size_t k = 0; k < spec_count && !read; k++) {
      read = kernel_reads(project, specs[k], macro, &arena);
      for (size_t p = 0; p < specs[k]->param_count && known_count < 64; p++)
        known[known_count++] = specs[k]->params[p].name;
    }
    if (read) continue;
    const char *nearest = pawl_nearest(macro, known, known_count);
    return pawl_fail(err, PAWL_USAGE,
                     "'-D %s' changes nothing: no source of the kernels reads it%s", macro,
                     pawl_did_you_mean(nearest, &arena));
  }
  return PAWL_OK;
}
