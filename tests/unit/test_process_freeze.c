/* SPDX-License-Identifier: Apache-2.0 */
/* A frozen thread does not compute, a resumed one does, and the first thread always does. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "process/freeze.h"

#define HELPERS 3
#define PATIENCE_SECONDS 60.0
#define MANY_BYTES (256u << 20)
#define ROUNDS 10
#define WORK_NS 100000000

/* How often each thread of the child has turned; the last is the first thread. */
static _Atomic uint64_t *turns;

static void *turn(void *count) {
  for (;;) {
    atomic_fetch_add((_Atomic uint64_t *)count, 1);
    usleep(100);
  }
  return NULL;
}

/* A child that dies with us: a failed test leaves none. */
static pid_t fork_child(void) {
  const pid_t pid = fork();
  if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return pid;
}

static pid_t start(void) {
  const pid_t pid = fork_child();
  if (pid != 0) return pid;
  for (int i = 0; i < HELPERS; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, turn, &turns[i])) _exit(1);
  }
  turn(&turns[HELPERS]);
  _exit(0);
}

/* Waits until a thread has turned again. */
static void require_turns(int thread) {
  const uint64_t before = turns[thread];
  const int64_t begin = pawl_clock_ns();
  while (turns[thread] < before + 2) {
    assert_true(pawl_seconds_since(begin) < PATIENCE_SECONDS);
    usleep(1000);
  }
}

static void test_others_are_held_and_let_go(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  const struct pawl_freezable child = {.pid = start()};
  assert_true(child.pid > 0);
  struct pawl_freeze freeze = {0};
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i <= HELPERS; i++) require_turns(i);
    uint64_t before[HELPERS];
    assert_true(pawl_freeze_others(&freeze, &child));
    assert_int_equal(freeze.count, HELPERS);
    for (int i = 0; i < HELPERS; i++) before[i] = turns[i];
    for (int i = 0; i < 20; i++) require_turns(HELPERS);
    for (int i = 0; i < HELPERS; i++) assert_true(turns[i] == before[i]);
    pawl_freeze_end(&freeze);
  }
  for (int i = 0; i <= HELPERS; i++) require_turns(i);
  pawl_freeze_release(&freeze);
  kill(child.pid, SIGKILL);
  assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  munmap(turns, 4096);
}

/* A child that is killed while it is frozen is reaped, and the freeze ends. */
static void test_death_of_what_is_held(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  const struct pawl_freezable child = {.pid = start()};
  struct pawl_freeze freeze = {0};
  for (int i = 0; i <= HELPERS; i++) require_turns(i);
  assert_true(pawl_freeze_others(&freeze, &child));
  kill(child.pid, SIGKILL);
  pawl_freeze_release(&freeze);
  assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  munmap(turns, 4096);
}

/* Waits for a child that shares its memory, and so in the system: it stops when that has ended. */
static void *start_another(void *count) {
  const struct timespec long_time = {.tv_sec = 2};
  const pid_t pid = vfork();
  if (pid == 0) {
    syscall(SYS_nanosleep, &long_time, NULL);
    _exit(0);
  }
  return turn(count);
}

/* A thread that stops only after it was to go on does not stay so. */
static void test_who_stops_late_goes_on(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  const struct pawl_freezable child = {.pid = fork_child()};
  if (child.pid == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start_another, &turns[0])) _exit(1);
    turn(&turns[HELPERS]);
  }
  struct pawl_freeze freeze = {0};
  require_turns(HELPERS);
  usleep(300000); /* it has started the other by now */
  assert_false(pawl_freeze_others(&freeze, &child));
  const int64_t begin = pawl_clock_ns();
  while (turns[0] < 2) {
    pawl_freeze_end(&freeze);
    assert_true(pawl_seconds_since(begin) < PATIENCE_SECONDS);
    usleep(1000);
  }
  assert_int_equal(freeze.count, 0);
  pawl_freeze_release(&freeze);
  kill(child.pid, SIGKILL);
  assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  munmap(turns, 4096);
}

/* As start(), and a process of its own continues it again and again. A timer would do, but Linux
 * stops one whose pending SIGCONT a SIGSTOP takes away. */
static pid_t start_waking(void) {
  const pid_t pid = fork_child();
  if (pid != 0) return pid;
  if (fork_child() == 0)
    for (;; usleep(5000)) kill(getppid(), SIGCONT);
  turn(&turns[HELPERS]);
  _exit(0);
}

/* A whole process stands still, and pawl sees whether it did. */
static void test_who_wakes_itself_is_found_out(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  for (int wakes = 0; wakes < 2; wakes++) {
    const struct pawl_freezable child = {.pid = wakes ? start_waking() : start()};
    struct pawl_freeze freeze = {0};
    int found = 0;
    for (int round = 0; round < ROUNDS || (wakes && !found && round < 4 * ROUNDS); round++) {
      require_turns(HELPERS);
      const bool frozen = pawl_freeze_all(&freeze, &child, PATIENCE_SECONDS);
      const uint64_t before = turns[HELPERS];
      const int64_t begin = pawl_clock_ns();
      do usleep(30000); /* on a busy machine a helper that wakes gets a CPU later */
      while (wakes && turns[HELPERS] == before && pawl_seconds_since(begin) < 2);
      const bool ran = turns[HELPERS] != before, stood = pawl_freeze_end(&freeze);
      if (!wakes) assert_true(frozen && !ran);
      if (frozen && ran) assert_false(stood);
      found += !stood;
    }
    if (wakes)
      assert_true(found);
    else
      assert_in_range(found, 0, ROUNDS / 5); /* a busy machine can make one look so */
    pawl_freeze_release(&freeze);
    kill(child.pid, SIGKILL);
    assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  }
  munmap(turns, 4096);
}

static void *map_much(void *unused) {
  for (;;) {
    void *pages = mmap(NULL, MANY_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    atomic_fetch_add(&turns[0], 1);
    munmap(pages, MANY_BYTES);
  }
  return unused;
}

/* The first thread stops at once; another is inside a long call of the kernel. */
static void test_all_threads_are_awaited(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  const struct pawl_freezable child = {.pid = fork_child()};
  if (child.pid == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, map_much, NULL)) _exit(1);
    for (;;) pause();
  }
  struct pawl_freeze freeze = {0};
  int stood = 0;
  for (int round = 0; round < 5; round++) {
    require_turns(0);
    usleep(1000);
    assert_true(pawl_freeze_all(&freeze, &child, PATIENCE_SECONDS));
    stood += pawl_freeze_end(&freeze);
  }
  assert_true(stood >= 4); /* none of it has run since */
  pawl_freeze_release(&freeze);
  kill(child.pid, SIGKILL);
  assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  munmap(turns, 4096);
}

/* Each call of the kernel takes WORK_NS of a CPU or more, however fast the machine is: it maps the
   page of zeros, which takes no memory but the tables of pages. */
static void *work_in_the_kernel(void *unused) {
  size_t bytes = MANY_BYTES;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a huge page of zeros is mapped in no time */
  for (;;) {
    const int64_t begin = pawl_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    void *pages = mmap(NULL, bytes, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) _exit(1);
    const bool was_short = pawl_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin < WORK_NS;
    munmap(pages, bytes);
    if (was_short)
      bytes *= 2;
    else
      atomic_fetch_add(&turns[0], 1);
  }
  return unused;
}

static _Noreturn void work_in_a_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work_in_the_kernel, NULL)) _exit(1);
  for (;;) pause();
}

/* It waits in the system until its own child ends, and uses no CPU. */
static _Noreturn void wait_for_a_child(void) {
  for (;;) {
    atomic_fetch_add(&turns[0], 1);
    const pid_t pid = vfork();
    if (pid == 0) {
      usleep(50000);
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
}

/* Waits until the process has had a good part of one such call's CPU time, or has stopped. */
static void await_work(pid_t pid) {
  clockid_t clock;
  assert_true(pawl_clock_of_process(pid, &clock));
  const int64_t before = pawl_clock_read_ns(clock), begin = pawl_clock_ns();
  while (pawl_clock_read_ns(clock) - before < WORK_NS / 2 && pawl_seconds_since(begin) < 2)
    usleep(1000);
}

/* No signal stops a thread inside some calls of the kernel. A CPU that it uses shows. */
static void test_who_works_on_in_the_kernel_is_found_out(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  for (int works = 0; works < 2; works++) {
    const struct pawl_freezable child = {.pid = fork_child()};
    struct pawl_freeze freeze = {0};
    int late = 0, found = 0;
    if (child.pid == 0) works ? work_in_a_thread() : wait_for_a_child();
    for (int round = 0; round < 50 && !found && late < ROUNDS; round++) {
      require_turns(0);
      usleep(1000);
      const bool frozen = pawl_freeze_all(&freeze, &child, 0.001);
      late += !frozen;
      works && !frozen ? await_work(child.pid) : usleep(300000);
      found += !pawl_freeze_end(&freeze);
    }
    assert_true(late);
    assert_int_equal(found, works);
    pawl_freeze_release(&freeze);
    kill(child.pid, SIGKILL);
    assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
  }
  munmap(turns, 4096);
}

/* A thread of the first process waits in vfork(), which no signal ends, while its child turns. */
static void *wait_for_a_turning_child(void *unused) {
  if (vfork() == 0) turn(&turns[0]);
  return unused;
}

/* Starts the first process of another namespace, by a process that ends after it. Returns its
   number here, or 0 if this machine allows no namespace. */
static pid_t start_in_namespace(void) {
  _Atomic uint64_t *number = &turns[HELPERS + 1];
  const pid_t outside = fork_child();
  if (outside == 0) {
    if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID)) _exit(1);
    const pid_t first = fork_child();
    if (first < 0) _exit(1);
    if (first > 0) {
      atomic_store(number, (uint64_t)first);
      waitpid(first, NULL, 0);
      _exit(0);
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_a_turning_child, NULL)) _exit(1);
    for (;;) pause();
  }
  turns[HELPERS + 2] = (uint64_t)outside;
  while (!atomic_load(number) && waitpid(outside, NULL, WNOHANG) == 0) usleep(1000);
  return (pid_t)atomic_load(number);
}

/* A process that cannot stop does not keep pawl from the others of its sandbox. */
static void test_who_cannot_stop_saves_no_other(void **state) {
  (void)state;
  turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(turns != MAP_FAILED);
  const pid_t first = start_in_namespace();
  if (!first) skip();
  const struct pawl_freezable child = {.pid = first, .first = first};
  struct pawl_freeze freeze = {0};
  for (int others = 0; others < 2; others++) {
    require_turns(0);
    assert_false(others ? pawl_freeze_others(&freeze, &child)
                        : pawl_freeze_all(&freeze, &child, 0.01));
    usleep(100000); /* it has stopped by now */
    const uint64_t before = turns[0];
    usleep(100000);
    assert_true(turns[0] == before);
    pawl_freeze_end(&freeze);
    require_turns(0);
  }
  kill(first, SIGKILL);
  while (pawl_freeze_end(&freeze), freeze.count) usleep(1000); /* reaps the thread */
  pawl_freeze_release(&freeze);
  assert_int_equal(waitpid((pid_t)turns[HELPERS + 2], NULL, 0), turns[HELPERS + 2]);
  munmap(turns, 4096);
}

/* As a container may: every ptrace is refused. */
static bool forbid_ptrace(void) {
  static struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {sizeof code / sizeof *code, code};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void test_doctor_knows_whether_it_can_freeze(void **state) {
  (void)state;
  int status;
  assert_true(pawl_freeze_available());
  const pid_t pid = fork();
  if (pid == 0) _exit(forbid_ptrace() ? pawl_freeze_available() : 2);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the trials are gone */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_others_are_held_and_let_go),
      cmocka_unit_test(test_death_of_what_is_held),
      cmocka_unit_test(test_who_stops_late_goes_on),
      cmocka_unit_test(test_who_wakes_itself_is_found_out),
      cmocka_unit_test(test_all_threads_are_awaited),
      cmocka_unit_test(test_who_works_on_in_the_kernel_is_found_out),
      cmocka_unit_test(test_who_cannot_stop_saves_no_other),
      cmocka_unit_test(test_doctor_knows_whether_it_can_freeze),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
