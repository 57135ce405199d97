/* SPDX-License-Identifier: Apache-2.0 */
/* pawl profile KERNEL --case NAME [--base FILE.csv] [-o DIR] | --import FILE.csv [--base FILE.csv] */
#include "base/file.h"
#include "cli/command.h"
#include "loop/profile_kernel.h"
#include "profile/ncu_csv.h"
#include "profile/summary.h"

struct profile_words {
  const char *kernel, *case_name, *path, *base_path, *folder;
};

/* What a profile says, with the difference to its base. */
struct explained {
  struct pawl_profile profile, base;
  struct pawl_profile_change change;
  bool has_base;
};

static pawl_status explain(struct pawl_cli *cli, const struct pawl_profile *profile, const char *base_path,
                           struct explained *out, struct pawl_error *err) {
  *out = (struct explained){.profile = *profile, .has_base = base_path != NULL};
  if (!base_path) return PAWL_OK;
  PAWL_TRY(pawl_ncu_csv_read(base_path, &cli->arena, &out->base, err));
  pawl_profile_compare(&out->base, &out->profile, &cli->arena, &out->change);
  return PAWL_OK;
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
  struct pawl_profile profile;
  struct explained explained;
  PAWL_TRY(pawl_ncu_csv_read(words->path, &cli->arena, &profile, err));
  PAWL_TRY(explain(cli, &profile, words->base_path, &explained, err));
  return print(cli, &explained, err);
}

/* Builds the kernel and profiles it. */
static pawl_status profile_kernel(struct pawl_cli *cli, struct pawl_project *project, const struct profile_words *words,
                                  struct pawl_error *err) {
  char *names[] = {(char *)(uintptr_t)words->kernel};
  const struct pawl_kernel_spec **specs;
  size_t count;
  struct pawl_ready_kernel kernel;
  struct pawl_profile profile;
  struct explained explained;
  const char *folder = words->folder ? words->folder : pawl_project_path(project, "perf/out/profile");
  PAWL_TRY(pawl_cli_require_case(project, words->case_name, err));
  PAWL_TRY(pawl_project_kernels(project, names, 1, &specs, &count, err));
  PAWL_TRY(pawl_project_ready(project, specs[0], &kernel, err));
  if (kernel.diagnostics) pawl_log_info(&cli->log, "%s", kernel.diagnostics);
  if (kernel.outcome == PAWL_OUTCOME_BUILD) return pawl_fail(err, PAWL_FAILED, "%s", kernel.reason);
  if (kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot profile '%s': %s", words->kernel, kernel.reason);
  PAWL_TRY(pawl_profile_ready_kernel(project, &kernel, words->case_name, folder, &profile, err));
  PAWL_TRY(explain(cli, &profile, words->base_path, &explained, err));
  PAWL_TRY(keep(&explained, folder, err));
  PAWL_TRY(print(cli, &explained, err));
  pawl_log_info(&cli->log, "the profile is in %s", folder);
  return PAWL_OK;
}

static pawl_status check_words(const struct profile_words *words, struct pawl_error *err) {
  if (words->path && (words->kernel || words->case_name || words->folder))
    return pawl_fail(err, PAWL_USAGE, "'--import' takes no kernel and only --base beside it");
  if (!words->path && !words->kernel)
    return pawl_fail(err, PAWL_USAGE, "'profile' needs a kernel, or --import FILE.csv");
  if (!words->path && !words->case_name) return pawl_fail(err, PAWL_USAGE, "'profile KERNEL' needs --case NAME");
  return PAWL_OK;
}

PAWL_COMMAND(profile) {
  struct profile_words words = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.case_name, "NAME", "profile one call on this case", 0, 0},
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
