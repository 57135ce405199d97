/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema/results.schema.json and what is written name the same keys, in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/result.h"

/* Where a schema is a reference, what it refers to. */
static const json_t *follow(const json_t *root, const json_t *schema) {
  const char *reference = json_string_value(json_object_get(schema, "$ref"));
  if (!reference) return schema;
  assert_true(pawl_starts_with(reference, "#/$defs/"));
  const json_t *target =
      json_object_get(json_object_get(root, "$defs"), reference + strlen("#/$defs/"));
  if (!target) fail_msg("nothing is '%s'", reference);
  return target;
}

/* Every member of `value` is a property of the schema, and every property a member. */
static void agree(const json_t *root, const json_t *schema, const json_t *value,
                  const char *where) {
  schema = follow(root, schema);
  if (json_is_array(value)) {
    const json_t *items = json_object_get(schema, "items");
    if (!items) fail_msg("%s is a list in the file alone", where);
    if (json_array_size(value)) agree(root, items, json_array_get(value, 0), where);
    return;
  }
  const json_t *properties = json_object_get(schema, "properties");
  if (!json_is_object(value) || !properties) return;
  const char *key;
  json_t *item;
  json_object_foreach((json_t *)(uintptr_t)value, key, item) {
    const json_t *property = json_object_get(properties, key);
    if (!property && !json_object_get(schema, "additionalProperties"))
      fail_msg("the schema lacks %s.%s", where, key);
    if (property) agree(root, property, item, key);
  }
  json_object_foreach((json_t *)(uintptr_t)properties, key, item) {
    if (!json_object_get(value, key)) fail_msg("the schema alone has %s.%s", where, key);
  }
}

static void schema_and_file_agree(void **state) {
  (void)state;
  json_t *schema = NULL;
  struct pawl_error err = {0};
  if (pawl_json_read(PAWL_SOURCE_ROOT "/docs/schema/results.schema.json", &schema, &err) != PAWL_OK)
    fail_msg("%s", err.message);

  struct pawl_result result; /* one known number in each part, so that all parts are written */
  double sample = 1;
  struct pawl_process_samples process = {&sample, 1};
  const char *words[] = {"x"};
  pawl_result_init(&result);
  result.kernel_name = "k";
  result.config = (struct pawl_case){.name = "c", .operator_name = "o", .dtype = PAWL_F16};
  result.correctness.known = true;
  result.performance.median_ms = 1;
  result.performance.samples_ms = &sample;
  result.performance.sample_count = 1;
  result.roofline.arithmetic_intensity = 1;
  result.roofline.recommendations = words;
  result.roofline.recommendation_count = 1;
  result.code.registers = 1;
  result.warnings = words;
  result.warning_count = 1;
  result.processes = &process;
  result.process_count = 1;
  const struct pawl_results results = {.items = &result, .count = 1};
  json_t *document = pawl_results_to_json(&results);
  agree(schema, schema, document, "results.json");

  /* The outcomes' names too. */
  const json_t *row = json_object_get(json_object_get(schema, "$defs"), "result");
  const json_t *names =
      json_object_get(json_object_get(json_object_get(row, "properties"), "outcome"), "enum");
  assert_int_equal(json_array_size(names), PAWL_OUTCOMES);
  for (size_t i = 0; i < json_array_size(names); i++)
    assert_string_equal(json_string_value(json_array_get(names, i)),
                        pawl_outcome_name((enum pawl_outcome)i));
  json_decref(document);
  json_decref(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(schema_and_file_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
