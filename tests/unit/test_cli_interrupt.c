/* SPDX-License-Identifier: Apache-2.0 */
/* One signal of the terminal reaches pawl and its children: only pawl speaks, and only pawl
 * decides. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/interrupt.h"

/* Runs a process that calls pawl_interrupt_asks(). The signal reaches this process, or a child
   of it, as pawl has one between fork and exec. `said` receives the text that they print.
   Returns the child's exit status, or the signal that asked the process to end. */
static int interrupted(bool in_child, char said[200]) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    signal(SIGINT, SIG_DFL); /* a background shell ignores it */
    const volatile sig_atomic_t *asked = pawl_interrupt_asks("stopping", NULL);
    if (!in_child) {
      raise(SIGINT);
      _exit(*asked);
    }
    const pid_t child = fork();
    if (child == 0) {
      raise(SIGINT);
      _exit(*asked ? 90 : 91);
    }
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) && !*asked ? WEXITSTATUS(status) : 92);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t count; (count = read(ends[0], said + length, 199 - length)) > 0;)
    length += (size_t)count;
  said[length] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void test_owner_speaks(void **state) {
  (void)state;
  char said[200];
  assert_int_equal(interrupted(false, said), SIGINT);
  assert_string_equal(said, "pawl: stopping\n");
}

static void test_child_is_silent(void **state) {
  (void)state;
  char said[200];
  assert_int_equal(interrupted(true, said), 91);
  assert_string_equal(said, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_owner_speaks),
      cmocka_unit_test(test_child_is_silent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
