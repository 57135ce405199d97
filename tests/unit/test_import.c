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
#include "model/fields.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static enum pawl_status_code read_printed(const char *format, const char *text,
                                          struct pawl_benchmarks *out, struct pawl_error *err) {
  const struct pawl_benchmarks_reader reader = pawl_import_reader(format);
  assert_non_null(reader.read);
  return reader.read(format, "/dev/null/none", text, &arena, out, err);
}

/* Through the file that "{out}" names, or a file in the folder. */
static enum pawl_status_code read_file(const char *format, const char *text,
                                       struct pawl_benchmarks *out, struct pawl_error *err) {
  const struct pawl_benchmarks_reader reader = pawl_import_reader(format);
  char folder[] = "/tmp/pawl-test-import-XXXXXX";
  assert_non_null(mkdtemp(folder));
  const char *path = pawl_arena_printf(&arena, "%s/sample.json", folder);
  assert_int_equal(pawl_file_write(path, text, strlen(text), err), PAWL_OK);
  const enum pawl_status_code status =
      reader.read(format, reader.folder ? folder : path, "", &arena, out, err);
  struct pawl_error left;
  assert_int_equal(pawl_remove_tree(folder, &left), PAWL_OK);
  return status;
}

static struct pawl_benchmarks read_all(const char *format, const char *text) {
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  if (read_file(format, text, &all, &err) != PAWL_OK) fail_msg("%s", err.message);
  return all;
}

/* The names of all benchmarks in order, each with its times in ns or its fault: "a: 1 2; b: failed:
 * boom". */
static const char *in_words(const struct pawl_benchmarks *all) {
  const char *words = "";
  for (size_t i = 0; i < all->count; i++) {
    const struct pawl_benchmark *one = &all->items[i];
    words = pawl_arena_printf(&arena, "%s%s%s:", words, i ? "; " : "", one->name ? one->name : "-");
    for (size_t j = 0; j < one->count; j++)
      words = pawl_arena_printf(&arena, "%s %.6g", words, one->seconds[j] * 1e9);
    if (one->reason)
      words = pawl_arena_printf(&arena, "%s %s: %s", words, pawl_outcome_name(one->outcome),
                                one->reason);
  }
  return words;
}

static void expect_words(const char *format, const char *text, const char *words) {
  const struct pawl_benchmarks all = read_all(format, text);
  assert_string_equal(in_words(&all), words);
}

/* One benchmark. */
static void expect(const char *format, const char *text, const double *wanted, size_t count) {
  const struct pawl_benchmarks all = read_all(format, text);
  assert_int_equal(all.count, 1);
  assert_int_equal(all.items[0].count, count);
  for (size_t i = 0; i < count; i++)
    assert_true(fabs(all.items[0].seconds[i] - wanted[i]) <= 1e-15 * wanted[i]);
}

#define EXPECT(format, text, ...)                                       \
  do {                                                                  \
    const double wanted[] = {__VA_ARGS__};                              \
    expect((format), (text), wanted, sizeof wanted / sizeof wanted[0]); \
  } while (0)

static void test_hyperfine(void **state) {
  (void)state;
  EXPECT("hyperfine",
         "{\"results\": [{\"command\": \"x\", \"mean\": 0.6, \"times\": [0.5, 0.25, 1]}]}", 0.5,
         0.25, 1);
  expect_words("hyperfine",
               "{\"results\": [{\"command\": \"sort -n\", \"mean\": 5e-9}, {\"command\": \"sort "
               "/a\", \"times\": [2e-9]},"
               "{\"command\": \"uniq\", \"times\": []}]}",
               "sort -n: 5; sort /a: 2; uniq: no_times: the file has no times of it");
}

/* sample.json of criterion 0.5, of 0.3.0, and estimates.json. */
static void test_criterion(void **state) {
  (void)state;
  EXPECT("criterion",
         "{\"sampling_mode\":\"Linear\",\"iters\":[6.0,12.0,18.0],\"times\":[3000000.0,6600000.0,"
         "8100000.0]}",
         0.5e-3, 0.55e-3, 0.45e-3);
  EXPECT("criterion", "[[10,20],[1000,1800]]", 100e-9, 90e-9);
  EXPECT("criterion",
         "{\"mean\":{\"confidence_interval\":{\"confidence_level\":0.95,\"lower_bound\":5.1,"
         "\"upper_bound\":5.3},"
         "\"point_estimate\":5.2,\"standard_error\":0.05},\"median\":{\"confidence_interval\":{"
         "\"confidence_level\":0.95,"
         "\"lower_bound\":5.0,\"upper_bound\":5.2},\"point_estimate\":5.125,\"standard_error\":0."
         "04},\"median_abs_dev\":"
         "{\"confidence_interval\":{\"confidence_level\":0.95,\"lower_bound\":0.1,\"upper_bound\":"
         "0.2},\"point_estimate\":"
         "0.15,\"standard_error\":0.02},\"slope\":null,\"std_dev\":null}",
         5.125e-9);
}

/* Writes a file below a folder, with the folders of its name. */
static void put(const char *folder, const char *name, const char *text) {
  struct pawl_error err;
  const char *path = pawl_arena_printf(&arena, "%s/%s", folder, name);
  PAWL_CLEANUP(pawl_free_pointer) char *within = pawl_path_folder(path);
  assert_int_equal(pawl_make_folders(within, &err), PAWL_OK);
  assert_int_equal(pawl_file_write(path, text, strlen(text), &err), PAWL_OK);
}

static enum pawl_status_code read_folder(const char *folder, struct pawl_benchmarks *out,
                                         struct pawl_error *err) {
  return pawl_import_reader("criterion").read("criterion", folder, "", &arena, out, err);
}

/* As criterion 0.5 lays a folder out: groups, parameters, a benchmark without a group; names that
 * the paths shorten. */
static void test_criterion_folder(void **state) {
  static const char one[] = "{\"iters\": [1, 2], \"times\": [7, 16]}";
  char folder[] = "/tmp/pawl-test-import-XXXXXX";
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  (void)state;
  assert_non_null(mkdtemp(folder));
  put(folder, "plain/new/sample.json", one);
  put(folder, "plain/base/sample.json", "not read");
  put(folder, "plain/report/index.html", "not read");
  put(folder, "sort/quick_1_2/1000/new/sample.json", one);
  put(folder, "sort/quick_1_2/1000/new/estimates.json", "not read");
  put(folder, "sort/quick_1_2/1000/new/benchmark.json",
      "{\"group_id\": \"sort\", \"function_id\": \"quick 1/2\", \"value_str\": \"1000\", "
      "\"throughput\": null, "
      "\"full_id\": \"sort/quick 1/2/1000\", \"directory_name\": \"sort/quick_1_2/1000\"}");
  put(folder, "sort/tim/20/new/estimates.json", "{\"median\": {\"point_estimate\": 5}}");
  put(folder, "report/index.html", "not read");
  assert_int_equal(symlink("plain", pawl_arena_printf(&arena, "%s/link", folder)), 0);
  assert_int_equal(read_folder(folder, &all, &err), PAWL_OK);
  assert_string_equal(in_words(&all), "plain: 7 8; sort/quick 1/2/1000: 7 8; sort/tim/20: 5");
  put(folder, "new/new/sample.json", one);
  put(folder, "sort/new/new/sample.json", one);
  put(folder, "sort/base/new/sample.json", one);
  put(folder, "sort/change/new/sample.json", one);
  put(folder, "sort/change/change/estimates.json", "not read");
  put(folder, "sort/tim/30/new/sample.json", "{\"iters\": [1], \"times\": []}");
  put(folder, "sort/tim/40/new/sample.json", "{\"iters\": [1");
  assert_int_equal(read_folder(folder, &all, &err), PAWL_OK);
  const char *words = in_words(&all);
  assert_non_null(strstr(words,
                         "new: 7 8; plain: 7 8; sort/base: 7 8; sort/change: 7 8; "
                         "sort/new: 7 8; sort/quick 1/2/1000: 7 8"));
  assert_non_null(strstr(words, "sort/tim/30: no_times: 'iters' and 'times' are not two lists"));
  assert_non_null(strstr(words, "sort/tim/40: no_times: "));
  const char *deep = folder;
  for (int i = 0; i < 20; i++) deep = pawl_arena_printf(&arena, "%s/d", deep);
  assert_int_equal(pawl_make_folders(deep, &err), PAWL_OK);
  assert_int_equal(read_folder(folder, &all, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "is nested more than 16 deep"));
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

static void test_google_benchmark(void **state) {
  (void)state;
  EXPECT(
      "google-benchmark",
      "{\"context\": {\"mhz_per_cpu\": NaN}, \"benchmarks\": ["
      "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 250, \"time_unit\": \"us\"},"
      "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 3e3, \"time_unit\": \"us\"},"
      "{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 7, \"time_unit\": \"us\"},"
      "{\"name\": \"a_cv\", \"run_name\": \"a\", \"run_type\": \"aggregate\", \"aggregate_name\": "
      "\"cv\", "
      "\"real_time\": 0.02, \"aggregate_unit\": \"percentage\"},"
      "{\"name\": \"a_median\", \"run_name\": \"a\", \"run_type\": \"aggregate\", "
      "\"aggregate_name\": \"median\", "
      "\"real_time\": 9}]}",
      250e-6, 3e-3, 7e-6);
}

/* Repetitions that are run between those of others are one benchmark; the same name registered
 * twice is two. */
static void test_google_repetitions(void **state) {
  (void)state;
  expect_words("google-benchmark",
               "{\"benchmarks\": ["
               "{\"name\": \"a/8\", \"repetition_index\": 0, \"real_time\": 1},"
               "{\"name\": \"b\", \"repetition_index\": 0, \"real_time\": 5},"
               "{\"name\": \"a/8\", \"repetition_index\": 1, \"real_time\": 2},"
               "{\"name\": \"b\", \"repetition_index\": 0, \"real_time\": 6},"
               "{\"name\": \"b\", \"repetition_index\": 1, \"real_time\": 6}]}",
               "b: 5; a/8: 1 2; b #2: 6 6");
  expect_words("google-benchmark",
               "{\"benchmarks\": ["
               "{\"name\": \"a_mean\", \"run_name\": \"a\", \"run_type\": \"aggregate\", "
               "\"aggregate_name\": \"mean\", "
               "\"real_time\": 8},"
               "{\"name\": \"a_median\", \"run_name\": \"a\", \"run_type\": \"aggregate\", "
               "\"aggregate_name\": \"median\", "
               "\"real_time\": 9}]}",
               "a: 9");
}

/* A benchmark that fails or is skipped costs its own row alone. */
static void test_google_faults(void **state) {
  (void)state;
  expect_words("google-benchmark",
               "{\"benchmarks\": ["
               "{\"name\": \"a\", \"repetition_index\": 0, \"real_time\": 1},"
               "{\"name\": \"a\", \"repetition_index\": 1, \"error_occurred\": true, "
               "\"error_message\": \"no\\u001b[31m file\"},"
               "{\"name\": \"b\", \"skipped\": true, \"skip_message\": \"no GPU\"},"
               "{\"name\": \"c\", \"error_occurred\": true},"
               "{\"name\": \"d\", \"real_time\": 4}]}",
               "a: crashed: no file; b: unsupported: no GPU; c: crashed: it failed; d: 4");
}

static void test_pytest_benchmark(void **state) {
  (void)state;
  EXPECT("pytest-benchmark",
         "{\"benchmarks\": [{\"stats\": {\"median\": 0.15, \"data\": [0.1, 0.2]}}]}", 0.1, 0.2);
  EXPECT("pytest-benchmark", "{\"benchmarks\": [{\"stats\": {\"median\": 0.4}}]}", 0.4);
  expect_words(
      "pytest-benchmark",
      "{\"benchmarks\": ["
      "{\"name\": \"test_a[1]\", \"fullname\": \"x.py::test_a[1]\", \"stats\": {\"data\": [1e-9, "
      "2e-9]}},"
      "{\"name\": \"test_a[1]\", \"fullname\": \"y.py::test_a[1]\", \"stats\": {\"data\": [3e-9]}},"
      "{\"name\": \"test_b\", \"stats\": {\"data\": [4e-9]}}]}",
      "x.py::test_a[1]: 1 2; y.py::test_a[1]: 3; test_b: 4");
}

#define STATE(more, value)                                                                 \
  "{" more                                                                                 \
  "\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", " \
  "\"type\": "                                                                             \
  "\"float64\", \"value\": \"" value "\"}]}]}"

static void test_nvbench(void **state) {
  (void)state;
  expect_words("nvbench",
               "{\"benchmarks\": [{\"name\": \"copy\", \"states\": ["
               "{\"is_skipped\": true, \"skip_reason\": \"too large\", \"axis_values\": "
               "[{\"name\": \"n\", \"value\": \"1\"}]},"
               "{\"axis_values\": [{\"name\": \"n\", \"value\": \"2\"}, {\"name\": \"T\", "
               "\"value\": \"I8\"}], "
               "\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": "
               "\"value\", \"type\": "
               "\"float64\", \"value\": \"2e-9\"}]}, {\"tag\": \"nv/cold/time/gpu/median\", "
               "\"data\": [{\"name\": "
               "\"value\", \"value\": \"1e-9\"}]}]}]},"
               "{\"name\": \"fill\", \"states\": [" STATE("", "3e-9") "]}]}",
               "copy [n=1]: unsupported: too large; copy [n=2,T=I8]: 1; fill: 3");
  expect_words(
      "nvbench",
      "{\"devices\": [{\"id\": 0}, {\"id\": 1}], \"benchmarks\": [{\"name\": \"fill\", \"states\": "
      "[" STATE("\"device\": 0, ", "3e-9") "," STATE("\"device\": 1, ", "4e-9") "]}]}",
      "fill: 3; fill on device 1: 4");
}

static void test_plain(void **state) {
  (void)state;
  expect_words("plain",
               "{\"benchmarks\": [{\"name\": \"a\", \"unit\": \"us\", \"times\": [1, 2.5]}, "
               "{\"name\": \"b\", \"time\": 3e-9},"
               "{\"name\": \"c\", \"error\": \"boom\"}, {\"name\": \"d\", \"skipped\": true}, "
               "{\"name\": \"e\", \"times\": "
               "[]}]}",
               "a: 1000 2500; b: 3; c: crashed: boom; d: unsupported: skipped; e: no_times: the "
               "file has no times of it");
}

/* Times and rates, of forks and their iterations; modes, threads and parameters are parts of the
 * name. */
static void test_jmh(void **state) {
  (void)state;
  expect_words(
      "jmh",
      "[{\"benchmark\": \"x.Sort.list\", \"mode\": \"avgt\", \"threads\": 1, \"params\": {\"n\": "
      "\"10\", \"kind\": "
      "\"a\"}, "
      "\"primaryMetric\": {\"score\": 2, \"scoreUnit\": \"us/op\", \"rawData\": [[1, 2], [3]]}},"
      "{\"benchmark\": \"x.Sort.list\", \"mode\": \"thrpt\", \"threads\": 4, "
      "\"primaryMetric\": {\"score\": 750, \"scoreUnit\": \"ops/ms\", \"rawData\": [[1000, 500]]}},"
      "{\"benchmark\": \"x.Sort.list\", \"mode\": \"sample\", "
      "\"primaryMetric\": {\"score\": 7, \"scoreUnit\": \"ns/op\", \"rawDataHistogram\": [[[[7, "
      "1]]]]}}]",
      "x.Sort.list [n=10,kind=a]: 1000 2000 3000; x.Sort.list, 4 threads, thrpt: 1000 2000; "
      "x.Sort.list, sample: 7");
}

/* A name says where the benchmark is; a benchmark that throws fails alone. Version 3 has another
 * first element. */
static void test_catch2(void **state) {
  (void)state;
  EXPECT("catch2",
         "<Catch2TestRun name=\"t\" catch2-version=\"3.4.0\"><TestCase "
         "name=\"a\"><BenchmarkResults name=\"b\" "
         "samples=\"5\"><mean value=\"1.25e+06\"/><standardDeviation "
         "value=\"7\"/></BenchmarkResults></TestCase>"
         "</Catch2TestRun>",
         1.25e-3);
  expect_words(
      "catch2",
      "<Catch><Group><TestCase name=\"a\"><Section name=\"s\"><Section name=\"t\">"
      "<BenchmarkResults name=\"b\"><mean value=\"1\"/></BenchmarkResults></Section>"
      "<BenchmarkResults name=\"&lt;c&gt;\"><mean value=\"2\"/></BenchmarkResults></Section>"
      "<BenchmarkResults name=\"d\"><failed message=\"boom\"/></BenchmarkResults>"
      "<BenchmarkResults name=\"e\"><failed/></BenchmarkResults>"
      "<BenchmarkResults name=\"f\"></BenchmarkResults></TestCase>"
      "<TestCase name=\"a/s\"><BenchmarkResults name=\"&lt;c&gt;\"><mean "
      "value=\"2\"/></BenchmarkResults>"
      "<mean value=\"word\"/></TestCase></Group></Catch>",
      "a/s/t/b: 1; a/s/<c>: 2; a/d: crashed: boom; a/e: crashed: it failed; "
      "a/f: no_times: the file has no times of it; a/s/<c> #2: 2");
  expect_words(
      "catch2",
      "<Catch><TestCase name=\"a\"><BenchmarkResults name=\"b\"><TestCase/><mean value=\"nan\"/>"
      "</BenchmarkResults><BenchmarkResults/></TestCase></Catch>",
      "a/b: no_times: its time is no time: it is no number; "
      "a/-: no_times: the file has no times of it");
}

/* A failed assertion makes the times around it worthless. A benchmark that throws fails alone. */
static void test_catch2_failures(void **state) {
  (void)state;
  expect_words(
      "catch2",
      "<Catch><TestCase name=\"a\"><Section name=\"s\"><BenchmarkResults name=\"b\"><mean "
      "value=\"1\"/></BenchmarkResults><OverallResults failures=\"1\"/></Section>"
      "<BenchmarkResults name=\"c\"><mean value=\"1\"/></BenchmarkResults>"
      "<OverallResult success=\"false\"/></TestCase>"
      "<TestCase name=\"d\"><BenchmarkResults name=\"e\"><mean value=\"1\"/></BenchmarkResults>"
      "<OverallResult success=\"false\"/></TestCase></Catch>",
      "a/s/b: crashed: an assertion of its section failed; a/c: 1; "
      "d/e: crashed: an assertion of its test case failed");
}

/* pawl refuses a file that could fill the memory or the stack, and names the line. */
static void test_hostile_xml(void **state) {
  static const char *const table[][2] = {
      {"<!DOCTYPE Catch [<!ENTITY a \"aaa\">]>\n<Catch name=\"&a;\"/>",
       "catch2:1: a DOCTYPE; pawl expands no entities"},
      {"<Catch>\n<TestCase name=\"&a;\"/></Catch>", "catch2:2: not valid XML: undefined entity"},
      {"<Catch>\n<TestCase name=\"a\">\n", "catch2:3: not valid XML: no element found"},
      {"<testsuites>\n</testsuites>",
       "catch2:1: the first element is 'testsuites', not Catch2's: pass '-r xml' to the program"},
      {"<Catch>\n</Catch>", "catch2:1: no benchmark ran: the file has none of catch2"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_benchmarks all = {0};
    struct pawl_error err = {0};
    assert_int_equal(read_file("catch2", table[i][0], &all, &err), PAWL_BAD_DATA);
    assert_string_equal(err.message, table[i][1]);
  }
}

static void expect_refused(const struct pawl_text *text, const char *message) {
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  assert_int_equal(read_file("catch2", pawl_text_string(text), &all, &err), PAWL_BAD_DATA);
  assert_string_equal(err.message, message);
}

static void test_limits_of_xml(void **state) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text deep = {0}, names = {0}, tag = {0};
  (void)state;
  pawl_text_add(&deep, "<Catch>");
  for (int i = 0; i < 100; i++) pawl_text_add(&deep, "<Section name=\"s\">");
  expect_refused(&deep, "catch2:1: elements are nested too deep");
  pawl_text_add(&names, "<Catch>\n");
  for (int i = 0; i < 200; i++) pawl_text_printf(&names, "<e%d/>", i);
  expect_refused(&names, "catch2:2: too many different names of elements and attributes");
  pawl_text_add(&tag, "<Catch>\n<TestCase name=\"");
  for (int i = 0; i < 500000; i++) pawl_text_add(&tag, "abcdefgh");
  expect_refused(&tag, "catch2:2: a tag is longer than 1 MiB");
}

/* Files of the harnesses themselves, of ten benchmarks each. */
static void test_recorded_files(void **state) {
  (void)state;
  static const struct {
    const char *format, *first, *last;
    size_t times;
  } files[] = {
      {"google-benchmark", "BM_work_0", "BM_work_9", 3},
      {"hyperfine", "sleep 0.001", "sleep 0.0010", 5},
      {"pytest-benchmark", "test_ten.py::test_sort[100]", "test_ten.py::test_sum[500]", 5}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *path =
        pawl_arena_printf(&arena, PAWL_SOURCE_ROOT "/tests/data/harness/%s.json", files[i].format);
    struct pawl_benchmarks all = {0};
    struct pawl_error err = {0};
    if (pawl_import_reader(files[i].format).read(files[i].format, path, "", &arena, &all, &err) !=
        PAWL_OK)
      fail_msg("%s", err.message);
    assert_int_equal(all.count, 10);
    assert_string_equal(all.items[0].name, files[i].first);
    assert_string_equal(all.items[9].name, files[i].last);
    for (size_t j = 0; j < all.count; j++)
      assert_true(all.items[j].count == files[i].times && !all.items[j].reason);
  }
}

/* Expects the rows of a Catch2 file, whose last benchmark throws. */
static void expect_catch2(const char *path, double first_ns) {
  static const char *const names[] = {
      "sum/of 10",           "sum/of 20",          "sum/of 30",
      "sum/of 40",           "sum/of 50",          "sum/<long> & \"quoted\"",
      "sections/small/sum",  "sections/large/sum", "sections/deep/deeper/sum",
      "sections/failing/sum"};
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  if (pawl_import_reader("catch2").read("catch2", path, "", &arena, &all, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  assert_int_equal(all.count, 10);
  for (size_t i = 0; i < all.count; i++) {
    assert_string_equal(all.items[i].name, names[i]);
    assert_int_equal(all.items[i].count, i == 9 ? 0 : 1);
  }
  assert_true(fabs(all.items[0].seconds[0] - first_ns * 1e-9) < 1e-18);
  assert_true(all.items[9].outcome == PAWL_OUTCOME_CRASHED &&
              !strcmp(all.items[9].reason, "no memory"));
}

/* Programs linked with Catch2 2.13.10 and 3.7.1. */
static void test_recorded_catch2(void **state) {
  (void)state;
  expect_catch2(PAWL_SOURCE_ROOT "/tests/data/harness/catch2.xml", 23.5248);
  expect_catch2(PAWL_SOURCE_ROOT "/tests/data/harness/catch2-v3.xml", 20.4839);
}

/* Whatever a name holds, it stays one name, and two names stay two. */
static void test_names(void **state) {
  (void)state;
  char text[24000], *end = text + sprintf(text, "{\"results\": [");
  for (int i = 0; i < 2; i++) {
    end += sprintf(end, "%s{\"times\": [1e-9], \"command\": \"", i ? "," : "");
    for (int j = 0; j < 5000; j++) end += sprintf(end, "\u00e4");
    end += sprintf(end, "%d\"}", i);
  }
  sprintf(
      end,
      ",{\"times\": [1e-9], \"command\": \"a\\\"b'\\n/../%%s\"}, {\"times\": [1e-9], \"command\": "
      "\"\"},"
      "{\"times\": [1e-9], \"command\": \"twice\"}, {\"times\": [2e-9], \"command\": \"twice\"}]}");
  const struct pawl_benchmarks all = read_all("hyperfine", text);
  assert_int_equal(all.count, 6);
  assert_string_not_equal(all.items[0].name, all.items[1].name);
  for (int i = 0; i < 2; i++)
    assert_in_range(strlen(all.items[i].name), 200, PAWL_FIELD_NAME_BYTES);
  assert_string_equal(all.items[2].name, "a\"b'U+000A/../%s");
  assert_string_equal(all.items[3].name, "-");
  assert_string_equal(all.items[4].name, "twice");
  assert_string_equal(all.items[5].name, "twice #2");
  assert_string_equal(all.note,
                      "hyperfine: more than one benchmark has the name 'twice': pawl numbers them "
                      "in the order of the file, 'twice #2'; give each a name of its own");
}

/* A file with more than anyone can judge, and one whose second benchmark has no name. */
static void test_too_many_and_unnamed(void **state) {
  (void)state;
  struct pawl_text text = {0};
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  pawl_text_add(&text, "{\"results\": [");
  for (int i = 0; i <= 2000; i++)
    pawl_text_printf(&text, "%s{\"command\": \"%d\", \"mean\": 1}", i ? "," : "", i);
  pawl_text_add(&text, "]}");
  assert_int_equal(read_file("hyperfine", text.data, &all, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "more than 2000 benchmarks"));
  pawl_text_clear(&text);
  expect_words("hyperfine", "{\"results\": [{\"mean\": 1}, {\"command\": \"a\", \"mean\": 1}]}",
               "-: 1e+09; a: 1e+09");
}

/* Text that is not of the format is refused. A benchmark whose figure is no time costs its own
 * row. */
static void test_nonsense_is_refused(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {"hyperfine", "{}"},
      {"hyperfine", "[]"},
      {"hyperfine", "{\"results\": "},
      {"hyperfine", "{\"results\": []}"},
      {"plain", "{}"},
      {"jmh", "{}"},
      {"jmh", "[]"},

      {"hyperfine", "\xff\xfe{\0}\0"},
      {"hyperfine", " \n"},
      {"hyperfine", "{\"results\": [{\"command\": \"a\", \"mean\": 1}]}\n{}"},
  };
  static const char *const rows[][2] = {
      {"criterion", "{}"},
      {"criterion", "{\"iters\": [1], \"times\": [1e400]}"},
      {"hyperfine", "{\"results\": [{}]}"},
      {"hyperfine", "{\"results\": [{\"times\": [1, \"2\"]}]}"},
      {"hyperfine", "{\"results\": [3]}"},
      {"criterion", "[]"},
      {"criterion", "[[1], [2, 3]]"},
      {"criterion", "{\"iters\": [0], \"times\": [5]}"},
      {"criterion", "{\"iters\": [1, 2], \"times\": [5, \"6\"]}"},
      {"criterion", "{\"median\": {\"point_estimate\": 0}}"},
      {"google-benchmark", "{\"benchmarks\": [{\"real_time\": 1, \"time_unit\": \"fortnight\"}]}"},
      {"google-benchmark", "{\"benchmarks\": [{\"real_time\": NaN}]}"},
      {"pytest-benchmark", "{\"benchmarks\": [{\"stats\": {\"data\": [0]}}]}"},
      {"nvbench", "{\"benchmarks\": [{\"states\": [{}]}]}"},
      {"plain", "{\"benchmarks\": [{\"name\": \"a\", \"times\": 3}]}"},
      {"plain", "{\"benchmarks\": [{\"name\": \"a\", \"time\": 1, \"unit\": \"ops/s\"}]}"},
      {"jmh", "[{}]"},
      {"jmh",
       "[{\"benchmark\": \"a\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"MB/s\"}}]"},
      {"jmh",
       "[{\"benchmark\": \"a\", \"primaryMetric\": {\"score\": 0, \"scoreUnit\": \"ops/s\"}}]"},
      {"jmh",
       "[{\"benchmark\": \"a\", \"primaryMetric\": {\"score\": 0, \"scoreUnit\": \"ns/op\"}}]"},
      {"nvbench",
       "{\"benchmarks\": [{\"states\": [{\"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", "
       "\"data\": "
       "[{\"name\": \"value\", \"value\": \"inf\"}]}]}]}]}"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct pawl_benchmarks all = {0};
    struct pawl_error err = {0};
    if (read_file(refused[i][0], refused[i][1], &all, &err) != PAWL_BAD_DATA)
      fail_msg("%s took %s", refused[i][0], refused[i][1]);
    assert_null(all.items); /* untouched on failure */
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pawl_benchmarks all = read_all(rows[i][0], rows[i][1]);
    assert_int_equal(all.count, 1);
    if (all.items[0].outcome != PAWL_OUTCOME_NO_TIMES || !*all.items[0].reason)
      fail_msg("%s took %s: %s", rows[i][0], rows[i][1], in_words(&all));
  }
}

static void test_what_was_printed(void **state) {
  (void)state;
  struct pawl_benchmarks all = {0};
  struct pawl_error err = {0};
  assert_int_equal(read_printed("hyperfine", "{}", &all, &err), PAWL_NO_INPUT);
  char path[] = "/tmp/pawl-test-import-XXXXXX";
  close(mkstemp(path));
  const struct pawl_benchmarks_reader reader = pawl_import_reader("hyperfine");
  assert_int_equal(
      reader.read(reader.format, path, "Warming up\n{\"results\": [{\"times\": [4]}]}\n", &arena,
                  &all, &err),
      PAWL_OK);
  assert_true(all.count == 1 && all.items[0].count == 1 && all.items[0].seconds[0] == 4);
  assert_int_equal(reader.read(reader.format, path, "no JSON", &arena, &all, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "{out}"));
  unlink(path);
  assert_null(pawl_import_reader("wall").read);
  assert_null(pawl_import_reader("hyperfin").read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_hyperfine, clear_arena),
      cmocka_unit_test_teardown(test_criterion, clear_arena),
      cmocka_unit_test_teardown(test_criterion_folder, clear_arena),
      cmocka_unit_test_teardown(test_google_benchmark, clear_arena),
      cmocka_unit_test_teardown(test_google_repetitions, clear_arena),
      cmocka_unit_test_teardown(test_google_faults, clear_arena),
      cmocka_unit_test_teardown(test_plain, clear_arena),
      cmocka_unit_test_teardown(test_jmh, clear_arena),
      cmocka_unit_test_teardown(test_catch2, clear_arena),
      cmocka_unit_test_teardown(test_catch2_failures, clear_arena),
      cmocka_unit_test_teardown(test_hostile_xml, clear_arena),
      cmocka_unit_test_teardown(test_limits_of_xml, clear_arena),
      cmocka_unit_test_teardown(test_recorded_files, clear_arena),
      cmocka_unit_test_teardown(test_recorded_catch2, clear_arena),
      cmocka_unit_test_teardown(test_names, clear_arena),
      cmocka_unit_test_teardown(test_too_many_and_unnamed, clear_arena),
      cmocka_unit_test_teardown(test_pytest_benchmark, clear_arena),
      cmocka_unit_test_teardown(test_nvbench, clear_arena),
      cmocka_unit_test_teardown(test_nonsense_is_refused, clear_arena),
      cmocka_unit_test_teardown(test_what_was_printed, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
