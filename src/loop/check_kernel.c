/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/check_kernel.h"

#include "base/file.h"
#include "loop/operators.h"

static pawl_status check_options(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                 const char *only_case, uint64_t seed, struct pawl_check_options *out,
                                 struct pawl_error *err) {
  struct pawl_oracle *oracle;
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_cases(project, oracle, only_case, NULL, &cases, &count, err));
  *out = (struct pawl_check_options){.worker = &kernel->worker,
                                     .oracle = oracle,
                                     .spec = only_case ? NULL : pawl_suite_check(&project->suite, oracle->info.name),
                                     .cases = cases,
                                     .case_count = count,
                                     .seed = seed,
                                     .threads = pawl_project_threads(project),
                                     .log = project->options.log};
  return PAWL_OK;
}

pawl_status pawl_check_ready_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                    const struct pawl_check_selection *selection, struct pawl_check_report *out,
                                    struct pawl_error *err) {
  struct pawl_check_options options;
  PAWL_TRY(check_options(project, kernel, selection->only_case, selection->seed, &options, err));
  options.reduced = selection->reduced;
  options.shard = selection->shard;
  options.shards = selection->shards;
  return pawl_check_kernel(&options, &project->arena, out, err);
}

pawl_status pawl_sanitize_ready_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                       const char *only_case, uint64_t seed, const char *tool,
                                       struct pawl_sanitizer_report *out, struct pawl_error *err) {
  struct pawl_check_options options;
  PAWL_TRY(check_options(project, kernel, only_case, seed, &options, err));
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(project->cache_folder, "sanitizer");
  PAWL_TRY(pawl_make_folders(folder, err));
  const char *log = pawl_arena_printf(&project->arena, "%s/%s-%s.txt", folder, kernel->spec->name, tool);
  return pawl_sanitize(&options, tool, log, &project->arena, out, err);
}
