/* SPDX-License-Identifier: Apache-2.0 */
#include "build_support.h"

#include <signal.h>
#include <sys/stat.h>

static const char *file_text(struct fixture *f, const char *name) {
  struct pawl_text text = {0};
  assert_int_equal(pawl_file_read(in_folder(f, name), 65536, &text, &f->err), PAWL_OK);
  const char *copy = pawl_arena_copy(&f->arena, pawl_text_string(&text));
  pawl_text_clear(&text);
  return copy;
}

/* A repository "r" with two commits, HEAD~1 and HEAD; f.txt holds "one", then "two". */
static void make_repository(struct fixture *f) {
  write_file(f, "r/f.txt", "one\n");
  write_file(f, "r/sub/g.txt", "g\n");
  write_file(f, "r/.gitignore", "*.ignored\n");
  shell(f, "r",
        "git init -q -b main . && git add . && git commit -qm one && echo two > f.txt && git "
        "commit -qam two");
}

static struct pawl_git read_git(struct fixture *f, const char *folder) {
  struct pawl_git git = {0};
  const enum pawl_status_code status =
      pawl_git_read(in_folder(f, folder), &f->arena, &git, &f->err);
  if (status != PAWL_OK) print_message("%s\n", f->err.message);
  assert_int_equal(status, PAWL_OK);
  return git;
}

static void test_read(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  const struct pawl_git git = read_git(f, "r/sub");
  assert_string_equal(git.root, in_folder(f, "r"));
  assert_int_equal(strlen(git.commit), 40);
  assert_false(git.dirty);
}

static void test_dirty(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  write_file(f, "r/x.ignored", "");
  assert_false(read_git(f, "r").dirty);
  write_file(f, "r/new\nline \"q\".txt", "");
  assert_true(read_git(f, "r").dirty);
  assert_false(read_git(f, "r/sub").dirty); /* an untracked file elsewhere */
  shell(f, "r", "rm new*; echo three > f.txt");
  assert_true(read_git(f, "r/sub").dirty); /* a tracked one anywhere */
  shell(f, "r", "git checkout -q f.txt; touch f.txt");
  assert_false(read_git(f, "r").dirty);
  shell(f, "r", "echo staged > f.txt; git add f.txt");
  assert_true(read_git(f, "r").dirty);
  shell(f, "r", "git rm -q --cached f.txt; rm f.txt");
  assert_true(read_git(f, "r").dirty);
}

static void test_no_repository_and_no_commit(void **state) {
  struct fixture *f = *state;
  struct pawl_git git = {.root = "untouched"};
  write_file(f, "plain/x", "");
  assert_int_equal(pawl_git_read(in_folder(f, "plain"), &f->arena, &git, &f->err),
                   PAWL_UNAVAILABLE);
  assert_non_null(strstr(f->err.message, "plain"));
  assert_non_null(strstr(f->err.message, "not a git repository"));
  assert_string_equal(git.root, "untouched");
  assert_int_equal(pawl_git_read(in_folder(f, "nowhere"), &f->arena, &git, &f->err), PAWL_NO_INPUT);
  shell(f, "plain", "git init -q .");
  setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  assert_int_equal(pawl_git_read(in_folder(f, "plain"), &f->arena, &git, &f->err),
                   PAWL_UNAVAILABLE);
  unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  assert_non_null(strstr(f->err.message, "git config --global --add safe.directory"));
  git = read_git(f, "plain");
  assert_null(git.commit);
  assert_true(git.dirty);
  const char *path = getenv("PATH") ? pawl_arena_copy(&f->arena, getenv("PATH")) : NULL;
  setenv("PATH", "/nonexistent", 1);
  assert_int_equal(pawl_git_read(in_folder(f, "plain"), &f->arena, &git, &f->err),
                   PAWL_UNAVAILABLE);
  assert_non_null(strstr(f->err.message, "'git'"));
  setenv("PATH", path, 1);
}

static void test_resolve_and_merge_base(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  shell(f, "r",
        "git tag v1 HEAD~1 && git checkout -qb side HEAD~1 && git commit -q --allow-empty -m side");
  const char *root = in_folder(f, "r"), *tag, *base, *none = "untouched";
  assert_int_equal(pawl_git_resolve(root, "v1", &f->arena, &tag, &f->err), PAWL_OK);
  assert_int_equal(pawl_git_merge_base(root, "main", "side", &f->arena, &base, &f->err), PAWL_OK);
  assert_string_equal(tag, base);
  static const char *const bad[] = {"nothing",     "",    "--help", "-x",        "HEAD:f.txt",
                                    "HEAD^{tree}", "a b", "..",     "$(touch x)"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(pawl_git_resolve(root, bad[i], &f->arena, &none, &f->err), PAWL_NO_INPUT);
    assert_string_equal(none, "untouched");
  }
  shell(f, "r", "git checkout -q --orphan alone && git commit -q --allow-empty -m alone");
  assert_int_equal(pawl_git_merge_base(root, "main", "alone", &f->arena, &none, &f->err),
                   PAWL_NO_INPUT);
}

static void test_first_branch(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  shell(f, "r",
        "git branch master HEAD~1; git branch other/x; git tag dev; git update-ref "
        "refs/remotes/origin/dev HEAD~1");
  const char *root = in_folder(f, "r"), *main_commit, *commit = "untouched";
  static const char *const usual[] = {"refs/remotes/origin/HEAD", "refs/heads/main",
                                      "refs/heads/master", NULL},
                           *const remote[] = {"refs/remotes/origin/dev", "refs/heads/main", NULL},
                           *const none[] = {"refs/heads/other", "refs/heads/dev", NULL};
  assert_int_equal(pawl_git_resolve(root, "main", &f->arena, &main_commit, &f->err), PAWL_OK);
  assert_null(pawl_git_first_branch(root, none, &f->arena, &commit));
  assert_string_equal(commit, "untouched");
  assert_string_equal(pawl_git_first_branch(root, usual, &f->arena, &commit), "main");
  assert_string_equal(commit, main_commit);
  assert_string_equal(pawl_git_first_branch(root, remote, &f->arena, &commit), "origin/dev");
  assert_string_not_equal(commit, main_commit);
}

static void test_show(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  write_file(f, "r/odd $name \"1\".txt", "odd\n");
  shell(f, "r", "printf 'a\\0b' > binary && git add . && git commit -qm odd");
  const char *root = in_folder(f, "r"), *text = NULL;
  size_t length = 0;
  assert_int_equal(pawl_git_show(root, "HEAD~2", "f.txt", &f->arena, &text, &length, &f->err),
                   PAWL_OK);
  assert_string_equal(text, "one\n");
  assert_int_equal(length, 4);
  assert_int_equal(
      pawl_git_show(root, "HEAD", "odd $name \"1\".txt", &f->arena, &text, &length, &f->err),
      PAWL_OK);
  assert_string_equal(text, "odd\n");
  assert_int_equal(pawl_git_show(root, "HEAD", "binary", &f->arena, &text, &length, &f->err),
                   PAWL_OK);
  assert_int_equal(length, 3);
  assert_memory_equal(text, "a\0b", 4);
  assert_int_equal(pawl_git_show(root, "HEAD", "absent", &f->arena, &text, &length, &f->err),
                   PAWL_NO_INPUT);
  assert_int_equal(pawl_git_show(root, "HEAD", "sub", &f->arena, &text, &length, &f->err),
                   PAWL_NO_INPUT);
  assert_int_equal(pawl_git_show(root, "gone", "f.txt", &f->arena, &text, &length, &f->err),
                   PAWL_NO_INPUT);
}

static void add_worktree(struct fixture *f, const char *revision, const char *path) {
  const enum pawl_status_code status =
      pawl_git_worktree_add(in_folder(f, "r"), revision, in_folder(f, path), &f->err);
  if (status != PAWL_OK) print_message("%s\n", f->err.message);
  assert_int_equal(status, PAWL_OK);
}

static void test_worktree(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  add_worktree(f, "HEAD~1", "r/.pawl/w t");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "one\n");
  /* moved there, whatever has happened in it */
  shell(f, "r/.pawl/w t", "echo mess > f.txt; echo mess > other.ignored; rm sub/g.txt");
  add_worktree(f, "main", "r/.pawl/w t");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "two\n");
  assert_true(pawl_file_exists(in_folder(f, "r/.pawl/w t/sub/g.txt")));
  assert_false(pawl_file_exists(in_folder(f, "r/.pawl/w t/other.ignored")));
  /* still registered, but its folder is gone */
  shell(f, "r", "rm -rf .pawl");
  add_worktree(f, "HEAD~1", "r/.pawl/w t");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "one\n");
  /* left behind half made by a git that was killed */
  shell(f, "r",
        "touch .git/worktrees/w-t/index.lock; echo initializing > .git/worktrees/w-t/locked");
  add_worktree(f, "main", "r/.pawl/w t");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "two\n");
  /* the registration is gone, but the folder is there */
  shell(f, "r", "rm -rf .git/worktrees/w-t");
  add_worktree(f, "HEAD~1", "r/.pawl/w t");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "one\n");
  /* the copy of a repository has a copy of its worktree, which belongs to the first one */
  shell(f, ".", "cp -r r copy");
  assert_int_equal(
      pawl_git_worktree_add(in_folder(f, "copy"), "main", in_folder(f, "copy/.pawl/w t"), &f->err),
      PAWL_OK);
  assert_string_equal(file_text(f, "copy/.pawl/w t/f.txt"), "two\n");
  assert_string_equal(file_text(f, "r/.pawl/w t/f.txt"), "one\n");
  assert_int_equal(
      pawl_git_worktree_remove(in_folder(f, "r"), in_folder(f, "r/.pawl/w t"), &f->err), PAWL_OK);
  assert_false(pawl_file_exists(in_folder(f, "r/.pawl/w t")));
  shell(f, "r", "test `git worktree list | wc -l` = 1");
  assert_int_equal(
      pawl_git_worktree_remove(in_folder(f, "r"), in_folder(f, "r/.pawl/w t"), &f->err), PAWL_OK);
}

static void test_worktree_never_takes_what_is_not_its_own(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  write_file(f, "precious/data", "mine\n");
  assert_int_not_equal(
      pawl_git_worktree_add(in_folder(f, "r"), "HEAD", in_folder(f, "precious"), &f->err), PAWL_OK);
  assert_string_equal(file_text(f, "precious/data"), "mine\n");
  shell(f, "precious",
        "git init -q . && git add . && git commit -qm x && git worktree add -q ../linked && echo "
        "edit > ../linked/data");
  assert_int_not_equal(
      pawl_git_worktree_add(in_folder(f, "r"), "HEAD", in_folder(f, "linked"), &f->err), PAWL_OK);
  assert_string_equal(file_text(f, "linked/data"), "edit\n");
  assert_int_equal(pawl_git_worktree_remove(in_folder(f, "r"), in_folder(f, "r"), &f->err),
                   PAWL_USAGE);
  assert_int_equal(pawl_git_worktree_remove(in_folder(f, "r"), f->folder, &f->err), PAWL_USAGE);
  assert_string_equal(file_text(f, "r/f.txt"), "two\n");
  assert_int_equal(pawl_git_worktree_add(in_folder(f, "r"), "gone", in_folder(f, "w"), &f->err),
                   PAWL_NO_INPUT);
}

static void test_shallow_clone(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  shell(f, "", "git clone -q --depth 1 file://$PWD/r s");
  const struct pawl_git git = read_git(f, "s");
  assert_non_null(git.commit);
  const char *commit;
  assert_int_equal(pawl_git_resolve(in_folder(f, "s"), "HEAD~1", &f->arena, &commit, &f->err),
                   PAWL_NO_INPUT);
  assert_non_null(strstr(f->err.message, "shallow"));
}

static void test_submodules_come_along_without_a_network(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  shell(f, "", "git init -q lib && cd lib && echo l1 > l.txt && git add . && git commit -qm l1");
  shell(f, "r",
        "git -c protocol.file.allow=always submodule --quiet add file://`cd ../lib && pwd` "
        "third/lib && git commit -qm "
        "lib && "
        "git config -f .gitmodules submodule.third/lib.url https://example.invalid/lib && git "
        "commit -qam url && "
        "git -C third/lib commit -q --allow-empty -m empty; rm -rf ../lib");
  add_worktree(f, "HEAD", "w");
  assert_string_equal(file_text(f, "w/third/lib/l.txt"), "l1\n");
  add_worktree(f, "HEAD~2", "w");
  assert_false(pawl_file_exists(in_folder(f, "w/third/lib/l.txt")));
  assert_int_equal(pawl_git_worktree_remove(in_folder(f, "r"), in_folder(f, "w"), &f->err),
                   PAWL_OK);
  assert_false(pawl_file_exists(in_folder(f, "w")));
  assert_string_equal(file_text(f, "r/third/lib/l.txt"), "l1\n");
}

static void test_a_repository_starts_no_program(void **state) {
  struct fixture *f = *state;
  make_repository(f);
  shell(f, "r",
        "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch %s/pwned' `cd .. && pwd` > "
        ".git/hooks/post-checkout; "
        "chmod +x .git/hooks/post-checkout; cp .git/hooks/post-checkout .git/hooks/evil; "
        "git config core.fsmonitor .git/hooks/evil; git config diff.external .git/hooks/evil; "
        "git config core.pager .git/hooks/evil; git config diff.x.textconv .git/hooks/evil; "
        "echo '*.txt diff=x' > .git/info/attributes");
  setenv("GIT_DIR", "/nonexistent", 1);
  setenv("GIT_EXTERNAL_DIFF", in_folder(f, "r/.git/hooks/evil"), 1);
  read_git(f, "r");
  const char *text;
  size_t length;
  assert_int_equal(
      pawl_git_show(in_folder(f, "r"), "HEAD", "f.txt", &f->arena, &text, &length, &f->err),
      PAWL_OK);
  add_worktree(f, "HEAD~1", "w");
  add_worktree(f, "HEAD", "w");
  unsetenv("GIT_DIR");
  unsetenv("GIT_EXTERNAL_DIFF");
  assert_false(pawl_file_exists(in_folder(f, "pwned")));
  shell(f, "r",
        "git -c core.fsmonitor= checkout -q HEAD~1; test -e ../pwned"); /* the trap itself works */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_dirty, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_no_repository_and_no_commit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_resolve_and_merge_base, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_first_branch, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_show, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_worktree, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_worktree_never_takes_what_is_not_its_own, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_shallow_clone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_submodules_come_along_without_a_network, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_a_repository_starts_no_program, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
