/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning writes files for Kernel Tuner, and its journal is a record. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "tune/kernel_tuner.h"
#include "tune/record.h"

static const char *sizes[] = {"16"}, *shares[] = {"2.0"}, *booleans[] = {"true", "False"},
                  *words[] = {"row"};
static struct pawl_tune_dimension dimensions[] = {{"SIZE", {sizes, 1}},
                                                  {"SHARE", {shares, 1}},
                                                  {"VECTORS", {booleans, 2}},
                                                  {"LAYOUT", {words, 1}}};

static void test_a_cache_has_the_words_of_python(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_space space;
  const struct pawl_kernel_spec spec = {.name = "scale_cpu", .tune = dimensions, .tune_count = 4};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  assert_int_equal(space.count, 2);
  struct pawl_tune_candidate candidates[] = {
      {.key = "first", .index = 0, .median_ms = 2, .base_ms = 4},
      {.key = "second", .index = 1, .median_ms = 3, .base_ms = 4}};
  const struct pawl_tune tune = {.kernel_name = "scale_cpu",
                                 .timestamp = "2026-01-02 03:04:05",
                                 .space = &space,
                                 .candidates = candidates,
                                 .count = 2};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *cache = NULL;
  pawl_tune_to_kernel_tuner_cache(&tune, &text);
  assert_int_equal(pawl_json_parse(text.data, text.length, "the cache", false, &cache, &err),
                   PAWL_OK);
  const json_t *rows = json_object_get(cache, "cache"),
               *row = json_object_get(rows, "16,2.0,True,row");
  assert_true(json_is_true(json_object_get(row, "VECTORS")));
  assert_true(json_number_value(json_object_get(row, "time")) == 2);
  assert_true(json_is_false(json_object_get(json_object_get(rows, "16,2.0,False,row"), "VECTORS")));
  pawl_arena_clear(&arena);
}

static const char *blocks[] = {"8", "16", "32", "64"};
static struct pawl_tune_dimension block = {"BLOCK", {blocks, 4}};

/* 8 is current and takes 10 ms on a quiet machine. 16 is half as fast on the small case, and was
   not tried on the large one; 32 is twice as fast, on a machine that was three times slower then;
   64 has the machine code of 8. */
static const struct pawl_tune_times half[] = {{2, 1, true}, {NAN, NAN, false}},
                                    both[] = {{1.5, 3, true}, {150, 300, true}};
static struct pawl_tune_candidate tried[] = {
    {.key = "BLOCK=16", .index = 1, .times = half, .time_count = 2},
    {.key = "BLOCK=32", .index = 2, .times = both, .time_count = 2, .checked = true},
    {.key = "BLOCK=64",
     .index = 3,
     .same_as = PAWL_TUNE_CURRENT,
     .median_ms = NAN,
     .base_ms = NAN}};

static void begin_tuning(struct pawl_tune *tune, struct pawl_space *space,
                         struct pawl_arena *arena) {
  static const struct pawl_kernel_spec spec = {.name = "k", .tune = &block, .tune_count = 1};
  struct pawl_error err = {0};
  assert_int_equal(pawl_space_init(space, &spec, "pawl.yaml", arena, &err), PAWL_OK);
  for (size_t i = 0; i < 2; i++) pawl_tune_sum_up(&tried[i]);
  *tune = (struct pawl_tune){.kernel_name = "k",
                             .timestamp = "2026-01-02 03:04:05",
                             .space = space,
                             .candidates = tried,
                             .count = 3,
                             .current_in_space = true};
}

static double time_in(const json_t *rows, const char *key) {
  return json_number_value(json_object_get(json_object_get(rows, key), "time"));
}

/* Times that were measured at different moments and on different cases do not compare; shares of
 * the current time do.
 */
static void test_times_are_on_one_scale(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_tune tune;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *cache = NULL, *t4 = NULL;
  begin_tuning(&tune, &space, &arena);
  pawl_tune_to_kernel_tuner_cache(&tune, &text);
  assert_int_equal(pawl_json_parse(text.data, text.length, "the cache", false, &cache, &err),
                   PAWL_OK);
  const json_t *rows = json_object_get(cache, "cache");
  assert_float_equal(time_in(rows, "8"), 30, 1e-9); /* sqrt(3 * 300) */
  assert_float_equal(time_in(rows, "16"), 60, 1e-9);
  assert_float_equal(time_in(rows, "32"), 15, 1e-9);
  assert_float_equal(time_in(rows, "64"), 30, 1e-9);
  t4 = pawl_tune_to_t4(&tune);
  assert_int_equal(json_array_size(json_object_get(t4, "results")), 4);
  pawl_arena_clear(&arena);
}

/* As Kernel Tuner does: without the last three bytes, with a comma and a row behind. */
static void test_kernel_tuner_continues_a_cache(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_tune tune;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, more = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *cache = NULL;
  begin_tuning(&tune, &space, &arena);
  pawl_tune_to_kernel_tuner_cache(&tune, &text);
  assert_string_equal(&text.data[text.length - 3], "}\n}");
  pawl_text_add_bytes(&more, text.data, text.length - 3);
  pawl_text_add(&more, ",\n\"48\": {\"BLOCK\": 48, \"time\": 1.0}}\n}");
  assert_int_equal(pawl_json_parse(more.data, more.length, "the cache", false, &cache, &err),
                   PAWL_OK);
  assert_int_equal(json_object_size(json_object_get(cache, "cache")), 5);
  pawl_arena_clear(&arena);
}

static void read_record(const char *text, struct pawl_arena *arena, struct pawl_tune_record *out,
                        enum pawl_status_code expected) {
  char folder[] = "/tmp/pawl-record-XXXXXX", path[64];
  struct pawl_error err = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/record.json", folder);
  assert_int_equal(pawl_file_write(path, text, strlen(text), &err), PAWL_OK);
  assert_int_equal(pawl_tune_record_read(path, arena, out, &err), expected);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

/* The next search learns from tune.json what this one learned: the same scale. */
static void test_tune_json_as_record(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_tune tune;
  struct pawl_tune_record record;
  const struct pawl_case small = {.name = "small"}, large = {.name = "large"};
  const struct pawl_case *const cases[] = {&small, &large};
  begin_tuning(&tune, &space, &arena);
  tune.cases = cases;
  tune.case_count = 2;
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_to_json(&tune);
  char *text = json_dumps(document, 0);
  read_record(text, &arena, &record, PAWL_OK);
  free(text);
  assert_int_equal(record.failed, 0);
  assert_float_equal(record.best, 15, 1e-9);
  assert_float_equal(record.times[pawl_space_find_key(&record.space, "BLOCK=16")], 60, 1e-9);
  assert_float_equal(record.times[pawl_space_find_key(&record.space, "BLOCK=64")], 30, 1e-9);
  pawl_arena_clear(&arena);
}

/* A result that is not correct is none, whatever its time; a time may be in "runtimes" alone. */
static void test_t4_as_record(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  read_record(
      "{\"schema_version\": \"1.0.0\", \"results\": ["
      "{\"configuration\": {\"A\": 1}, \"invalidity\": \"correctness\", "
      "\"measurements\": [{\"name\": \"time\", \"value\": 1, \"unit\": \"ms\"}]},"
      "{\"configuration\": {\"A\": 2}, \"invalidity\": \"correct\", \"times\": {\"runtimes\": [2, "
      "4]}}]}",
      &arena, &record, PAWL_OK);
  assert_int_equal(record.failed, 1);
  assert_true(record.best == 3);
  read_record("{\"results\": [{\"configuration\": {\"A\": 2}, \"invalidity\": \"correct\"}]}",
              &arena, &record, PAWL_BAD_DATA);
  pawl_arena_clear(&arena);
}

/* Python's json writes bare NaN, and a row twice where a search went on. */
static void test_cache_of_python(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  read_record(
      "{\"tune_params_keys\": [\"A\"], \"cache\": {\"1\": {\"A\": 1, \"time\": NaN},"
      "\"2\": {\"A\": 2, \"time\": 5}, \"2\": {\"A\": 2, \"time\": 4}}}",
      &arena, &record, PAWL_OK);
  assert_int_equal(record.failed, 1);
  assert_true(record.best == 4);
  read_record(
      "{\"tune_params_keys\": [\"A\", \"A\"], \"cache\": {\"1,1\": {\"A\": 1, \"time\": 1}}}",
      &arena, &record, PAWL_BAD_DATA);
  pawl_arena_clear(&arena);
}

/* pawl can learn from a journal as from a record: values with commas, failures, and a last line
   that is cut off. */
static void test_journal_as_record(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  struct pawl_error err = {0};
  char folder[] = "/tmp/pawl-journal-XXXXXX", path[64];
  static const char whole[] =
      "{\"kernel_name\": \"k\", \"space\": {\"FLAGS\": [\"-O2\", \"-O2,-g\"], \"A\": [\"1\", "
      "\"2\"]}}\n"
      "{\"key\": \"FLAGS=-O2,-g,A=2\", \"median_ms\": 2.5}\n"
      "{\"key\": \"FLAGS=-O2,A=1\", \"median_ms\": null}\n"
      "{\"lost\": \"FLAGS=-O2,A=2\", \"evaluator\": \"1\"}\n"
      "{\"key\": \"FLAGS=-O2,A=2\", \"median_ms\": 1.5}\n"
      "{\"finished\": true}\n{\"key\": \"FLA";
  static const char wrong[] =
      "{\"kernel_name\": \"k\", \"space\": {\"A\": [\"1\"]}}\n{\"key\": \"B=1\", \"median_ms\": "
      "1}\n";
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/tune.jsonl", folder);
  assert_int_equal(pawl_file_write(path, whole, sizeof whole - 1, &err), PAWL_OK);
  assert_int_equal(pawl_tune_record_read(path, &arena, &record, &err), PAWL_OK);
  assert_string_equal(record.kernel_name, "k");
  assert_int_equal(record.space.count, 3);
  assert_int_equal(record.failed, 1);
  assert_true(record.times[pawl_space_find_key(&record.space, "FLAGS=-O2,A=2")] == 1.5);
  assert_true(record.times[pawl_space_find_key(&record.space, "FLAGS=-O2,-g,A=2")] == 2.5);
  assert_int_equal(pawl_file_write(path, wrong, sizeof wrong - 1, &err), PAWL_OK);
  assert_int_equal(pawl_tune_record_read(path, &arena, &record, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "line 2: 'B=1'"));
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_journal_as_record),
                                     cmocka_unit_test(test_times_are_on_one_scale),
                                     cmocka_unit_test(test_kernel_tuner_continues_a_cache),
                                     cmocka_unit_test(test_tune_json_as_record),
                                     cmocka_unit_test(test_t4_as_record),
                                     cmocka_unit_test(test_cache_of_python),
                                     cmocka_unit_test(test_a_cache_has_the_words_of_python)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
