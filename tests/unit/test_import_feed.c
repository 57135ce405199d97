/* SPDX-License-Identifier: Apache-2.0 */
/* What other harnesses wrote, fed into the history. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "import/import.h"

/* What came, as lines. */
static struct pawl_text came;

static enum pawl_status_code take_run(void *context, const struct pawl_history_run *run,
                                      struct pawl_error *err) {
  (void)context, (void)err;
  pawl_text_printf(&came, "run %lld %s%s %s %s %s\n", run->time, run->commit ? run->commit : "-",
                   run->dirty ? "+" : "", run->branch ? run->branch : "-",
                   run->subject ? run->subject : "-", run->hardware ? run->hardware : "-");
  return PAWL_OK;
}

static enum pawl_status_code take_point(void *context, const struct pawl_history_point *point,
                                        struct pawl_error *err) {
  (void)context, (void)err;
  const json_t *samples =
      json_object_get(json_object_get(point->result, "performance"), "samples_ms");
  pawl_text_printf(&came, "%s | %s | ", point->kernel_name, point->case_name);
  if (point->reason)
    pawl_text_printf(&came, "%s: %s\n", pawl_outcome_name(point->outcome), point->reason);
  else
    pawl_text_printf(&came, "%.6g %s%s, %zu\n", point->value, point->unit,
                     point->bigger_is_better ? ", bigger is better" : "", json_array_size(samples));
  return PAWL_OK;
}

static enum pawl_status_code feed(const char *format, const char *path, const char *text,
                                  struct pawl_error *err) {
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  defaults.time = 7;
  struct pawl_feed fed = {.text = {path, text, strlen(text)},
                          .format = format,
                          .defaults = &defaults,
                          .sink = {NULL, take_run, take_point}};
  came.length = 0;
  pawl_text_add(&came, "");
  const enum pawl_status_code status = pawl_importer_find(format)->feed(&fed, err);
  pawl_arena_clear(&fed.arena);
  pawl_arena_clear(&fed.point);
  return status;
}

static void expect(const char *format, const char *path, const char *text, const char *wanted) {
  struct pawl_error err = {0};
  if (feed(format, path, text, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_string_equal(came.data, wanted);
}

static void test_hyperfine(void **state) {
  (void)state;
  expect("hyperfine", "h.json",
         "{\"results\": [{\"command\": \"sort <a> b\", \"mean\": 9, \"times\": [0.5, 0.25, 1], "
         "\"parameters\": {\"n\": "
         "\"3\"}},"
         "{\"command\": \"old\", \"mean\": 0.5}]}",
         "run 7 - - - -\nsort <a> b | n=3 | 500 ms, 3\nold | - | 500 ms, 0\n");
}

static void test_google_benchmark(void **state) {
  (void)state;
  expect("google-benchmark", "g.json",
         "{\"context\": {\"date\": \"1970-01-02T01:00:00+01:00\", \"host_name\": \"h\", "
         "\"num_cpus\": 8},\"benchmarks\": ["
         "{\"name\": \"BM_x/8/threads:2\", \"run_name\": \"BM_x/8/threads:2\", \"run_type\": "
         "\"iteration\", "
         "\"real_time\": 3000, \"time_unit\": \"us\", \"other\": NaN},"
         "{\"name\": \"BM_x/8/threads:2\", \"run_name\": \"BM_x/8/threads:2\", \"run_type\": "
         "\"iteration\", "
         "\"real_time\": 1, \"time_unit\": \"ms\"},"
         "{\"name\": \"BM_x/8/threads:2_median\", \"run_name\": \"BM_x/8/threads:2\", "
         "\"run_type\": \"aggregate\", "
         "\"aggregate_name\": \"median\", \"real_time\": 9, \"time_unit\": \"ms\"},"
         "{\"name\": \"BM_y_mean\", \"run_name\": \"BM_y\", \"run_type\": \"aggregate\", "
         "\"aggregate_name\": \"mean\", "
         "\"real_time\": 9, \"time_unit\": \"ns\"},"
         "{\"name\": \"BM_y_median\", \"run_name\": \"BM_y\", \"run_type\": \"aggregate\", "
         "\"aggregate_name\": "
         "\"median\", \"real_time\": 8, \"time_unit\": \"ns\"},"
         "{\"name\": \"BM_y_cv\", \"run_name\": \"BM_y\", \"run_type\": \"aggregate\", "
         "\"aggregate_name\": \"cv\", "
         "\"aggregate_unit\": \"percentage\", \"real_time\": 0.1, \"time_unit\": \"ns\"},"
         "{\"name\": \"BM_z\", \"error_occurred\": true, \"error_message\": \"no GPU\"}]}",
         "run 86400 - - - h, 8 CPUs\nBM_x | 8/threads:2 | 2 ms, 2\nBM_y | - | 8e-06 ms, 0\nBM_z | "
         "- | crashed: no GPU\n");
}

static void test_pytest_benchmark(void **state) {
  (void)state;
  expect(
      "pytest-benchmark", "p.json",
      "{\"machine_info\": {\"node\": \"n\", \"cpu\": {\"brand_raw\": \"EPYC\"}}, \"commit_info\": "
      "{\"id\": "
      "\"abcdef12\", \"dirty\": true, "
      "\"branch\": \"main\", \"time\": \"1970-01-01T00:01:00+00:00\"}, \"datetime\": "
      "\"1970-01-01T00:02:00.250000\", \"benchmarks\": ["
      "{\"name\": \"test_a[1-x]\", \"fullname\": \"t.py::test_a[1-x]\", \"stats\": {\"median\": "
      "0.5, \"data\": "
      "[0.002, 0.004]}},"
      "{\"name\": \"test_b\", \"stats\": {\"median\": 0.5}}]}",
      "run 120 abcdef12+ main - n, EPYC\nt.py::test_a | 1-x | 3 ms, 2\ntest_b | - | 500 ms, 0\n");
}

static void test_criterion(void **state) {
  (void)state;
  expect("criterion", "target/criterion/fib/rec/20/new/sample.json",
         "{\"iters\": [10, 20], \"times\": [10000000, 60000000]}",
         "run 7 - - - -\nfib | rec/20 | 2 ms, 2\n");
  expect("criterion", "x/estimates.json", "{\"median\": {\"point_estimate\": 5000000}}",
         "run 7 - - - -\nx | - | 5 ms, 0\n");
}

static void test_catch2(void **state) {
  (void)state;
  expect("catch2", "c.xml",
         "<Catch><TestCase name=\"fib\"><BenchmarkResults name=\"of 20\"><mean "
         "value=\"2000\"/></BenchmarkResults>"
         "<Section name=\"s\"><BenchmarkResults name=\"b\"><failed message=\"no "
         "memory\"/></BenchmarkResults>"
         "</Section></TestCase><TestCase name=\"sum\"><BenchmarkResults name=\"of "
         "20\"/></TestCase></Catch>",
         "run 7 - - - -\nfib | of 20 | 0.002 ms, 0\nfib | s/b | crashed: no memory\n"
         "sum | of 20 | crashed: the file has no mean of it\n");
}

static void test_nvbench(void **state) {
  (void)state;
  expect("nvbench", "/nowhere/n.json",
         "{\"devices\": [{\"id\": 0, \"name\": \"A\"}, {\"id\": 1, \"name\": \"B\"}], "
         "\"benchmarks\": [{\"name\": "
         "\"copy\", \"states\": ["
         "{\"device\": 0, \"axis_values\": [{\"name\": \"N\", \"type\": \"int64\", \"value\": "
         "\"8\"}, {\"name\": "
         "\"T\", \"value\": \"F32\"}], \"summaries\": "
         "[{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"type\": "
         "\"float64\", \"value\": "
         "\"0.002\"}]}]},"
         "{\"device\": 0, \"is_skipped\": true, \"skip_reason\": \"too large\"},"
         "{\"device\": 1, \"axis_values\": null, \"summaries\": [{\"tag\": "
         "\"nv/cold/time/gpu/median\", \"data\": "
         "[{\"name\": \"value\", \"value\": \"0.001\"}]}, "
         "{\"tag\": \"nv/json/bin:nv/cold/sample_times\", \"data\": [{\"name\": \"filename\", "
         "\"value\": "
         "\"../../etc/passwd\"}]}]}]}]}",
         "run 7 - - - A\ncopy | N=8,T=F32 | 2 ms, 0\nrun 7 - - - B\ncopy | - | 1 ms, 0\n");
}

static void test_nvbench_samples(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-feed-XXXXXX", path[64], document[64];
  const float samples[] = {0.001f, 0.003f, 0.002f};
  struct pawl_error err;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/0.bin", folder);
  snprintf(document, sizeof document, "%s/n.json", folder);
  assert_int_equal(pawl_file_write(path, samples, sizeof samples, &err), PAWL_OK);
  expect("nvbench", document,
         "{\"benchmarks\": [{\"name\": \"copy\", \"states\": [{\"summaries\": [{\"tag\": "
         "\"nv/cold/time/gpu/mean\", "
         "\"data\": [{\"name\": \"value\", \"value\": \"9\"}]}, "
         "{\"tag\": \"nv/json/bin:nv/cold/sample_times\", \"data\": [{\"name\": \"filename\", "
         "\"value\": \"0.bin\"}, "
         "{\"name\": \"size\", \"value\": \"3\"}]}]}]}]}",
         "run 7 - - - -\ncopy | - | 2 ms, 3\n");
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

static void test_github_action_benchmark(void **state) {
  (void)state;
  expect("github-action-benchmark", "data.js",
         "window.BENCHMARK_DATA = {\"lastUpdate\": 1, \"entries\": {\"S\": [{\"commit\": {\"id\": "
         "\"abcd1234\", "
         "\"message\": \"One\\n\\nmore\", "
         "\"timestamp\": \"1970-01-01T00:00:09Z\"}, \"date\": 60000, \"tool\": \"julia\", "
         "\"benches\": [{\"name\": "
         "\"a\", \"value\": 1500, \"unit\": \"ns\", \"range\": \"1\"},"
         "{\"name\": \"b\", \"value\": 3, \"unit\": \"iter/sec\"}, {\"name\": \"c\", \"value\": "
         "-1, \"unit\": "
         "\"bytes\"}]},"
         "{\"commit\": {\"id\": \"not hex\"}, \"tool\": \"customBiggerIsBetter\", \"benches\": "
         "[{\"name\": \"d\", "
         "\"value\": \"2.5\", \"unit\": \"points\"}]}]}}",
         "run 60 abcd1234 - One -\na | S | 0.0015 ms, 0\nb | S | 3 iter/sec, bigger is better, "
         "0\nc | S | -1 bytes, 0\n"
         "run 7 - - - -\nd | S | 2.5 points, bigger is better, 0\n");
  expect("github-action-benchmark", "custom.json",
         "[{\"name\": \"size\", \"unit\": \"kB\", \"value\": 12}]",
         "run 7 - - - -\nsize | - | 12 kB, 0\n");
}

static void test_results(void **state) {
  (void)state;
  expect("results", "r.json",
         "{\"kernel_name\": \"old\", \"performance\": {\"mean_time_ms\": 2.5}, \"correctness\": "
         "{\"passed\": true}, "
         "\"config\": "
         "{\"batch_size\": 1, \"num_heads\": 2, \"seq_len\": 3, \"head_dim\": 4, \"dtype\": "
         "\"float16\"}, "
         "\"timestamp\": \"1970-01-01 00:01:00\"}",
         "run 60 - - - -\nold | B=1,H=2,S=3,D=4,dtype=f16 | 2.5 ms, 0\n");
}

/* Names from outside are mended: a terminal obeys control characters, and text must not read other
 * than it is. */
static void test_hostile_names(void **state) {
  (void)state;
  expect("hyperfine", "h.json",
         "{\"results\": [{\"command\": \"<script>'\\\"\\u001b[31mred\\u202egpj\\n\", \"mean\": 1}, "
         "{\"command\": \"\", "
         "\"mean\": 1}]}",
         "run 7 - - - -\n<script>'\"redU+202Egpj  | - | 1000 ms, 0\n- | - | 1000 ms, 0\n");
}

static void test_refused_with_the_line(void **state) {
  static const struct {
    const char *format, *text, *message;
  } table[] = {
      {"hyperfine", "", "f:1: not valid JSON: a value is missing"},
      {"hyperfine", "[1]", "f:1: not an object"},
      {"hyperfine", "{\"results\": 3}", "f:1: no list 'results'"},
      {"hyperfine",
       "{\"results\": [\n{\"command\": \"a\", \"mean\": 1},\n\n{\"command\": \"b\", \"mean\": "
       "-1}]}",
       "f:4: the value of 'b' is no time above 0"},
      {"hyperfine", "{\"results\": [\n{\"command\": \"a\", \"times\": [1, \"x\"]}]}",
       "f:2: 'times': a time is not a number, or is below a picosecond"},
      {"hyperfine", "{\"results\": [\n{\"command\": \"a\",\n \"mean\": 01}]}",
       "f:3:10: not valid JSON: invalid token near '0'"},
      {"hyperfine", "{\"results\": [{\"mean\": 1}, \n]}",
       "f:2: not valid JSON: a value is missing"},
      {"hyperfine", "{\n\"results\": [\n{\"command\": \"a\"",
       "f:1: not valid JSON: the '{' of this line is never closed"},
      {"hyperfine", "{\"results\": [}\n]", "f:1: not valid JSON: '}' is out of place"},
      {"google-benchmark",
       "{\"benchmarks\": [\n{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"h\"}]}",
       "f:2: 'time_unit' is not ns, us, ms or s"},
      {"google-benchmark", "{\"benchmarks\": [{\"name\": \"a\"}]}",
       "f:1: 'real_time' is no number"},
      {"pytest-benchmark", "{\"benchmarks\": [\n\n{\"name\": \"a\"}]}",
       "f:3: a benchmark without 'stats'"},
      {"nvbench",
       "{\"benchmarks\": [{\"name\": \"a\", \"states\": [\n{\"summaries\": [{\"tag\": "
       "\"nv/cold/time/gpu/mean\", "
       "\"data\": [{\"name\": \"value\", \"value\": \"inf\"}]}]}]}]}",
       "f:2: a state without a time in nv/cold/time/gpu/mean"},
      {"github-action-benchmark", "{\"entries\": {\"S\": [\n{\"date\": 1}]}}",
       "f:2: an entry without 'benches'"},
      {"github-action-benchmark", "[\n{\"value\": 1}]", "f:2: a benchmark without a name"},
      {"github-action-benchmark", "[\n{\"name\": \"a\", \"value\": null}]",
       "f:2: the value of 'a' is no number"},
      {"catch2", "<Catch>\n<TestCase>", "f:2: a TestCase without 'name'"},
      {"catch2", "<Catch>\n</Group>", "f:2: not valid XML: mismatched tag"},
      {"criterion", "{\"iters\": [1], \"times\": []}",
       "f:1: 'iters' and 'times' are not two arrays of one length"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_error err = {0};
    assert_int_equal(feed(table[i].format, "f", table[i].text, &err), PAWL_BAD_DATA);
    assert_string_equal(err.message, table[i].message);
  }
}

static int clear(void **state) {
  (void)state;
  pawl_text_clear(&came);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hyperfine),
      cmocka_unit_test(test_google_benchmark),
      cmocka_unit_test(test_pytest_benchmark),
      cmocka_unit_test(test_criterion),
      cmocka_unit_test(test_catch2),
      cmocka_unit_test(test_nvbench),
      cmocka_unit_test(test_nvbench_samples),
      cmocka_unit_test(test_github_action_benchmark),
      cmocka_unit_test(test_results),
      cmocka_unit_test(test_hostile_names),
      cmocka_unit_test(test_refused_with_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, clear);
}
