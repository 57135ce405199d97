/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the baseline's own commit in a worktree of the branch's tip, so nothing else of the job's
 * working tree can get in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"
#include "forge/baseline_merge.h"
#include "forge/post.h"

#define BASELINE "perf/baseline.json"
#define RACES 6

struct push {
  struct pawl_forge *forge;
  const char *root, *branch, *remote_branch; /* "main", "refs/remotes/origin/main" */
  const char *path;                          /* the baseline's path below the root */
  const char *scratch, *tree;                /* a temporary folder and the worktree in it */
  bool by_pull_request;                      /* to a branch of its own, with a draft pull request */
  struct pawl_baseline base, ours;
};

pawl_status pawl_forge_may_push_baseline(const struct pawl_forge *forge, const char *branch,
                                         struct pawl_error *err) {
  const char *ref = getenv(forge->is_gitlab ? "CI_COMMIT_REF_NAME" : "GITHUB_REF");
  const char *wanted =
      forge->is_gitlab ? branch : pawl_arena_printf(forge->arena, "refs/heads/%s", branch);
  if (forge->is_pull_request || pawl_starts_with(forge->event_name, "pull_request"))
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "a pull request does not move the baseline: only '%s' does", branch);
  if (ref && *ref && strcmp(ref, wanted) != 0)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "'%s' does not move the baseline: only '%s' does",
                     ref, wanted);
  return PAWL_OK;
}

static pawl_status check_branch(const char *root, const char *branch, struct pawl_arena *arena,
                                struct pawl_error *err) {
  const char *ref = pawl_arena_printf(arena, "refs/heads/%s", branch);
  char what[300];
  snprintf(what, sizeof what, "'%.200s' is not a valid branch name", branch);
  return pawl_git_need(root, GIT_ARGUMENTS("check-ref-format", ref), NULL, PAWL_USAGE, what, err);
}

/* Reads the baseline of the measured commit. It is empty if that commit has none. */
static pawl_status baseline_push_read_base(struct push *push, const char *commit,
                                           struct pawl_error *err) {
  const char *text, *copy = pawl_arena_printf(push->forge->arena, "%s/base.json", push->scratch);
  size_t length;
  const enum pawl_status_code status =
      pawl_git_show(push->root, commit, push->path, push->forge->arena, &text, &length, err);
  if (status == PAWL_OK) PAWL_TRY(pawl_file_write(copy, text, length, err));
  if (status != PAWL_OK && status != PAWL_NO_INPUT) return status;
  return pawl_baseline_read(copy, push->forge->arena, &push->base, err);
}

/* Adds a name to a commit's subject, without characters that mean something to git, the code host
 * or a reader of logs. */
static void add_plain(const char *name, struct pawl_text *out) {
  for (const char *p = name ? name : "unnamed"; *p; p++) {
    const bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                       (*p >= '0' && *p <= '9') || strchr("_.-+ ", *p);
    pawl_text_add_bytes(out, plain ? p : "?", 1);
  }
}

static void baseline_push_add_move(const struct pawl_baseline_move *move, struct pawl_text *out) {
  add_plain(move->kernel_name, out);
  pawl_text_add(out, " on ");
  add_plain(move->case_name, out);
  if (move->from_ms > 0)
    pawl_text_printf(out, ": %.6g ms to %.6g ms\n", move->from_ms, move->to_ms);
  if (!(move->from_ms > 0)) pawl_text_printf(out, ": %.6g ms, new\n", move->to_ms);
}

static void write_message(const struct push *push, size_t changed,
                          const struct pawl_baseline_entry *first, struct pawl_text *out) {
  pawl_text_add(out, "perf: ratchet baseline forward, ");
  if (changed == 1) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
    add_plain(first->kernel_name, &name);
    pawl_text_add(&name, " on ");
    add_plain(first->case_name, &name);
    pawl_text_printf(out, "%.120s", pawl_text_string(&name));
  } else {
    pawl_text_printf(out, "%zu configurations", changed);
  }
  /* a pull request needs its checks */
  pawl_text_add(out, push->by_pull_request ? "\n\n" : " [skip ci]\n\n");
  for (size_t i = push->base.move_count; i < push->ours.move_count; i++)
    baseline_push_add_move(&push->ours.moves[i], out);
}

static pawl_status commit(const struct push *push, const char *message, struct pawl_error *err) {
  struct pawl_exit known = {0};
  PAWL_TRY(
      pawl_git_run(push->tree, GIT_ARGUMENTS("config", "user.email"), NULL, NULL, &known, err));
  PAWL_TRY(pawl_git_need(push->tree, GIT_ARGUMENTS("add", "--force", "--", push->path), NULL,
                         PAWL_IO, "cannot stage the baseline", err));
  const char *const *as_bot =
      GIT_ARGUMENTS("-c", "user.name=" PAWL_FORGE_BOT_NAME, "-c",
                    "user.email=" PAWL_FORGE_BOT_EMAIL, "commit", "--quiet", "-m", message);
  const char *const *as_user = GIT_ARGUMENTS("commit", "--quiet", "-m", message);
  const bool named = known.status == 0 || getenv("GIT_COMMITTER_EMAIL");
  return pawl_git_need(push->tree, named ? as_user : as_bot, NULL, PAWL_IO,
                       "cannot commit the baseline", err);
}

/* Makes the commit on top of the branch's tip. *changed is 0 if the tip has everything already. */
static pawl_status commit_on_tip(struct push *push, size_t *changed, struct pawl_error *err) {
  struct pawl_arena *arena = push->forge->arena;
  const char *refspec =
      pawl_arena_printf(arena, "+refs/heads/%s:%s", push->branch, push->remote_branch);
  PAWL_TRY(pawl_git_need(push->root,
                         GIT_ARGUMENTS("fetch", "--quiet", "--no-tags", "origin", refspec), NULL,
                         PAWL_UNAVAILABLE, "cannot fetch the branch", err));
  PAWL_TRY(pawl_git_worktree_add(push->root, push->remote_branch, push->tree, err));
  const char *file = pawl_arena_printf(arena, "%s/%s", push->tree, push->path);
  struct pawl_baseline theirs, merged;
  const struct pawl_baseline_entry *first = NULL;
  PAWL_TRY(pawl_baseline_read(file, arena, &theirs, err));
  pawl_baseline_merge(&push->base, &push->ours, &theirs, arena, &merged, changed, &first);
  if (*changed == 0) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text message = {0};
  write_message(push, *changed, first, &message);
  PAWL_TRY(pawl_baseline_write(file, &merged, err));
  return commit(push, message.data, err);
}

static bool lost_the_race(const char *words) {
  static const char *const signs[] = {"fetch first",     "non-fast-forward",
                                      "cannot lock ref", "failed to update ref",
                                      "stale info",      "incorrect old value"};
  for (size_t i = 0; i < PAWL_COUNT(signs); i++)
    if (strstr(words, signs[i])) return true;
  return false;
}

/* Returns whether git's words name a rule of GitHub (GH006, GH013) or GitLab, or a hook that
 * declines. */
static bool is_protected(const char *words) {
  static const char *const signs[] = {"GH006", "GH013", "protected branch", "hook declined",
                                      "Protected branch"};
  for (size_t i = 0; i < PAWL_COUNT(signs); i++)
    if (strstr(words, signs[i])) return true;
  return false;
}

static pawl_status show_instead(const struct push *push, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_git_need(push->tree, GIT_ARGUMENTS("show", "--format=%B", "--stat", "HEAD"), &text,
                         PAWL_IO, "cannot show the commit", err));
  printf("push origin HEAD:refs/heads/%s\n%s", push->branch, pawl_text_string(&text));
  return PAWL_OK;
}

/* Pushes the commit. Sets *lost if somebody else pushed first. */
static pawl_status push_tip(const struct push *push, bool *lost, struct pawl_error *err) {
  *lost = false;
  if (push->forge->dry_run) return show_instead(push, err);
  const char *branch = push->by_pull_request ? PAWL_FORGE_BASELINE_BRANCH : push->branch;
  const char *target = pawl_arena_printf(push->forge->arena, "%sHEAD:refs/heads/%s",
                                         push->by_pull_request ? "+" : "", branch);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(push->tree, GIT_ARGUMENTS("push", "--quiet", "origin", target), NULL,
                        &words, &how, err));
  if (how.status == 0) return PAWL_OK;
  if (is_protected(pawl_text_string(&words)))
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot push the baseline: '%s' is protected; let the account of the token "
                     "bypass the rule (for GitHub the secret PAWL_BASELINE_TOKEN), or send it by "
                     "pull request (--by pull-request, or the variable PAWL_BASELINE_BY)",
                     branch);
  *lost = lost_the_race(pawl_text_string(&words));
  const char *line = strstr(pawl_text_string(&words), "error: ");
  if (!line) line = strstr(pawl_text_string(&words), "fatal: ");
  if (!line) line = pawl_text_string(&words);
  return pawl_fail(err, *lost ? PAWL_TRY_AGAIN : PAWL_NOT_PERMITTED,
                   "cannot push the baseline to '%s': %.*s", push->branch, (int)strcspn(line, "\n"),
                   line);
}

static pawl_status push_until(struct push *push, size_t *moved, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  bool lost = true;
  for (int race = 0; lost && race < RACES; race++) {
    size_t changed = 0;
    if (race > 0)
      pawl_sleep_seconds(0.2 * race +
                         (double)(getpid() % 100) / 500); /* so that jobs do not wait in step */
    PAWL_TRY(commit_on_tip(push, &changed, err));
    *moved = changed;
    if (changed == 0) {
      pawl_log_info(push->forge->log, "the baseline of '%s' is up to date: nothing to commit",
                    push->branch);
      return PAWL_OK;
    }
    status = push_tip(push, &lost, err);
    if (lost)
      pawl_log_info(push->forge->log,
                    "somebody else pushed to '%s' first: trying again on the new tip",
                    push->branch);
  }
  return status;
}

/* Proposes the commit, which is on its own branch, and updates an existing draft. */
static pawl_status propose(const struct push *push, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text subject = {0}, body = {0};
  PAWL_TRY(pawl_git_need(push->tree, GIT_ARGUMENTS("show", "--no-patch", "--format=%s", "HEAD"),
                         &subject, PAWL_IO, "cannot read the commit", err));
  PAWL_TRY(pawl_git_need(push->tree, GIT_ARGUMENTS("show", "--no-patch", "--format=%b", "HEAD"),
                         &body, PAWL_IO, "cannot read the commit", err));
  subject.data[strcspn(pawl_text_string(&subject), "\n")] = '\0';
  return pawl_forge_open_pull_request(push->forge, PAWL_FORGE_BASELINE_BRANCH, push->branch,
                                      pawl_text_string(&subject), pawl_text_string(&body), err);
}

static pawl_status baseline_push_prepare(struct push *push, const char *folder,
                                         struct pawl_error *err) {
  struct pawl_arena *arena = push->forge->arena;
  struct pawl_git git;
  PAWL_TRY(pawl_git_read(folder, arena, &git, err));
  if (!git.commit) return pawl_fail(err, PAWL_NO_INPUT, "there is no commit for the baseline");
  PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(git.root);
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(folder);
  if (!root || !real || !pawl_starts_with(real, root))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not below '%s'", folder, git.root);
  const char *below = real + strlen(root) + (real[strlen(root)] == '/');
  push->root = git.root;
  push->path = pawl_arena_printf(arena, "%s%s" BASELINE, below, *below ? "/" : "");
  push->remote_branch = pawl_arena_printf(arena, "refs/remotes/origin/%s", push->branch);
  PAWL_TRY(check_branch(push->root, push->branch, arena, err));
  return baseline_push_read_base(push, git.commit, err);
}

/* Joins the moves of each part of a run since the measured commit. */
static pawl_status take_parts(struct push *push, char *const *files, int count,
                              struct pawl_error *err) {
  struct pawl_arena *arena = push->forge->arena;
  for (int i = 0; i < count; i++) {
    struct pawl_baseline part, all;
    const struct pawl_baseline_entry *first;
    size_t changed;
    if (!pawl_file_exists(files[i]))
      return pawl_fail(err, PAWL_NO_INPUT, "cannot find '%s'", files[i]);
    PAWL_TRY(pawl_baseline_read(files[i], arena, &part, err));
    if (part.from_results)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' contains results, not a baseline", files[i]);
    pawl_baseline_merge(&push->base, &part, i ? &push->ours : &push->base, arena, &all, &changed,
                        &first);
    push->ours = all;
  }
  return PAWL_OK;
}

pawl_status pawl_forge_push_baseline(struct pawl_forge *forge, const char *folder,
                                     char *const *parts, int count, const char *branch,
                                     bool by_pull_request, struct pawl_error *err) {
  if (by_pull_request && forge->is_gitlab)
    return pawl_fail(err, PAWL_USAGE,
                     "pawl opens no merge request for a baseline: let the token push to '%s'",
                     branch);
  const char *scratch;
  if (!pawl_make_temporary("baseline", forge->arena, &scratch))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", scratch);
  struct push push = {.forge = forge,
                      .branch = branch,
                      .by_pull_request = by_pull_request,
                      .scratch = scratch,
                      .tree = pawl_arena_printf(forge->arena, "%s/tree", scratch)};
  enum pawl_status_code status = baseline_push_prepare(&push, folder, err);
  if (status == PAWL_OK) status = take_parts(&push, parts, count, err);
  size_t changed = 0;
  if (status == PAWL_OK) status = push_until(&push, &changed, err);
  if (status == PAWL_OK && changed && by_pull_request) status = propose(&push, err);
  struct pawl_error ignored = {0};
  if (push.root && pawl_git_worktree_remove(push.root, push.tree, &ignored) != PAWL_OK)
    pawl_log_detail(forge->log, "%s", ignored.message);
  if (pawl_remove_tree(scratch, &ignored) != PAWL_OK)
    pawl_log_detail(forge->log, "%s", ignored.message);
  return status;
}
