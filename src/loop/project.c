/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/project.h"

#include <string.h>

#include "base/file.h"
#include "measure/block.h"

const char *pawl_project_path(struct pawl_project *project, const char *relative) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(project->suite.folder, relative);
  return pawl_arena_copy(&project->arena, path);
}

pawl_status pawl_project_output(struct pawl_project *project, const char **out, struct pawl_error *err) {
  const char *folder = pawl_project_path(project, PAWL_OUTPUT_FOLDER);
  PAWL_TRY(pawl_make_ignored_folder(folder, err));
  *out = folder;
  return PAWL_OK;
}

const char *pawl_project_home_path(struct pawl_project *project, const char *relative) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(project->home, relative);
  return pawl_arena_copy(&project->arena, path);
}

static pawl_status find_home(struct pawl_project *project, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  project->home = pawl_arena_copy(&project->arena, home);
  project->include_dir = pawl_project_home_path(project, "include");
  project->worker_program = pawl_project_home_path(project, "libexec/pawl/pawl-worker");
  if (pawl_file_exists(project->worker_program)) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "pawl's own files are not at '%s': set PAWL_HOME to the installation folder",
                   home);
}

/* What a killed run left beside a tracked file does not make the tree dirty. */
static void read_git(struct pawl_project *project) {
  pawl_file_remove_leftovers(pawl_project_path(project, PAWL_BASELINE_PATH));
  pawl_file_remove_leftovers(project->suite.path);
  struct pawl_error err = {0};
  if (pawl_git_read(project->suite.folder, &project->arena, &project->git, &err) != PAWL_OK)
    project->git_reason = pawl_arena_copy(&project->arena, err.message);
  else if (!project->git.commit)
    project->git_reason = "this repository has no commit yet: commit the kernels first";
}

pawl_status pawl_project_open(struct pawl_project *project, const struct pawl_project_options *options,
                              struct pawl_error *err) {
  *project = (struct pawl_project){
      .options = *options,
      .devices = {.wanted = options->device, .arena = &project->arena, .gpu_lost = options->gpu_lost},
      .tree_lock = {-1}};
  PAWL_TRY(find_home(project, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, options->suite);
  PAWL_TRY(pawl_suite_read(path, &project->arena, &project->suite, err));
  project->cache_folder = options->cache_folder ? options->cache_folder : pawl_project_path(project, ".pawl");
  PAWL_TRY(pawl_make_ignored_folder(project->cache_folder, err));
  read_git(project);
  return PAWL_OK;
}

void pawl_project_close(struct pawl_project *project) {
  if (!project) return;
  pawl_devices_unlock_clocks(&project->devices, project->options.log);
  for (struct pawl_project_operator *item = project->operators, *next; item; item = next) {
    next = item->next;
    pawl_oracle_release(&item->oracle);
    pawl_free(item);
  }
  for (struct pawl_project *tree = project->trees, *next; tree; tree = next) {
    next = tree->next;
    pawl_project_close(tree);
    pawl_free(tree);
  }
  pawl_lock_release(&project->tree_lock);
  pawl_arena_clear(&project->arena);
  *project = (struct pawl_project){.tree_lock = {-1}};
}

const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project, const char *name,
                                                            struct pawl_project **tree) {
  *tree = project->operator_tree ? project->operator_tree : project;
  const struct pawl_operator_spec *spec = pawl_suite_operator(&(*tree)->suite, name);
  if (spec || *tree == project) return spec;
  *tree = project; /* only the working tree has it */
  return pawl_suite_operator(&project->suite, name);
}

/* Exact values take longer than the kernels that they judge. */
#define OPERATOR_TIMEOUT_FACTOR 10

double pawl_project_operator_timeout(const struct pawl_project *project) {
  return OPERATOR_TIMEOUT_FACTOR * project->suite.measure.timeout_seconds;
}

void pawl_project_lock_clocks(struct pawl_project *project) {
  if (project->suite.measure.clocks == PAWL_CLOCKS_LOCK)
    pawl_devices_lock_clocks(&project->devices, project->options.log);
}

struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda) {
  struct pawl_build_options options = {.folder = project->suite.folder,
                                       .cache_folder = project->cache_folder,
                                       .include_dir = project->include_dir,
                                       .overrides = project->options.overrides,
                                       .override_count = project->options.override_count,
                                       .line_info = project->options.line_info,
                                       .timeout_seconds = 600,
                                       .log = project->options.log};
  const struct pawl_device *gpu = cuda ? pawl_devices_find(&project->devices, PAWL_CUDA, NULL) : NULL;
  options.cuda_arch = gpu ? gpu->arch : project->cuda_arch;
  return options;
}

struct pawl_case pawl_command_case(const struct pawl_suite *suite) {
  for (size_t i = 0; i < suite->case_count; i++) {
    if (!suite->cases[i].operator_name) return suite->cases[i];
  }
  return pawl_measure_command_problem().config;
}
