/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/philox.h"
#include "model/result.h"

/* Two threads write a long list. */
static void a_long_list_is_written_in_order(void **state) {
  (void)state;
  struct pawl_text text = {0}, wanted = {0};
  json_t *list = json_array();
  pawl_text_add(&wanted, "[");
  for (int i = 0; i < 1001; i++) {
    json_array_append_new(list, json_pack("[i]", i));
    pawl_text_printf(&wanted, "%s\n  [%d]", i ? "," : "", i);
  }
  pawl_text_add(&wanted, "\n]\n");
  pawl_json_write_text(list, true, &text);
  assert_string_equal(text.data, wanted.data);
  json_decref(list);
  pawl_text_clear(&text);
  pawl_text_clear(&wanted);
}

/* --- documents --- */

static json_t *parse(const char *text) {
  json_t *value = NULL;
  struct pawl_error err = {0};
  if (pawl_json_parse(text, strlen(text), "test", false, &value, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return value;
}

static struct pawl_text text_of(const struct pawl_results *results) {
  struct pawl_text text = {0};
  json_t *document = pawl_results_to_json(results);
  pawl_json_write_text(document, true, &text);
  json_decref(document);
  return text;
}

/* A number that takes all 17 digits, sometimes unknown. */
static double draw(struct pawl_random *random) {
  return pawl_random_below(random, 4) == 0 ? (double)NAN : 1e-3 + 1e3 * pawl_random_double(random);
}

static void draw_performance(struct pawl_random *random, struct pawl_arena *arena,
                             struct pawl_performance *out) {
  out->sample_count = pawl_random_below(random, 5);
  out->samples_ms =
      out->sample_count ? pawl_arena_alloc(arena, out->sample_count, sizeof(double)) : NULL;
  for (size_t i = 0; i < out->sample_count; i++)
    out->samples_ms[i] = 1e-3 + 1e3 * pawl_random_double(random);
  out->median_ms = out->sample_count ? out->samples_ms[0] : 1e-3 + pawl_random_double(random);
  out->mean_time_ms = draw(random);
  out->std_dev_ms = draw(random);
  out->p95_ms = draw(random);
  out->cv = draw(random);
  out->ci_95_low = draw(random);
  out->ci_95_high = out->ci_95_low * 1.5;
  out->throughput_gflops = draw(random);
  out->peak_memory_mb = draw(random);
}

/* A row of any outcome; what is not drawn stays unknown. */
static void draw_result(struct pawl_random *random, struct pawl_arena *arena,
                        struct pawl_result *out) {
  static const char *const warnings[] = {"CV 14 % > 12 %",
                                         "85 \xc2\xb0"
                                         "C"};
  pawl_result_init(out);
  out->kernel_name = pawl_arena_printf(arena, "k%u", pawl_random_u32(random));
  out->outcome = (enum pawl_outcome)pawl_random_below(random, 6);
  out->reason = out->outcome ? "because \"\\\n\t" : NULL;
  out->device = pawl_random_below(random, 2) ? "cpu" : NULL;
  out->config = (struct pawl_case){.name = "c", .operator_name = "attention", .dtype = PAWL_F16};
  assert_int_equal(pawl_case_set(&out->config, "B=3,S=-7", arena, NULL), PAWL_OK);
  if (out->outcome == PAWL_OUTCOME_OK) draw_performance(random, arena, &out->performance);
  out->correctness.known = pawl_random_below(random, 2);
  out->correctness.passed = out->outcome == PAWL_OUTCOME_OK;
  if (out->correctness.known) out->correctness.correlation = -draw(random);
  out->code.registers = (long long)pawl_random_below(random, 3) - 1;
  out->code.hash = pawl_random_below(random, 2) ? "00ff" : NULL;
  out->warning_count = pawl_random_below(random, 3);
  out->warnings = pawl_arena_alloc(arena, 2, sizeof *out->warnings);
  memcpy(out->warnings, warnings, sizeof warnings);
  out->process_count = out->performance.sample_count ? 1 : 0;
  out->processes = pawl_arena_alloc(arena, 1, sizeof *out->processes);
  *out->processes =
      (struct pawl_process_samples){out->performance.samples_ms, out->performance.sample_count};
}

static void same_number(double a, double b) { assert_true(a == b || (isnan(a) && isnan(b))); }

static void same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a) assert_string_equal(a, b);
}

static void same_result(const struct pawl_result *a, const struct pawl_result *b) {
  same_text(a->kernel_name, b->kernel_name);
  same_text(a->config.name, b->config.name);
  same_text(a->config.operator_name, b->config.operator_name);
  assert_int_equal(a->config.count, b->config.count);
  assert_int_equal(a->config.dtype, b->config.dtype);
  assert_int_equal(a->outcome, b->outcome);
  same_text(a->reason, b->reason);
  same_text(a->device, b->device);
  same_text(a->timestamp, b->timestamp);
  assert_int_equal(a->correctness.known, b->correctness.known);
  if (a->correctness.known) assert_int_equal(a->correctness.passed, b->correctness.passed);
  same_number(a->correctness.correlation, b->correctness.correlation);
  same_number(a->correctness.max_abs_error, b->correctness.max_abs_error);
  same_number(a->performance.median_ms, b->performance.median_ms);
  same_number(a->performance.mean_time_ms, b->performance.mean_time_ms);
  same_number(a->performance.std_dev_ms, b->performance.std_dev_ms);
  same_number(a->performance.min_ms, b->performance.min_ms);
  same_number(a->performance.p95_ms, b->performance.p95_ms);
  same_number(a->performance.cv, b->performance.cv);
  same_number(a->performance.ci_95_low, b->performance.ci_95_low);
  same_number(a->performance.ci_95_high, b->performance.ci_95_high);
  same_number(a->performance.throughput_gflops, b->performance.throughput_gflops);
  same_number(a->performance.peak_memory_mb, b->performance.peak_memory_mb);
  assert_int_equal(a->performance.sample_count, b->performance.sample_count);
  for (size_t i = 0; i < a->performance.sample_count; i++)
    same_number(a->performance.samples_ms[i], b->performance.samples_ms[i]);
  assert_int_equal(a->process_count, b->process_count);
  assert_int_equal(a->code.registers, b->code.registers);
  assert_int_equal(a->code.spill_bytes, b->code.spill_bytes);
  assert_int_equal(a->code.local_bytes, b->code.local_bytes);
  same_text(a->code.hash, b->code.hash);
  assert_int_equal(a->warning_count, b->warning_count);
  for (size_t i = 0; i < a->warning_count; i++) same_text(a->warnings[i], b->warnings[i]);
}

/* --- there and back --- */

/* Reads a file "r.json" with the document, or with its members in reverse order, so that the rows
   come before the version. */
static pawl_status read_file_of(const json_t *document, bool reverse, struct pawl_arena *arena,
                                struct pawl_results *out, struct pawl_error *err) {
  char folder[] = "/tmp/pawl-test-XXXXXX", before[4096];
  json_t *turned = json_is_object(document) ? json_object() : NULL;
  const char *keys[32], *key;
  size_t count = 0;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)document, key, value) keys[count++] = key;
  while (count-- > 0) json_object_set(turned, keys[count], json_object_get(document, keys[count]));
  assert_non_null(getcwd(before, sizeof before));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(pawl_json_write("r.json", reverse ? turned : document, false, err), PAWL_OK);
  const enum pawl_status_code status = pawl_results_read("r.json", arena, out, err);
  assert_int_equal(unlink("r.json") | chdir(before) | rmdir(folder), 0);
  json_decref(turned);
  return status;
}

static void what_is_written_is_read(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(42, 0);
  for (int round = 0; round < 200; round++) {
    struct pawl_arena arena = {0};
    struct pawl_result rows[4];
    const size_t count = 1 + pawl_random_below(&random, 4);
    for (size_t i = 0; i < count; i++) draw_result(&random, &arena, &rows[i]);
    const struct pawl_results results = {
        .items = rows, .count = count, .commit = "abc", .dirty = round % 2};
    struct pawl_text first = text_of(&results);
    json_t *document = parse(first.data);
    struct pawl_results back;
    struct pawl_error err = {0};
    if (pawl_results_from_json(document, "r.json", &arena, &back, &err) != PAWL_OK)
      fail_msg("%s", err.message);
    assert_int_equal(back.count, count);
    assert_string_equal(back.commit, "abc");
    assert_int_equal(back.dirty, round % 2);
    assert_null(back.hardware);
    for (size_t i = 0; i < count; i++) same_result(&rows[i], &back.items[i]);
    struct pawl_text second = text_of(&back);
    assert_string_equal(first.data, second.data); /* byte-stable */
    struct pawl_results file;
    assert_int_equal(read_file_of(document, round % 2, &arena, &file, &err), PAWL_OK);
    struct pawl_text third = text_of(&file);
    assert_string_equal(first.data, third.data);
    pawl_results_release(&file);
    pawl_text_clear(&third);
    pawl_text_clear(&first);
    pawl_text_clear(&second);
    json_decref(document);
    pawl_results_release(&back);
    pawl_arena_clear(&arena);
  }
}

static void unknown_is_null(void **state) {
  (void)state;
  struct pawl_result result;
  pawl_result_init(&result);
  result.kernel_name = "k";
  result.config.name = "c";
  result.outcome = PAWL_OUTCOME_ABSENT;
  json_t *row = pawl_result_to_json(&result);
  static const char *const nulls[] = {"operator",    "reason",      "device",   "timestamp",
                                      "correctness", "performance", "roofline", "code",
                                      "processes",   "environment", "gpu_state"};
  for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
    assert_true(json_is_null(json_object_get(row, nulls[i])));
  json_decref(row);

  result.performance.median_ms = 1.5;
  row = pawl_result_to_json(&result);
  const json_t *performance = json_object_get(row, "performance");
  assert_true(json_real_value(json_object_get(performance, "median_ms")) == 1.5);
  assert_true(json_is_null(json_object_get(performance, "cv"))); /* unknown, not 0 */
  assert_true(json_is_null(json_object_get(performance, "samples_ms")));
  json_decref(row);
}

static void a_file_is_written_and_read(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *path = pawl_path_join(folder, "results.json");
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_result rows[2];
  for (int i = 0; i < 2; i++) {
    pawl_result_init(&rows[i]);
    rows[i].kernel_name = "k", rows[i].config.name = i ? "d" : "c";
    rows[i].performance.median_ms = 0.1;
    rows[i].environment = json_pack("{s:s, s:f}", "cpu", "Xeon", "load", 0.5 + i);
  }
  const struct pawl_results results = {.items = rows, .count = 2, .hardware_name = "box"};
  assert_int_equal(pawl_results_write(&results, path, &err), PAWL_OK);
  struct pawl_results back;
  assert_int_equal(pawl_results_read(path, &arena, &back, &err), PAWL_OK);
  assert_string_equal(back.hardware_name, "box");
  assert_string_equal(json_string_value(json_object_get(back.items[0].environment, "cpu")), "Xeon");
  for (int i = 0; i < 2; i++) /* no row has the numbers of a later row */
    assert_true(json_equal(back.items[i].environment, rows[i].environment));
  pawl_results_release(&back);
  assert_null(back.document);
  pawl_results_release(NULL);
  for (int i = 0; i < 2; i++) json_decref(rows[i].environment);

  assert_int_equal(truncate(path, (off_t)1 << 30),
                   0); /* a sparse gigabyte: refused before it is read */
  const clock_t start = clock();
  assert_int_equal(pawl_results_read(path, &arena, &back, &err), PAWL_BAD_DATA);
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.05);
  assert_non_null(strstr(err.message, "larger than the limit"));
  unlink(path);
  assert_int_equal(pawl_results_read(path, &arena, &back, &err), PAWL_NO_INPUT);
  rmdir(folder);
  pawl_free(path);
  pawl_arena_clear(&arena);
}

/* --- hostile documents --- */

#define ROW(part) "{\"kernel_name\": \"k\", \"case\": \"c\", \"config\": {}, " part "}"
#define OURS(rows) "{\"schema_version\": 1, \"results\": [" rows "]}"
#define TIMES(part) OURS(ROW("\"performance\": {" part "}"))
#define GOOD ROW("\"performance\": {\"median_ms\": 1}")

static const struct {
  const char *text, *message;
} hostile[] = {
    {"[]", "r.json: must be an object, not an empty list"},
    {"3", "r.json: must be an object, not 3"},
    {"null", "r.json: must be an object, not null"},
    {"{}", "r.json: has no results: 'results', 'configs' and 'performance' are all missing"},
    {"{\"schema_version\": 2, \"results\": []}",
     "r.json: schema_version is 2, from a newer pawl; this pawl reads up to 1: update pawl"},
    {"{\"schema_version\": \"1\"}",
     "r.json: schema_version must be an integer, 1 or greater, not the text '1'"},
    {"{\"schema_version\": 1, \"dirty\": 1}", "r.json: dirty must be true or false, not 1"},
    {"{\"schema_version\": 1, \"commit\": 1}", "r.json: commit must be a text, not 1"},
    {"{\"results\": {}}", "r.json: results must be a list, not an object"},
    {"{\"results\": []}", "r.json: results is empty: there are no measurements"},
    {"{\"totals\": {}, \"comparisons\": []}",
     "r.json: is a verdict, not results: give results.json of that run, or its folder to report "
     "and notify"},
    {"{\"comparisons\": []}", "r.json: is a comparison, not results: give the two compared files"},
    {"{\"speedup\": 1.2}", "r.json: is a comparison, not results: give the two compared files"},
    {"{\"entries\": []}",
     "r.json: is a baseline, not results: judge results against it with `pawl ratchet`"},
    {OURS("1"), "r.json: results[0] must be an object, not 1"},
    {OURS(GOOD ", null"), "r.json: results[1] must be an object, not null"},
    {OURS("{}"), "r.json: results[0].kernel_name is missing: it must be a kernel's name"},
    {OURS("{\"kernel_name\": 5}"), "r.json: results[0].kernel_name must be a text, not 5"},
    {OURS("{\"kernel_name\": \"\"}"),
     "r.json: results[0].kernel_name must be a kernel's name, not the text ''"},
    {OURS("{\"kernel_name\": \"k\"}"),
     "r.json: results[0].case is missing: it must be a case's name"},
    {OURS("{\"kernel_name\": \"k\", \"case\": \"c\"}"),
     "r.json: results[0].config is missing: it must be an object"},
    {OURS("{\"kernel_name\": \"k\", \"case\": \"c\", \"config\": {\"B\": \"x\"}}"),
     "r.json: results[0].config.B must be an integer, not the text 'x'"},
    {OURS(ROW("\"outcome\": \"great\"")),
     "r.json: results[0].outcome must be ok, wrong, build_failed, crashed, hung, no_times, "
     "dropped, unsupported, "
     "absent or inconclusive, "
     "not "
     "the text "
     "'great'"},
    {OURS(ROW("\"correctness\": {}")),
     "r.json: results[0].correctness.passed is missing: it must be true or false"},
    {OURS(ROW("\"correctness\": {\"passed\": \"yes\"}")),
     "r.json: results[0].correctness.passed must be true or false, not the text 'yes'"},
    {OURS(ROW("\"correctness\": {\"passed\": true, \"max_abs_error\": -1}")),
     "r.json: results[0].correctness.max_abs_error must be a number, 0 or greater, not -1"},
    {OURS(ROW("\"correctness\": {\"passed\": false}, \"performance\": {\"median_ms\": 1}")),
     "r.json: results[0].outcome is 'ok', but correctness.passed is false"},
    {OURS(ROW("\"performance\": []")),
     "r.json: results[0].performance must be an object, not an empty list"},
    {OURS(ROW("\"performance\": null")),
     "r.json: results[0] has no time: median_ms and mean_time_ms are both missing"},
    {TIMES(""), "r.json: results[0] has no time: median_ms and mean_time_ms are both missing"},
    {TIMES("\"median_ms\": null"),
     "r.json: results[0] has no time: median_ms and mean_time_ms are both missing"},
    {TIMES("\"median_ms\": -0.5"),
     "r.json: results[0].performance.median_ms must be a number greater than 0, not -0.5"},
    {TIMES("\"median_ms\": 0"),
     "r.json: results[0].performance.median_ms must be a number greater than 0, not 0"},
    {TIMES("\"median_ms\": \"0.3\""),
     "r.json: results[0].performance.median_ms must be a number greater than 0, not the text "
     "'0.3'"},
    {TIMES("\"median_ms\": true"),
     "r.json: results[0].performance.median_ms must be a number greater than 0, not true"},
    {TIMES("\"median_ms\": 1, \"samples_ms\": []"),
     "r.json: results[0].performance.samples_ms must be a list of at least one number greater than "
     "0, not an empty "
     "list"},
    {TIMES("\"median_ms\": 1, \"samples_ms\": [1, 2, 0, 4]"),
     "r.json: results[0].performance.samples_ms[2] must be a number greater than 0, not 0"},
    {TIMES("\"median_ms\": 1, \"samples_ms\": [1, \"2\"]"),
     "r.json: results[0].performance.samples_ms[1] must be a number greater than 0, not the text "
     "'2'"},
    {TIMES("\"median_ms\": 1, \"samples_ms\": [1, null]"),
     "r.json: results[0].performance.samples_ms[1] must be a number greater than 0, not null"},
    {TIMES("\"median_ms\": 5, \"samples_ms\": [1, 2, 3]"),
     "r.json: results[0].performance.median_ms is 5, but the samples are between 1 and 3"},
    {TIMES("\"median_ms\": 2, \"ci_95_low\": 3, \"ci_95_high\": 1"),
     "r.json: results[0].performance.ci_95_low is 3, greater than ci_95_high, 1"},
    {TIMES("\"median_ms\": 2, \"min_ms\": 3, \"max_ms\": 1"),
     "r.json: results[0].performance.min_ms is 3, greater than max_ms, 1"},
    {OURS(ROW("\"performance\": {\"median_ms\": 1}, \"processes\": {}")),
     "r.json: results[0].processes must be a list, not an object"},
    {OURS(ROW("\"performance\": {\"median_ms\": 1}, \"processes\": [{\"samples_ms\": [1]}, "
              "{\"samples_ms\": [-1]}]")),
     "r.json: results[0].processes[1].samples_ms[0] must be a number greater than 0, not -1"},
    {OURS(ROW("\"code\": {\"registers\": 1.5}")),
     "r.json: results[0].code.registers must be an integer, 0 or greater, not 1.5"},
    {OURS(ROW("\"warnings\": [1]")), "r.json: results[0].warnings[0] must be a text, not 1"},
    {OURS(ROW("\"roofline\": {\"recommendations\": \"x\"}")),
     "r.json: results[0].roofline.recommendations must be a list of texts, not the text 'x'"},
    {OURS(ROW("\"performance\": {\"median_ms\": 1}, \"environment\": \"x\"")),
     "r.json: results[0].environment must be an object, not the text 'x'"},
    {OURS(GOOD ", {\"kernel_name\": \"l\", \"case\": \"c\", \"config\": {}, \"outcome\": "
               "\"absent\"}, " GOOD),
     "r.json: rows 0 and 2 are both kernel 'k' on case 'c': remove one"},
    {OURS(GOOD "," GOOD), "r.json: rows 0 and 1 are both kernel 'k' on case 'c': remove one"},
};

static void hostile_documents_are_told(void **state) {
  (void)state;
  bool all = true;
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_results out = {.count = 77};
    json_t *document = parse(hostile[i].text);
    const enum pawl_status_code status =
        pawl_results_from_json(document, "r.json", &arena, &out, &err);
    struct pawl_error of_file = {0};
    const bool same = status == PAWL_BAD_DATA && strcmp(err.message, hostile[i].message) == 0 &&
                      read_file_of(document, false, &arena, &out, &of_file) == PAWL_BAD_DATA &&
                      strcmp(of_file.message, hostile[i].message) == 0 && out.count == 77;
    if (!same)
      print_error("status %d for %s\n got: %s\nwant: %s\n", status, hostile[i].text, err.message,
                  hostile[i].message);
    all &= same;
    json_decref(document);
    pawl_arena_clear(&arena);
  }
  assert_true(all);
}

/* A prefix of a good file is an error that names the file, never anything else. */
static void truncated_files_are_told(void **state) {
  (void)state;
  const char *good = TIMES("\"median_ms\": 1, \"samples_ms\": [1, 1]");
  char folder[] = "/tmp/pawl-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *path = pawl_path_join(folder, "r.json");
  for (size_t length = 0; length < strlen(good); length += 3) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_results out;
    assert_int_equal(pawl_file_write(path, good, length, NULL), PAWL_OK);
    assert_int_equal(pawl_results_read(path, &arena, &out, &err), PAWL_BAD_DATA);
    assert_memory_equal(err.message, path, strlen(path));
    pawl_arena_clear(&arena);
  }
  static const char *const broken[] = {
      TIMES("\"median_ms\": NaN"), TIMES("\"median_ms\": Infinity"), TIMES("\"median_ms\": 1e999"),
      TIMES("\"median_ms\": 1, \"median_ms\": 2")};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_results out;
    assert_int_equal(pawl_file_write(path, broken[i], strlen(broken[i]), NULL), PAWL_OK);
    assert_int_equal(pawl_results_read(path, &arena, &out, &err), PAWL_BAD_DATA);
    assert_memory_equal(err.message, path, strlen(path));
    pawl_arena_clear(&arena);
  }
  unlink(path);
  rmdir(folder);
  pawl_free(path);
}

static void deep_nesting_is_told(void **state) {
  (void)state;
  struct pawl_text text = {0};
  for (int i = 0; i < 100000; i++) pawl_text_add(&text, "[");
  json_t *document = NULL;
  struct pawl_error err = {0};
  assert_int_equal(pawl_json_parse(text.data, text.length, "r.json", false, &document, &err),
                   PAWL_BAD_DATA);
  assert_null(document);
  pawl_text_clear(&text);
}

/* --- size --- */

static void a_thousand_rows_are_read_at_once(void **state) {
  (void)state;
  struct pawl_text text = {0};
  pawl_text_add(&text, "{\"schema_version\": 1, \"results\": [");
  for (int i = 0; i < 1000; i++) {
    pawl_text_printf(
        &text,
        "%s{\"kernel_name\": \"k\", \"case\": \"c%d\", \"config\": {\"B\": %d}, \"performance\": ",
        i ? "," : "", i, i);
    pawl_text_add(&text, "{\"median_ms\": 0.5, \"samples_ms\": [0.49");
    for (int j = 1; j < 100; j++) pawl_text_printf(&text, ", 0.5%015d", j);
    pawl_text_add(&text, "]}}");
  }
  pawl_text_add(&text, "]}");
  struct pawl_arena arena = {0};
  struct pawl_results results;
  struct pawl_error err = {0};
  const clock_t start = clock();
  json_t *document = parse(text.data);
  const enum pawl_status_code status =
      pawl_results_from_json(document, "r.json", &arena, &results, &err);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  print_message("1000 rows of 100 samples: %.0f ms of CPU time\n", seconds * 1e3);
  if (status != PAWL_OK) fail_msg("%s", err.message);
  assert_int_equal(results.count, 1000);
  assert_int_equal(results.items[999].performance.sample_count, 100);
  assert_true(seconds < 0.3);
  json_decref(document);
  pawl_results_release(&results);
  pawl_text_clear(&text);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(unknown_is_null),
      cmocka_unit_test(a_file_is_written_and_read),
      cmocka_unit_test(a_long_list_is_written_in_order),
      cmocka_unit_test(hostile_documents_are_told),
      cmocka_unit_test(truncated_files_are_told),
      cmocka_unit_test(deep_nesting_is_told),
      cmocka_unit_test(a_thousand_rows_are_read_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
