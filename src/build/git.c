/* SPDX-License-Identifier: Apache-2.0 */
#include "build/git.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clean.h"
#include "base/count.h"
#include "base/file.h"
#include "build/git_run.h"
#include "build/words.h"

#define GIT_SECONDS 300.0
#define ASK_SECONDS 15.0 /* a remote that does not answer must not keep `pawl init` */
#define GIT_OUTPUT ((size_t)64 << 20)

/* The environment may redirect git, as inside a hook, or give it commands. Only the repository must
   decide. */
static const char *const git_environment[] = {"LC_ALL=C",
                                              "GIT_TERMINAL_PROMPT=0",
                                              "GIT_OPTIONAL_LOCKS=0",
                                              "GIT_DIR",
                                              "GIT_WORK_TREE",
                                              "GIT_INDEX_FILE",
                                              "GIT_OBJECT_DIRECTORY",
                                              "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                              "GIT_COMMON_DIR",
                                              "GIT_NAMESPACE",
                                              "GIT_PREFIX",
                                              "GIT_EXTERNAL_DIFF",
                                              "GIT_LITERAL_PATHSPECS=1",
                                              NULL};

pawl_status pawl_git_run(const char *folder, const char *const *arguments, struct pawl_text *out,
                         struct pawl_text *errors, struct pawl_exit *how, struct pawl_error *err) {
  struct pawl_arena arena = {0};
  struct pawl_words argv = {0};
  /* the network may take long */
  const bool fetches = !strcmp(arguments[0], "fetch"), asks = !strcmp(arguments[0], "ls-remote");
  const double seconds = fetches ? pawl_budget_limit(GIT_SECONDS)
                         : asks  ? ASK_SECONDS
                                 : GIT_SECONDS;
  static const char *const prefix[] = {"git",
                                       "--no-pager",
                                       "--no-optional-locks",
                                       "-c",
                                       "core.hooksPath=/dev/null",
                                       "-c",
                                       "core.fsmonitor=false",
                                       "-c",
                                       "advice.detachedHead=false",
                                       "-c",
                                       "protocol.ext.allow=never"};
  for (size_t i = 0; i < PAWL_COUNT(prefix); i++) pawl_words_add(&argv, &arena, prefix[i]);
  for (; *arguments; arguments++) pawl_words_add(&argv, &arena, *arguments);
  const struct pawl_process_options options = {.argv = argv.items,
                                               .folder = folder,
                                               .environment = git_environment,
                                               .die_with_parent = true};
  const enum pawl_status_code status =
      pawl_process_run(&options, seconds, GIT_OUTPUT, out, errors, how, err);
  pawl_arena_clear(&arena);
  return status;
}

/* Returns the first "fatal:" or "error:" line of git, else its first line. */
static const char *git_words(const struct pawl_text *errors, const struct pawl_exit *how,
                             char *line, size_t size) {
  const char *text = pawl_text_string(errors), *best = strstr(text, "fatal: ");
  if (!best) best = strstr(text, "error: ");
  best = best ? best + 7 : text;
  snprintf(line, size, "%.*s", (int)strcspn(best, "\n"), best);
  if (*line) return line;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_exit_describe(how, &words);
  snprintf(line, size, "git %s", pawl_text_string(&words));
  return line;
}

pawl_status pawl_git_need(const char *folder, const char *const *arguments, struct pawl_text *out,
                          enum pawl_status_code code, const char *what, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text errors = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(folder, arguments, out, &errors, &how, err));
  if (!how.timed_out && how.status == 0) return PAWL_OK;
  char line[512];
  git_words(&errors, &how, line, sizeof line);
  const bool owned = strstr(
      line, "dubious ownership"); /* as in a container whose user does not own the checkout */
  return pawl_fail(
      err, code, "%s: %s%s", what, line,
      owned ? "; to allow it, run git config --global --add safe.directory FOLDER" : "");
}

const char *pawl_git_line(const char *folder, const char *const *arguments,
                          struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_exit how = {0};
  struct pawl_error ignored = {0};
  if (pawl_git_run(folder, arguments, &text, NULL, &how, &ignored) != PAWL_OK || how.status != 0)
    return NULL;
  char *line = pawl_arena_copy(arena, pawl_text_string(&text));
  line[strcspn(line, "\n")] = '\0';
  return *line ? line : NULL;
}

/* Removes the final newline of one path or hash. A path may contain other newlines. */
static const char *one_value(struct pawl_text *text, struct pawl_arena *arena) {
  if (text->length && text->data[text->length - 1] == '\n') text->data[--text->length] = '\0';
  return pawl_arena_copy(arena, pawl_text_string(text));
}

bool pawl_git_is_commit(const char *text) {
  const size_t length = strspn(text, "0123456789abcdef");
  return (length == 40 || length == 64) && !text[length];
}

#define CANNOT_READ "cannot read the git repository of '%s'"

/* Gets the top of the working tree and its commit from one run of git. It prints the top first,
   then the commit if there is one. */
pawl_status pawl_git_read_head(const char *folder, struct pawl_arena *arena, struct pawl_git *out,
                               struct pawl_error *err) {
  char what[512];
  if (!pawl_is_folder(folder)) return pawl_fail(err, PAWL_NO_INPUT, "no such folder '%s'", folder);
  snprintf(what, sizeof what, CANNOT_READ, folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text lines = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(
      folder, GIT_ARGUMENTS("rev-parse", "--show-toplevel", "--verify", "--quiet", "HEAD^{commit}"),
      &lines, NULL, &how, err));
  if (how.timed_out || (how.status != 0 &&
                        !lines.length)) { /* there is no repository, so git's error is the reason */
    pawl_text_clear(&lines);
    PAWL_TRY(pawl_git_need(folder, GIT_ARGUMENTS("rev-parse", "--show-toplevel"), &lines,
                           PAWL_UNAVAILABLE, what, err));
    how.status = 1;
  }
  *out = (struct pawl_git){0};
  char *text = (char *)(uintptr_t)one_value(&lines, arena),
       *last = how.status == 0 ? strrchr(text, '\n') : NULL;
  if (last && pawl_git_is_commit(last + 1)) {
    *last = '\0';
    out->commit = last + 1;
  } else {
    out->reason = "this repository has no commit yet: commit the kernels first";
  }
  out->root = text;
  return PAWL_OK;
}

#define STATUS_LETTERS 3 /* "XY " before a path of `git status --porcelain` */

pawl_status pawl_git_read(const char *folder, struct pawl_arena *arena, struct pawl_git *out,
                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text changed = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text untracked = {0};
  char what[512];
  struct pawl_git git;
  PAWL_TRY(pawl_git_read_head(folder, arena, &git, err));
  snprintf(what, sizeof what, CANNOT_READ, folder);
  PAWL_TRY(pawl_git_need(folder,
                         GIT_ARGUMENTS("status", "--porcelain", "-z", "--untracked-files=no"),
                         &changed, PAWL_UNAVAILABLE, what, err));
  PAWL_TRY(pawl_git_need(
      folder, GIT_ARGUMENTS("ls-files", "-z", "--others", "--exclude-standard", "--", "."),
      &untracked, PAWL_UNAVAILABLE, what, err));
  git.dirty = changed.length || untracked.length;
  if (changed.length > STATUS_LETTERS)
    git.change = pawl_arena_copy(arena, changed.data + STATUS_LETTERS);
  else if (git.dirty)
    git.change = pawl_arena_copy(arena, pawl_text_string(&untracked));
  *out = git;
  return PAWL_OK;
}

pawl_status pawl_git_resolve(const char *root, const char *revision, struct pawl_arena *arena,
                             const char **commit, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  char name[4096];
  const int length = snprintf(name, sizeof name, "%s^{commit}", revision);
  if (*revision && length < (int)sizeof name) {
    PAWL_TRY(pawl_git_run(
        root, GIT_ARGUMENTS("rev-parse", "--verify", "--quiet", "--end-of-options", name), &out,
        NULL, &how, err));
    /* git 2.30 to 2.4x also print --end-of-options, and the hash is the last line */
    const char *text = one_value(&out, arena), *last = strrchr(text, '\n');
    last = last ? last + 1 : text;
    if (!how.timed_out && how.status == 0 && pawl_git_is_commit(last)) {
      *commit = last;
      return PAWL_OK;
    }
  }
  return pawl_fail(err, PAWL_NO_INPUT,
                   "no commit '%.200s' in '%s'; in a shallow clone, fetch more history first",
                   revision, root);
}

const char *pawl_git_first_branch(const char *root, const char *const *refs,
                                  struct pawl_arena *arena, const char **commit) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  struct pawl_words argv = {0};
  static const char *const words[] = {"for-each-ref",
                                      "--format=%(objectname) %(objecttype) %(refname)"};
  for (size_t i = 0; i < PAWL_COUNT(words); i++) pawl_words_add(&argv, arena, words[i]);
  for (size_t i = 0; refs[i]; i++) pawl_words_add(&argv, arena, refs[i]);
  if (pawl_git_run(root, argv.items, &out, NULL, &how, NULL) != PAWL_OK || how.timed_out ||
      how.status != 0)
    return NULL;
  for (; *refs; refs++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text end = {0};
    pawl_text_printf(&end, " commit %s\n", *refs);
    const char *at = strstr(pawl_text_string(&out), end.data), *line = at;
    while (line && line > out.data && line[-1] != '\n') line--;
    if (!line) continue;
    *commit = pawl_arena_printf(arena, "%.*s", (int)(at - line), line);
    return *refs + strlen(pawl_starts_with(*refs, "refs/heads/") ? "refs/heads/" : "refs/remotes/");
  }
  return NULL;
}

/* Returns text from outside without invalid characters. */
static const char *clean(const char *text, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  pawl_clean_text(text, false, &cleaned);
  return pawl_arena_copy(arena, pawl_text_string(&cleaned));
}

struct pawl_git_commit pawl_git_commit_facts(const char *root, const char *commit,
                                             struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  struct pawl_git_commit facts = {-1, NULL, NULL};
  if (pawl_git_run(root,
                   GIT_ARGUMENTS("show", "-s", "--no-show-signature", "--format=%ct%n%an%n%s",
                                 "--end-of-options", commit),
                   &out, NULL, &how, NULL) != PAWL_OK ||
      how.timed_out || how.status != 0)
    return facts;
  char *line = (char *)(uintptr_t)one_value(&out, arena), *author = strchr(line, '\n');
  char *subject = author ? strchr(author + 1, '\n') : NULL;
  int64_t time;
  if (author) *author++ = '\0';
  if (subject) *subject++ = '\0';
  if (pawl_parse_i64(line, &time) && time >= 0) facts.time = time;
  if (author && *author) facts.author = clean(author, arena);
  if (subject && *subject) facts.subject = clean(subject, arena);
  return facts;
}

const char *pawl_git_branch(const char *root, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  const char *head =
      getenv("GITHUB_HEAD_REF"); /* in a pull request, its tree is a merge of both sides */
  if (head && *head) return clean(head, arena);
  if (pawl_git_run(root, GIT_ARGUMENTS("symbolic-ref", "--quiet", "--short", "HEAD"), &out, NULL,
                   &how, NULL) == PAWL_OK &&
      !how.timed_out && how.status == 0)
    return clean(one_value(&out, arena), arena);
  static const char *const names[] = {"GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const char *name = getenv(names[i]);
    if (name && *name) return clean(name, arena);
  }
  return NULL;
}

pawl_status pawl_git_fetch(const char *root, const char *commit, struct pawl_error *err) {
  struct pawl_arena arena = {0};
  const char *found;
  enum pawl_status_code status = pawl_git_resolve(root, commit, &arena, &found, err);
  if (status == PAWL_NO_INPUT && pawl_git_is_commit(commit)) {
    char what[96];
    snprintf(what, sizeof what, "cannot fetch the commit '%.12s' from origin", commit);
    status = pawl_git_need(
        root, GIT_ARGUMENTS("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit), NULL,
        PAWL_NO_INPUT, what, err);
  }
  pawl_arena_clear(&arena);
  return status;
}

/* Gets the full hash of a commit. Keeps a full hash as it is, so that commit need not exist
   here. */
static pawl_status name_commit(const char *root, const char *revision, struct pawl_arena *arena,
                               const char **commit, struct pawl_error *err) {
  if (!pawl_git_is_commit(revision)) return pawl_git_resolve(root, revision, arena, commit, err);
  *commit = pawl_arena_copy(arena, revision);
  return PAWL_OK;
}

pawl_status pawl_git_merge_base(const char *root, const char *a, const char *b,
                                struct pawl_arena *arena, const char **commit,
                                struct pawl_error *err) {
  const char *left, *right;
  PAWL_TRY(name_commit(root, a, arena, &left, err));
  PAWL_TRY(name_commit(root, b, arena, &right, err));
  if (!strcmp(left, right)) {
    *commit = left;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(root, GIT_ARGUMENTS("merge-base", left, right), &out, NULL, &how, err));
  const char *found = one_value(&out, arena);
  if (how.timed_out || how.status != 0 || !pawl_git_is_commit(found))
    return pawl_fail(
        err, PAWL_NO_INPUT,
        "'%.200s' and '%.200s' share no commit; in a shallow clone, fetch more history first", a,
        b);
  *commit = found;
  return PAWL_OK;
}

pawl_status pawl_git_show(const char *root, const char *commit, const char *path,
                          struct pawl_arena *arena, const char **text, size_t *length,
                          struct pawl_error *err) {
  const char *full;
  PAWL_TRY(name_commit(root, commit, arena, &full, err));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  char *name = pawl_arena_printf(arena, "%s:%s", full, path);
  PAWL_TRY(pawl_git_run(root, GIT_ARGUMENTS("cat-file", "blob", name), &out, NULL, &how, err));
  if (how.timed_out || how.status != 0)
    PAWL_TRY(
        pawl_git_resolve(root, full, arena, &full, err)); /* checks that the commit exists here */
  if (how.timed_out || how.status != 0)
    return pawl_fail(err, PAWL_NO_INPUT, "no file '%s' in commit %.12s", path, full);
  if (out.length >= GIT_OUTPUT)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' in commit %.12s is larger than %zu MiB", path, full,
                     GIT_OUTPUT >> 20);
  char *copy = pawl_arena_alloc(arena, out.length + 1, 1);
  if (out.length) memcpy(copy, out.data, out.length);
  *text = copy;
  *length = out.length;
  return PAWL_OK;
}

static int git_order_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

pawl_status pawl_git_files(const char *root, bool ignored, struct pawl_arena *arena,
                           struct pawl_strings *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  const char *const *arguments =
      ignored ? GIT_ARGUMENTS("ls-files", "-z", "--others", "--ignored", "--exclude-standard",
                              "--directory")
              : GIT_ARGUMENTS("ls-files", "-z", "--cached", "--others", "--exclude-standard");
  PAWL_TRY(pawl_git_need(root, arguments, &list, PAWL_IO, "cannot list the files", err));
  struct pawl_strings found = {0};
  for (size_t at = 0; at < list.length; at += strlen(list.data + at) + 1)
    pawl_strings_add(&found, arena, pawl_arena_copy(arena, list.data + at));
  if (found.count) qsort(found.items, found.count, sizeof *found.items, git_order_names);
  *out = found;
  return PAWL_OK;
}

pawl_status pawl_git_untracked(const char *folder, const char *path, const char *commit,
                               struct pawl_arena *arena, struct pawl_strings *out, bool *tracked,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  PAWL_TRY(pawl_git_need(
      folder,
      GIT_ARGUMENTS("ls-files", "-z", "-t", "--cached", "--others", "--directory",
                    pawl_arena_printf(arena, "--with-tree=%s", commit ? commit : "HEAD"), "--",
                    path),
      &list, PAWL_IO, "cannot list the files", err));
  struct pawl_strings found = {0};
  *tracked = false;
  for (size_t at = 0; at < list.length; at += strlen(list.data + at) + 1)
    if (pawl_starts_with(list.data + at, "? "))
      pawl_strings_add(&found, arena, pawl_arena_copy(arena, list.data + at + 2));
    else
      *tracked = true;
  *out = found;
  return PAWL_OK;
}

bool pawl_git_sees(const char *folder, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  return pawl_git_run(
             folder,
             GIT_ARGUMENTS("ls-files", "--cached", "--others", "--exclude-standard", "--", path),
             &out, NULL, &how, NULL) != PAWL_OK ||
         how.timed_out || how.status || out.length;
}

pawl_status pawl_git_states(const char *folder, struct pawl_text *out, struct pawl_error *err) {
  return pawl_git_need(folder,
                       GIT_ARGUMENTS("ls-files", "-z", "-t", "-s", "--cached", "--modified",
                                     "--others", "--exclude-standard"),
                       out, PAWL_IO, "cannot list the files", err);
}
