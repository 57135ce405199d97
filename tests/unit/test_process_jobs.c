/* SPDX-License-Identifier: Apache-2.0 */
/* Commands stand still in a pause, with all that they started, whatever group it is in; a pause is
   no part of a time limit, and a stop ends what runs. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "process/jobs.h"

#define PATIENCE_SECONDS 20.0
#define WORKERS 3

/* Three loops that count in files: below the command, below a shell, and in a process group of
 * their own. */
static const char *const counting[] = {
    "sh", "-c",
    "count() { i=0; while i=$((i+1)); echo $i >$1.new && mv $1.new $1; do :; done; }\n"
    "count 0 & (count 1 & wait) & set -m; (count 2) & wait",
    NULL};

static char folder[] = "/tmp/pawl-jobs-XXXXXX";

static long read_count(int worker) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  char path[64];
  struct pawl_error ignored;
  snprintf(path, sizeof path, "%s/%d", folder, worker);
  return pawl_file_read(path, 64, &text, &ignored) == PAWL_OK ? atol(pawl_text_string(&text)) : 0;
}

static void require_counting(void) {
  for (int worker = 0; worker < WORKERS; worker++) {
    const long before = read_count(worker);
    const int64_t begin = pawl_clock_ns();
    while (read_count(worker) <= before) {
      assert_true(pawl_seconds_since(begin) < PATIENCE_SECONDS);
      usleep(1000);
    }
  }
}

static void require_still(void) {
  long before[WORKERS];
  for (int i = 0; i < WORKERS; i++) before[i] = read_count(i);
  usleep(50000);
  for (int i = 0; i < WORKERS; i++) assert_int_equal(read_count(i), before[i]);
}

static struct pawl_process start(struct pawl_jobs *jobs, const char *const *argv) {
  const struct pawl_process_options options = {
      .argv = argv, .folder = folder, .die_with_parent = true, .kill_descendants = true};
  struct pawl_process process = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_jobs_start(jobs, &process, &options, &err), PAWL_OK);
  return process;
}

static void test_a_tree_stands_still(void **state) {
  (void)state;
  struct pawl_jobs *jobs = pawl_jobs_new();
  struct pawl_process process = start(jobs, counting);
  require_counting();
  for (int round = 0; round < 5; round++) {
    assert_true(pawl_jobs_pause(jobs));
    require_still();
    pawl_jobs_resume(jobs);
    require_counting();
  }
  pawl_jobs_stop(jobs);
  assert_false(pawl_jobs_await(jobs, &process, PATIENCE_SECONDS)); /* it must be ended */
  pawl_process_kill(&process);
  pawl_jobs_free(jobs);
}

static const char *const second[] = {"sleep", "0.5", NULL};

struct wait {
  struct pawl_jobs *jobs;
  struct pawl_process process;
  bool ended;
};

static void *wait_for(void *context) {
  struct wait *wait = context;
  wait->ended = pawl_jobs_await(wait->jobs, &wait->process, 2.0);
  return NULL;
}

/* A command of 1 s in a pause of 2 s, which begins after 0.1 s, ends after 2.9 s: its limit is 2 s.
 */
static void test_a_pause_is_no_part_of_a_limit(void **state) {
  (void)state;
  static const char *const loop[] = {
      "sh", "-c", "i=0; while [ $i -lt 10 ]; do sleep 0.1; i=$((i+1)); done", NULL};
  struct wait wait = {.jobs = pawl_jobs_new()};
  pthread_t thread;
  wait.process = start(wait.jobs, loop);
  assert_int_equal(pthread_create(&thread, NULL, wait_for, &wait), 0);
  usleep(100000);
  assert_true(pawl_jobs_pause(wait.jobs));
  usleep(2000000);
  pawl_jobs_resume(wait.jobs);
  assert_true(pawl_jobs_paused_seconds(wait.jobs) >= 2);
  pthread_join(thread, NULL);
  assert_true(wait.ended);
  pawl_process_kill(&wait.process);
  pawl_jobs_free(wait.jobs);
}

static void test_a_limit(void **state) {
  (void)state;
  struct pawl_jobs *jobs = pawl_jobs_new();
  struct pawl_process process = start(jobs, second);
  assert_false(pawl_jobs_await(jobs, &process, 0.05));
  pawl_process_kill(&process);
  pawl_jobs_free(jobs);
}

struct late_start {
  struct pawl_jobs *jobs;
  struct pawl_process process;
  double seconds; /* that the start took */
  bool ended;
};

static void *start_late(void *context) {
  struct late_start *late = context;
  const int64_t begin = pawl_clock_ns();
  late->process = start(late->jobs, second);
  late->seconds = pawl_seconds_since(begin);
  late->ended = pawl_jobs_await(late->jobs, &late->process, 0); /* it dies with this thread */
  return NULL;
}

static void test_nothing_starts_in_a_pause(void **state) {
  (void)state;
  struct late_start late = {.jobs = pawl_jobs_new()};
  pthread_t thread;
  assert_true(pawl_jobs_pause(late.jobs));
  assert_int_equal(pthread_create(&thread, NULL, start_late, &late), 0);
  usleep(300000);
  pawl_jobs_resume(late.jobs);
  pthread_join(thread, NULL);
  assert_true(late.seconds > 0.2);
  assert_false(late.ended);
  pawl_process_kill(&late.process);
  pawl_jobs_free(late.jobs);
}

static void test_a_stop_starts_nothing(void **state) {
  (void)state;
  struct pawl_jobs *jobs = pawl_jobs_new();
  const struct pawl_process_options options = {.argv = second};
  struct pawl_process process = {0};
  struct pawl_error err = {0};
  pawl_jobs_stop(jobs);
  assert_int_equal(pawl_jobs_start(jobs, &process, &options, &err), PAWL_TRY_AGAIN);
  pawl_jobs_free(jobs);
}

static void test_no_jobs(void **state) {
  (void)state;
  struct pawl_process process = start(NULL, second);
  assert_true(pawl_jobs_pause(NULL));
  pawl_jobs_resume(NULL);
  pawl_jobs_stop(NULL);
  assert_true(pawl_jobs_await(NULL, &process, PATIENCE_SECONDS));
  pawl_process_kill(&process);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_tree_stands_still),
      cmocka_unit_test(test_a_pause_is_no_part_of_a_limit),
      cmocka_unit_test(test_a_limit),
      cmocka_unit_test(test_nothing_starts_in_a_pause),
      cmocka_unit_test(test_a_stop_starts_nothing),
      cmocka_unit_test(test_no_jobs),
  };
  if (!mkdtemp(folder)) return 2;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (pawl_remove_tree(folder, NULL) != PAWL_OK) return 2;
  return failed;
}
