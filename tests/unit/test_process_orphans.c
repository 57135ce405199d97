/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that a process leaves behind end with it, whatever its environment. The helpers
   of another process go on, and so do our own. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/process.h"
#include "process/shield.h"

/* By double fork, in a session of its own. It says its number and stops; its starter sleeps on. */
#define LEAVES(environment) \
  "(exec setsid env " environment " /bin/sh -c 'echo $$; kill -STOP $$' &); exec /bin/sleep 1000"

/* Starts it; returns the number that it says. */
static pid_t start(const char *script, struct pawl_process *process) {
  int ends[2];
  char text[32] = "";
  struct pawl_error err;
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const char *const argv[] = {"/bin/sh", "-c", script, NULL};
  const struct pawl_process_options options = {.argv = argv,
                                               .kill_descendants = true,
                                               .shield_us = true,
                                               .fds = {-1, ends[1], -1},
                                               .fd_count = 3};
  assert_int_equal(pawl_process_start(process, &options, &err), PAWL_OK);
  close(ends[1]);
  assert_true(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  const pid_t pid = (pid_t)strtol(text, NULL, 10);
  assert_true(pid > 1 && pid != process->pid);
  return pid;
}

static bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

static void test_orphans_end_with_who_left_them(void **state) {
  (void)state;
  struct pawl_process one = {0}, other = {0};
  if (!pawl_shield_available()) skip();
  const pid_t ours = fork();
  if (ours == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    _exit(0);
  }
  const pid_t daemon = start(LEAVES("-i"), &one), helper = start(LEAVES(""), &other);
  assert_false(is_gone(daemon));
  pawl_process_kill(&one);
  assert_true(is_gone(daemon));
  assert_false(is_gone(helper));
  pawl_process_kill(&other);
  assert_true(is_gone(helper));
  assert_int_equal(waitpid(ours, NULL, WNOHANG), 0);
  kill(ours, SIGKILL);
  waitpid(ours, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orphans_end_with_who_left_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
