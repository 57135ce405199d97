/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning writes for Kernel Tuner, and its journal as a record. */
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

static const char *sizes[] = {"16"}, *shares[] = {"2.0"}, *booleans[] = {"true", "False"}, *words[] = {"row"};
static struct pawl_tune_dimension dimensions[] = {
    {"SIZE", {sizes, 1}}, {"SHARE", {shares, 1}}, {"VECTORS", {booleans, 2}}, {"LAYOUT", {words, 1}}};

static void test_a_cache_has_the_words_of_python(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_space space;
  const struct pawl_kernel_spec spec = {.name = "scale_cpu", .tune = dimensions, .tune_count = 4};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  assert_int_equal(space.count, 2);
  struct pawl_tune_candidate candidates[] = {{.key = "first", .index = 0, .median_ms = 2, .base_ms = 4},
                                             {.key = "second", .index = 1, .median_ms = 3, .base_ms = 4}};
  const struct pawl_tune tune = {.kernel_name = "scale_cpu",
                                 .timestamp = "2026-01-02 03:04:05",
                                 .space = &space,
                                 .candidates = candidates,
                                 .count = 2};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *cache = NULL;
  pawl_tune_to_kernel_tuner_cache(&tune, &text);
  assert_int_equal(pawl_json_parse(text.data, text.length, "the cache", false, &cache, &err), PAWL_OK);
  const json_t *rows = json_object_get(cache, "cache"), *row = json_object_get(rows, "16,2.0,True,row");
  assert_true(json_is_true(json_object_get(row, "VECTORS")));
  assert_true(json_number_value(json_object_get(row, "time")) == 2);
  assert_true(json_is_false(json_object_get(json_object_get(rows, "16,2.0,False,row"), "VECTORS")));
  pawl_arena_clear(&arena);
}

/* Who learns from a journal reads it as a record: values with commas, failures, and a last line that was cut off. */
static void test_journal_as_record(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  struct pawl_error err = {0};
  char folder[] = "/tmp/pawl-journal-XXXXXX", path[64];
  static const char whole[] =
      "{\"kernel_name\": \"k\", \"space\": {\"FLAGS\": [\"-O2\", \"-O2,-g\"], \"A\": [\"1\", \"2\"]}}\n"
      "{\"key\": \"FLAGS=-O2,-g,A=2\", \"median_ms\": 2.5}\n"
      "{\"key\": \"FLAGS=-O2,A=1\", \"median_ms\": null}\n"
      "{\"lost\": \"FLAGS=-O2,A=2\", \"evaluator\": \"1\"}\n"
      "{\"key\": \"FLAGS=-O2,A=2\", \"median_ms\": 1.5}\n"
      "{\"finished\": true}\n{\"key\": \"FLA";
  static const char wrong[] =
      "{\"kernel_name\": \"k\", \"space\": {\"A\": [\"1\"]}}\n{\"key\": \"B=1\", \"median_ms\": 1}\n";
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
                                     cmocka_unit_test(test_a_cache_has_the_words_of_python)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
