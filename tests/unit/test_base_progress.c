/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"

static void expect(const struct pawl_progress *progress, double seconds, int columns,
                   const char *wanted) {
  struct pawl_text line = {0};
  pawl_progress_line(progress, seconds, columns, "k on c, block 3", &line);
  assert_string_equal(pawl_text_string(&line), wanted);
  pawl_text_clear(&line);
}

static void test_line(void **state) {
  (void)state;
  struct pawl_progress progress = {"judging", 0, 60, true};
  expect(&progress, 0, 80,
         "judging [--------------------] 0 %  k on c, block 3"); /* nothing to tell the time from */
  progress.done = 15;
  expect(&progress, 10, 80,
         "judging [#####---------------] 25 %, at most 30 s left  k on c, block 3");
  expect(&progress, 10, 0, "judging: 25 %, at most 30 s left: k on c, block 3");
  expect(&progress, 100, 0, "judging: 25 %, at most 5 min left: k on c, block 3");
  expect(&progress, 7200, 0, "judging: 25 %, at most 6.0 h left: k on c, block 3");
  progress.at_most = false;
  expect(&progress, 10, 24, "judging 25 %, 30 s left");
  progress.done = 70; /* more than there should be */
  expect(&progress, 10, 0, "judging: 100 %, 0 s left: k on c, block 3");
  progress.total = 0;
  expect(&progress, 10, 0, "judging: 0 %: k on c, block 3");
}

/* A bar needs 3 columns more than its characters, and the cursor one. It makes room for the words,
 * not for details. */
static void test_narrow(void **state) {
  (void)state;
  struct pawl_progress progress = {
      .task = "judging", .done = 15, .total = 60, .details = "; \xc3\xa4 and so on"};
  expect(&progress, 10, 80,
         "judging [#####---------------] 25 %, 30 s left  k on c, block 3; \xc3\xa4 and so on");
  expect(&progress, 10, 69,
         "judging [#####---------------] 25 %, 30 s left  k on c, block 3; \xc3\xa4 a");
  expect(&progress, 10, 64, "judging [#####---------------] 25 %, 30 s left  k on c, block 3");
  expect(&progress, 10, 63,
         "judging [##--------] 25 %, 30 s left  k on c, block 3; \xc3\xa4 and s");
  expect(&progress, 10, 54, "judging [##--------] 25 %, 30 s left  k on c, block 3");
  expect(&progress, 10, 53, "judging 25 %, 30 s left  k on c, block 3; \xc3\xa4 and so o");
  expect(&progress, 10, 36, "judging 25 %, 30 s left  k on c, bl");
  expect(&progress, 10, 0, "judging: 25 %, 30 s left: k on c, block 3; \xc3\xa4 and so on");
}

/* Returns the text that a function prints on standard error. */
static char *printed(void (*function)(void)) {
  static char text[512];
  char path[] = "/tmp/pawl-progress-XXXXXX";
  const int fd = mkstemp(path), before = dup(STDERR_FILENO);
  assert_true(fd >= 0 && before >= 0 && dup2(fd, STDERR_FILENO) >= 0);
  function();
  fflush(stderr);
  assert_true(dup2(before, STDERR_FILENO) >= 0);
  const ssize_t length = pread(fd, text, sizeof text - 1, 0);
  assert_true(length >= 0);
  text[length] = '\0';
  close(fd);
  close(before);
  unlink(path);
  return text;
}

/* Two tasks of 20 seconds each: a line at the 30th second, whatever task it is then. */
static void two_tasks(void) {
  struct pawl_log log = {.level = PAWL_LOG_NORMAL};
  const struct pawl_progress first = {"timing", 1, 4, false}, second = {"judging", 1, 2, true};
  pawl_progress_show(&log, &first, "one");
  log.told_ns -= 20 * (int64_t)1000000000;
  pawl_progress_show(&log, &first, "two");
  pawl_progress_end(&log);
  pawl_progress_show(&log, &second, "three");
  log.told_ns -= 20 * (int64_t)1000000000;
  log.task_begin_ns -= 19500 * (int64_t)1000000;
  pawl_progress_show(&log, &second, "four");
  pawl_progress_show(&log, &second, "five");
  pawl_progress_end(&log);
}

static void quiet_task(void) {
  struct pawl_log log = {.level = PAWL_LOG_QUIET, .terminal = true};
  const struct pawl_progress task = {"timing", 1, 4, false};
  pawl_progress_show(&log, &task, "one");
  pawl_progress_end(&log);
  pawl_progress_show(NULL, &task, "one");
  pawl_progress_end(NULL);
}

static void task_on_terminal(void) {
  struct pawl_log log = {.level = PAWL_LOG_NORMAL, .terminal = true};
  const struct pawl_progress task = {"timing", 0, 4, false};
  pawl_progress_show(&log, &task, "one");
  pawl_log_info(&log, "a word between");
  pawl_progress_show(&log, &task, "two");
  pawl_progress_end(&log);
}

static void test_printed(void **state) {
  (void)state;
  assert_string_equal(printed(two_tasks), "judging: 50 %, at most 20 s left: four\n");
  assert_string_equal(printed(quiet_task), "");
  assert_string_equal(printed(task_on_terminal),
                      "timing [--------------------] 0 %  one\r\033[Ka word between\n"
                      "timing [--------------------] 0 %  two\r\033[K");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_line), cmocka_unit_test(test_narrow),
                                     cmocka_unit_test(test_printed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
