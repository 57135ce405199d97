/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/base_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"
#include "forge/suite_paths.h"
#include "project/paths.h"
#include "suite/read.h"

/* Asks GitHub for the merge base with a fork's commit, which is not here. */
static pawl_status ask_merge_base(struct pawl_forge *forge, const char *base, const char **out,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  long status;
  const struct pawl_forge_call call = {
      .method = "GET",
      .path = pawl_arena_printf(forge->arena, "/compare/%s...%s?per_page=1", base, forge->sha),
      .repeatable = true};
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &answer, err));
  const char *sha =
      json_string_value(json_object_get(json_object_get(answer, "merge_base_commit"), "sha"));
  if (!sha || !pawl_git_is_commit(sha))
    return pawl_fail(err, PAWL_PROTOCOL, "the server does not name the merge base with %.12s",
                     forge->sha);
  *out = pawl_arena_copy(forge->arena, sha);
  return PAWL_OK;
}

static const char *main_branch_of(const struct pawl_forge *forge) {
  return forge->default_branch ? forge->default_branch : "main";
}

/* Fails if the checked-out commit is the change, because no change may judge itself. After a
 * workflow run the default branch may have the change already. */
static pawl_status need_base(const struct pawl_forge *forge, const char *base,
                             struct pawl_error *err) {
  if (forge->is_gitlab || !strcmp(forge->event_name, "workflow_run") ||
      strcmp(base, forge->sha) != 0)
    return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "refused: the change %.12s is checked out here, and its own rules and baseline "
                   "cannot judge it; check out the base (actions/checkout with 'ref: ${{ "
                   "github.event.pull_request.base.sha }}')",
                   forge->sha);
}

/* Finds the commit whose rules judge: the merge base with the checked-out commit, which is the base
 * or, on GitLab, the change beside the target branch. */
static pawl_status find_base(struct pawl_forge *forge, const struct pawl_git *git, const char **out,
                             struct pawl_error *err) {
  const char *target = getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"), *base = git->commit;
  struct pawl_error ignored = {0};
  *out = forge->sha ? forge->sha : git->commit;
  if (!forge->sha) return PAWL_OK;
  /* somebody measures a branch by hand: its merge base with the default branch judges */
  if (!forge->is_pull_request) {
    const char *main =
        pawl_arena_printf(forge->arena, "refs/remotes/origin/%s", main_branch_of(forge));
    const char *found;
    if (pawl_git_merge_base(git->root, main, forge->sha, forge->arena, &found, &ignored) == PAWL_OK)
      *out = found;
    return PAWL_OK;
  }
  if (forge->is_gitlab && target && *target) {
    PAWL_TRY(pawl_git_need(git->root, GIT_ARGUMENTS("fetch", "--quiet", "origin", "--", target),
                           NULL, PAWL_UNAVAILABLE, "cannot fetch the target branch", err));
    PAWL_TRY(pawl_git_resolve(git->root, "FETCH_HEAD", forge->arena, &base, err));
  }
  if (pawl_git_merge_base(git->root, base, forge->sha, forge->arena, out, &ignored) == PAWL_OK)
    return need_base(forge, *out, err);
  if (!forge->is_gitlab && !forge->follows_github && !forge->dry_run) {
    PAWL_TRY(ask_merge_base(forge, base, out, err));
    return need_base(forge, *out, err);
  }
  return pawl_fail(err, PAWL_NO_INPUT,
                   "cannot find the merge base with %.12s: check out with the whole history",
                   forge->sha);
}

/* The files of the suite's folder at the base, or outside a repository in the folder itself. */
struct base_files {
  const char *root, *commit;  /* NULL: no repository */
  const char *folder, *below; /* the suite's folder; below the root, "" or "bench/" */
};

static pawl_status read_base_file(const struct base_files *base, const char *name,
                                  struct pawl_arena *arena, struct pawl_text *out,
                                  struct pawl_error *err) {
  if (!base->commit) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(base->folder, name);
    return pawl_file_read(path, PAWL_JSON_FILE_LIMIT, out, err);
  }
  const char *text;
  size_t length;
  PAWL_TRY(pawl_git_show(base->root, base->commit,
                         pawl_arena_printf(arena, "%s%s", base->below, name), arena, &text, &length,
                         err));
  pawl_text_add_bytes(out, text, length);
  return PAWL_OK;
}

static pawl_status find_files(struct pawl_forge *forge, const char *folder, struct base_files *out,
                              struct pawl_error *err) {
  struct pawl_git git;
  struct pawl_error ignored = {0};
  *out = (struct base_files){.folder = folder, .below = ""};
  if (pawl_git_read(folder, forge->arena, &git, &ignored) != PAWL_OK || !git.commit) return PAWL_OK;
  const char *root;
  PAWL_TRY(pawl_suite_below(git.root, folder, forge->arena, &root, &out->below, err));
  out->root = git.root;
  return find_base(forge, &git, &out->commit, err);
}

/* Parses a baseline by way of a file, because pawl reads it from files only. */
static pawl_status read_baseline(const struct pawl_text *text, struct pawl_arena *arena,
                                 struct pawl_baseline *out, struct pawl_error *err) {
  const char *scratch;
  if (!pawl_make_temporary("base", arena, &scratch))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", scratch);
  const char *copy = pawl_arena_printf(arena, "%s/baseline.json", scratch);
  enum pawl_status_code status = pawl_file_write(copy, pawl_text_string(text), text->length, err);
  if (status == PAWL_OK) status = pawl_baseline_read(copy, arena, out, err);
  struct pawl_error ignored = {0};
  if (pawl_remove_tree(scratch, &ignored) != PAWL_OK) (void)ignored;
  return status;
}

/* Returns the change's own suite, or NULL if pawl cannot read it. */
static const struct pawl_suite *read_own_suite(const struct base_files *change, const char *path,
                                               struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_suite *suite = pawl_arena_alloc(arena, 1, sizeof *suite);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  struct pawl_error ignored = {0};
  const bool known = read_base_file(change, name, arena, &text, &ignored) == PAWL_OK &&
                     pawl_suite_parse(pawl_text_string(&text), text.length, path, arena, suite,
                                      &ignored) == PAWL_OK;
  return known ? suite : NULL;
}

/* Reads the losses that the change accepts itself, in the baseline and the suite of its own commit.
 * A fork's commit that pawl cannot get accepts nothing. */
static pawl_status read_acceptances(const struct pawl_forge *forge, const struct base_files *base,
                                    const char *suite_path, struct pawl_forge_expected *out,
                                    struct pawl_error *err) {
  struct pawl_error ignored = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_baseline ours;
  if (out->suite.gate.accept != PAWL_ACCEPT_PULL_REQUEST || !forge->is_pull_request ||
      !base->commit)
    return PAWL_OK;
  const struct base_files change = {base->root, forge->sha, base->folder, base->below};
  if (pawl_git_fetch(base->root, forge->sha, &ignored) != PAWL_OK) return PAWL_OK;
  if (read_base_file(&change, PAWL_BASELINE_PATH, forge->arena, &text, &ignored) == PAWL_OK) {
    PAWL_TRY(read_baseline(&text, forge->arena, &ours, err));
    pawl_acceptances_find(&ours, &out->baseline, forge->arena, &out->acceptances);
  }
  const struct pawl_suite *own = read_own_suite(&change, suite_path, forge->arena);
  if (own) pawl_acceptances_find_removed(&out->suite, own, forge->arena, &out->acceptances);
  return PAWL_OK;
}

pawl_status pawl_forge_expected_read(struct pawl_forge *forge, const char *suite_path,
                                     struct pawl_forge_expected *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text suite = {0}, baseline = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(suite_path);
  const char *slash = strrchr(suite_path, '/'), *name = slash ? slash + 1 : suite_path;
  struct pawl_forge_expected expected = {.commit = forge->sha};
  struct base_files base;
  struct pawl_error why = {0};
  PAWL_TRY(find_files(forge, folder, &base, err));
  expected.is_pull_request = forge->is_pull_request;
  expected.root = base.root;
  expected.base = base.commit;
  if (read_base_file(&base, name, forge->arena, &suite, &why) != PAWL_OK)
    return pawl_fail(err, PAWL_NO_INPUT, "the base has no '%s' to judge by: %s", name, why.message);
  PAWL_TRY(pawl_suite_parse(pawl_text_string(&suite), suite.length, suite_path, forge->arena,
                            &expected.suite, err));
  const enum pawl_status_code read =
      read_base_file(&base, PAWL_BASELINE_PATH, forge->arena, &baseline, &why);
  if (read == PAWL_OK) PAWL_TRY(read_baseline(&baseline, forge->arena, &expected.baseline, err));
  if (read != PAWL_OK && read != PAWL_NO_INPUT) return pawl_fail(err, read, "%s", why.message);
  PAWL_TRY(read_acceptances(forge, &base, suite_path, &expected, err));
  *out = expected;
  return PAWL_OK;
}

pawl_status pawl_forge_expected_anchor(struct pawl_forge *forge, struct pawl_forge_expected *out,
                                       struct pawl_error *err) {
  if (out->base || !forge->is_pull_request || forge->is_gitlab || forge->dry_run || !forge->sha)
    return PAWL_OK;
  return ask_merge_base(forge, forge->base_sha ? forge->base_sha : main_branch_of(forge),
                        &out->base, err);
}
