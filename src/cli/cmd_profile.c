/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/file.h"
#include "cli/command.h"
#include "loop/line_times.h"
#include "profile/ncu_csv.h"
#include "project/change_base.h"
#include "project/profile_kernel.h"
#include "project/static_change.h"
#include "report/line_change.h"

struct profile_words {
  const char *kernel, *case_name, *path, *base_path, *against, *folder;
  bool full;
};

static pawl_status cmd_profile_read_base(struct pawl_cli *cli, const char *path,
                                         struct pawl_explanation *out, struct pawl_error *err) {
  if (!path) return PAWL_OK;
  out->has_base = true;
  return pawl_ncu_csv_read(path, &cli->arena, &out->base, err);
}

static pawl_status cmd_profile_print(const struct pawl_cli *cli,
                                     const struct pawl_explanation *explanation,
                                     const struct pawl_report_profile *lines,
                                     struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_explanation_json(explanation);
    if (lines) pawl_json_set(document, "lines", pawl_line_times_to_json(lines));
    if (lines) pawl_json_set_string(document, "no_lines", lines->no_lines);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_explanation_text(explanation, &text);
  if (lines && lines->line_count) pawl_text_add(&text, "lines that the change comes from:\n");
  if (lines) pawl_line_list(lines, "  ", &text);
  if (lines && lines->no_lines)
    pawl_text_printf(&text, "no time of source lines: %s\n", lines->no_lines);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

static pawl_status import(struct pawl_cli *cli, const struct profile_words *words,
                          struct pawl_error *err) {
  struct pawl_explanation explanation = {0};
  PAWL_TRY(pawl_ncu_csv_read(words->path, &cli->arena, &explanation.profile, err));
  PAWL_TRY(cmd_profile_read_base(cli, words->base_path, &explanation, err));
  pawl_explanation_compare(&explanation, &cli->arena);
  if (words->folder) {
    PAWL_TRY(pawl_make_folders(words->folder, err));
    PAWL_TRY(pawl_explanation_keep(&explanation, words->folder, err));
  }
  return cmd_profile_print(cli, &explanation, NULL, err);
}

/* Builds the kernel of `tree`. PAWL_UNAVAILABLE: it cannot run here, but its machine code may be
   known. */
static pawl_status ready(struct pawl_cli *cli, struct pawl_project *tree,
                         const struct pawl_kernel_spec *spec, struct pawl_ready_kernel *out,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_project_ready(tree, spec, out, err));
  if (out->diagnostics) pawl_log_info(&cli->log, "%s", out->diagnostics);
  if (out->outcome == PAWL_OUTCOME_BUILD) return pawl_fail(err, PAWL_FAILED, "%s", out->reason);
  if (out->outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot profile '%s': %s", spec->name, out->reason);
  return PAWL_OK;
}

/* Builds the kernel at another commit. */
static pawl_status ready_against(struct pawl_cli *cli, struct pawl_project *project,
                                 const struct profile_words *words, struct pawl_project **out_tree,
                                 struct pawl_ready_kernel *out, struct pawl_error *err) {
  const char *commit;
  struct pawl_project *tree;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NO_INPUT, "cannot profile '%s': %s", words->against,
                     project->git.reason);
  PAWL_TRY(pawl_git_resolve(project->git.root, words->against, &project->arena, &commit, err));
  PAWL_TRY(pawl_change_base_tree(project, commit, &tree, err));
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&tree->suite, words->kernel);
  if (!spec)
    return pawl_fail(err, PAWL_USAGE, "no kernel '%s' at '%s'", words->kernel, words->against);
  *out_tree = tree;
  return ready(cli, tree, spec, out, err);
}

/* Without counters, only the machine code shows the change. */
static void say_machine_code(struct pawl_cli *cli, const struct pawl_ready_kernel *base,
                             const struct pawl_ready_kernel *kernel) {
  const char *change = pawl_static_change(&base->build, &kernel->build, &cli->arena);
  if (change) pawl_log_info(&cli->log, "without counters, the compiler says: %s", change);
}

/* Profiles both arms on the working tree's case, and finds how their code differs. The samples, the
   listings and the builds with source lines come beside the counters. */
static pawl_status profile_both(struct pawl_project *project, const struct profile_words *words,
                                struct pawl_project *tree, const struct pawl_ready_kernel *base,
                                const struct pawl_ready_kernel *kernel, const char *folder,
                                struct pawl_explanation *out, struct pawl_build_diff *diff,
                                struct pawl_error *err) {
  struct pawl_profiled_version arms[] = {
      {.kernel = base,
       .name = "base",
       .folder = pawl_arena_printf(&project->arena, "%s/base", folder),
       .profile = &out->base},
      {.kernel = kernel, .name = "candidate", .folder = folder, .profile = &out->profile}};
  struct pawl_profiling profiling;
  struct pawl_build_thread builds[2];
  pawl_build_diff_begin(tree, base, project, kernel, builds);
  pawl_profiling_init(&profiling, project);
  pawl_profile_begin(&profiling, arms, 2, words->case_name, words->full, true);
  pawl_profile_sample(&profiling);
  const struct pawl_profiled_version *failed = arms[1].status != PAWL_OK   ? &arms[1]
                                               : arms[0].status != PAWL_OK ? &arms[0]
                                                                           : NULL;
  for (int i = 0; i < 2; i++) pawl_build_thread_await(&builds[i]);
  if (!failed) pawl_build_diff(base, kernel, &project->listings, &project->arena, diff);
  if (!failed) pawl_build_diff_add_lines(tree, base, project, kernel, 0, diff);
  pawl_profiling_release(&profiling);
  return failed ? pawl_fail(err, failed->status, "%s", failed->why.message) : PAWL_OK;
}

static pawl_status profile_against(struct pawl_cli *cli, struct pawl_project *project,
                                   const struct profile_words *words,
                                   const struct pawl_kernel_spec *spec, const char *folder,
                                   struct pawl_explanation *out, struct pawl_report_profile *lines,
                                   struct pawl_error *err) {
  struct pawl_ready_kernel kernel = {0}, base = {0};
  struct pawl_build_diff *diff = pawl_arena_alloc(&project->arena, 1, sizeof *diff);
  struct pawl_project *tree = NULL;
  struct pawl_error ignored = {0};
  enum pawl_status_code status = ready(cli, project, spec, &kernel, err);
  if (status != PAWL_OK && status != PAWL_UNAVAILABLE) return status;
  const enum pawl_status_code base_status =
      ready_against(cli, project, words, &tree, &base, status == PAWL_OK ? err : &ignored);
  if (status == PAWL_OK) status = base_status;
  if (status == PAWL_OK)
    status = profile_both(project, words, tree, &base, &kernel, folder, out, diff, err);
  if (status != PAWL_OK) say_machine_code(cli, &base, &kernel);
  out->has_base = status == PAWL_OK;
  pawl_explanation_compare(out, &cli->arena);
  if (out->has_base)
    pawl_line_times(diff->identical ? NULL : diff, out, out->change.base_seconds,
                    out->change.candidate_seconds, &project->arena, lines);
  return status;
}

static pawl_status profile_alone(struct pawl_cli *cli, struct pawl_project *project,
                                 const struct profile_words *words,
                                 const struct pawl_kernel_spec *spec, const char *folder,
                                 struct pawl_profile *out, struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  struct pawl_profiled_version version = {
      .kernel = &kernel, .name = "candidate", .folder = folder, .profile = out};
  struct pawl_profiling profiling;
  PAWL_TRY(ready(cli, project, spec, &kernel, err));
  pawl_profiling_init(&profiling, project);
  pawl_profile_begin(&profiling, &version, 1, words->case_name, words->full, false);
  pawl_profiling_release(&profiling);
  if (version.status == PAWL_OK) return PAWL_OK;
  return pawl_fail(err, version.status, "%s", version.why.message);
}

static pawl_status profile_kernel(struct pawl_cli *cli, struct pawl_project *project,
                                  struct profile_words *words, struct pawl_error *err) {
  PAWL_TRY(pawl_cli_only_kernel(project, PAWL_CHOOSE_ANY, &words->kernel, err));
  char *names[] = {(char *)(uintptr_t)words->kernel};
  const struct pawl_kernel_spec **specs;
  size_t count;
  struct pawl_explanation explanation = {0};
  struct pawl_report_profile lines = {.base_s = NAN, .candidate_s = NAN};
  const char *folder =
      words->folder ? words->folder : pawl_suite_path(&project->paths, "perf/out/profile");
  PAWL_TRY(pawl_kernels_named(&project->suite, &project->arena, names, 1, &specs, &count, err));
  PAWL_TRY(pawl_cli_only_case(project, words->kernel, &words->case_name, err));
  PAWL_TRY(cmd_profile_read_base(cli, words->base_path, &explanation, err));
  if (words->against)
    PAWL_TRY(profile_against(cli, project, words, specs[0], folder, &explanation, &lines, err));
  else
    PAWL_TRY(profile_alone(cli, project, words, specs[0], folder, &explanation.profile, err));
  if (!words->against) pawl_explanation_compare(&explanation, &cli->arena);
  PAWL_TRY(pawl_explanation_keep(&explanation, folder, err));
  PAWL_TRY(cmd_profile_print(cli, &explanation, &lines, err));
  pawl_log_info(&cli->log, "the profile is in %s", folder);
  return PAWL_OK;
}

static pawl_status check_words(const struct profile_words *words, struct pawl_error *err) {
  if (words->path && (words->kernel || words->case_name || words->against || words->full))
    return pawl_fail(err, PAWL_USAGE,
                     "'--import' takes no kernel, and only --base and -o beside it");
  if (words->against && words->base_path)
    return pawl_fail(err, PAWL_USAGE, "'--against' and '--base' are two bases; leave one out");
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_profile(struct pawl_cli *cli, int argc, char **argv,
                                       struct pawl_error *err) {
  struct profile_words words = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.case_name, "NAME",
       "profile one call on this case; the only one by default"},
      {PAWL_OPTION_STRING, "--against", &words.against, "REV",
       "profile this revision of the kernel too, and explain the change of the time since it"},
      {PAWL_OPTION_PATH, "--base", &words.base_path, "FILE.csv",
       "explain the change of the time since this profile"},
      {PAWL_OPTION_FLAG, "--full", &words.full, NULL,
       "use all sections of Nsight Compute, and keep its .ncu-rep"},
      {PAWL_OPTION_PATH, "-o", &words.folder, "DIR",
       "the output folder; perf/out/profile by default"},
      {PAWL_OPTION_PATH, "--import", &words.path, "FILE.csv",
       "read what 'ncu --csv --page raw' wrote"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  words.kernel = argc ? argv[0] : NULL;
  PAWL_TRY(check_words(&words, err));
  if (words.path) return import(cli, &words, err);
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  const enum pawl_status_code status = profile_kernel(cli, &project, &words, err);
  pawl_project_close(&project);
  return status;
}
