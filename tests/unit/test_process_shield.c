/* SPDX-License-Identifier: Apache-2.0 */
/* A shielded child that reaches for its parent ends. It cannot change its parent's scheduling.
   Everything else works as before. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/shield.h"

/* SIGURG is ignored by default: what gets through by mistake does no harm. Each gives 0 or an
 * errno. */
static int answer(long result) { return result < 0 ? errno : 0; }

static int signals_parent(void) { return answer(kill(getppid(), SIGURG)); }

static int signals_group_of_parent(void) { return answer(kill(-getpgid(getppid()), SIGURG)); }

static int signals_thread_of_parent(void) {
  return answer(syscall(SYS_tgkill, getppid(), getppid(), SIGURG));
}

static int traces_parent(void) { return answer(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL)); }

static int reads_parent(void) {
  static char here[8], there[8]; /* at the same address in both */
  const struct iovec local = {here, sizeof here}, remote = {there, sizeof there};
  return answer(process_vm_readv(getppid(), &local, 1, &remote, 1, 0));
}

static int pins_parent(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  return answer(sched_setaffinity(getppid(), sizeof one, &one));
}

static int slows_parent(void) { return answer(setpriority(PRIO_PROCESS, (id_t)getppid(), 19)); }

static int limits_parent(void) {
  const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return answer(prlimit(getppid(), RLIMIT_CPU, &limit, NULL));
}

static int looks_for_parent(void) { return answer(kill(getppid(), 0)); }

static int works_on_itself(void) {
  cpu_set_t set;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  if (sigprocmask(SIG_BLOCK, &blocked, NULL) != 0 || raise(SIGUSR1) != 0 ||
      kill(getpid(), SIGUSR1) != 0)
    return errno;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || sched_setaffinity(0, sizeof set, &set) != 0)
    return errno;
  return answer(setpriority(PRIO_PROCESS, 0, 1));
}

static int traces_its_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const int number = answer(ptrace(PTRACE_SEIZE, child, NULL, NULL));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return number == EPERM ? 0 : number; /* where a container forbids tracing at all */
}

static int leaves_a_key(void) {
  return answer((int)syscall(SYS_add_key, "user", "pawl-shield", "x", (size_t)1, -2));
}

static int reads_a_keyring(void) { return answer((int)syscall(SYS_keyctl, 0, -4, 1)); }

/* How a shielded child that does this ends, as waitpid tells. */
static int fate(int (*deed)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    _exit(pawl_shield(getppid()) ? deed() : 255);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void test_reaching_for_the_parent_ends_the_child(void **state) {
  (void)state;
  int (*const deeds[])(void) = {signals_parent, signals_group_of_parent, signals_thread_of_parent,
                                traces_parent, reads_parent};
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
    const int status = fate(deeds[i]);
    if (!WIFSIGNALED(status)) fail_msg("deed %zu went through with %d", i, WEXITSTATUS(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
  }
}

static void test_parents_scheduling_is_out_of_reach(void **state) {
  (void)state;
  int (*const deeds[])(void) = {pins_parent, slows_parent, limits_parent};
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
    const int status = fate(deeds[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EPERM);
  }
}

static void test_keyrings_are_out_of_reach(void **state) {
  (void)state;
  int (*const deeds[])(void) = {leaves_a_key, reads_a_keyring};
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
    const int status = fate(deeds[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EPERM);
  }
}

static void test_everything_else_is_as_before(void **state) {
  (void)state;
  int (*const deeds[])(void) = {looks_for_parent, works_on_itself, traces_its_child};
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
    const int status = fate(deeds[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reaching_for_the_parent_ends_the_child),
      cmocka_unit_test(test_parents_scheduling_is_out_of_reach),
      cmocka_unit_test(test_keyrings_are_out_of_reach),
      cmocka_unit_test(test_everything_else_is_as_before),
  };
  if (!pawl_shield_available()) return 77; /* skipped */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
