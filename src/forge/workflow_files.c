/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/workflow_files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"
#include "build/remote_page.h"
#include "suite/read.h"

#define TEMPLATE_LIMIT ((size_t)1 << 20)
#define ISSUES "pawl-issues.yml"

/* --- what git says --- */

/* Reads origin's HEAD from the clone, else asks origin: "ref: refs/heads/trunk\tHEAD". */
static const char *branch_of_origin(const char *root, struct pawl_arena *arena) {
  const char *known = pawl_git_line(
      root, GIT_ARGUMENTS("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"), arena);
  const char *prefix = "refs/remotes/origin/", *asked = "ref: refs/heads/";
  if (known && pawl_starts_with(known, prefix)) return known + strlen(prefix);
  const char *line =
      pawl_git_line(root, GIT_ARGUMENTS("ls-remote", "--symref", "origin", "HEAD"), arena);
  if (!line || !pawl_starts_with(line, asked)) return NULL;
  line += strlen(asked);
  return pawl_arena_printf(arena, "%.*s", (int)strcspn(line, "\t"), line);
}

static const char *default_branch(const char *root, bool has_remote, struct pawl_arena *arena) {
  const char *branch = has_remote ? branch_of_origin(root, arena) : NULL;
  if (branch) return branch;
  static const char *const usual[] = {"main", "master"};
  for (size_t i = 0; i < 2; i++) {
    const char *ref = pawl_arena_printf(arena, "refs/heads/%s", usual[i]);
    if (pawl_git_line(root, GIT_ARGUMENTS("rev-parse", "--verify", "--quiet", ref), arena))
      return usual[i];
  }
  branch = pawl_git_line(root, GIT_ARGUMENTS("symbolic-ref", "--quiet", "--short", "HEAD"), arena);
  return branch ? branch : "main";
}

/* --- what a workflow can name --- */

static bool is_plain_folder(const char *path) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./";
  return path[strspn(path, letters)] == '\0';
}

static pawl_status workflow_files_check_names(const struct pawl_workflow_setup *setup,
                                              struct pawl_error *err) {
  if (!is_plain_folder(setup->below))
    return pawl_fail(err, PAWL_CONFIG,
                     "cannot write workflows for the folder '%s': its name may have letters, "
                     "digits, '_', '-' and '.'",
                     setup->below);
  for (size_t i = 0; i < setup->paths.files.count; i++)
    if (strpbrk(setup->paths.files.items[i], "\n\r"))
      return pawl_fail(err, PAWL_CONFIG, "cannot write workflows: a file name has a line break");
  return PAWL_OK;
}

pawl_status pawl_workflow_setup_read(const char *suite_path, struct pawl_arena *arena,
                                     struct pawl_workflow_setup *out, struct pawl_error *err) {
  struct pawl_suite *suite = pawl_arena_alloc(arena, 1, sizeof *suite);
  struct pawl_git git;
  PAWL_TRY(pawl_suite_read(suite_path, arena, suite, err));
  PAWL_TRY(pawl_git_read(suite->folder, arena, &git, err));
  struct pawl_workflow_setup setup = {0};
  PAWL_TRY(pawl_suite_below(git.root, suite->folder, arena, &setup.root, &setup.below, err));
  setup.remote = pawl_git_line(setup.root, GIT_ARGUMENTS("remote", "get-url", "origin"), arena);
  setup.page = pawl_remote_page(setup.remote, arena);
  setup.branch = default_branch(setup.root, setup.remote != NULL, arena);
  PAWL_TRY(pawl_suite_paths_find(suite, setup.root, arena, &setup.paths, err));
  setup.has_server = pawl_starts_with(suite->store, "postgres");
  for (size_t i = 0; i < suite->kernel_count; i++)
    setup.has_gpu = setup.has_gpu || suite->kernels[i].device != PAWL_CPU;
  PAWL_TRY(workflow_files_check_names(&setup, err));
  *out = setup;
  return PAWL_OK;
}

/* --- templates --- */

/* Adds a pattern that fits this name alone, in single quotes of YAML. */
static void add_pattern(const char *name, const char *more, struct pawl_text *out) {
  pawl_text_add(out, "'");
  for (const char *p = name; *p; p++) {
    if (strchr("*?+[]!\\", *p)) pawl_text_add(out, "\\");
    pawl_text_add_bytes(out, p, 1);
    if (*p == '\'') pawl_text_add(out, "'");
  }
  pawl_text_printf(out, "%s'", more);
}

/* Adds a word in single quotes of YAML. */
static void add_quoted(const char *word, struct pawl_text *out) {
  pawl_text_add(out, "'");
  for (const char *p = word; *p; p++)
    pawl_text_add_bytes(out, *p == '\'' ? "''" : p, *p == '\'' ? 2 : 1);
  pawl_text_add(out, "'");
}

static void add_paths(const struct pawl_workflow_setup *setup, size_t indent, bool gitlab,
                      struct pawl_text *out) {
  const char *all = gitlab ? "**/*" : "**";
  for (size_t i = 0; i < setup->paths.files.count; i++) {
    if (i) pawl_text_printf(out, "\n%*s- ", (int)indent, "");
    add_pattern(setup->paths.files.items[i], "", out);
  }
  if (!setup->paths.whole) return;
  pawl_text_printf(out, "\n%*s- ", (int)indent, "");
  add_pattern(setup->below, all, out);
}

static const char *folder_of(const struct pawl_workflow_setup *setup, struct pawl_arena *arena) {
  const size_t length = strlen(setup->below);
  return length ? pawl_arena_printf(arena, "%.*s", (int)length - 1, setup->below) : ".";
}

/* Returns a file of this repository as `uses:` names it: of the default branch, so no pull request
 * changes it. */
static const char *workflow_files_use_of(const struct pawl_workflow_setup *setup, const char *path,
                                         struct pawl_arena *arena) {
  const char *host = setup->page ? strstr(setup->page, "://") : NULL,
             *slash = host ? strchr(host + 3, '/') : NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *use = slash ? pawl_arena_printf(arena, "%s/%s@%s", slash + 1, path, setup->branch)
                          : pawl_arena_printf(arena, "./%s", path);
  add_quoted(use, &text);
  return pawl_arena_copy(arena, text.data);
}

static const char *text_or_none(const char *text) { return text ? text : ""; }

static void workflow_files_fill(const struct pawl_workflow_setup *setup, const char *text,
                                bool gitlab, struct pawl_arena *arena, struct pawl_text *out) {
  const struct {
    const char *word, *value; /* NULL: the list of paths, or the branch */
  } words[] = {
      {"\"@PATHS@\"", NULL},
      {"\"@BRANCH@\"", NULL},
      {"\"@MEASURE@\"", workflow_files_use_of(setup, ".github/workflows/pawl-measure.yml", arena)},
      {"\"@ACTION@\"", workflow_files_use_of(setup, ".github/actions/pawl", arena)},
      {"@BUNDLE_URL@", text_or_none(setup->bundle.url)},
      {"@BUNDLE_SHA256@", text_or_none(setup->bundle.sha256)},
      {"@BUNDLE_REPOSITORY@", text_or_none(setup->bundle.repository)},
      {"@FOLDER@", folder_of(setup, arena)},
      {"@BELOW@", setup->below},
      /* The machine that measures. GitHub and gitlab.com lend machines without a GPU. */
      {"@RUNNER@", setup->has_gpu ? "[\"self-hosted\", \"gpu\"]" : "\"ubuntu-24.04\""},
      {"@LABEL@", setup->has_gpu ? "gpu" : "cpu"},
      {"\"@TAGS@\"", setup->has_gpu ? "[gpu]" : "[]"},
      {"\"@REPORT_TAGS@\"", setup->has_gpu ? "[pawl-report]" : "[]"},
      {".forgejo/", setup->on_gitea ? ".gitea/" : ".forgejo/"},
      {"--forge forgejo", setup->on_gitea ? "--forge gitea" : "--forge forgejo"},
      {"# @CPU@", setup->has_gpu ? "# " : ""}};
  size_t indent = 0; /* the line's */
  for (const char *p = text; *p;) {
    size_t i = 0;
    while (i < PAWL_COUNT(words) && !pawl_starts_with(p, words[i].word)) i++;
    if (p == text || p[-1] == '\n') indent = strspn(p, " ");
    if (i == PAWL_COUNT(words)) {
      pawl_text_add_bytes(out, p++, 1);
      continue;
    }
    if (words[i].value) pawl_text_add(out, words[i].value);
    if (i == 0) add_paths(setup, indent, gitlab, out);
    if (i == 1) add_pattern(setup->branch, "", out);
    p += strlen(words[i].word);
  }
}

/* GitHub takes a template of pull requests from these folders, in any spelling of its name:
   https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/about-issue-and-pull-request-templates
   Returns the name of the present one, or NULL. */
static const char *find_template(const struct pawl_workflow_setup *setup,
                                 struct pawl_arena *arena) {
  static const char *const folders[] = {".", ".github", "docs"};
  const char *found = NULL;
  for (size_t i = 0; i < PAWL_COUNT(folders) && !found; i++) {
    DIR *folder = opendir(pawl_arena_printf(arena, "%s/%s", setup->root, folders[i]));
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
      if (!strncasecmp(entry->d_name, "pull_request_template", 21))
        found =
            pawl_arena_printf(arena, "%s%s%s", i ? folders[i] : "", i ? "/" : "", entry->d_name);
    if (folder) closedir(folder);
  }
  return found;
}

/* Fails if a link would take the file out of the repository. pawl keeps a file that a link leads
   to, so only the place of a new file counts. */
static pawl_status refuse_links(const struct pawl_workflow_setup *setup, const char *name,
                                struct pawl_arena *arena, struct pawl_error *err) {
  for (const char *end = strchrnul(name, '/');; end = strchrnul(end + 1, '/')) {
    const int length = (int)(end - name);
    const char *path = pawl_arena_printf(arena, "%s/%.*s", setup->root, length, name);
    struct stat info;
    if (!lstat(path, &info) && S_ISLNK(info.st_mode) && (*end || !pawl_file_exists(path)))
      return pawl_fail(err, PAWL_NOT_PERMITTED,
                       "'%.*s' is a link, and pawl writes no file through it; %s", length, name,
                       *end ? "replace it by a folder" : "remove it");
    if (!*end) return PAWL_OK;
  }
}

/* Returns whether a workflow of pawl's name is somebody else's. */
static bool is_other(const char *path, const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (!strstr(name, "/pawl") || !pawl_ends_with(name, ".yml") ||
      pawl_ends_with(name, "/action.yml"))
    return false;
  return pawl_file_read(path, TEMPLATE_LIMIT, &text, &ignored) == PAWL_OK &&
         !strstr(pawl_text_string(&text), "pawl ci ") &&
         !strstr(pawl_text_string(&text), "pawl init ");
}

/* Notes a workflow with the other ending, because code hosts run both. */
static void note_other_ending(const struct pawl_workflow_setup *setup, const char *name,
                              struct pawl_arena *arena, struct pawl_workflow_files *out) {
  if (!strstr(name, "workflows/") || !pawl_ends_with(name, ".yml")) return;
  const char *other = pawl_arena_printf(arena, "%.*s.yaml", (int)strlen(name) - 4, name);
  if (pawl_file_exists(pawl_arena_printf(arena, "%s/%s", setup->root, other)))
    pawl_strings_add(&out->other, arena, other);
}

static pawl_status write_file(const struct pawl_workflow_setup *setup, const char *from,
                              const char *name, struct pawl_arena *arena,
                              struct pawl_workflow_files *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(setup->root, name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, filled = {0};
  const char *theirs =
      pawl_ends_with(name, "pull_request_template.md") ? find_template(setup, arena) : NULL;
  PAWL_TRY(refuse_links(setup, name, arena, err));
  note_other_ending(setup, name, arena, out);
  if (theirs) {
    pawl_strings_add(&out->kept, arena, theirs);
    return PAWL_OK;
  }
  if (pawl_file_exists(to)) {
    pawl_strings_add(is_other(to, name) ? &out->other : &out->kept, arena, name);
    return PAWL_OK;
  }
  PAWL_TRY(pawl_file_read(from, TEMPLATE_LIMIT, &text, err));
  workflow_files_fill(setup, pawl_text_string(&text), pawl_ends_with(name, PAWL_GITLAB_JOBS), arena,
                      &filled);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(to);
  PAWL_TRY(pawl_make_folders(folder, err));
  pawl_strings_add(&out->written, arena, name);
  return pawl_file_write(to, pawl_text_string(&filled), filled.length, err);
}

static pawl_status write_folder(const struct pawl_workflow_setup *setup, const char *from,
                                const char *below, struct pawl_arena *arena,
                                struct pawl_workflow_files *out, struct pawl_error *err) {
  DIR *folder = opendir(from);
  if (!folder) return pawl_fail_errno(err, errno, "cannot open '%s'", from);
  enum pawl_status_code status = PAWL_OK;
  for (struct dirent *entry; status == PAWL_OK && (entry = readdir(folder));) {
    const char *name = entry->d_name;
    if (*name == '.' || (!strcmp(name, ISSUES) && !setup->has_server)) continue;
    const char *source = pawl_arena_printf(arena, "%s/%s", from, name);
    const char *plain = pawl_starts_with(name, "dot.") ? name + 3 : name;
    if (setup->on_gitea && !strcmp(plain, ".forgejo")) plain = ".gitea";
    const char *path = pawl_arena_printf(arena, "%s%s%s", below, *below ? "/" : "", plain);
    status = pawl_is_folder(source) ? write_folder(setup, source, path, arena, out, err)
                                    : write_file(setup, source, path, arena, out, err);
  }
  closedir(folder);
  return status;
}

pawl_status pawl_workflow_files_write(const struct pawl_workflow_setup *setup,
                                      const char *templates, struct pawl_arena *arena,
                                      struct pawl_workflow_files *out, struct pawl_error *err) {
  *out = (struct pawl_workflow_files){0};
  return write_folder(setup, templates, "", arena, out, err);
}

bool pawl_gitlab_includes_jobs(const char *root) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(root, ".gitlab-ci.yml");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  return pawl_file_read(path, TEMPLATE_LIMIT, &text, &ignored) == PAWL_OK &&
         strstr(pawl_text_string(&text), PAWL_GITLAB_JOBS);
}

const char *pawl_workflow_default(const char *text, const char *variable,
                                  struct pawl_arena *arena) {
  const char *start = pawl_arena_printf(arena, "%s: ${{ vars.%s || '", variable, variable);
  const char *found = strstr(text, start);
  if (!found) return NULL;
  found += strlen(start);
  return pawl_arena_printf(arena, "%.*s", (int)strcspn(found, "'"), found);
}

const char *pawl_workflow_lacks(const char *text, const struct pawl_suite_paths *paths) {
  for (size_t i = 0; i < paths->files.count && !paths->whole; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text pattern = {0};
    add_pattern(paths->files.items[i], "", &pattern);
    if (!strstr(text, pattern.data)) return paths->files.items[i];
  }
  return NULL;
}
