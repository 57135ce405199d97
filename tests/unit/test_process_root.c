/* SPDX-License-Identifier: Apache-2.0 */
/* A child with a root folder of its own sees its views, the system's programs, and nothing else. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/file.h"
#include "process/process.h"

static char top[64];

static const char *path_of(const char *name) {
  static char paths[4][128];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", top, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  assert_int_equal(pawl_file_write(path_of(name), text, strlen(text), NULL), PAWL_OK);
}

static int set_up(void **state) {
  (void)state;
  snprintf(top, sizeof top, "/tmp/pawl-test-root-XXXXXX");
  assert_non_null(mkdtemp(top));
  assert_int_equal(mkdir(path_of("tree"), 0755), 0);
  assert_int_equal(mkdir(path_of("tree/hidden"), 0755), 0);
  assert_int_equal(mkdir(path_of("out"), 0755), 0);
  write_file("secret", "of the machine\n");
  write_file("tree/file", "of the tree\n");
  write_file("out/file", "");
  write_file("tree/hidden/key", "of pawl\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  return pawl_remove_tree(top, NULL) == PAWL_OK ? 0 : -1;
}

/* Runs a script of the shell in a box. Returns its exit status, and what it printed. */
static int run(const char *script, struct pawl_text *out, enum pawl_isolation *isolation) {
  static char tree[128], hidden[128], written[128];
  snprintf(tree, sizeof tree, "%s", path_of("tree"));
  snprintf(hidden, sizeof hidden, "%s", path_of("tree/hidden"));
  snprintf(written, sizeof written, "%s", path_of("out"));
  const struct pawl_sandbox_view views[] = {
      {tree, "/pawl/tree", pawl_sandbox_has_root() ? PAWL_VIEW_COPY : PAWL_VIEW_READ},
      {hidden, "/pawl/tree/hidden", PAWL_VIEW_EMPTY},
      {written, "/pawl/out", PAWL_VIEW_WRITE},
      {NULL, "/pawl/out/file/below", PAWL_VIEW_EMPTY},
      {"/absent/folder", NULL, PAWL_VIEW_READ}};
  const struct pawl_sandbox sandbox = {
      .views = views, .view_count = PAWL_COUNT(views), .folder = tree};
  char secret[160], home[160];
  snprintf(secret, sizeof secret, "SECRET=%s", path_of("secret"));
  snprintf(home, sizeof home, "OUR_HOME=%s", getenv("HOME") ? getenv("HOME") : "/root");
  const struct pawl_process_options options = {
      .argv = (const char *const[]){"/bin/sh", "-c", script, NULL},
      .environment = (const char *const[]){secret, home, NULL},
      .sandbox = &sandbox,
      .folder = tree,
      .kill_descendants = true,
      .die_with_parent = true};
  struct pawl_exit exit = {0};
  struct pawl_error err = {0};
  if (pawl_process_run(&options, 20, 65536, out, out, &exit, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  *isolation = exit.isolation;
  return exit.status;
}

static void check(const char *script, const char *expected) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  enum pawl_isolation isolation;
  run(script, &out, &isolation);
  assert_string_equal(pawl_text_string(&out), expected);
}

static void views_are_all_it_sees(void **state) {
  (void)state;
  if (!pawl_sandbox_has_root()) skip();
  check(
      "pwd; cat file; ls -A hidden; ls -A \"$HOME\" /tmp; ls /pawl; ls -A / | grep -v "
      "'bin$\\|^lib'",
      "/pawl/tree\nof the tree\n/pawl/home:\n\n/tmp:\nhome\nout\ntree\n"
      "dev\netc\npawl\nproc\nsys\ntmp\nusr\n");
  check("cat $SECRET 2>/dev/null || ls $OUR_HOME 2>/dev/null || echo nothing", "nothing\n");
  check("cat /etc/shadow 2>/dev/null || echo nothing", "nothing\n");
  check("grep -c pawl-test-root /proc/self/mountinfo", "1\n"); /* only of /pawl/out */
}

static void writes_stay_only_where_they_may(void **state) {
  (void)state;
  if (!pawl_sandbox_has_root()) skip();
  check(
      "echo new >file; cat file; echo kept >/pawl/out/kept; echo x >/usr/x; echo x >/x; "
      "echo x >$HOME/x; echo x >/tmp/x; cat $HOME/x",
      "new\n/bin/sh: 1: cannot create /usr/x: Read-only file system\n"
      "/bin/sh: 1: cannot create /x: Read-only file system\nx\n");
  check("echo x >/dev/full; echo x >/dev/null && chmod 666 /dev/full 2>/dev/null || echo refused",
        "/bin/sh: 1: echo: echo: I/O error\nrefused\n");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  assert_int_equal(pawl_file_read(path_of("tree/file"), 64, &text, NULL), PAWL_OK);
  assert_string_equal(pawl_text_string(&text), "of the tree\n");
  assert_true(pawl_file_exists(path_of("out/kept")));
}

/* The test below runs this in a process that may not make namespaces. */
static void landlock_limits_reads(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  enum pawl_isolation isolation;
  assert_false(pawl_sandbox_has_root());
  run("cat $SECRET 2>/dev/null; cat hidden/key 2>/dev/null; cat file; ls -A \"$HOME\"", &out,
      &isolation);
  if (isolation == PAWL_ISOLATION_NONE) skip();
  assert_string_equal(pawl_text_string(&out), "of the tree\n");
}

/* Forbids namespaces as the filter of a container does. */
static void forbid_namespaces(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {.len = PAWL_COUNT(code), .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    _exit(1);
}

/* pawl remembers whether it has a root. So this needs a program that has not asked yet. */
static void without_namespaces_too(void **state) {
  (void)state;
  const pid_t pid = fork();
  if (pid == 0) {
    forbid_namespaces();
    execl("/proc/self/exe", "test_process_root", "without", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void paths_translate_both_ways(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct pawl_sandbox_view views[] = {{"/a", "/pawl/tree", PAWL_VIEW_READ},
                                            {"/a/.pawl/x", "/pawl/build", PAWL_VIEW_WRITE},
                                            {"/opt/lib", NULL, PAWL_VIEW_READ}};
  static const char *const pairs[][2] = {{"/a", "/pawl/tree"},
                                         {"/a/b.c", "/pawl/tree/b.c"},
                                         {"/a/.pawl/x/0.o", "/pawl/build/0.o"},
                                         {"/opt/lib/l.a", "/opt/lib/l.a"}};
  for (size_t i = 0; i < PAWL_COUNT(pairs); i++) {
    assert_string_equal(pawl_sandbox_seen(views, 3, pairs[i][0], &arena), pairs[i][1]);
    assert_string_equal(pawl_sandbox_unseen(views, 3, pairs[i][1], &arena), pairs[i][0]);
  }
  assert_null(pawl_sandbox_seen(views, 3, "/ab", &arena));
  assert_string_equal(pawl_sandbox_unseen(views, 3, "/usr/include/math.h", &arena),
                      "/usr/include/math.h");
}

int main(int argc, char **argv) {
  const struct CMUnitTest without[] = {
      cmocka_unit_test_setup_teardown(landlock_limits_reads, set_up, tear_down)};
  if (argc > 1 && !strcmp(argv[1], "without")) return cmocka_run_group_tests(without, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(views_are_all_it_sees, set_up, tear_down),
      cmocka_unit_test_setup_teardown(writes_stay_only_where_they_may, set_up, tear_down),
      cmocka_unit_test(without_namespaces_too), cmocka_unit_test(paths_translate_both_ways)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
