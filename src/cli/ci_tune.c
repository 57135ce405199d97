/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci tune, pawl ci propose: a search in one job, and the draft pull request with what it found
 * in another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"
#include "cli/ci.h"
#include "forge/post.h"
#include "report/suggestions.h"
#include "suite/edit_params.h"
#include "tuning/tuning.h"
#include "yaml/yaml.h"

/* Appends to the step's summary. */
static pawl_status add_to_summary(const char *folder, struct pawl_error *err) {
  const char *path = getenv("GITHUB_STEP_SUMMARY");
  PAWL_CLEANUP(pawl_free_pointer) char *from = pawl_path_join(folder, "suggestions.md");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, more = {0};
  if (!path || !*path || !pawl_file_exists(from)) return PAWL_OK;
  if (pawl_file_exists(path)) PAWL_TRY(pawl_file_read(path, PAWL_FORGE_SUMMARY_LIMIT, &text, err));
  PAWL_TRY(pawl_file_read(from, PAWL_FORGE_SUMMARY_LIMIT, &more, err));
  pawl_text_add(&text, pawl_text_string(&more));
  return pawl_file_write(path, pawl_text_string(&text), text.length, err);
}

enum pawl_status_code pawl_ci_tune(struct pawl_ci *ci, struct pawl_error *err) {
  if (!ci->kernel || (!ci->case_name && !ci->case_names))
    return pawl_fail(err, PAWL_USAGE, "'ci tune' needs --kernel, and --case or --cases");
  struct pawl_arena *arena = &ci->cli->arena;
  char *folder = pawl_arena_printf(arena, "%s/tune", ci->output);
  char *words[9];
  int count = 0;
  if (pawl_ci_on_github() || pawl_ci_on_gitlab()) PAWL_TRY(pawl_ci_refuse_tokens(err));
  PAWL_TRY(pawl_remove_tree(folder, err));
  if (ci->case_name) words[count++] = pawl_arena_printf(arena, "--case=%s", ci->case_name);
  if (ci->case_names) words[count++] = pawl_arena_printf(arena, "--cases=%s", ci->case_names);
  if (ci->budget) words[count++] = pawl_arena_printf(arena, "--budget=%s", ci->budget);
  words[count++] = pawl_arena_copy(arena, "-o");
  words[count++] = folder;
  words[count++] = pawl_arena_copy(arena, "--");
  words[count++] = pawl_arena_copy(arena, ci->kernel);
  words[count] = NULL;
  const enum pawl_status_code tuned = pawl_cmd_tune(ci->cli, count, words, err);
  if (tuned != PAWL_OK && tuned != PAWL_UNDECIDED) return tuned;
  if (tuned == PAWL_UNDECIDED)
    pawl_log_warning(&ci->cli->log, "the search decided nothing: see suggestions.md");
  return add_to_summary(folder, err);
}

/* --- the proposal --- */

/* Lists the cases as in "small, large". */
static const char *case_names(const struct pawl_tune_proposal *proposal, struct pawl_arena *arena) {
  const char *names = proposal->cases[0]->name;
  for (size_t i = 1; i < proposal->case_count; i++)
    names = pawl_arena_printf(arena, "%s, %s", names, proposal->cases[i]->name);
  return names;
}

/* Each kernel with its cases has one branch, which the next search reuses. */
static const char *branch_name(const struct pawl_tune_proposal *proposal,
                               struct pawl_arena *arena) {
  char *name = pawl_arena_printf(arena, "pawl-tune/%s-for-%s", proposal->spec->name,
                                 case_names(proposal, arena));
  for (char *p = strchr(name, '/') + 1; *p; p++) {
    const bool plain =
        (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
    if (!plain && *p != '_' && *p != '-') *p = '-';
  }
  return name;
}

static pawl_status push(const char *root, const char *path, const char *branch, const char *title,
                        struct pawl_arena *arena, struct pawl_error *err) {
  const char *target = pawl_arena_printf(arena, "HEAD:refs/heads/%s", branch);
  PAWL_TRY(pawl_git_need(root, GIT_ARGUMENTS("switch", "--quiet", "--force-create", branch), NULL,
                         PAWL_IO, "cannot make a branch", err));
  PAWL_TRY(pawl_git_need(root,
                         GIT_ARGUMENTS("-c", "user.name=" PAWL_FORGE_BOT_NAME, "-c",
                                       "user.email=" PAWL_FORGE_BOT_EMAIL, "commit", "--quiet",
                                       "-m", title, "--", path),
                         NULL, PAWL_IO, "cannot commit the parameters", err));
  return pawl_git_need(root, GIT_ARGUMENTS("push", "--quiet", "--force", "origin", target), NULL,
                       PAWL_NOT_PERMITTED, "cannot push the branch", err);
}

/* Writes the parameters into pawl.yaml; *changed: they differ from its own. */
static pawl_status apply(const char *path, const struct pawl_tune_proposal *proposal, bool *changed,
                         struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text before = {0}, after = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_YAML_FILE_LIMIT, &before, err));
  PAWL_TRY(
      pawl_suite_write_params(path, proposal->spec->name, proposal->params, proposal->count, err));
  PAWL_TRY(pawl_file_read(path, PAWL_YAML_FILE_LIMIT, &after, err));
  *changed = strcmp(pawl_text_string(&before), pawl_text_string(&after)) != 0;
  return PAWL_OK;
}

enum pawl_status_code pawl_ci_propose(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_arena *arena = &ci->cli->arena;
  struct pawl_suite suite;
  struct pawl_tune_proposal proposal;
  struct pawl_git git;
  bool changed = false;
  const bool named = ci->from != ci->output;
  PAWL_CLEANUP(pawl_free_pointer)
  char *file = pawl_path_join(ci->from, named ? PAWL_TUNE_RESULT : "tune/" PAWL_TUNE_RESULT);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  PAWL_TRY(pawl_suite_read(ci->cli->suite, arena, &suite, err));
  PAWL_TRY(pawl_tune_proposal_read(file, &suite, arena, &proposal, err));
  if (!proposal.params) {
    pawl_log_info(&ci->cli->log, "'%s' recommends nothing", file);
    return PAWL_OK;
  }
  PAWL_TRY(apply(suite.path, &proposal, &changed, err));
  if (!changed) {
    pawl_log_info(&ci->cli->log, "'%s' has these parameters already", suite.path);
    return PAWL_OK;
  }
  const char *title =
      pawl_arena_printf(arena, "Tune %s for %s", proposal.spec->name, case_names(&proposal, arena));
  const char *branch = branch_name(&proposal, arena);
  const char *base = ci->forge.default_branch ? ci->forge.default_branch : "main";
  PAWL_TRY(pawl_git_read(ci->suite_folder, arena, &git, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_real(suite.path);
  if (!ci->forge.dry_run)
    PAWL_TRY(push(git.root, path ? path : suite.path, branch, title, arena, err));
  pawl_tune_proposal_text(&proposal, &body);
  return pawl_forge_open_pull_request(&ci->forge, branch, base, title, pawl_text_string(&body),
                                      err);
}
