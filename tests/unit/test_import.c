/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "import/import.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static enum pawl_status_code read_printed(const char *format, const char *text, struct pawl_times *out,
                                          struct pawl_error *err) {
  const struct pawl_times_reader reader = pawl_import_reader(format);
  assert_non_null(reader.read);
  return reader.read(format, "/dev/null/none", text, &arena, &out->seconds, &out->count, err);
}

/* Through the file that "{out}" names. */
static enum pawl_status_code read_file(const char *format, const char *text, struct pawl_times *out,
                                       struct pawl_error *err) {
  char path[] = "/tmp/pawl-test-import-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  const enum pawl_status_code status =
      pawl_import_reader(format).read(format, path, "", &arena, &out->seconds, &out->count, err);
  unlink(path);
  return status;
}

static void expect(const char *format, const char *text, const double *wanted, size_t count) {
  struct pawl_times times = {0};
  struct pawl_error err = {0};
  if (read_file(format, text, &times, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_int_equal(times.count, count);
  for (size_t i = 0; i < count; i++) assert_true(fabs(times.seconds[i] - wanted[i]) <= 1e-15 * wanted[i]);
}

#define EXPECT(format, text, ...)                                       \
  do {                                                                  \
    const double wanted[] = {__VA_ARGS__};                              \
    expect((format), (text), wanted, sizeof wanted / sizeof wanted[0]); \
  } while (0)

static void test_hyperfine(void **state) {
  (void)state;
  EXPECT("hyperfine", "{\"results\": [{\"command\": \"x\", \"mean\": 9, \"times\": [0.5, 0.25, 1]}]}", 0.5, 0.25, 1);
  EXPECT("hyperfine", "{\"results\": [{\"mean\": 0.5}, {\"times\": [2]}]}", 0.5, 2);
}

/* sample.json of criterion 0.5, of 0.3.0, and estimates.json. */
static void test_criterion(void **state) {
  (void)state;
  EXPECT("criterion",
         "{\"sampling_mode\":\"Linear\",\"iters\":[6.0,12.0,18.0],\"times\":[3000000.0,6600000.0,8100000.0]}", 0.5e-3,
         0.55e-3, 0.45e-3);
  EXPECT("criterion", "[[10,20],[1000,1800]]", 100e-9, 90e-9);
  EXPECT(
      "criterion",
      "{\"mean\":{\"confidence_interval\":{\"confidence_level\":0.95,\"lower_bound\":5.1,\"upper_bound\":5.3},"
      "\"point_estimate\":5.2,\"standard_error\":0.05},\"median\":{\"confidence_interval\":{\"confidence_level\":0.95,"
      "\"lower_bound\":5.0,\"upper_bound\":5.2},\"point_estimate\":5.125,\"standard_error\":0.04},\"median_abs_dev\":"
      "{\"confidence_interval\":{\"confidence_level\":0.95,\"lower_bound\":0.1,\"upper_bound\":0.2},\"point_estimate\":"
      "0.15,\"standard_error\":0.02},\"slope\":null,\"std_dev\":null}",
      5.125e-9);
}

static void test_google_benchmark(void **state) {
  (void)state;
  EXPECT("google-benchmark",
         "{\"context\": {\"mhz_per_cpu\": NaN}, \"benchmarks\": ["
         "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 250, \"time_unit\": \"us\"},"
         "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 3, \"time_unit\": \"ms\"},"
         "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 7},"
         "{\"name\": \"a_cv\", \"run_type\": \"aggregate\", \"real_time\": 0.02, \"aggregate_unit\": \"percentage\"}]}",
         250e-6, 3e-3, 7e-9);
}

static void test_pytest_benchmark(void **state) {
  (void)state;
  EXPECT("pytest-benchmark", "{\"benchmarks\": [{\"stats\": {\"median\": 9, \"data\": [0.1, 0.2]}}]}", 0.1, 0.2);
  EXPECT("pytest-benchmark", "{\"benchmarks\": [{\"stats\": {\"median\": 0.4}}]}", 0.4);
}

static void test_nvbench(void **state) {
  (void)state;
  EXPECT(
      "nvbench",
      "{\"benchmarks\": [{\"states\": ["
      "{\"is_skipped\": true},"
      "{\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"type\": \"float64\", "
      "\"value\": \"0.002\"}]}, {\"tag\": \"nv/cold/time/gpu/median\", \"data\": [{\"name\": \"value\", \"value\": "
      "\"0.001\"}]}]},"
      "{\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"value\": \"3e-6\"}]}]}"
      "]}]}",
      0.001, 3e-6);
}

/* A format, and text that is none of it. */
static void test_nonsense_is_refused(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"hyperfine", "{}"},
      {"hyperfine", "[]"},
      {"hyperfine", "{\"results\": [{}]}"},
      {"hyperfine", "{\"results\": [{\"times\": [1, \"2\"]}]}"},
      {"hyperfine", "{\"results\": [{\"times\": [-1]}]}"},
      {"hyperfine", "{\"results\": [3]}"},
      {"hyperfine", "{\"results\": "},
      {"criterion", "{}"},
      {"criterion", "[]"},
      {"criterion", "[[1], [2, 3]]"},
      {"criterion", "{\"iters\": [], \"times\": []}"},
      {"criterion", "{\"iters\": [0], \"times\": [5]}"},
      {"criterion", "{\"iters\": [1, 2], \"times\": [5, \"6\"]}"},
      {"criterion", "{\"iters\": [1], \"times\": [-5]}"},
      {"criterion", "{\"iters\": [1], \"times\": [1e400]}"},
      {"criterion", "{\"median\": {}}"},
      {"criterion", "{\"median\": {\"point_estimate\": 0}}"},
      {"google-benchmark", "{\"benchmarks\": [{\"real_time\": 1, \"time_unit\": \"fortnight\"}]}"},
      {"google-benchmark", "{\"benchmarks\": [{\"real_time\": NaN}]}"},
      {"google-benchmark", "{\"benchmarks\": [{\"error_occurred\": true, \"error_message\": \"boom\"}]}"},
      {"pytest-benchmark", "{\"benchmarks\": [{}]}"},
      {"pytest-benchmark", "{\"benchmarks\": [{\"stats\": {\"data\": [0]}}]}"},
      {"nvbench", "{\"benchmarks\": [{\"states\": [{}]}]}"},
      {"nvbench",
       "{\"benchmarks\": [{\"states\": [{\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": "
       "[{\"name\": \"value\", \"value\": \"inf\"}]}]}]}]}"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct pawl_times times = {0};
    struct pawl_error err = {0};
    if (read_file(texts[i][0], texts[i][1], &times, &err) != PAWL_BAD_DATA)
      fail_msg("%s took %s", texts[i][0], texts[i][1]);
    assert_null(times.seconds); /* untouched on failure */
  }
}

static void test_what_was_printed(void **state) {
  (void)state;
  struct pawl_times times = {0};
  struct pawl_error err = {0};
  assert_int_equal(read_printed("hyperfine", "{}", &times, &err), PAWL_NO_INPUT);
  char path[] = "/tmp/pawl-test-import-XXXXXX";
  close(mkstemp(path));
  const struct pawl_times_reader reader = pawl_import_reader("hyperfine");
  assert_int_equal(reader.read(reader.format, path, "Warming up\n{\"results\": [{\"times\": [4]}]}\n", &arena,
                               &times.seconds, &times.count, &err),
                   PAWL_OK);
  assert_true(times.count == 1 && times.seconds[0] == 4);
  assert_int_equal(reader.read(reader.format, path, "no JSON", &arena, &times.seconds, &times.count, &err),
                   PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "{out}"));
  unlink(path);
  assert_null(pawl_import_reader("wall").read);
  assert_null(pawl_import_reader("hyperfin").read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_hyperfine, clear_arena),
      cmocka_unit_test_teardown(test_criterion, clear_arena),
      cmocka_unit_test_teardown(test_google_benchmark, clear_arena),
      cmocka_unit_test_teardown(test_pytest_benchmark, clear_arena),
      cmocka_unit_test_teardown(test_nvbench, clear_arena),
      cmocka_unit_test_teardown(test_nonsense_is_refused, clear_arena),
      cmocka_unit_test_teardown(test_what_was_printed, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
