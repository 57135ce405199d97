/* SPDX-License-Identifier: Apache-2.0 */
/* Turns on the CPUs and the GPU: their order, and locks that do not work. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "project/devices.h"

/* Returns the errors and warnings that a turn on `place` gives, and ends the turn. */
static const char *take(const char *place, enum pawl_status_code wanted) {
  static char text[1000];
  struct pawl_timing_turn turn = {0};
  struct pawl_log log = {.level = PAWL_LOG_NORMAL};
  struct pawl_error err = {0};
  char path[] = "/tmp/pawl-turns-XXXXXX";
  const int fd = mkstemp(path), before = dup(STDERR_FILENO);
  assert_true(fd >= 0 && before >= 0 && dup2(fd, STDERR_FILENO) >= 0);
  const enum pawl_status_code status = pawl_turn_take(&turn, place, pawl_clock_ns(), 0, &log, &err);
  assert_true(dup2(before, STDERR_FILENO) >= 0);
  const ssize_t length = pread(fd, text, sizeof text / 2, 0);
  snprintf(text + length, sizeof text - (size_t)length, "%s", err.message);
  close(fd);
  close(before);
  unlink(path);
  pawl_turn_end(&turn);
  assert_int_equal(status, wanted);
  return text;
}

static void test_a_relative_folder_is_refused(void **state) {
  (void)state;
  setenv(PAWL_TURN_FOLDER, "lk", 1);
  assert_non_null(strstr(take("x", PAWL_CONFIG), "PAWL_LOCK_FOLDER 'lk' is a relative path"));
  unsetenv(PAWL_TURN_FOLDER);
}

/* Another user may lock the file, and this pawl locks elsewhere. So the two do not wait for each
 * other. */
static void test_a_file_that_does_not_work_gives_a_warning(void **state) {
  (void)state;
  char place[40], path[80], other[80], next[80];
  snprintf(place, sizeof place, "test-%ld", (long)getpid());
  snprintf(path, sizeof path, "/run/lock/pawl-%s.lock", place);
  snprintf(other, sizeof other, "/tmp/pawl-%s.lock", place);
  snprintf(next, sizeof next, "/run/lock/pawl-%s-next.lock", place);
  unsetenv(PAWL_TURN_FOLDER);
  if (mkdir(path, 0700)) skip(); /* this machine has no /run/lock for all users */
  const char *said = take(place, PAWL_OK);
  assert_true(rmdir(path) == 0 && unlink(other) == 0);
  assert_non_null(strstr(said, path));
  assert_non_null(strstr(said, "Is a directory; "));
  assert_string_equal(take(place, PAWL_OK), "");
  assert_true(unlink(path) == 0 && unlink(next) == 0);
}

/* Opens and locks a file as another pawl does. Returns -1 if somebody has the lock. */
static int lock_place(const char *folder, const char *place) {
  char path[200];
  snprintf(path, sizeof path, "%s/pawl-%s.lock", folder, place);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) pawl_close(&fd);
  return fd;
}

/* A pawl that has the CPUs and waits for the GPU would stop the pawl that has the GPU. */
static void test_a_wait_for_the_gpu_keeps_no_cpu(void **state) {
  (void)state;
  static struct pawl_arena arena;
  char folder[] = "/tmp/pawl-turns-XXXXXX";
  char cpu[32];
  assert_non_null(mkdtemp(folder));
  setenv(PAWL_TURN_FOLDER, folder, 1);
  struct pawl_devices devices = {.arena = &arena, .wait_seconds = 0};
  devices.probed[PAWL_CUDA] = true;
  devices.found[PAWL_CUDA] = (struct pawl_device){.kind = PAWL_CUDA, .uuid = "GPU-0"};
  const struct pawl_measure_spec spec = {0};
  struct pawl_error err = {0};
  snprintf(cpu, sizeof cpu, "cpu-%d", pawl_cpus_of_process(&arena).numbers[0]);
  int gpu = lock_place(folder, "gpu-GPU-0");
  assert_true(gpu >= 0);
  assert_int_equal(pawl_devices_take_turn(&devices, PAWL_CPU, &spec, NULL, &err), PAWL_OK);
  assert_int_equal(lock_place(folder, cpu), -1);
  assert_int_equal(pawl_devices_take_turn(&devices, PAWL_CUDA, &spec, NULL, &err), PAWL_TRY_AGAIN);
  int free_cpu = lock_place(folder, cpu);
  assert_true(free_cpu >= 0);
  pawl_close(&free_cpu);
  pawl_close(&gpu);
  assert_int_equal(pawl_devices_take_turn(&devices, PAWL_CPU, &spec, NULL, &err), PAWL_OK);
  assert_int_equal(pawl_devices_take_turn(&devices, PAWL_CUDA, &spec, NULL, &err), PAWL_OK);
  assert_int_equal(lock_place(folder, cpu), -1); /* it has both again */
  assert_int_equal(lock_place(folder, "gpu-GPU-0"), -1);
  pawl_devices_release(&devices);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
  pawl_arena_clear(&arena);
}

/* Returns the child that ends its lock on a CPU after `seconds`. */
static pid_t hold(const char *folder, int cpu, double seconds) {
  char place[32];
  snprintf(place, sizeof place, "cpu-%d", cpu);
  const pid_t child = fork();
  if (child) return child;
  if (lock_place(folder, place) < 0) _exit(1);
  pawl_sleep_seconds(seconds);
  _exit(0);
}

/* The time to wait is one for all CPUs: the second is still locked when the first comes free. */
static void test_all_cpus_share_one_wait(void **state) {
  (void)state;
  static struct pawl_arena arena;
  char folder[] = "/tmp/pawl-turns-XXXXXX", first[80], second[80];
  assert_non_null(mkdtemp(folder));
  setenv(PAWL_TURN_FOLDER, folder, 1);
  int numbers[] = {0, 1};
  const struct pawl_measure_spec spec = {.cpus = {.numbers = numbers, .count = 2}};
  struct pawl_devices devices = {.arena = &arena, .wait_seconds = 1};
  struct pawl_error err = {0};
  const pid_t children[] = {hold(folder, 0, 0.7), hold(folder, 1, 1.4)};
  snprintf(first, sizeof first, "%s/pawl-cpu-0.lock", folder);
  snprintf(second, sizeof second, "%s/pawl-cpu-1.lock", folder);
  while (!pawl_file_exists(first) || !pawl_file_exists(second)) pawl_sleep_seconds(0.005);
  pawl_sleep_seconds(0.05);
  assert_int_equal(pawl_devices_take_turn(&devices, PAWL_CPU, &spec, NULL, &err), PAWL_TRY_AGAIN);
  for (int i = 0; i < 2; i++) assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
  pawl_devices_release(&devices);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
  pawl_arena_clear(&arena);
}

/* Takes and ends a turn again and again, as a loop of short runs does. */
static pid_t take_again_and_again(void) {
  const pid_t child = fork();
  if (child) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    struct pawl_timing_turn turn = {0};
    struct pawl_error err = {0};
    if (pawl_turn_take(&turn, "x", pawl_clock_ns(), 60, NULL, &err) != PAWL_OK) _exit(1);
    pawl_sleep_seconds(0.02);
    pawl_turn_end(&turn);
  }
}

/* A loop of short runs would take the lock between two looks of a pawl that waits. */
static void test_nobody_overtakes_who_waits(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-turns-XXXXXX", path[80];
  struct pawl_error err = {0};
  assert_non_null(mkdtemp(folder));
  setenv(PAWL_TURN_FOLDER, folder, 1);
  snprintf(path, sizeof path, "%s/pawl-x.lock", folder);
  const pid_t child = take_again_and_again();
  while (!pawl_file_exists(path)) pawl_sleep_seconds(0.005);
  for (int i = 0; i < 4; i++) {
    struct pawl_timing_turn turn = {0};
    assert_int_equal(pawl_turn_take(&turn, "x", pawl_clock_ns(), 5, NULL, &err), PAWL_OK);
    pawl_sleep_seconds(0.1); /* the other waits for its turn meanwhile */
    pawl_turn_end(&turn);
    pawl_sleep_seconds(0.1);
  }
  assert_true(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

/* A pawl in the queue names who times, not who waits before it. */
static void test_the_queue_names_who_times(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-turns-XXXXXX";
  struct pawl_error err = {0};
  assert_non_null(mkdtemp(folder));
  setenv(PAWL_TURN_FOLDER, folder, 1);
  int timing = lock_place(folder, "x"), waiting = lock_place(folder, "x-next");
  assert_true(timing >= 0 && waiting >= 0);
  assert_true(dprintf(timing, "process 1\n") > 0 && dprintf(waiting, "process 2\n") > 0);
  assert_non_null(strstr(take("x", PAWL_TRY_AGAIN), "process 1 still times on x after 0 s"));
  pawl_close(&timing);
  take("x", PAWL_TRY_AGAIN); /* the turn is of the one that waits */
  pawl_close(&waiting);
  take("x", PAWL_OK);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_relative_folder_is_refused),
      cmocka_unit_test(test_a_file_that_does_not_work_gives_a_warning),
      cmocka_unit_test(test_a_wait_for_the_gpu_keeps_no_cpu),
      cmocka_unit_test(test_all_cpus_share_one_wait),
      cmocka_unit_test(test_nobody_overtakes_who_waits),
      cmocka_unit_test(test_the_queue_names_who_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
