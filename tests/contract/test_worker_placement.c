/* SPDX-License-Identifier: Apache-2.0 */
/* Where the threads of code under test run. Argument: the folder of the test plug-ins. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../plugins/test_threads.h"
#include "base/parallel.h"
#include "process/cpus.h"
#include "process/schedstat.h"
#include "scale_fixture.h"

static const char *plugins;

/* Calls the kernel once, in a worker with this placement, and copies what it reports. */
static void ask(const char *placement, const struct pawl_cpus *cpus, int places[PLACES]) {
  struct fixture f;
  char path[512];
  const char *reason = "";
  fixture_init(&f);
  snprintf(path, sizeof path, "%s/test_threads.so", plugins);
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "threads",
                                              .plugin = path,
                                              .tensors = &f.tensors,
                                              .cpus = *cpus,
                                              .placement = placement,
                                              .timeout_seconds = 20};
  if (pawl_worker_start(&f.worker, &options, &f.err)) fail_msg("%s", f.err.message);
  if (fixture_prepare(&f, &reason)) fail_msg("%s", f.err.message);
  double seconds;
  if (pawl_worker_run(f.worker, 0, &seconds, &f.err)) fail_msg("%s", f.err.message);
  for (int i = 0; i < PLACES; i++) places[i] = (int)fixture_tensor(&f, 0, 1)[i];
  fixture_release(&f);
}

static void threads_get_cpus_of_their_own(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena), all = {0};
  if (ours.count < 2) skip();
  int places[PLACES], at_home = 0;
  for (int i = 0; i < 5; i++) {
    ask(pawl_cpus_text(&ours, &arena), &all, places);
    assert_int_equal(places[MAIN_CPUS],
                     ours.count); /* a library that counts them makes a pool of that size */
    at_home += places[MAIN_CPU] == ours.numbers[0];
    assert_int_equal(places[PLAIN_CPUS], 1);
    assert_int_equal(places[PLAIN_CPU], ours.numbers[1]);
    assert_int_equal(places[ATTRIBUTES_CPUS], 1);
    assert_int_equal(places[ATTRIBUTES_CPU], ours.numbers[ours.count > 2 ? 2 : 0]);
    assert_int_equal(places[BOUND_CPUS], 1);
    assert_int_equal(places[BOUND_CPU], places[MAIN_CPU]);
  }
  assert_true(at_home >= 3); /* it is brought there, not bound: other work may push it away */
  pawl_arena_clear(&arena);
}

static void without_placement_the_scheduler_decides(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena), all = {0};
  const char *const none[] = {NULL, "", "-1", "0-", "x"};
  int places[PLACES];
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    ask(none[i], &all, places);
    assert_int_equal(places[PLAIN_CPUS], ours.count);
    assert_int_equal(places[ATTRIBUTES_CPUS], ours.count);
  }
  pawl_arena_clear(&arena);
}

static void a_worker_keeps_to_its_cpus(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  const struct pawl_cpus last = {&ours.numbers[ours.count - 1], 1};
  int places[PLACES];
  ask(NULL, &last, places);
  assert_int_equal(places[MAIN_CPUS], 1);
  assert_int_equal(places[MAIN_CPU], last.numbers[0]);
  assert_int_equal(places[PLAIN_CPU], last.numbers[0]);
  pawl_arena_clear(&arena);
}

/* Off the CPU to which a child is bound; on all again when there is no child. */
static void a_thread_keeps_off_the_cpu_of_a_process(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  if (ours.count < 2) skip();
  const struct pawl_cpus last = {&ours.numbers[ours.count - 1], 1};
  int ends[2];
  char bound;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* where the test fails */
    if (!pawl_cpus_bind(&last) || write(ends[1], "b", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &bound, 1), 1);
  pawl_cpus_keep_off(&ours, child);
  const struct pawl_cpus left = pawl_cpus_of_process(&arena);
  assert_int_equal(left.count, ours.count - 1);
  assert_memory_equal(left.numbers, ours.numbers, left.count * sizeof *left.numbers);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  pawl_cpus_keep_off(&ours, child);
  assert_int_equal(pawl_cpus_of_process(&arena).count, ours.count);
  close(ends[0]);
  pawl_arena_clear(&arena);
}

static double seconds_of(pid_t process) {
  clockid_t clock;
  struct timespec used;
  assert_int_equal(clock_getcpuclockid(process, &clock), 0);
  assert_int_equal(clock_gettime(clock, &used), 0);
  return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

_Noreturn static void work_on(int cpu) {
  const struct pawl_cpus one = {&cpu, 1};
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* where the test fails */
  if (!pawl_cpus_bind(&one)) _exit(1);
  for (;;) {
  }
}

/* -1: there is no room for another process. */
static pid_t start_work_on(int cpu) {
  const pid_t process = fork();
  if (process == 0) work_on(cpu);
  return process;
}

static void end_work(pid_t process) {
  if (process <= 0) return;
  kill(process, SIGKILL);
  assert_int_equal(waitpid(process, NULL, 0), process);
}

/* The system may share CPUs among sessions first, and then among the processes of each: then what a
   busy thread of pawl has beyond its share comes from the worker, though that is on another CPU,
   and a call of it takes seconds. */
static void a_thread_that_goes_first_leaves_the_worker_its_share(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  if (ours.count < 2) skip();
  const pid_t stranger = fork();
  if (stranger == 0) {
    setsid();
    work_on(ours.numbers[0]);
  }
  const pid_t worker = start_work_on(ours.numbers[0]);
  const pid_t watcher = fork();
  if (watcher == 0) {
    pawl_cpus_go_first();
    work_on(ours.numbers[1]);
  }
  double others = 0;
  for (int i = 0; i < 2000 && others < 0.5; i++) {
    usleep(10000);
    others = seconds_of(stranger);
  }
  const double share = seconds_of(worker) / others;
  end_work(stranger);
  end_work(worker);
  end_work(watcher);
  if (share < 0.1) fail_msg("the worker had %.3f of what a process of another session had", share);
  pawl_arena_clear(&arena);
}

#define LIMIT 0.5 /* seconds */

/* On one CPU; of its two inputs the second makes it hang. */
static void start_burning(struct fixture *f, const struct pawl_cpus *cpu) {
  char path[512];
  const char *reason = "";
  fixture_init(f);
  fixture_tensor(f, 0, 0)[0] = 0.4f * (float)LIMIT;
  fixture_tensor(f, 1, 0)[0] = 1000;
  snprintf(path, sizeof path, "%s/test_burns.so", plugins);
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "burns",
                                              .plugin = path,
                                              .tensors = &f->tensors,
                                              .cpus = *cpu,
                                              .start_seconds = 20,
                                              .timeout_seconds = LIMIT};
  if (pawl_worker_start(&f->worker, &options, &f->err)) fail_msg("%s", f->err.message);
  if (fixture_prepare(f, &reason)) fail_msg("%s", f->err.message);
}

/* The seconds that it took. */
static double burn(struct fixture *f, int set, enum pawl_status_code *status) {
  double seconds;
  const int64_t begin = pawl_clock_ns();
  *status = pawl_worker_run(f->worker, set, &seconds, &f->err);
  return (double)(pawl_clock_ns() - begin) * 1e-9;
}

/* Busy processes leave the kernel a part of its CPU: as many as it takes until it needs longer than
   its limit, because the tests beside this one are busy too. It hangs only if it would with all of
   the CPU, and one that hangs ends too.
 */
static void a_wait_for_a_cpu_is_no_hang(void **state) {
  (void)state;
  enum { MOST_RIVALS = 12 };
  struct fixture f;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  const struct pawl_cpus last = {&ours.numbers[ours.count - 1], 1};
  pid_t rivals[MOST_RIVALS];
  int count = 0;
  if (!pawl_schedstat_turns(getpid())) skip(); /* this system does not count them */
  start_burning(&f, &last);
  enum pawl_status_code waits, hangs = PAWL_OK;
  double took = burn(&f, 0, &waits), hung = 0;
  while (!waits && took < LIMIT && count < MOST_RIVALS) {
    for (int i = 0; i < 2; i++) rivals[count++] = start_work_on(last.numbers[0]);
    took = burn(&f, 0, &waits);
  }
  if (!waits) hung = burn(&f, 1, &hangs);
  for (int i = 0; i < count; i++) end_work(rivals[i]);
  if (waits) fail_msg("%s", f.err.message);
  assert_true(took > LIMIT); /* else the test shows nothing */
  assert_int_equal(hangs, PAWL_FAILED);
  assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_TIMEOUT);
  assert_true(hung > LIMIT && hung < 5 * LIMIT + 2);
  fixture_release(&f);
  pawl_arena_clear(&arena);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  plugins = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_get_cpus_of_their_own),
      cmocka_unit_test(without_placement_the_scheduler_decides),
      cmocka_unit_test(a_worker_keeps_to_its_cpus),
      cmocka_unit_test(a_thread_keeps_off_the_cpu_of_a_process),
      cmocka_unit_test(a_thread_that_goes_first_leaves_the_worker_its_share),
      cmocka_unit_test(a_wait_for_a_cpu_is_no_hang)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
