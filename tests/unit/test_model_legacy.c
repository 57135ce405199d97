/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the scripts that pawl replaces: single results, baselines, sweeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "model/result.h"

static enum pawl_status_code read_text(const char *text, struct pawl_arena *arena,
                                       struct pawl_results *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const enum pawl_status_code status =
      pawl_json_parse(text, strlen(text), "old.json", false, &document, err);
  return status == PAWL_OK ? pawl_results_from_json(document, "old.json", arena, out, err) : status;
}

static struct pawl_results read_good(const char *text, struct pawl_arena *arena) {
  struct pawl_results results;
  struct pawl_error err = {0};
  if (read_text(text, arena, &results, &err) != PAWL_OK) fail_msg("%s", err.message);
  return results;
}

static void key_is(const struct pawl_case *config, const char *expected) {
  struct pawl_text text = {0};
  pawl_case_key(config, &text);
  assert_string_equal(pawl_text_string(&text), expected);
  pawl_text_clear(&text);
}

#define SINGLE(performance)                                                                   \
  "{\"correctness\": {\"passed\": true, \"max_abs_error\": 0.001, \"mean_abs_error\": 1e-4, " \
  "\"correlation\": 0.99},"                                                                   \
  "\"" performance                                                                            \
  "\": {\"mean_time_ms\": 0.321, \"std_dev_ms\": 0.02, \"throughput_gflops\": 1e4, "          \
  "\"bandwidth_gb_s\": 200},"                                                                 \
  "\"roofline\": {\"arithmetic_intensity\": 128.0, \"bottleneck\": \"memory\", "              \
  "\"efficiency_pct\": 60,"                                                                   \
  "\"recommendations\": [\"tile\"]},"                                                         \
  "\"config\": {\"batch_size\": 32, \"num_heads\": 8, \"seq_len\": 512, \"head_dim\": 64, "   \
  "\"dtype\": \"float16\"},"                                                                  \
  "\"kernel_name\": \"fa_s512\", \"timestamp\": \"2025-10-14 03:35:39\"}"

static void a_single_result_is_read(void **state) {
  (void)state;
  static const char *const texts[] = {SINGLE("performance"), SINGLE("metrics")};
  for (size_t i = 0; i < 2; i++) {
    struct pawl_arena arena = {0};
    struct pawl_results results = read_good(texts[i], &arena);
    assert_int_equal(results.count, 1);
    const struct pawl_result *row = results.items;
    assert_string_equal(row->kernel_name, "fa_s512");
    assert_string_equal(row->timestamp, "2025-10-14 03:35:39");
    assert_string_equal(row->config.operator_name, "attention");
    assert_string_equal(row->config.name, "B=32,H=8,S=512,D=64,dtype=f16");
    key_is(&row->config, "B=32,H=8,S=512,D=64,dtype=f16");
    assert_int_equal(row->outcome, PAWL_OUTCOME_OK);
    assert_true(row->correctness.known && row->correctness.passed);
    assert_true(row->performance.mean_time_ms == 0.321 && row->performance.std_dev_ms == 0.02);
    assert_true(isnan(row->performance.median_ms)); /* they did not say */
    assert_int_equal(row->performance.sample_count, 0);
    assert_string_equal(row->roofline.bottleneck, "memory");
    assert_string_equal(row->roofline.recommendations[0], "tile");
    pawl_results_release(&results);
    pawl_arena_clear(&arena);
  }
}

static void a_failed_check_is_never_ok(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_results results = read_good(
      "{\"correctness\": {\"passed\": false}, \"performance\": {\"mean_time_ms\": 1}}", &arena);
  assert_int_equal(results.items[0].outcome, PAWL_OUTCOME_WRONG);
  assert_string_equal(results.items[0].reason, "its check failed");
  assert_string_equal(results.items[0].kernel_name, PAWL_KERNEL_UNNAMED);
  assert_string_equal(results.items[0].config.name, "default");
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
}

static void a_baseline_is_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_results results = read_good(
      "{\"configs\": {\"training_512\": {\"median_ms\": 0.32, \"ci_95_low\": 0.31, \"ci_95_high\": "
      "0.33, "
      "\"throughput_gflops\": 1e4, \"bandwidth_gb_s\": 2e2, \"git_commit\": \"abcd\", "
      "\"timestamp\": \"t1\"},"
      "\"inference_2k\": {\"median_ms\": 4.9, \"git_commit\": \"abcd\", \"timestamp\": \"t2\"}}}",
      &arena);
  assert_int_equal(results.count, 2);
  assert_string_equal(results.commit, "abcd");
  assert_string_equal(results.items[0].config.name, "training_512");
  assert_string_equal(results.items[0].kernel_name, PAWL_KERNEL_UNNAMED);
  assert_string_equal(results.items[0].timestamp, "t1");
  assert_true(results.items[0].performance.ci_95_high == 0.33);
  assert_true(isnan(results.items[1].performance.ci_95_low));
  pawl_results_release(&results);
  results = read_good(
      "{\"configs\": {\"a\": {\"median_ms\": 1, \"git_commit\": \"abcd\"}, \"b\": {\"median_ms\": "
      "1}, "
      "\"c\": {\"median_ms\": 1, \"git_commit\": \"abcd\"}}}",
      &arena);
  assert_null(results.commit); /* not all rows share it */
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
}

static void a_sweep_is_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_results results = read_good(
      "{\"metadata\": {\"gpu\": \"NVIDIA L4\", \"date\": \"2025-10-14 03:35:39\"}, \"results\": ["
      "{\"config\": {\"batch\": 32, \"heads\": 8, \"seq\": 128, \"dim\": 64, \"backend\": "
      "\"flash\", "
      "\"dtype\": \"float16\", \"iterations\": 100, \"warmup\": 20, \"is_causal\": true},"
      "\"statistics\": {\"median_ms\": 2, \"mean_ms\": 2.5, \"std_ms\": 0.5, \"ci_95_lower\": 1.5, "
      "\"ci_95_upper\": 2.25, \"min_ms\": 1, \"max_ms\": 4, \"n_samples\": 3},"
      "\"performance\": {\"throughput_gflops\": 7, \"bandwidth_gb_s\": 8}, \"memory\": "
      "{\"peak_mb\": 9},"
      "\"raw_latencies\": [1, 2, 4]}]}",
      &arena);
  const struct pawl_result *row = results.items;
  assert_string_equal(results.hardware_name, "NVIDIA L4");
  assert_string_equal(results.timestamp, "2025-10-14 03:35:39");
  assert_string_equal(row->kernel_name, "flash");
  key_is(&row->config,
         "B=32,H=8,S=128,D=64,causal=1,dtype=f16"); /* iterations and warmup are no shape */
  const struct pawl_performance *performance = &row->performance;
  assert_true(performance->median_ms == 2 && performance->mean_time_ms == 2.5 &&
              performance->std_dev_ms == 0.5);
  assert_true(performance->ci_95_low == 1.5 && performance->ci_95_high == 2.25);
  assert_true(performance->min_ms == 1 && performance->max_ms == 4);
  assert_true(performance->throughput_gflops == 7 && performance->bandwidth_gb_s == 8);
  assert_true(performance->peak_memory_mb == 9);
  assert_int_equal(performance->sample_count, 3);
  assert_true(performance->samples_ms[2] == 4);
  assert_string_equal(json_string_value(json_object_get(row->environment, "gpu")), "NVIDIA L4");
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
}

static void their_mistakes_are_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } table[] = {
      {"{\"performance\": {}}",
       "old.json: has no time: median_ms and mean_time_ms are both missing"},
      {"{\"metrics\": {\"mean_time_ms\": -1}}",
       "old.json: metrics.mean_time_ms must be a number greater than 0, not -1"},
      {"{\"metrics\": 3}", "old.json: metrics must be an object, not 3"},
      {"{\"performance\": {\"mean_time_ms\": 1}, \"config\": []}",
       "old.json: config must be an object, not an empty list"},
      {"{\"performance\": {\"mean_time_ms\": 1}, \"config\": {\"batch_size\": \"32\"}}",
       "old.json: config.batch_size must be an integer, not the text '32'"},
      {"{\"performance\": {\"mean_time_ms\": 1}, \"config\": {\"batch_size\": 1, \"batch\": 2}}",
       "old.json: config.batch has 'B' twice"},
      {"{\"configs\": {}}", "old.json: configs is empty: there are no measurements"},
      {"{\"configs\": []}", "old.json: configs must be an object, not an empty list"},
      {"{\"configs\": {\"a\": 1}}", "old.json: configs.a must be an object, not 1"},
      {"{\"configs\": {\"a\": {\"median_ms\": 0}}}",
       "old.json: configs.a.median_ms must be a number greater than 0, not 0"},
      {"{\"configs\": {\"a\": {}}}",
       "old.json: configs.a has no time: median_ms and mean_time_ms are both missing"},
      {"{\"results\": [{\"statistics\": []}]}",
       "old.json: results[0].statistics must be an object, not an empty list"},
      {"{\"results\": [{\"statistics\": {\"median_ms\": \"1\"}}]}",
       "old.json: results[0].statistics.median_ms must be a number greater than 0, not the text "
       "'1'"},
      {"{\"results\": [{\"statistics\": {\"median_ms\": 1}, \"raw_latencies\": [1, -1]}]}",
       "old.json: results[0].raw_latencies[1] must be a number greater than 0, not -1"},
      {"{\"results\": [{\"statistics\": {\"median_ms\": 1}}, {\"statistics\": {\"median_ms\": "
       "1}}]}",
       "old.json: rows 0 and 1 are both kernel 'unnamed' on case 'default': remove one"},
      {"{\"results\": [5]}", "old.json: results[0] must be an object, not 5"},
  };
  bool all = true;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_results out = {.count = 77};
    const enum pawl_status_code status = read_text(table[i].text, &arena, &out, &err);
    const bool same =
        status == PAWL_BAD_DATA && strcmp(err.message, table[i].message) == 0 && out.count == 77;
    if (!same)
      print_error("status %d for %s\n got: %s\nwant: %s\n", status, table[i].text, err.message,
                  table[i].message);
    all &= same;
    pawl_arena_clear(&arena);
  }
  assert_true(all);
}

/* pawl names the kernel of this sweep, so that it can write the results and read them again. */
static void a_sweep_of_no_backend_is_of_the_unnamed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_results results = read_good(
      "{\"results\": [{\"config\": {\"batch\": 1, \"backend\": \"\"}, \"statistics\": "
      "{\"median_ms\": 2}}]}",
      &arena);
  assert_string_equal(results.items[0].kernel_name, PAWL_KERNEL_UNNAMED);
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
}

/* A real sweep of an L4, where it lies beside the repository. */
static void a_real_sweep_is_read(void **state) {
  (void)state;
  const char *folder = getenv("PAWL_SHARED_DATA");
  char *path =
      pawl_path_join(folder ? folder : PAWL_SOURCE_ROOT "/../shared/data", "l4/baseline_s512.json");
  if (!pawl_file_exists(path)) {
    print_message("skipped: no %s; PAWL_SHARED_DATA names the folder\n", path);
    pawl_free(path);
    skip();
  }
  struct pawl_arena arena = {0};
  struct pawl_results results;
  struct pawl_error err = {0};
  if (pawl_results_read(path, &arena, &results, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_int_equal(results.count, 10);
  assert_string_equal(results.hardware_name, "NVIDIA L4");
  const struct pawl_result *row = &results.items[2];
  assert_string_equal(row->kernel_name, "auto");
  key_is(&row->config, "B=32,H=8,S=512,D=64,dtype=f16");
  assert_true(row->performance.median_ms == 0.32102400064468384);
  assert_int_equal(row->performance.sample_count, 100);
  assert_true(row->performance.peak_memory_mb == 80.5);
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
  pawl_free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_single_result_is_read),
      cmocka_unit_test(a_failed_check_is_never_ok),
      cmocka_unit_test(a_baseline_is_read),
      cmocka_unit_test(a_sweep_is_read),
      cmocka_unit_test(a_sweep_of_no_backend_is_of_the_unnamed),
      cmocka_unit_test(their_mistakes_are_told),
      cmocka_unit_test(a_real_sweep_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
