/* SPDX-License-Identifier: Apache-2.0 */
#include "project/definitions.h"

#include <string.h>

#include "base/file.h"
#include "build/build.h"
#include "build/macro_use.h"
#include "project/kernels.h"

/* The files of one kernel in which a macro may stand. */
struct kernel_files {
  struct pawl_project *project;
  const struct pawl_kernel_spec *spec;
  struct pawl_arena *arena;
  struct pawl_words sources; /* in the repository, by real path */
  struct pawl_words all;     /* by the compilers' lists; empty: pawl has not asked */
  bool listed;               /* the compilers could tell */
};

static struct kernel_files definitions_files(struct pawl_project *project,
                                             const struct pawl_kernel_spec *spec,
                                             struct pawl_arena *arena) {
  struct kernel_files files = {.project = project, .spec = spec, .arena = arena, .listed = true};
  const char *top = project->options.tree ? project->options.tree : project->git.root;
  PAWL_CLEANUP(pawl_free_pointer) char *tree = pawl_path_real(top ? top : project->paths.folder);
  for (size_t i = 0; i < spec->sources.count; i++) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *path = pawl_path_real(pawl_suite_path(&project->paths, spec->sources.items[i]));
    if (path && tree && pawl_path_holds(tree, path)) pawl_words_add(&files.sources, arena, path);
  }
  return files;
}

static bool any_has_word(const struct pawl_words *files, const char *word) {
  for (size_t i = 0; i < files->count; i++)
    if (pawl_file_has_word(files->items[i], word)) return true;
  return false;
}

/* Searching the sources takes no time. If they lack the name, the compiler knows what else it
   reads. A name that begins with an underscore, and NDEBUG, may be the compiler's own. */
static bool kernel_reads(struct kernel_files *files, const char *macro) {
  const struct pawl_kernel_spec *spec = files->spec;
  if (spec->kind == PAWL_FROM_PROTOCOL) return pawl_kernel_param(spec, macro) != NULL;
  if (spec->kind != PAWL_FROM_SOURCES) return false; /* pawl does not compile it */
  if (*macro == '_' || !strcmp(macro, "NDEBUG") || any_has_word(&files->sources, macro))
    return true;
  for (size_t i = 0; i < spec->flags.count; i++)
    if (strstr(spec->flags.items[i], macro))
      return true; /* a flag may use the macro, as -DTYPE=MACRO does */
  const struct pawl_build_options options =
      pawl_project_build_options(files->project, spec->device == PAWL_CUDA);
  if (files->listed && !files->all.count)
    files->listed = pawl_build_list_files(spec, &options, files->arena, &files->all);
  return !files->listed || any_has_word(&files->all, macro);
}

static void definitions_warn(struct kernel_files *files, const char *key, const char *macro) {
  const char *nearest = NULL;
  if (kernel_reads(files, macro)) return;
  for (size_t i = 0; i < files->sources.count && !nearest; i++)
    nearest = pawl_source_nearest_macro(files->sources.items[i], macro, files->arena);
  pawl_log_warning(
      files->project->options.log,
      "'%s' in '%s' of kernel '%s' changes nothing: no source of the kernel reads it%s", macro, key,
      files->spec->name, pawl_did_you_mean(nearest, files->arena));
}

void pawl_params_warn(struct pawl_project *project, const struct pawl_kernel_spec *spec) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  if (spec->kind != PAWL_FROM_SOURCES) return; /* pawl does not compile it */
  struct kernel_files files = definitions_files(project, spec, &arena);
  for (size_t i = 0; i < spec->param_count; i++)
    definitions_warn(&files, "params", spec->params[i].name);
  for (size_t i = 0; i < spec->tune_count; i++)
    if (!pawl_kernel_param(spec, spec->tune[i].name))
      definitions_warn(&files, "tune", spec->tune[i].name);
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
      struct kernel_files files = definitions_files(project, specs[k], &arena);
      read = kernel_reads(&files, macro);
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
