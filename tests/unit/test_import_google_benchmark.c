/* SPDX-License-Identifier: Apache-2.0 */
/* pawl reads the files of Google Benchmark, whatever its version. */
#include "import_support.h"

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
         "\"real_time\": 1000, \"time_unit\": \"us\"},"
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

/* A benchmark has one unit. Another one in a repetition, or in the mean beside the median, was
 * written by somebody else. */
static void test_a_benchmark_has_one_unit(void **state) {
  (void)state;
  expect("google-benchmark", "g.json",
         "{\"benchmarks\": [{\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 3, "
         "\"time_unit\": \"ms\"}, {\"name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 3, "
         "\"time_unit\": \"us\"}, {\"name\": \"b\", \"run_type\": \"iteration\", \"real_time\": 3, "
         "\"time_unit\": \"us\"}, {\"name\": \"c_mean\", \"run_name\": \"c\", \"run_type\": "
         "\"aggregate\", \"aggregate_name\": \"mean\", \"real_time\": 5}, {\"name\": \"c_median\", "
         "\"run_name\": \"c\", \"run_type\": \"aggregate\", \"aggregate_name\": \"median\", "
         "\"real_time\": 5, \"time_unit\": \"s\"}]}",
         "run 7 - - - -\na | - | no_times: its times have several units, 'ms' and 'us'\n"
         "b | - | 0.003 ms, 0\nc | - | no_times: its times have several units, 'ns' and 's'\n");
}

/* Versions before 1.5 have no run_type: aggregates by their names, and fits beside them. */
static void test_old_google_benchmark(void **state) {
  (void)state;
  expect("google-benchmark", "g.json",
         "{\"benchmarks\": [{\"name\": \"a/1\", \"real_time\": 1}, {\"name\": \"a/1\", "
         "\"real_time\": 3}, {\"name\": \"a/1_mean\", \"real_time\": 9}, {\"name\": "
         "\"a/1_median\", \"real_time\": 9}, {\"name\": \"a/1_stddev\", \"real_time\": 9}, "
         "{\"name\": \"a_BigO\", \"cpu_coefficient\": 1, \"big_o\": \"N\"}, "
         "{\"name\": \"a_RMS\", \"rms\": 0.1}, {\"name\": \"b_mean\", \"real_time\": 5}, "
         "{\"name\": \"b_stddev\", \"real_time\": 9}, {\"name\": \"c_mean\", \"real_time\": 6}, "
         "{\"name\": \"d\", \"real_time\": 7}, {\"name\": \"d_mean\", \"real_time\": 8}]}",
         "run 7 - - - -\na | 1 | 2e-06 ms, 2\nb | - | 5e-06 ms, 0\nc_mean | - | 6e-06 ms, 0\n"
         "d | - | 7e-06 ms, 0\nd_mean | - | 8e-06 ms, 0\n");
}

/* A call of 10 ms on four threads: versions before 1.9 say 2.5 ms, later ones 10 ms. Version 1.8.4
 * is the first that names itself. */
static void test_threads_of_google_benchmark(void **state) {
  static const char *const table[][2] = {
      {"\"library_build_type\": \"release\"", "10"},
      {"\"library_build_type\": \"release\", \"library_version\": \"v1.8.5\"", "10"},
      {"\"library_build_type\": \"release\", \"library_version\": \"1.9.0\"", "2.5"},
      {"\"library_build_type\": \"release\", \"library_version\": \"v2.0.1\"", "2.5"},
      {"\"library_build_type\": \"release\", \"library_version\": \"main\"", "2.5"},
      {"\"host_name\": \"of another tool\"", "2.5"}};
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0}, wanted = {0};
    pawl_text_printf(
        &file,
        "{\"context\": {%s}, \"benchmarks\": ["
        "{\"name\": \"a/threads:4\", \"threads\": 4, \"time_unit\": \"ms\", "
        "\"real_time\": 2.5}, {\"name\": \"b/threads:4\", \"time_unit\": \"ms\", "
        "\"real_time\": 2.5}, {\"name\": \"c_mean\", \"run_name\": \"c\", "
        "\"run_type\": \"aggregate\", \"aggregate_name\": \"mean\", \"threads\": 4, "
        "\"time_unit\": \"ms\", \"real_time\": 2.5}, {\"name\": \"d\", \"threads\": 1, "
        "\"time_unit\": \"ms\", \"real_time\": 2.5}]}",
        table[i][0]);
    pawl_text_printf(&wanted,
                     "run 7 - - - -\na | threads:4 | %s ms, 0\nb | threads:4 | %s ms, 0\n"
                     "c | - | %s ms, 0\nd | - | 2.5 ms, 0\n",
                     table[i][1], table[i][1], table[i][1]);
    expect("google-benchmark", "g.json", file.data, wanted.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_google_benchmark),
      cmocka_unit_test(test_a_benchmark_has_one_unit),
      cmocka_unit_test(test_old_google_benchmark),
      cmocka_unit_test(test_threads_of_google_benchmark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
