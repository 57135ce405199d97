/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci measure: the job that runs the code of the change. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"
#include "cli/ci.h"
#include "forge/event_plan.h"
#include "forge/post.h"
#include "forge/workflow_files.h"
#include "record/stored_run.h"
#include "report/junit.h"
#include "suite/read.h"

#define WORKFLOW_LIMIT ((size_t)1 << 20)
#define BASELINE_PATH "perf/baseline.json"

pawl_status pawl_ci_refuse_tokens(struct pawl_error *err) {
  static const char *const names[] = {"GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const char *value = getenv(names[i]);
    if (value && *value)
      return pawl_fail(err, PAWL_NOT_PERMITTED,
                       "refused: the code under test could read the token in %s; give the token to "
                       "the job that reports, not to the job that measures",
                       names[i]);
  }
  const char *home = getenv("HOME");
  PAWL_CLEANUP(pawl_free_pointer) char *netrc = home ? pawl_path_join(home, ".netrc") : NULL;
  if (netrc && pawl_file_exists(netrc))
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "refused: the code under test could read the passwords in '%s'; remove the "
                     "file from the machine that measures",
                     netrc);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(".", GIT_ARGUMENTS("config", "--get-regexp", "^http\\..*extraheader$"),
                        &text, NULL, &how, err));
  if (how.status == 0 && text.length)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "refused: the code under test could read the token that git keeps here; check "
                     "out with persist-credentials: false");
  return PAWL_OK;
}

/* The address of the remote holds the job's token on GitLab. The code under test can read it in
   .git/config, so the address loses it before that code runs. */
static pawl_status forget_credentials(struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text plain = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(".", GIT_ARGUMENTS("config", "--get", "remote.origin.url"), &text, NULL,
                        &how, err));
  const char *url = pawl_text_string(&text), *scheme = strstr(url, "://");
  const char *sign = scheme ? strchr(scheme + 3, '@') : NULL;
  if (how.status != 0 || !pawl_starts_with(url, "http") || !sign ||
      (size_t)(sign - scheme) > 3 + strcspn(scheme + 3, "/"))
    return PAWL_OK;
  pawl_text_add_bytes(&plain, url, (size_t)(scheme + 3 - url));
  pawl_text_printf(&plain, "%.*s", (int)strcspn(sign + 1, "\n"), sign + 1);
  return pawl_git_need(".", GIT_ARGUMENTS("remote", "set-url", "origin", plain.data), NULL,
                       PAWL_CANNOT_WRITE, "cannot remove the token from the address of origin",
                       err);
}

/* GitLab's checkout has only the branch, but the merge base needs the target too. */
static pawl_status fetch_target(struct pawl_error *err) {
  const char *target = getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
  if (!pawl_ci_on_gitlab() || !target || !*target) return PAWL_OK;
  return pawl_git_need(".", GIT_ARGUMENTS("fetch", "--quiet", "origin", "--", target), NULL,
                       PAWL_UNAVAILABLE, "cannot fetch the target branch", err);
}

static pawl_status add_junit(const struct pawl_ci *ci, const struct pawl_stored_run *run,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(ci->output, "junit.xml");
  pawl_report_junit(&run->report, &text);
  return pawl_file_write(path, text.data, text.length, err);
}

/* If the workflow's filters omit a source, its changes start no measurement. */
static pawl_status check_filters(const struct pawl_ci *ci, const struct pawl_suite *suite,
                                 struct pawl_error *err) {
  static const char *const names[] = {".github/workflows/pawl.yml", ".forgejo/workflows/pawl.yml",
                                      ".gitea/workflows/pawl.yml", PAWL_GITLAB_JOBS};
  struct pawl_git git;
  struct pawl_suite_paths paths;
  PAWL_TRY(pawl_git_read(suite->folder, &ci->cli->arena, &git, err));
  PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(git.root);
  if (!root) return PAWL_OK;
  PAWL_TRY(pawl_suite_paths_find(suite, root, &ci->cli->arena, &paths, err));
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(root, names[i]);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    if (!pawl_is_regular(path)) continue;
    PAWL_TRY(pawl_file_read(path, WORKFLOW_LIMIT, &text, err));
    const char *left_out = pawl_workflow_lacks(pawl_text_string(&text), &paths);
    if (left_out)
      pawl_log_warning(&ci->cli->log,
                       "'%s' does not name '%s', so that its changes are not measured; remove the "
                       "file and run pawl init --forge again",
                       names[i], left_out);
  }
  return PAWL_OK;
}

/* Shows the result in the job itself. */
static pawl_status show(struct pawl_ci *ci, const struct pawl_stored_run *run,
                        struct pawl_error *err) {
  struct pawl_suite suite;
  size_t count;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!pawl_ci_on_github() && !pawl_ci_on_gitlab()) return PAWL_OK;
  PAWL_TRY(pawl_suite_read(ci->cli->suite, &ci->cli->arena, &suite, err));
  PAWL_TRY(check_filters(ci, &suite, err));
  if (pawl_ci_on_gitlab()) return add_junit(ci, run, err);
  const struct pawl_annotation *items =
      pawl_forge_annotations(run, &suite, &ci->cli->arena, &count);
  pawl_forge_workflow_commands(items, count, &text);
  if (!ci->cli->json) PAWL_TRY(pawl_cli_write(NULL, pawl_text_string(&text), text.length, err));
  return getenv("GITHUB_STEP_SUMMARY") ? pawl_forge_summary(&ci->forge, run, err) : PAWL_OK;
}

/* The output carries the moved baseline to the job that may push. */
static pawl_status keep_baseline(const struct pawl_ci *ci, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *from = pawl_path_join(ci->suite_folder, BASELINE_PATH);
  PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(ci->output, "baseline.json");
  return pawl_file_exists(from) ? pawl_copy_file(from, to, err) : PAWL_OK;
}

static enum pawl_status_code run(struct pawl_ci *ci, bool moves_baseline, struct pawl_error *err) {
  char *words[4];
  int count = 0;
  if (ci->shard) words[count++] = pawl_arena_printf(&ci->cli->arena, "--shard=%s", ci->shard);
  if (moves_baseline) words[count++] = pawl_arena_copy(&ci->cli->arena, "--update-baseline");
  words[count] = NULL;
  return pawl_cmd_run(ci->cli, count, words, err);
}

static pawl_status ci_measure_prepare(struct pawl_ci *ci, struct pawl_forge_plan *plan,
                                      struct pawl_error *err) {
  if (!pawl_ci_on_github() && !pawl_ci_on_gitlab())
    return PAWL_OK; /* a plain run on a developer's machine */
  struct pawl_forge_settings settings;
  PAWL_TRY(pawl_ci_refuse_tokens(err));
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  /* A fork's own suite must not decide this. The machine's owner may set an empty value to leave it
     to the suite. */
  if (ci->forge.is_pull_request && ci->forge.is_fork)
    setenv(PAWL_ISOLATION_VARIABLE, "required", 0);
  ci->cli->pull_request = ci->forge.is_pull_request;
  pawl_forge_settings_read(&ci->cli->arena, &settings);
  PAWL_TRY(pawl_forge_plan(&ci->forge, &settings, plan, err));
  PAWL_TRY(fetch_target(err));
  return forget_credentials(err);
}

enum pawl_status_code pawl_ci_measure(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_forge_plan plan = {0};
  struct pawl_error later = {0};
  /* A file from the change or of an earlier run must not pass for this run's result. */
  PAWL_TRY(pawl_remove_tree(ci->output, err));
  PAWL_TRY(ci_measure_prepare(ci, &plan, err));
  char option[] = "--quick", *quick[] = {option, NULL};
  if (!ci->cli->json && pawl_cmd_doctor(ci->cli, 1, quick, &later) != PAWL_OK)
    pawl_log_warning(&ci->cli->log, "%s", later.message);
  const enum pawl_status_code measured = run(ci, plan.moves_baseline, err);
  if (measured >= PAWL_USAGE) return measured;
  struct pawl_stored_run stored = {0};
  enum pawl_status_code status = pawl_stored_run_read(ci->output, &ci->cli->arena, &stored, &later);
  if (status == PAWL_OK) status = show(ci, &stored, &later);
  if (status == PAWL_OK && plan.moves_baseline) status = keep_baseline(ci, &later);
  pawl_stored_run_release(&stored);
  if (status == PAWL_OK) return measured;
  *err = later;
  return status;
}

/* Runs the proof. Sets *proven if it holds. Any failure leaves the answer to the machine that
   measures, because this machine may lack a compiler or a file. */
static pawl_status prove(struct pawl_ci *ci, bool *proven, struct pawl_error *err) {
  char option[] = "--code-only", *words[] = {option, NULL};
  struct pawl_error why = {0};
  const enum pawl_status_code status = pawl_cmd_run(ci->cli, 1, words, &why);
  *proven = status == PAWL_OK;
  if (*proven) return PAWL_OK;
  pawl_log_info(&ci->cli->log, "measure this change: %s",
                *why.message ? why.message : "its machine code does not prove it");
  return pawl_remove_tree(ci->output, err);
}

enum pawl_status_code pawl_ci_prove(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_forge_plan plan = {0};
  bool proven = false;
  PAWL_TRY(pawl_remove_tree(ci->output, err));
  PAWL_TRY(ci_measure_prepare(ci, &plan, err));
  PAWL_TRY(prove(ci, &proven, err));
  if (proven) {
    struct pawl_stored_run stored = {0};
    enum pawl_status_code status = pawl_stored_run_read(ci->output, &ci->cli->arena, &stored, err);
    if (status == PAWL_OK) status = show(ci, &stored, err);
    pawl_stored_run_release(&stored);
    if (status != PAWL_OK) return status;
  }
  return pawl_ci_hand_on("measure", proven ? "false" : "true", err);
}
