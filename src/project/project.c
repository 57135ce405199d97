/* SPDX-License-Identifier: Apache-2.0 */
#include "project/project.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "measure/block.h"
#include "worker/surroundings.h"

/* Temporary files that a killed run left beside a tracked file do not make the tree dirty. */
static struct pawl_git read_git(const struct pawl_paths *paths, const char *suite_path,
                                bool with_changes, struct pawl_arena *arena) {
  struct pawl_git git = {0};
  struct pawl_error err = {0};
  pawl_file_remove_leftovers(pawl_suite_path(paths, PAWL_BASELINE_PATH));
  pawl_file_remove_leftovers(suite_path);
  if ((with_changes ? pawl_git_read : pawl_git_read_head)(paths->folder, arena, &git, &err) !=
      PAWL_OK)
    git.reason = pawl_arena_copy(arena, err.message);
  return git;
}

pawl_status pawl_require_isolation(struct pawl_measure_spec *measure, struct pawl_error *err) {
  const char *wanted = getenv(PAWL_ISOLATION_VARIABLE);
  if (!wanted || !*wanted) return PAWL_OK;
  if (strcmp(wanted, "required") != 0)
    return pawl_fail(err, PAWL_CONFIG, "%s is '%s'; set it to 'required', or not at all",
                     PAWL_ISOLATION_VARIABLE, wanted);
  measure->isolation = PAWL_ISOLATE_REQUIRED;
  return PAWL_OK;
}

static bool needs_gpu(const struct pawl_suite *suite) {
  for (size_t i = 0; i < suite->kernel_count; i++)
    if (suite->kernels[i].device == PAWL_CUDA) return true;
  return false;
}

pawl_status pawl_project_open(struct pawl_project *project,
                              const struct pawl_project_options *options, struct pawl_error *err) {
  struct pawl_arena *arena = &project->arena;
  *project = (struct pawl_project){
      .options = *options,
      .devices = {
          .owner = options->devices,
          .wanted = options->device,
          .wait_seconds = options->wait_seconds > 0 ? options->wait_seconds : PAWL_TURN_SECONDS,
          .arena = arena,
          .gpu_lost = options->gpu_lost}};
  pawl_known_compilers_init(&project->own_compilers);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, options->suite);
  PAWL_TRY(pawl_suite_read(path, arena, &project->suite, err));
  PAWL_TRY(pawl_require_isolation(&project->suite.measure, err));
  /* The search runs beside git and the next steps. */
  if (needs_gpu(&project->suite)) pawl_devices_begin(&project->devices, PAWL_CUDA);
  PAWL_TRY(
      pawl_paths_find(project->suite.folder, options->cache_folder, arena, &project->paths, err));
  project->git = options->commit
                     ? (struct pawl_git){.root = project->paths.folder, .commit = options->commit}
                     : read_git(&project->paths, project->suite.path, !options->only_lists, arena);
  return PAWL_OK;
}

void pawl_operators_release(struct pawl_operators *operators) {
  for (struct pawl_started_operator *item = operators->started, *next; item; item = next) {
    next = item->next;
    pawl_oracle_release(&item->oracle);
    pawl_free(item);
  }
  operators->started = NULL;
}

void pawl_tree_close(struct pawl_tree *tree) {
  pawl_project_close(&tree->project);
  pawl_lock_release(&tree->lock);
  pawl_free(tree);
}

void pawl_project_dismiss(struct pawl_project *project) {
  pawl_devices_dismiss(&project->devices);
  for (struct pawl_started_operator *item = project->operators.started; item; item = item->next)
    pawl_oracle_dismiss(&item->oracle);
  pawl_shutdown_ask(&project->shutdown);
  pawl_jobs_stop(project->listings.jobs);
}

static void end_processes(struct pawl_project *project) {
  const int64_t begin = pawl_clock_ns();
  const size_t kernels = project->shutdown.count;
  pawl_shutdown_end(&project->shutdown);
  const double of_kernels = pawl_seconds_since(begin);
  const bool any = kernels || project->operators.started;
  pawl_operators_release(&project->operators);
  pawl_fork_servers_release(&project->own_fork_servers);
  if (any)
    pawl_log_detail(project->options.log,
                    "the last processes ended: %zu of kernels in %.3f s, then operators in %.3f s",
                    kernels, of_kernels, pawl_seconds_since(begin) - of_kernels);
}

void pawl_project_close(struct pawl_project *project) {
  if (!project) return;
  pawl_project_dismiss(project);
  end_processes(project);
  pawl_listings_clear(&project->listings);
  pawl_devices_unlock_clocks(&project->devices, project->options.log);
  pawl_devices_release(&project->devices);
  for (struct pawl_tree *tree = project->trees, *next; tree; tree = next) {
    next = tree->next;
    pawl_tree_close(tree);
  }
  for (struct pawl_tree_files *files = project->tree_files; files; files = files->next)
    pawl_arena_clear(&files->arena);
  /* This seals the kept files, so the key must still exist. */
  pawl_known_compilers_clear(&project->own_compilers);
  pawl_seal_key_release(&project->own_key);
  pawl_arena_clear(&project->arena);
  *project = (struct pawl_project){0};
}

const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project,
                                                            const char *name,
                                                            struct pawl_project **tree) {
  *tree = project->operators.tree ? project->operators.tree : project;
  const struct pawl_operator_spec *spec = pawl_suite_operator(&(*tree)->suite, name);
  if (spec || *tree == project) return spec;
  *tree = project; /* only the working tree has it */
  return pawl_suite_operator(&project->suite, name);
}

#define BUILD_SECONDS 600

struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda) {
  const struct pawl_device *gpu =
      cuda ? pawl_devices_find(&project->devices, PAWL_CUDA, NULL) : NULL;
  const struct pawl_project *ruling = project->options.parent ? project->options.parent : project;
  const bool hurried = project->options.line_info && project->options.line_seconds > 0;
  return (struct pawl_build_options){
      .folder = project->paths.folder,
      .cache_folder = project->paths.cache_folder,
      .include_dir = project->paths.include_folder,
      .overrides = project->options.overrides,
      .override_count = project->options.override_count,
      .line_info = project->options.line_info,
      .check_flags = project->options.check_flags,
      .cuda_arch = gpu ? gpu->arch : ruling->devices.absent_arch,
      .seal_key = pawl_project_seal_key(project),
      .compilers = pawl_project_compilers(project),
      .output_folder = pawl_suite_path(&project->paths, PAWL_OUTPUT_FOLDER),
      .timeout_seconds = hurried ? project->options.line_seconds : BUILD_SECONDS,
      .isolate = ruling->suite.measure.isolation,
      .outside = ruling->outside,
      .files = ruling->suite.measure.files,
      .user_folder = ruling->paths.folder,
      .log = project->options.log};
}

const struct pawl_seal_key *pawl_project_seal_key(struct pawl_project *project) {
  struct pawl_error err = {0};
  if (project->options.seal_key) return project->options.seal_key;
  if (pawl_seal_key_load(&project->own_key, NULL, &err) != PAWL_OK)
    pawl_log_warning(project->options.log,
                     "pawl has no key to trust what earlier runs kept, and makes all anew: %s",
                     err.message);
  return project->options.seal_key = &project->own_key;
}

struct pawl_fork_servers *pawl_project_fork_servers(struct pawl_project *project) {
  struct pawl_fork_servers *given = project->options.fork_servers;
  return given ? given : &project->own_fork_servers;
}

struct pawl_known_compilers *pawl_project_compilers(struct pawl_project *project) {
  return project->options.compilers ? project->options.compilers : &project->own_compilers;
}

/* Exact values take longer than the kernels under test. */
#define OPERATOR_TIMEOUT_FACTOR 10

double pawl_operator_timeout(const struct pawl_measure_spec *spec) {
  return OPERATOR_TIMEOUT_FACTOR * spec->timeout_seconds;
}

struct pawl_case pawl_command_case(const struct pawl_suite *suite) {
  for (size_t i = 0; i < suite->case_count; i++) {
    if (!suite->cases[i].operator_name) return suite->cases[i];
  }
  return pawl_measure_command_problem().config;
}
