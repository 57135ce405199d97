/* SPDX-License-Identifier: Apache-2.0 */
#include "project/change_base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/named_files.h"
#include "build/outside.h"
#include "project/operators.h"
#include "suite/policy.h"
#include "suite/tables.h"
#include "yaml/difference.h"

/* --- main and the merge base --- */

static bool resolve(const struct pawl_git *git, struct pawl_arena *arena, const char *revision,
                    const char **commit) {
  struct pawl_error ignored = {0};
  return pawl_git_resolve(git->root, revision, arena, commit, &ignored) == PAWL_OK;
}

/* A workflow says the target of its pull request, and any other branch would be another judge. */
static pawl_status find_main(const struct pawl_git *git, struct pawl_arena *arena,
                             const char **branch, const char **commit, struct pawl_error *err) {
  static const char *const usual[] = {"refs/remotes/origin/HEAD",   "refs/remotes/origin/main",
                                      "refs/remotes/origin/master", "refs/heads/main",
                                      "refs/heads/master",          NULL};
  const char *target = getenv("GITHUB_BASE_REF");
  if (!target || !*target) {
    *branch = pawl_git_first_branch(git->root, usual, arena, commit);
    return PAWL_OK;
  }
  *branch = pawl_arena_printf(arena, "origin/%s", target);
  if (resolve(git, arena, *branch, commit)) return PAWL_OK;
  return pawl_fail(err, PAWL_CONFIG,
                   "cannot find '%s', which GITHUB_BASE_REF names; git fetch origin "
                   "+refs/heads/%s:refs/remotes/%s, or let actions/checkout use 'fetch-depth: 0'",
                   *branch, target, *branch);
}

pawl_status pawl_change_base_read(const struct pawl_git *git, struct pawl_arena *arena,
                                  struct pawl_change_base *out, struct pawl_error *err) {
  struct pawl_change_base change_base = {0};
  const char *main_commit = NULL;
  if (git->commit) PAWL_TRY(find_main(git, arena, &change_base.main_branch, &main_commit, err));
  if (change_base.main_branch) {
    PAWL_TRY(pawl_git_merge_base(git->root, git->commit, main_commit, arena,
                                 &change_base.merge_base, err));
    change_base.on_main = change_base.merge_base && !strcmp(change_base.merge_base, git->commit);
  }
  *out = change_base;
  return PAWL_OK;
}

/* --- files and trees of other commits --- */

/* Returns the suite's folder below the top of the repository, "" or "sub/folder/". */
static const char *folder_in_tree(const struct pawl_paths *paths, const struct pawl_git *git) {
  PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(git->root);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_real(paths->folder);
  const size_t length = root ? strlen(root) : 0;
  if (!folder || !root || !pawl_starts_with(folder, root) || !folder[length]) return "";
  return pawl_arena_printf(paths->arena, "%s/", folder + length + 1);
}

pawl_status pawl_change_base_file(const struct pawl_paths *paths, const struct pawl_git *git,
                                  const char *commit, const char *name, const char **text,
                                  size_t *length, struct pawl_error *err) {
  const char *path = pawl_arena_printf(paths->arena, "%s%s", folder_in_tree(paths, git), name);
  return pawl_git_show(git->root, commit, path, paths->arena, text, length, err);
}

/* Returns the suite's name within its folder. A longer path leads to the working tree. */
static const char *suite_name(const struct pawl_project *project) {
  const char *slash = strrchr(project->options.suite, '/');
  return slash ? slash + 1 : project->options.suite;
}

/* The folder is pawl's own. Without git's mark it is the rest of a killed removal. */
static pawl_status make_worktree(const char *root, const char *commit, const char *path,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(path, ".git");
  if (pawl_is_folder(path) && !pawl_file_exists(mark)) PAWL_TRY(pawl_remove_tree(path, err));
  return pawl_git_worktree_add(root, commit, path, err);
}

/* Checks out the commit in the worktree at `path` and holds it. While a pawl uses it, no other pawl
   checks it out or cleans it, which would delete files of a running build. The first user prepares
   the worktree, and the others wait. */
static pawl_status take_worktree(struct pawl_project *project, const char *commit, const char *path,
                                 struct pawl_lock *out, struct pawl_error *err) {
  const char *lock_path = pawl_arena_printf(&project->arena, "%s.lock", path);
  PAWL_CLEANUP(pawl_close) int fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open the lock '%s'", lock_path);
  const struct flock alone = {.l_type = F_WRLCK, .l_whence = SEEK_SET},
                     shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  if (!fcntl(fd, F_OFD_SETLK, &alone))
    PAWL_TRY(make_worktree(project->git.root, commit, path, err));
  while (fcntl(fd, F_OFD_SETLKW, &shared)) {
    if (errno != EINTR) return pawl_fail_errno(err, errno, "cannot lock '%s'", lock_path);
  }
  out->fd = fd;
  fd = -1;
  return PAWL_OK;
}

/* Opens the commit's suite in a worktree that is ours while the tree is open. */
static pawl_status open_tree(struct pawl_project *project, const char *commit,
                             struct pawl_tree *tree, struct pawl_error *err) {
  const struct pawl_paths *paths = &project->paths;
  const char *path =
      pawl_arena_printf(paths->arena, "%s/worktrees/%.12s", paths->cache_folder, commit);
  PAWL_TRY(
      pawl_make_folders(pawl_arena_printf(paths->arena, "%s/worktrees", paths->cache_folder), err));
  PAWL_TRY(take_worktree(project, commit, path, &tree->lock, err));
  struct pawl_project_options options = project->options;
  options.folder =
      pawl_arena_printf(paths->arena, "%s/%s", path, folder_in_tree(paths, &project->git));
  options.suite = suite_name(project);
  options.commit = commit;
  options.tree = path;
  options.parent = project->options.parent ? project->options.parent : project;
  options.fork_servers = pawl_project_fork_servers(project);
  options.devices = project->devices.owner ? project->devices.owner : &project->devices;
  options.seal_key = pawl_project_seal_key(project);
  options.compilers = pawl_project_compilers(project);
  options.cache_folder = paths->cache_folder;
  return pawl_project_open(&tree->project, &options, err);
}

pawl_status pawl_change_base_tree(struct pawl_project *project, const char *commit,
                                  struct pawl_project **out, struct pawl_error *err) {
  for (struct pawl_tree *tree = project->trees; tree; tree = tree->next) {
    if (strcmp(tree->commit, commit) != 0) continue;
    *out = &tree->project;
    return PAWL_OK;
  }
  struct pawl_tree *tree = pawl_alloc(1, sizeof *tree);
  *tree = (struct pawl_tree){.commit = commit, .lock = {-1}};
  const enum pawl_status_code status = open_tree(project, commit, tree, err);
  if (status != PAWL_OK) {
    pawl_tree_close(tree);
    return status;
  }
  tree->next = project->trees;
  project->trees = tree;
  *out = &tree->project;
  return PAWL_OK;
}

/* --- the judge's rules --- */

/* The base's cases come first, then the cases of the working tree alone. */
static void merge_cases(struct pawl_project *project, const struct pawl_suite *base) {
  struct pawl_suite *suite = &project->suite;
  struct pawl_case *cases =
      pawl_arena_alloc(&project->arena, base->case_count + suite->case_count + 1, sizeof *cases);
  size_t count = base->case_count;
  if (count) memcpy(cases, base->cases, count * sizeof *cases);
  for (size_t i = 0; i < suite->case_count; i++) {
    if (!pawl_suite_case(base, suite->cases[i].name)) cases[count++] = suite->cases[i];
  }
  suite->cases = cases;
  suite->case_count = count;
}

/* The base's `select` decides which benchmarks of a harness pawl judges. */
static void adopt_selects(struct pawl_suite *suite, const struct pawl_suite *base) {
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *theirs = pawl_suite_kernel(base, suite->kernels[i].name);
    if (theirs && pawl_kernel_is_harness(theirs)) suite->kernels[i].select = theirs->select;
  }
}

static void merge_checks(struct pawl_project *project, const struct pawl_suite *base) {
  struct pawl_suite *suite = &project->suite;
  struct pawl_check_spec *checks =
      pawl_arena_alloc(&project->arena, base->check_count + suite->check_count + 1, sizeof *checks);
  size_t count = base->check_count;
  if (count) memcpy(checks, base->checks, count * sizeof *checks);
  for (size_t i = 0; i < suite->check_count; i++) {
    if (!pawl_suite_check(base, suite->checks[i].operator_name)) checks[count++] = suite->checks[i];
  }
  suite->checks = checks;
  suite->check_count = count;
}

struct pawl_base_file {
  const char *commit, *name, *text;
  size_t length;
  const struct pawl_base_file *next;
};

/* As pawl_change_base_file, which starts git: once for each file. */
static pawl_status read_base_file(struct pawl_project *project, const char *commit,
                                  const char *name, const char **text, size_t *length,
                                  struct pawl_error *err) {
  const struct pawl_base_file *file = project->base_files;
  while (file && (strcmp(file->name, name) != 0 || strcmp(file->commit, commit) != 0))
    file = file->next;
  if (!file) {
    struct pawl_base_file read = {.commit = pawl_arena_copy(&project->arena, commit),
                                  .name = pawl_arena_copy(&project->arena, name),
                                  .next = project->base_files};
    PAWL_TRY(pawl_change_base_file(&project->paths, &project->git, commit, name, &read.text,
                                   &read.length, err));
    struct pawl_base_file *kept = pawl_arena_alloc(&project->arena, 1, sizeof *kept);
    *kept = read;
    file = project->base_files = kept;
  }
  *text = file->text;
  *length = file->length;
  return PAWL_OK;
}

/* Returns whether a file is the same here and at the commit, or missing in both. */
static bool same_file(struct pawl_project *project, const char *commit, const char *name) {
  const char *theirs = NULL;
  size_t length = 0;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ours = {0};
  struct pawl_error ignored = {0};
  const bool there = read_base_file(project, commit, name, &theirs, &length, &ignored) == PAWL_OK;
  const char *path = pawl_suite_path(&project->paths, name);
  const bool here = !pawl_is_folder(path) && pawl_file_exists(path) &&
                    pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &ours, &ignored) == PAWL_OK;
  if (!there || !here) return there == here;
  return ours.length == length && (!length || !memcmp(ours.data, theirs, length));
}

/* Also compares the files that these files name, such as headers and data. */
static bool same_files(struct pawl_project *project, const char *commit,
                       const struct pawl_strings *names) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *tree = pawl_path_real(project->paths.folder);
  struct pawl_words named = {0};
  for (size_t i = 0; i < names->count; i++) {
    if (names->items[i][0] == '/') continue;
    if (!same_file(project, commit, names->items[i])) return false;
    const char *path = pawl_suite_path(&project->paths, names->items[i]);
    if (tree && pawl_is_regular(path)) pawl_named_files_find(path, tree, &arena, &named);
  }
  for (size_t i = 0; i < named.count; i++)
    if (!same_file(project, commit, named.items[i] + strlen(tree) + 1)) return false;
  return true;
}

/* The base's operators judge, except for operators that the change adds. */
static void note_operators(struct pawl_project *project, const char *commit,
                           const struct pawl_suite *base, struct pawl_strings *notices) {
  for (size_t i = 0; i < base->operator_count; i++) {
    const struct pawl_operator_spec *theirs = &base->operators[i];
    const struct pawl_operator_spec *ours = pawl_suite_operator(&project->suite, theirs->name);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text keys = {0};
    if (ours) pawl_keys_difference(&pawl_operator_keys, ours, theirs, &keys);
    const bool same = ours && !keys.length && same_files(project, commit, &theirs->sources) &&
                      same_files(project, commit, &theirs->protocol);
    if (!same)
      pawl_policy_note(notices, &project->arena,
                       "the operator '%s' is %s in this change; the operator of the base judges",
                       theirs->name, ours ? "changed" : "missing");
  }
  for (size_t i = 0; i < project->suite.operator_count; i++) {
    const char *name = project->suite.operators[i].name;
    if (!pawl_suite_operator(base, name))
      pawl_policy_note(notices, &project->arena, "the operator '%s' is new; this change's judges",
                       name);
  }
}

/* Returns the reference that answers for the operator of a check, or NULL. */
static const struct pawl_kernel_spec *oracle_reference(const struct pawl_suite *suite,
                                                       const struct pawl_check_spec *check) {
  static const char prefix[] = "reference ";
  return check->oracle && pawl_starts_with(check->oracle, prefix)
             ? pawl_suite_kernel(suite, check->oracle + sizeof prefix - 1)
             : NULL;
}

static bool has_reference_oracle(const struct pawl_suite *suite) {
  bool found = false;
  for (size_t i = 0; i < suite->check_count && !found; i++)
    found = oracle_reference(suite, &suite->checks[i]) != NULL;
  return found;
}

/* Says that the base's reference answers if the change edits its files. */
static void note_references(struct pawl_project *project, const char *commit,
                            const struct pawl_suite *base, struct pawl_strings *notices) {
  for (size_t i = 0; i < base->check_count; i++) {
    const struct pawl_kernel_spec *theirs = oracle_reference(base, &base->checks[i]);
    if (!theirs || (same_files(project, commit, &theirs->sources) &&
                    same_files(project, commit, &theirs->protocol)))
      continue;
    pawl_policy_note(notices, &project->arena,
                     "the reference '%s' is changed in this change; the reference of the base is "
                     "the oracle",
                     theirs->name);
  }
}

/* Reads the merge base's suite; PAWL_NO_INPUT: it has none. */
static pawl_status read_base_suite(struct pawl_project *project, const char *merge_base,
                                   struct pawl_arena *arena, struct pawl_suite *out,
                                   struct pawl_error *err) {
  const char *text;
  size_t length;
  PAWL_TRY(read_base_file(project, merge_base, suite_name(project), &text, &length, err));
  const char *name = pawl_arena_printf(arena, "%s at %.12s", project->suite.path, merge_base);
  PAWL_TRY(pawl_suite_parse(text, length, name, arena, out, err));
  return pawl_require_isolation(&out->measure, err);
}

pawl_status pawl_change_base_accepts(struct pawl_project *project, bool *out,
                                     struct pawl_error *err) {
  struct pawl_change_base change_base;
  struct pawl_suite base;
  struct pawl_arena *arena = project->paths.arena;
  PAWL_TRY(pawl_change_base_read(&project->git, arena, &change_base, err));
  bool accepts = change_base.on_main || !change_base.merge_base;
  if (!accepts) {
    const enum pawl_status_code status =
        read_base_suite(project, change_base.merge_base, arena, &base, err);
    if (status != PAWL_OK && status != PAWL_NO_INPUT) return status;
    const struct pawl_gate_spec *gate = status == PAWL_OK ? &base.gate : &project->suite.gate;
    accepts = gate->accept == PAWL_ACCEPT_PULL_REQUEST;
  }
  *out = accepts;
  return PAWL_OK;
}

/* The change's own cases and checks do not judge it but must be valid, because main gets them
   next. */
static pawl_status ask_own_operators(struct pawl_project *project, const char *commit,
                                     const struct pawl_suite *base, struct pawl_error *err) {
  bool same = same_file(project, commit, suite_name(project));
  for (size_t i = 0; i < base->operator_count && same; i++)
    same = same_files(project, commit, &base->operators[i].sources) &&
           same_files(project, commit, &base->operators[i].protocol);
  if (same) return PAWL_OK;
  const enum pawl_status_code status = pawl_operators_ask(project, err);
  pawl_operators_release(&project->operators);
  return status;
}

/* The suite of the base decides which paths outside of the repository the builds of a change see.
   On a user's own machine, whoever edits the tree may name others. `base` may be NULL. */
static void adopt_outside(struct pawl_project *project, const struct pawl_change_base *change_base,
                          const struct pawl_suite *base, struct pawl_strings *notices) {
  const bool change = change_base->merge_base && !change_base->on_main && !project->git.dirty;
  if (!change && !project->options.pull_request) return;
  struct pawl_strings *outside = pawl_arena_alloc(&project->arena, 1, sizeof *outside);
  if (base) *outside = pawl_outside_of(base, &project->arena);
  const struct pawl_strings ours = pawl_outside_of(&project->suite, &project->arena);
  for (size_t i = 0; i < ours.count; i++) {
    const char *path = ours.items[i], *root = project->git.root;
    if (pawl_file_absent(path) || pawl_outside_holds(outside, path)) continue;
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
    if (root && real && pawl_path_holds(root, real)) continue;
    pawl_policy_note(notices, &project->arena,
                     "the builds of this change do not see '%s': the suite of the base does not "
                     "name it",
                     path);
  }
  project->outside = outside;
}

/* Keeps the change's own suite before the base's cases and checks join it. */
static void keep_own_suite(struct pawl_project *project, const struct pawl_suite *base,
                           struct pawl_change_base *change_base) {
  if (change_base->on_main || base->gate.accept != PAWL_ACCEPT_PULL_REQUEST ||
      same_file(project, change_base->merge_base, suite_name(project)))
    return;
  struct pawl_suite *own = pawl_arena_alloc(&project->arena, 1, sizeof *own);
  *own = project->suite;
  change_base->change = own;
}

/* A path of measure.files that a version tracks would give the change's content to the base, or
 * take the base's away. */
static void keep_untracked(struct pawl_project *project, const char *merge_base,
                           struct pawl_strings *notices) {
  struct pawl_strings *files = &project->suite.measure.files, kept = {0};
  struct pawl_arena *arena = &project->arena;
  for (size_t i = 0; i < files->count; i++) {
    const char *file = files->items[i];
    struct pawl_strings others;
    bool tracked = false;
    if (*file == '/' || *file == '~' || !project->git.root ||
        pawl_git_untracked(project->paths.folder, file, merge_base, arena, &others, &tracked,
                           NULL) != PAWL_OK ||
        !tracked) {
      pawl_strings_add(&kept, arena, file);
      continue;
    }
    for (size_t j = 0; j < others.count; j++) {
      const size_t length = strlen(others.items[j]), slash = others.items[j][length - 1] == '/';
      pawl_strings_add(&kept, arena,
                       pawl_arena_printf(arena, "%.*s", (int)(length - slash), others.items[j]));
    }
    pawl_policy_note(notices, arena,
                     "git tracks files at '%s' of measure.files: each version sees its own", file);
  }
  *files = kept;
  project->surroundings = NULL; /* the base says which files code under test sees */
}

pawl_status pawl_change_base_adopt_policy(struct pawl_project *project,
                                          struct pawl_change_base *change_base,
                                          struct pawl_strings *notices, struct pawl_error *err) {
  struct pawl_suite base;
  if (!change_base->merge_base) {
    keep_untracked(project, change_base->merge_base, notices);
    adopt_outside(project, change_base, NULL, notices);
    return PAWL_OK;
  }
  const enum pawl_status_code status =
      read_base_suite(project, change_base->merge_base, &project->arena, &base, err);
  if (status == PAWL_NO_INPUT) { /* the base has no suite, so the working tree's is the first */
    pawl_policy_note(notices, &project->arena,
                     "the base has no pawl.yaml, so this change judges itself");
    keep_untracked(project, change_base->merge_base, notices);
    adopt_outside(project, change_base, NULL, notices);
    return PAWL_OK;
  }
  if (status != PAWL_OK) return status;
  struct pawl_suite *suite = &project->suite;
  pawl_policy_compare(suite, &base, &project->arena, notices);
  keep_own_suite(project, &base, change_base);
  suite->gate = base.gate;
  suite->measure = base.measure; /* with its isolation, before any code of the change runs */
  keep_untracked(project, change_base->merge_base, notices);
  adopt_outside(project, change_base, &base, notices);
  PAWL_TRY(ask_own_operators(project, change_base->merge_base, &base, err));
  merge_cases(project, &base);
  merge_checks(project, &base);
  adopt_selects(suite, &base);
  note_operators(project, change_base->merge_base, &base, notices);
  note_references(project, change_base->merge_base, &base, notices);
  if (base.operator_count == 0 && !has_reference_oracle(&base)) return PAWL_OK;
  PAWL_TRY(pawl_change_base_tree(project, change_base->merge_base, &project->operators.tree, err));
  return PAWL_OK;
}
