/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/command.h"
#include "project/build_diff.h"
#include "project/change_base.h"
#include "project/definitions.h"
#include "project/static_code.h"

/* Finds the base: a revision, or the merge base, or on main the last commit. */
static pawl_status cmd_diff_find_base(struct pawl_project *project, const char *revision,
                                      const char **commit, struct pawl_error *err) {
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NO_INPUT, "cannot find a base to compare with: %s",
                     project->git.reason);
  if (revision) return pawl_git_resolve(project->git.root, revision, &project->arena, commit, err);
  struct pawl_change_base base;
  PAWL_TRY(pawl_change_base_read(&project->git, &project->arena, &base, err));
  *commit = base.merge_base ? base.merge_base : project->git.commit;
  return PAWL_OK;
}

/* Builds the kernel of one tree. It need not run here. */
static pawl_status cmd_diff_build(struct pawl_cli *cli, struct pawl_project *tree,
                                  const char *kernel_name, const char *where,
                                  struct pawl_ready_kernel *out, struct pawl_error *err) {
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&tree->suite, kernel_name);
  if (!spec) return pawl_fail(err, PAWL_USAGE, "no kernel '%s' at '%s'", kernel_name, where);
  const enum pawl_status_code status = pawl_project_build_kernel(tree, spec, out, err);
  if (out->build.plugin) return PAWL_OK; /* it is built, and only its device is absent */
  if (status != PAWL_OK) return status;
  if (out->diagnostics) pawl_log_info(&cli->log, "%s", out->diagnostics);
  return pawl_fail(err, out->outcome == PAWL_OUTCOME_BUILD ? PAWL_FAILED : PAWL_UNAVAILABLE,
                   "kernel '%s' at '%s' has no machine code: %s", kernel_name, where,
                   out->reason ? out->reason : "pawl does not build it");
}

static pawl_status cmd_diff_print(const struct pawl_cli *cli, const char *kernel_name,
                                  const char *commit, const struct pawl_build_diff *diff,
                                  struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_build_diff_to_json(diff);
    pawl_json_set_int(document, "schema_version", 1);
    pawl_json_set_string(document, "kernel_name", kernel_name);
    pawl_json_set_string(document, "base", commit);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_build_diff_text(diff, &text);
  pawl_cli_print(pawl_text_string(&text));
  return PAWL_OK;
}

static pawl_status cmd_diff_compare(struct pawl_cli *cli, struct pawl_project *project,
                                    const char *revision, const char *kernel_name,
                                    struct pawl_error *err) {
  char *names[] = {(char *)(uintptr_t)kernel_name};
  const struct pawl_kernel_spec **specs;
  size_t count;
  struct pawl_project *tree;
  struct pawl_ready_kernel base = {0}, candidate = {0};
  struct pawl_build_diff diff;
  struct pawl_build_thread lines[2];
  struct pawl_baseline baseline;
  const char *commit;
  PAWL_TRY(pawl_kernels_named(&project->suite, &project->arena, names, 1, &specs, &count, err));
  PAWL_TRY(pawl_baseline_read(pawl_suite_path(&project->paths, PAWL_BASELINE_PATH), &project->arena,
                              &baseline, err));
  pawl_devices_choose_arch(&project->devices, &baseline);
  PAWL_TRY(cmd_diff_find_base(project, revision, &commit, err));
  PAWL_TRY(cmd_diff_build(cli, project, kernel_name, "the working tree", &candidate, err));
  PAWL_TRY(pawl_change_base_tree(project, commit, &tree, err));
  PAWL_TRY(cmd_diff_build(cli, tree, kernel_name, commit, &base, err));
  pawl_log_info(&cli->log, "%s: %.12s -> the working tree", kernel_name, commit);
  pawl_build_diff_begin(tree, &base, project, &candidate, lines);
  pawl_build_diff(&base, &candidate, &project->listings, &project->arena, &diff);
  for (int i = 0; i < 2; i++) pawl_build_thread_await(&lines[i]);
  pawl_build_diff_add_lines(tree, &base, project, &candidate, 0, &diff);
  return cmd_diff_print(cli, kernel_name, commit, &diff, err);
}

/* One word is the kernel, or a revision if the suite has only one kernel, of another name. A
 * revision alone needs a kernel where there are several. */
static pawl_status cmd_diff_read_words(const struct pawl_project *project, int argc, char **argv,
                                       const char **revision, const char **kernel,
                                       struct pawl_error *err) {
  struct pawl_error several = {0};
  *revision = argc == 2 ? argv[0] : NULL;
  *kernel = argc ? argv[argc - 1] : NULL;
  if (argc == 0) return pawl_cli_only_kernel(project, PAWL_CHOOSE_ANY, kernel, err);
  const char *only = NULL, *commit;
  if (argc == 2 || pawl_suite_kernel(&project->suite, argv[0])) return PAWL_OK;
  const enum pawl_status_code status =
      pawl_cli_only_kernel(project, PAWL_CHOOSE_ANY, &only, &several);
  if (status != PAWL_OK) {
    PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
    struct pawl_error none;
    if (!project->git.commit ||
        pawl_git_resolve(project->git.root, argv[0], &arena, &commit, &none) != PAWL_OK)
      return PAWL_OK; /* a kernel that the suite lacks */
    *err = several;
    return pawl_prefix(err, "'%s' is a revision and needs a kernel", argv[0]);
  }
  *revision = argv[0];
  *kernel = only;
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_diff(struct pawl_cli *cli, int argc, char **argv,
                                    struct pawl_error *err) {
  struct pawl_option_list definitions = {0};
  const struct pawl_option options[] = {PAWL_CLI_DEFINITIONS(&definitions), {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 2, &done, err));
  if (done) return PAWL_OK;
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  const char *revision, *kernel;
  enum pawl_status_code status = cmd_diff_read_words(&project, argc, argv, &revision, &kernel, err);
  char *names[] = {(char *)(uintptr_t)kernel};
  if (status == PAWL_OK) status = pawl_definitions_check(&project, names, 1, err);
  if (status == PAWL_OK) status = cmd_diff_compare(cli, &project, revision, kernel, err);
  pawl_project_close(&project);
  return status;
}
