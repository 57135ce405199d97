/* SPDX-License-Identifier: Apache-2.0 */
/* A file of another harness whose figures cannot all be true gives no time. */
#include "base/count.h"
#include "import_support.h"

#define STATS(text) "{\"benchmarks\": [{\"alias\": \"a\", \"runs\": [{\"stats\": {" text "}}]}]}"
#define DOTNET(text) \
  "{\"Benchmarks\": [{\"Type\": \"T\", \"Method\": \"M\", \"Statistics\": {" text "}}]}"
#define METRIC(text) "[{\"benchmark\": \"b\", \"mode\": \"avgt\", \"primaryMetric\": {" text "}}]"
#define MEDIAN(text) "{\"median\": {" text "}}"
#define CATCH(text)                                                              \
  "<Catch2TestRun><TestCase name=\"t\"><BenchmarkResults name=\"b\"><mean " text \
  "/>"                                                                           \
  "</BenchmarkResults></TestCase></Catch2TestRun>"
#define NV(tag, value)                                                                           \
  "{\"tag\": \"nv/cold/time/gpu/" tag "\", \"data\": [{\"name\": \"value\", \"value\": \"" value \
  "\"}]}"
#define STATE(text) \
  "{\"benchmarks\": [{\"name\": \"b\", \"states\": [{\"summaries\": [" text "]}]}]}"

/* Somebody has edited the file: its own figures cannot all be true. One figure alone, or one that
 * is no number, contradicts nothing. */
static void test_figures_that_cannot_be(void **state) {
  (void)state;
  static const struct {
    const char *format, *text, *wanted;
  } files[] = {
      {"mitata", STATS("\"min\": 1, \"p50\": 3, \"p75\": 2"),
       "its 'p50' is 3e-09 s, more than its 'p75', 2e-09 s"},
      {"mitata", STATS("\"min\": 1, \"p50\": 2, \"max\": 3, \"avg\": 4"),
       "its 'avg' is 4e-09 s, outside of its other figures, 1e-09 to 3e-09 s"},
      {"mitata", STATS("\"p50\": 9, \"samples\": [1, 2, 3]"),
       "its 'p50' is 9e-09 s, outside of its times, 1e-09 to 3e-09 s"},
      {"mitata", STATS("\"min\": \"NaN\", \"p50\": 2, \"max\": null, \"avg\": 9"), NULL},
      {"mitata", STATS("\"p50\": 2000, \"p999\": 1.9999999e3, \"avg\": 2000"), NULL},
      {"tinybench", "[{\"name\": \"a\", \"result\": {\"latency\": {\"p50\": 4, \"p99\": 3}}}]",
       "its 'p50' is 0.004 s, more than its 'p99', 0.003 s"},
      {"tinybench", "[{\"name\": \"a\", \"mean\": 9, \"samples\": [1, 2]}]",
       "its 'mean' is 0.009 s, outside of its times, 0.001 to 0.002 s"},
      {"vitest",
       "{\"files\": [{\"groups\": [{\"fullName\": \"g\", \"benchmarks\": [{\"name\": \"a\", "
       "\"median\": 5, \"max\": 4}]}]}]}",
       "its 'median' is 0.005 s, more than its 'max', 0.004 s"},
      {"benchmarkdotnet", DOTNET("\"Q1\": 5, \"Median\": 4"),
       "its 'Q1' is 5e-09 s, more than its 'Median', 4e-09 s"},
      {"benchmarkdotnet", DOTNET("\"OriginalValues\": [1, 2], \"Mean\": 0.5"),
       "its 'Mean' is 5e-10 s, outside of its times, 1e-09 to 2e-09 s"},
      {"jmh", METRIC("\"score\": 9, \"scoreUnit\": \"s/op\", \"rawData\": [[1, 2]]"),
       "its 'score' is 9 s, outside of its times, 1 to 2 s"},
      {"jmh",
       METRIC("\"score\": 3, \"scoreUnit\": \"ops/s\", \"scorePercentiles\": {\"0.0\": 2, "
              "\"50.0\": 8, \"100.0\": 4}"),
       "its '100.0' is 0.25 s, more than its '50.0', 0.125 s"},
      {"jmh",
       METRIC("\"score\": 3, \"scoreUnit\": \"ops/s\", \"scorePercentiles\": {\"0.0\": 2, "
              "\"100.0\": 4}"),
       NULL},
      {"jmh", METRIC("\"score\": \"NaN\", \"scoreUnit\": \"s/op\", \"rawData\": [[1, 2]]"), NULL},
      {"criterion",
       MEDIAN("\"point_estimate\": 9, \"confidence_interval\": {\"lower_bound\": 1, "
              "\"upper_bound\": 3}"),
       "its 'point_estimate' is 9e-09 s, more than its 'upper_bound', 3e-09 s"},
      {"criterion", MEDIAN("\"point_estimate\": 1e300"),
       "its time is no time: it is 1e+291 s, and no call takes 30 years"},
      {"criterion", "{\"iters\": [1, 2], \"times\": [5, 1e300]}",
       "time 2 of 2 is no time: it is 5e+290 s, and no call takes 30 years"},
      {"catch2", CATCH("value=\"9\" lowerBound=\"1\" upperBound=\"3\""),
       "its 'value' is 9e-09 s, more than its 'upperBound', 3e-09 s"},
      {"catch2", CATCH("value=\"2\" lowerBound=\"1\" upperBound=\"3\""), NULL},
      {"nvbench", STATE(NV("mean", "9e-6") ", " NV("min", "1e-6") ", " NV("max", "3e-6")),
       "its 'mean' is 9e-06 s, outside of its other figures, 1e-06 to 3e-06 s"},
      {"nvbench", STATE(NV("median", "9e-6") ", " NV("q3", "3e-6")),
       "its 'median' is 9e-06 s, more than its 'q3', 3e-06 s"},
      {"nvbench", STATE(NV("mean", "2e-6") ", " NV("min", "1e-6") ", " NV("max", "inf")), NULL},
      {"hyperfine", "{\"results\": [{\"command\": \"c\", \"mean\": 2, \"min\": 3}]}", NULL},
      {"hyperfine", "{\"results\": [{\"command\": \"c\", \"mean\": 2, \"min\": 3, \"max\": 4}]}",
       "its 'mean' is 2 s, outside of its other figures, 3 to 4 s"},
      {"pytest-benchmark",
       "{\"benchmarks\": [{\"name\": \"p\", \"stats\": {\"q1\": 4, \"median\": 3}}]}",
       "its 'q1' is 4 s, more than its 'median', 3 s"},
  };
  for (size_t i = 0; i < PAWL_COUNT(files); i++) {
    struct pawl_error err = {0};
    assert_int_equal(feed(files[i].format, "f", files[i].text, &err), PAWL_OK);
    const char *found = strstr(came.data, "no_times: ");
    if (!files[i].wanted != !found) fail_msg("%s: %s%s", files[i].format, files[i].text, came.data);
    if (found) found += strlen("no_times: ");
    if (found && strncmp(found, files[i].wanted, strlen(files[i].wanted)) != 0)
      fail_msg("%s: %s", files[i].format, found);
  }
}

static int clear(void **state) {
  (void)state;
  pawl_text_clear(&came);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures_that_cannot_be)};
  return cmocka_run_group_tests(tests, NULL, clear);
}
