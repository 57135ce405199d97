/* SPDX-License-Identifier: Apache-2.0 */
/* pawl feeds the results of other harnesses into the history. */
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
#include "import_support.h"

static void test_hyperfine(void **state) {
  (void)state;
  expect("hyperfine", "h.json",
         "{\"results\": [{\"command\": \"sort <a> b\", \"mean\": 0.6, \"times\": [0.5, 0.25, 1], "
         "\"parameters\": {\"n\": "
         "\"3\"}},"
         "{\"command\": \"cut\", \"mean\": 9, \"times\": [0.5, 0.25]}, {\"command\": \"old\", "
         "\"mean\": 0.5}]}",
         "run 7 - - - -\nsort <a> b | n=3 | 500 ms, 3\ncut | - | no_times: its 'mean' is 9 s, "
         "outside of its times, 0.25 to 0.5 s\nold | - | 500 ms, 0\n");
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
      "0.003, \"data\": "
      "[0.002, 0.004]}},"
      "{\"name\": \"test_c\", \"stats\": {\"median\": 0.5, \"data\": [0.1]}}, {\"name\": "
      "\"test_b\", \"stats\": {\"median\": 0.5}}]}",
      "run 120 abcdef12+ main - n, EPYC\nt.py::test_a | 1-x | 3 ms, 2\ntest_c | - | no_times: its "
      "'median' is 0.5 s, outside of its times, 0.1 to 0.1 s\ntest_b | - | 500 ms, 0\n");
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
         "sum | of 20 | no_times: the file has no times of it\n");
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
         "\"../../etc/passwd\"}]}]}]}, null]}",
         "run 7 - - - A\ncopy | N=8,T=F32 | 2 ms, 0\n- | - | no_times: it is no object\n"
         "run 7 - - - B\ncopy | - | 1 ms, 0\n");
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
         "\"data\": [{\"name\": \"value\", \"value\": \"25e-4\"}]}, "
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
         "run 7 - - - -\n<script>'\"U+001B[31mredU+202EgpjU+000A | - | 1000 ms, 0\n- | - | 1000 "
         "ms, 0\n");
}

static void test_refused_with_the_line(void **state) {
  static const struct {
    const char *format, *text, *message;
  } table[] = {
      {"hyperfine", "", "f:1: no benchmark ran: the file is empty"},
      {"hyperfine", "\xef\xbb\xbf \n", "f:1: no benchmark ran: the file is empty"},
      {"hyperfine", "\xff\xfe{",
       "f:1: the file is UTF-16, as PowerShell writes it; convert it to UTF-8"},
      {"hyperfine", "{\"results\": []}", "f:1: no benchmark ran: the file has none of hyperfine"},
      {"hyperfine", "{\"results\": [{\"mean\": 1}]}\n{}",
       "f:1: text follows after the document; give each document its own file"},
      {"hyperfine", "[1]", "f:1: not an object"},
      {"hyperfine", "{\"results\": 3}", "f:1: no list 'results'"},
      {"hyperfine", "{\"results\": [\n{\"command\": \"a\",\n \"mean\": 01}]}",
       "f:3:10: not valid JSON: invalid token near '0'"},
      {"hyperfine", "{\"results\": [{\"mean\": 1}, \n]}",
       "f:2: not valid JSON: a value is missing"},
      {"hyperfine", "{\n\"results\": [\n{\"command\": \"a\"",
       "f:1: not valid JSON: the '{' of this line is never closed"},
      {"hyperfine", "{\"results\": [}\n]", "f:1: not valid JSON: '}' is out of place"},
      {"github-action-benchmark", "{\"entries\": {\"S\": [\n{\"date\": 1}]}}",
       "f:2: an entry without 'benches'"},
      {"catch2", "<Catch>\n</Group>", "f:2: not valid XML: mismatched tag"},
      {"criterion", "\n{\"results\": 1}",
       "f:2: neither a sample.json nor an estimates.json of criterion"},
      {"jmh", "{}", "f:1: not a list of results"},
      {"asv", "{\"version\": 1, \"results\": {}}",
       "f:1: not a file of asv's results in version 2; if it is an older one, run asv update"},
      {"asv", "{\"version\": 2, \"result_columns\": [\"params\"], \"results\": {}}",
       "f:1: the first of the 'result_columns' is not 'result'"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_error err = {0};
    assert_int_equal(feed(table[i].format, "f", table[i].text, &err), PAWL_BAD_DATA);
    assert_string_equal(err.message, table[i].message);
  }
}

/* A benchmark whose figure is no time keeps its row, with the reason, and the others their times.
 */
static void test_a_fault_costs_one_row(void **state) {
  static const char *const table[][3] = {
      {"hyperfine", "{\"results\": [{\"command\": \"a\", \"mean\": -1}]}",
       "a | - | no_times: its time is no time: it is negative\n"},
      {"hyperfine",
       "\xef\xbb\xbf{\"results\": [{\"command\": \"a\", \"times\": [1, \"x\"]}, {\"command\": "
       "\"b\", "
       "\"times\": [1, 0]}, {\"command\": \"c\", \"times\": [0.5]}]}",
       "a | - | no_times: time 2 of 2 is no time: it is no number\n"
       "b | - | no_times: time 2 of 2 is no time: it is 0 s, and no clock shows less than a "
       "picosecond\nc | - | 500 ms, 0\n"},
      {"hyperfine",
       "{\"results\": [{\"command\": \"a\", \"times\": [1, 1], \"exit_codes\": [0, 139]}, "
       "{\"command\": \"b\", \"times\": [1], \"exit_codes\": [null]}, "
       "{\"command\": \"c\", \"times\": [1], \"exit_codes\": [0]}]}",
       "a | - | crashed: run 2 of 2 ended with exit status 139\n"
       "b | - | crashed: run 1 of 1 was ended by a signal\nc | - | 1000 ms, 0\n"},
      {"google-benchmark",
       "{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"x\"}, {\"name\": "
       "\"b\"}, {\"name\": \"c\", \"real_time\": NaN}, {\"name\": \"d\", \"real_time\": 1e-6}, "
       "{\"name\": \"e\", \"skipped\": true, \"skip_message\": \"no GPU\", \"real_time\": 0}]}",
       "a | - | no_times: its 'time_unit' is 'x', not ns, us, ms or s\n"
       "b | - | no_times: time 1 of 1 is no time: it is no number\n"
       "c | - | no_times: time 1 of 1 is no time: it is no number\n"
       "d | - | no_times: time 1 of 1 is no time: it is 1e-15 s, and no clock shows less than a "
       "picosecond\n"},
      {"pytest-benchmark",
       "{\"benchmarks\": [{\"name\": \"a\"}, {\"name\": \"b[1]\", \"has_error\": true, \"stats\": "
       "{\"median\": 1}}]}",
       "a | - | no_times: it has no 'stats'\nb | 1 | crashed: its test failed\n"},
      {"nvbench",
       "{\"benchmarks\": [{\"name\": \"a\", \"states\": [{\"summaries\": [{\"tag\": "
       "\"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"value\": \"-nan\"}]}]}]}, "
       "{\"name\": \"b\"}, {\"name\": \"c\", \"states\": [{\"summaries\": [{\"tag\": "
       "\"nv/cpu_only/time/cpu/mean\", \"data\": [{\"name\": \"value\", \"value\": \"2\"}]}]}]}]}",
       "a | - | no_times: its time is no time: it is no number\n"
       "b | - | no_times: it has no 'states'\nc | - | 2000 ms, 0\n"},
      {"github-action-benchmark",
       "[{\"value\": 1, \"unit\": \"s\"}, {\"name\": \"a\", \"value\": null, \"unit\": \"B\"}, "
       "{\"name\": \"b\", \"value\": 0, \"unit\": \"ns/op\"}, {\"name\": \"b\", \"value\": 0, "
       "\"unit\": \"allocs/op\"}]",
       "- | - | 1000 ms, 0\na | - | no_times: its value is no figure: it is no number\n"
       "b | - | no_times: its time is no time: it is 0 s, and no clock shows less than a "
       "picosecond\nb | - | 0 allocs/op, 0\n"},
      {"criterion", "{\"iters\": [1], \"times\": []}",
       "f | - | no_times: 'iters' and 'times' are not two lists of one length\n"},
      {"jmh",
       "[{\"benchmark\": \"a\", \"mode\": \"thrpt\", \"params\": {\"n\": \"1\"}, "
       "\"primaryMetric\": "
       "{\"score\": 2, \"scoreUnit\": \"ops/s\"}}, {\"benchmark\": \"b\"}]",
       "a | [n=1], thrpt | 500 ms, 0\nb | - | no_times: it has no 'primaryMetric'\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text wanted = {0};
    pawl_text_printf(&wanted, "run 7 - - - -\n%s", table[i][2]);
    expect(table[i][0], "f", table[i][1], wanted.data);
  }
}

/* The tool's own word counts before the unit; what is written after the unit is no part of it. */
static void test_directions(void **state) {
  (void)state;
  expect("github-action-benchmark", "data.js",
         "window.BENCHMARK_DATA = {\"entries\": {\"S\": [{\"tool\": \"customSmallerIsBetter\", "
         "\"benches\": [{\"name\": \"a\", \"value\": 3, \"unit\": \"ops/s\"}]}, {\"tool\": "
         "\"customBiggerIsBetter\", \"benches\": [{\"name\": \"b\", \"value\": 3, \"unit\": "
         "\"s\"}]}, {\"tool\": \"go\", \"benches\": [{\"name\": \"c\", \"value\": 2, \"unit\": "
         "\"ns/op\\t 374.62 MB/s\"}, {\"name\": \"d\", \"value\": 2, \"unit\": \"ops/ms\"}]}]}}",
         "run 7 - - - -\na | S | 3 ops/s, 0\nrun 7 - - - -\nb | S | 3 s, bigger is better, 0\n"
         "run 7 - - - -\nc | S | 2e-06 ms, 0\nd | S | 2 ops/ms, bigger is better, 0\n");
}

/* One name twice is two series, and names that differ in a control character stay two. */
static void test_names_stay_apart(void **state) {
  (void)state;
  expect("hyperfine", "h.json",
         "{\"results\": [{\"command\": \"a\", \"mean\": 1}, {\"command\": \"a\", \"mean\": 2}, "
         "{\"command\": \"a\", \"mean\": 3, \"parameters\": {\"n\": \"1\"}}, "
         "{\"command\": \"b c\", \"mean\": 4}, {\"command\": \"b\\nc\", \"mean\": 5}]}",
         "run 7 - - - -\na | - | 1000 ms, 0\na | #2 | 2000 ms, 0\na | n=1 | 3000 ms, 0\n"
         "b c | - | 4000 ms, 0\nbU+000Ac | - | 5000 ms, 0\n");
}

/* go 1.19.8 wrote lines like these, with -count 2 -cpu 1,2. */
static void test_go_bench(void **state) {
  (void)state;
  expect("go-bench", "go.txt",
         "goos: linux\npkg: x\nBenchmarkA/n=8-2 \t 100\t 10.0 ns/op\t 80 MB/s\t 0 B/op\n"
         "BenchmarkA/n=8-2 \t 100\t 30.0 ns/op\t 40 MB/s\t 0 B/op\n"
         "BenchmarkF/x-2 \t 100\t 10.0 ns/op\n"
         "--- FAIL: BenchmarkF/x\n    a_test.go:5: boom\n--- SKIP: BenchmarkS\nFAIL\n",
         "run 7 - - - -\n"
         "x.BenchmarkA | n=8-2 | 2e-05 ms, 2\n"
         "x.BenchmarkA | n=8-2, MB/s | 60 MB/s, bigger is better, 0\n"
         "x.BenchmarkA | n=8-2, B/op | 0 B/op, 0\n"
         "x.BenchmarkF | x | crashed: go test says FAIL\n");
  expect("go-bench", "go.txt",
         "pkg: command-line-arguments\nBenchmarkA-2 \t 100\t 10.0 ns/op\n"
         "ok  \tcommand-line-arguments\t1s\nFAIL\tcommand-line-arguments [build failed]\n",
         "run 7 - - - -\nBenchmarkA-2 | - | 1e-05 ms, 0\n"
         "command-line-arguments | - | crashed: go test says FAIL\n");
}

/* go test prints a name and a tab before it runs a benchmark. */
static void test_go_bench_without_figures(void **state) {
  (void)state;
  expect("go-bench", "go.txt",
         "pkg: x\nBenchmarkL\nBenchmarkL-2 \ta line\n5 items done\n 100\t 10.0 ns/op\n"
         "BenchmarkP-2 \tpanic: boom\n\ngoroutine 6 [running]:\nexit status 2\nFAIL\tx\t0.1s\n"
         "pkg: y/z\nBenchmarkT-2 \t 100\t 10.0 ns/op\npanic: test timed out after 1s\n"
         "FAIL\ty/z\t1s\npkg: w\nBenchmarkE-2 \t",
         "run 7 - - - -\n"
         "x.BenchmarkL-2 | - | 1e-05 ms, 0\n"
         "x.BenchmarkP-2 | - | crashed: go test prints no figures of it\n"
         "y.z.BenchmarkT-2 | - | 1e-05 ms, 0\n"
         "y.z | - | crashed: go test says FAIL\n"
         "w.BenchmarkE-2 | - | crashed: go test prints no figures of it\n");
}

/* A name that two packages have renames no series, and with -json their lines come in mixed pieces.
 */
static void test_go_bench_of_packages(void **state) {
  (void)state;
  static const char wanted[] =
      "run 7 - - - -\nm.a.BenchmarkS | n=1 | 1e-05 ms, 0\nm.a.BenchmarkA-2 | - | 2e-05 ms, 0\n"
      "m.b.BenchmarkS | n=1 | 3e-05 ms, 0\nm.c | - | crashed: go test says FAIL\n";
  expect("go-bench", "go.txt",
         "pkg: m/a\nBenchmarkS/n=1 \t 100\t 10.0 ns/op\nBenchmarkA-2 \t 100\t 20.0 ns/op\n"
         "ok  \tm/a\t1s\npkg: m/b\nBenchmarkS/n=1 \t 100\t 30.0 ns/op\nok  \tm/b\t1s\n"
         "FAIL\tm/c [build failed]\nFAIL\n",
         wanted);
#define EVENT(package, text) \
  "{\"Action\": \"output\", \"Package\": \"" package "\", \"Output\": \"" text "\"}\n"
  expect("go-bench", "go.json",
         EVENT("m/a", "pkg: m/a\\nBenchmarkS/n=1\\n") EVENT("m/b", "pkg: m/b\\n")
             EVENT("m/a", "BenchmarkS/n=1 \\t") EVENT("m/b", "BenchmarkS/n=1 \\t")
                 EVENT("m/b", " 100\\t 30.0 ns/op\\nok  \\tm/b\\t1s\\n")
                     EVENT("m/a", "100 10 ns/op\\n\\u0000\\nBenchmarkA-2 \\t 100\\t 20 ns/op\\n")
                         EVENT("m/c", "FAIL\\tm/c [build failed]\\n"),
         wanted);
}

static void test_mitata(void **state) {
  (void)state;
  expect("mitata", "m.json",
         "{\"benchmarks\": [{\"alias\": \"add $n\", \"runs\": [{\"name\": \"add 1\", "
         "\"args\": {\"n\": 1}, \"stats\": {\"samples\": null, \"avg\": 9, \"p50\": 4}}]},"
         "{\"alias\": \"bad\", \"runs\": [{\"name\": \"bad\", \"args\": {}, \"error\": "
         "{\"message\": \"boom\"}, \"stats\": {}}]}, {\"alias\": \"none\", \"runs\": []}]}",
         "run 7 - - - -\nadd $n | n=1 | 4e-06 ms, 0\nbad | - | crashed: boom\n"
         "none | - | no_times: it has no runs\n");
}

static void test_vitest(void **state) {
  (void)state;
  expect("vitest", "v.json",
         "{\"files\": [{\"filepath\": \"a\", \"groups\": [{\"fullName\": \"a > sort\", "
         "\"benchmarks\": [{\"name\": \"quick\", \"mean\": 3, \"median\": 2, \"samples\": "
         "[]}, {\"name\": \"none\"}]}]}]}",
         "run 7 - - - -\na > sort | quick | 2 ms, 0\n"
         "a > sort | none | no_times: the file has no times of it\n");
}

/* Tasks as versions 2, 4 and 6 have them, and as a program writes them beside the name. */
static void test_tinybench(void **state) {
  (void)state;
  expect(
      "tinybench", "t.json",
      "[{\"name\": \"two\", \"result\": {\"mean\": 3, \"p75\": 6, \"samples\": [1, 2, 6]}},"
      "{\"name\": \"four\", \"bench\": {\"name\": \"b\"}, \"result\": {\"mean\": 7, \"samples\": "
      "[7], \"latency\": {\"mean\": 5, \"p50\": 4, \"samples\": [3, 4, 8]}}},"
      "{\"name\": \"six\", \"result\": {\"state\": \"completed\", \"latency\": {\"mean\": 5, "
      "\"p50\": 4, \"samplesCount\": 9}, \"throughput\": {\"p50\": 250}}},"
      "{\"name\": \"flat\", \"mean\": 2, \"p99\": 3},"
      "{\"name\": \"threw\", \"result\": {\"error\": {}}},"
      "{\"name\": \"threw, six\", \"result\": {\"state\": \"errored\"}},"
      "{\"name\": \"stopped\", \"result\": {\"state\": \"aborted-with-statistics\", "
      "\"latency\": {\"p50\": 4}}},"
      "{\"name\": \"idle\", \"result\": {\"state\": \"not-started\"}}, null]",
      "run 7 - - - -\ntwo | - | 2 ms, 3\nfour | - | 4 ms, 3\nsix | - | 4 ms, 0\n"
      "flat | - | 2 ms, 0\nthrew | - | crashed: tinybench says that it failed\n"
      "threw, six | - | crashed: tinybench says that it failed\n"
      "stopped | - | crashed: tinybench aborted it\n"
      "idle | - | no_times: the file has no times of it\n- | - | no_times: it has no name; write "
      "the "
      "tasks as bench.tasks.map(({name, result}) => ({name, result}))\n");
}

/* The full export of a new version, and that of an old one without values of its iterations. */
static void test_benchmarkdotnet(void **state) {
  (void)state;
  expect("benchmarkdotnet", "b.json",
         "{\"Title\": \"Sorts-20260101\", \"HostEnvironmentInfo\": {\"BenchmarkDotNetVersion\": "
         "\"0.14.0\", \"OsVersion\": \"Debian 12\", \"ProcessorName\": \"i7\", "
         "\"ChronometerFrequency\": {\"Hertz\": 1000000000}}, \"Benchmarks\": [{\"DisplayInfo\": "
         "\"T.M: DefaultJob [N=1]\", \"Namespace\": \"A\", \"Type\": \"T\", \"Method\": \"M\", "
         "\"MethodTitle\": \"M\", \"Parameters\": \"N=1\", \"FullName\": \"A.T.M(N: 1)\", "
         "\"HardwareIntrinsics\": \"AVX2\", \"Statistics\": {\"OriginalValues\": [1000, 3000], "
         "\"N\": 2, \"Min\": 1000, \"Median\": 2000, \"Mean\": 2000, \"LowerOutliers\": [], "
         "\"Skewness\": 0, \"Kurtosis\": NaN, \"ConfidenceInterval\": {\"N\": 2, \"Margin\": NaN}, "
         "\"Percentiles\": {\"P50\": 2000}}, \"Memory\": {\"BytesAllocatedPerOperation\": 24}, "
         "\"Measurements\": [{\"IterationMode\": \"Workload\", \"IterationStage\": \"Actual\", "
         "\"Operations\": 4, \"Nanoseconds\": 4000}], \"Metrics\": [{\"Value\": 24, "
         "\"Descriptor\": {\"Id\": \"Allocated Memory\", \"Unit\": \"B\"}}]}, {\"Type\": \"T\", "
         "\"Method\": \"F\", \"Parameters\": \"\", \"Statistics\": null}]}",
         "run 7 - - - i7\nT.M | N=1 | 0.002 ms, 2\n"
         "T.F | - | crashed: BenchmarkDotNet has no statistics of it\n");
  expect("benchmarkdotnet", "old.json",
         "{\"Title\": \"Old\", \"HostEnvironmentInfo\": {\"ProcessorName\": {\"IsValueCreated\": "
         "true, \"Value\": \"i5\"}}, \"Benchmarks\": [{\"Type\": \"T\", \"Method\": \"M\", "
         "\"Parameters\": \"\", \"Statistics\": {\"N\": 1, \"Median\": 500, \"Mean\": 600, "
         "\"Skewness\": NaN}}]}",
         "run 7 - - - i5\nT.M | - | 0.0005 ms, 0\n");
}

static void test_kernel_tuner_t4(void **state) {
  (void)state;
  expect("kernel-tuner-t4", "out/gemm.json",
         "{\"schema_version\": \"1.0.0\", \"results\": [{\"configuration\": {\"x\": 16}, "
         "\"times\": {\"runtimes\": [2, 4]}, \"invalidity\": \"correct\"}, "
         "{\"configuration\": {\"x\": 32}, \"invalidity\": \"compile\"}, "
         "{\"configuration\": {\"x\": 64}, \"invalidity\": \"constraints\"}]}",
         "run 7 - - - -\ngemm | x=16 | 3 ms, 2\ngemm | x=32 | crashed: invalidity: compile\n");
}

/* NaN is a benchmark that the suite skips; the import names it, and the history has no point. */
static void test_asv(void **state) {
  (void)state;
  expect(
      "asv", "a.json",
      "{\"version\": 2, \"commit_hash\": \"abcdef12\", \"date\": 60000, \"env_name\": \"py3\", "
      "\"params\": {\"machine\": \"m\", \"cpu\": \"i5\"}, \"result_columns\": [\"result\", "
      "\"params\", \"version\", \"samples\"], \"results\": {"
      "\"s.time_a\": [[0.002], [], \"v\", [[0.001, 0.002, 0.003]]], "
      "\"s.S.time_b\": [[1, null, NaN, 2, 3, 4], [[\"1\", \"2\"], [\"'x'\", \"'y'\", \"'z'\"]]], "
      "\"s.TimeC\": [[0]], \"s.peakmem_d\": [[4096], []], \"s.track_e\": [[0.5], []], "
      "\"s.time_f\": [null, [[\"1\"], [\"'x'\", \"'y'\"]], \"v\", 1700000000000, 2.5], "
      "\"s.time_g\": [[1, 2], []], \"s.time_h\": []}, \"durations\": {\"<build>\": 3}}",
      "run 60 abcdef12 - - m, i5, py3\n"
      "s.time_a | - | 2 ms, 3\n"
      "s.S.time_b | 1, 'x' | 1000 ms, 0\n"
      "s.S.time_b | 1, 'y' | crashed: asv says that it failed\n"
      "s.S.time_b | 2, 'x' | 2000 ms, 0\n"
      "s.S.time_b | 2, 'y' | 3000 ms, 0\n"
      "s.S.time_b | 2, 'z' | 4000 ms, 0\n"
      "s.TimeC | - | no_times: its time is no time: it is 0 s, and no clock shows less than a "
      "picosecond\n"
      "s.peakmem_d | - | 4096 bytes, 0\ns.track_e | - | 0.5 unit, 0\n"
      "s.time_f | 1, 'x' | crashed: asv says that it failed\n"
      "s.time_f | 1, 'y' | crashed: asv says that it failed\n"
      "s.time_g | - | 1000 ms, 0\ns.time_g | combination 2 | 2000 ms, 0\n"
      "s.time_h | - | crashed: asv says that it failed\n");
}

/* The guide has a row of each format, with the versions that the table of formats names. */
static void test_guide_names_the_versions(void **state) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text guide = {0};
  struct pawl_error err;
  size_t rows = 0;
  (void)state;
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/docs/guides/history.md", 1 << 20, &guide, &err), PAWL_OK);
  const char *row = strstr(guide.data, "| format | file | kernel | case | tried with |\n");
  assert_non_null(row);
  for (row = strchr(strchr(row, '\n') + 1, '\n') + 1; *row == '|'; row = strchr(row, '\n') + 1) {
    const struct pawl_importer *importer = NULL;
    char begin[64], end[64];
    for (size_t i = 0; i < pawl_importer_count && !importer; i++) {
      const int length = snprintf(begin, sizeof begin, "| `%s` | ", pawl_importers[i].name);
      if (!strncmp(row, begin, (size_t)length)) importer = &pawl_importers[i];
    }
    const size_t length = strcspn(row, "\n");
    if (!importer) fail_msg("no such format: %.*s", (int)length, row);
    const int tail = snprintf(end, sizeof end, " | %s |", importer->tried);
    if (strncmp(row + length - tail, end, (size_t)tail) != 0)
      fail_msg("'%s' is tried with %s: %.*s", importer->name, importer->tried, (int)length, row);
    rows++;
  }
  assert_int_equal(rows, pawl_importer_count);
}

static int clear(void **state) {
  (void)state;
  pawl_text_clear(&came);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hyperfine),
      cmocka_unit_test(test_pytest_benchmark),
      cmocka_unit_test(test_criterion),
      cmocka_unit_test(test_catch2),
      cmocka_unit_test(test_nvbench),
      cmocka_unit_test(test_nvbench_samples),
      cmocka_unit_test(test_github_action_benchmark),
      cmocka_unit_test(test_results),
      cmocka_unit_test(test_hostile_names),
      cmocka_unit_test(test_refused_with_the_line),
      cmocka_unit_test(test_a_fault_costs_one_row),
      cmocka_unit_test(test_directions),
      cmocka_unit_test(test_names_stay_apart),
      cmocka_unit_test(test_go_bench),
      cmocka_unit_test(test_go_bench_without_figures),
      cmocka_unit_test(test_go_bench_of_packages),
      cmocka_unit_test(test_mitata),
      cmocka_unit_test(test_vitest),
      cmocka_unit_test(test_tinybench),
      cmocka_unit_test(test_benchmarkdotnet),
      cmocka_unit_test(test_kernel_tuner_t4),
      cmocka_unit_test(test_asv),
      cmocka_unit_test(test_guide_names_the_versions),
  };
  return cmocka_run_group_tests(tests, NULL, clear);
}
