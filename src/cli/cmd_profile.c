/* SPDX-License-Identifier: Apache-2.0 */
/* pawl profile KERNEL --case NAME [--against REV] [--base FILE.csv] [-o DIR] | --import FILE.csv [--base FILE.csv] */
#include "base/file.h"
#include "cli/command.h"
#include "loop/lineage.h"
#include "loop/profile_kernel.h"
#include "profile/ncu_csv.h"
#include "profile/summary.h"

struct profile_words {
  const char *kernel, *case_name, *path, *base_path, *against, *folder;
};

/* What a profile says, with the difference to its base. */
struct explained {
  struct pawl_profile profile, base;
  struct pawl_profile_change change;
  bool has_base;
};

/* Reads the base of --base, where there is one. */
static pawl_status read_base(struct pawl_cli *cli, const char *path, struct explained *out, struct pawl_error *err) {
  if (!path) return PAWL_OK;
  out->has_base = true;
  return pawl_ncu_csv_read(path, &cli->arena, &out->base, err);
}

static void compare(struct pawl_cli *cli, struct explained *explained) {
  if (explained->has_base) pawl_profile_compare(&explained->base, &explained->profile, &cli->arena, &explained->change);
}

static void to_text(const struct explained *explained, struct pawl_text *out) {
  if (explained->has_base) pawl_profile_change_summary(&explained->change, out);
  pawl_profile_summary(&explained->profile, out);
}

static json_t *to_json(const struct explained *explained) {
  return pawl_profile_to_json(&explained->profile, explained->has_base ? &explained->change : NULL);
}

static pawl_status print(const struct pawl_cli *cli, const struct explained *explained, struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = to_json(explained);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  to_text(explained, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

/* profile.txt and profile.json, beside the .ncu-rep. */
static pawl_status keep(const struct explained *explained, const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *text_path = pawl_path_join(folder, "profile.txt");
  PAWL_CLEANUP(pawl_free_pointer) char *json_path = pawl_path_join(folder, "profile.json");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = to_json(explained);
  to_text(explained, &text);
  PAWL_TRY(pawl_file_write(text_path, text.data, text.length, err));
  return pawl_json_write(json_path, document, true, err);
}

static pawl_status import(struct pawl_cli *cli, const struct profile_words *words, struct pawl_error *err) {
  struct explained explained = {0};
  PAWL_TRY(pawl_ncu_csv_read(words->path, &cli->arena, &explained.profile, err));
  PAWL_TRY(read_base(cli, words->base_path, &explained, err));
  compare(cli, &explained);
  return print(cli, &explained, err);
}

/* Builds the kernel as `tree` has it, and profiles it. */
static pawl_status profile_arm(struct pawl_cli *cli, struct pawl_project *project, struct pawl_project *tree,
                               const struct pawl_kernel_spec *spec, const char *case_name, const char *folder,
                               struct pawl_profile *out, struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  PAWL_TRY(pawl_project_ready(tree, spec, &kernel, err));
  if (kernel.diagnostics) pawl_log_info(&cli->log, "%s", kernel.diagnostics);
  if (kernel.outcome == PAWL_OUTCOME_BUILD) return pawl_fail(err, PAWL_FAILED, "%s", kernel.reason);
  if (kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot profile '%s': %s", spec->name, kernel.reason);
  return pawl_profile_ready_kernel(project, &kernel, case_name, folder, out, err);
}

/* The same kernel at another commit, on the case of the working tree. */
static pawl_status profile_against(struct pawl_cli *cli, struct pawl_project *project,
                                   const struct profile_words *words, const char *folder, struct pawl_profile *out,
                                   struct pawl_error *err) {
  const char *commit;
  struct pawl_project *tree;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NO_INPUT, "cannot profile '%s': %s", words->against, project->git_reason);
  PAWL_TRY(pawl_git_resolve(project->git.root, words->against, &project->arena, &commit, err));
  PAWL_TRY(pawl_lineage_tree(project, commit, &tree, err));
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&tree->suite, words->kernel);
  if (!spec) return pawl_fail(err, PAWL_USAGE, "no kernel '%s' at '%s'", words->kernel, words->against);
  const char *base_folder = pawl_arena_printf(&project->arena, "%s/base", folder);
  return profile_arm(cli, project, tree, spec, words->case_name, base_folder, out, err);
}

static pawl_status profile_kernel(struct pawl_cli *cli, struct pawl_project *project, const struct profile_words *words,
                                  struct pawl_error *err) {
  char *names[] = {(char *)(uintptr_t)words->kernel};
  const struct pawl_kernel_spec **specs;
  size_t count;
  struct explained explained = {.has_base = words->against != NULL};
  const char *folder = words->folder ? words->folder : pawl_project_path(project, "perf/out/profile");
  PAWL_TRY(pawl_cli_require_case(project, words->case_name, err));
  PAWL_TRY(pawl_project_kernels(project, names, 1, &specs, &count, err));
  PAWL_TRY(read_base(cli, words->base_path, &explained, err));
  PAWL_TRY(profile_arm(cli, project, project, specs[0], words->case_name, folder, &explained.profile, err));
  if (words->against) PAWL_TRY(profile_against(cli, project, words, folder, &explained.base, err));
  compare(cli, &explained);
  PAWL_TRY(keep(&explained, folder, err));
  PAWL_TRY(print(cli, &explained, err));
  pawl_log_info(&cli->log, "the profile is in %s", folder);
  return PAWL_OK;
}

static pawl_status check_words(const struct profile_words *words, struct pawl_error *err) {
  if (words->path && (words->kernel || words->case_name || words->folder || words->against))
    return pawl_fail(err, PAWL_USAGE, "'--import' takes no kernel and only --base beside it");
  if (!words->path && !words->kernel)
    return pawl_fail(err, PAWL_USAGE, "'profile' needs a kernel, or --import FILE.csv");
  if (words->against && words->base_path)
    return pawl_fail(err, PAWL_USAGE, "'--against' and '--base' are two bases; leave one out");
  if (!words->path && !words->case_name) return pawl_fail(err, PAWL_USAGE, "'profile KERNEL' needs --case NAME");
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_profile(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  struct profile_words words = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.case_name, "NAME", "profile one call on this case", 0, 0},
      {PAWL_OPTION_STRING, "--against", &words.against, "REV",
       "profile this revision of the kernel too, and explain the change of the time since it", 0, 0},
      {PAWL_OPTION_PATH, "--base", &words.base_path, "FILE.csv", "explain the change of the time since this profile", 0,
       0},
      {PAWL_OPTION_PATH, "-o", &words.folder, "DIR", "the output folder; perf/out/profile by default", 0, 0},
      {PAWL_OPTION_PATH, "--import", &words.path, "FILE.csv", "read what 'ncu --csv --page raw' wrote", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
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
