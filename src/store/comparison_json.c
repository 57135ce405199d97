/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a comparison: docs/schema/history-compare.schema.json, and CSV. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "store/comparison.h"

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }
#define LINE(...) ROW(pawl_comparison_row, __VA_ARGS__)
static const struct pawl_field line_rows[] = {
    LINE("series", INTEGER, series),
    LINE("other", INTEGER, other),
    LINE("kernel_name", STRING, kernel_name),
    LINE("case", STRING, case_name),
    LINE("shape", STRING, shape),
    LINE("hardware_name", STRING, hardware_name),
    LINE("unit", STRING, unit),
    LINE("bigger_is_better", FLAG, bigger_is_better),
    LINE("a", NUMBER, a),
    LINE("b", NUMBER, b),
    LINE("a_runs", INTEGER, a_runs),
    LINE("b_runs", INTEGER, b_runs),
    LINE("a_commit", STRING, a_commit),
    LINE("b_commit", STRING, b_commit),
    LINE("loss_pct", NUMBER, loss_pct),
    LINE("low_pct", NUMBER, low_pct),
    LINE("high_pct", NUMBER, high_pct),
    LINE("evidence", STRING, evidence),
    LINE("answer", STRING, answer),
};
static const struct pawl_fields line_fields =
    PAWL_FIELDS(line_rows, struct pawl_comparison_row, NULL);

#define SIDE(...) ROW(pawl_comparison_side, __VA_ARGS__)
static const struct pawl_field side_rows[] = {
    SIDE("name", STRING, name),
    SIDE("kind", STRING, kind),
    SIDE("key", STRING, key),
};
static const struct pawl_fields side_fields =
    PAWL_FIELDS(side_rows, struct pawl_comparison_side, NULL);

#define TABLE(...) ROW(pawl_comparison_table, __VA_ARGS__)
static const struct pawl_field table_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = 1},
    TABLE("a", STRUCT, a, .table = &side_fields),
    TABLE("b", STRUCT, b, .table = &side_fields),
    TABLE("only_a", INTEGER, only_a),
    TABLE("only_b", INTEGER, only_b),
    TABLE("paired", INTEGER, paired),
    TABLE("unknown", INTEGER, unknown),
    TABLE("mean_pct", NUMBER, mean_pct),
    TABLE("mean_low_pct", NUMBER, mean_low_pct),
    TABLE("mean_high_pct", NUMBER, mean_high_pct),
    TABLE("rows", LIST, rows, offsetof(struct pawl_comparison_table, count), .table = &line_fields),
};
const struct pawl_fields pawl_comparison_table_fields =
    PAWL_FIELDS(table_rows, struct pawl_comparison_table, NULL);

/* Writes one value. A text that a spreadsheet would take for a formula gets an apostrophe. */
static void add_cell(const json_t *value, struct pawl_text *out) {
  if (json_is_real(value)) {
    pawl_text_printf(out, "%.9g", json_real_value(value));
    return;
  }
  if (json_is_integer(value)) {
    pawl_text_printf(out, "%lld", json_integer_value(value));
    return;
  }
  if (json_is_boolean(value)) pawl_text_add(out, json_is_true(value) ? "true" : "false");
  const char *text = json_string_value(value);
  if (!text) return;
  pawl_text_add(out, "\"");
  if (*text && strchr("=+-@\t\r", *text)) pawl_text_add(out, "'");
  for (; *text; text++) {
    if (*text == '"') pawl_text_add(out, "\"");
    pawl_text_add_bytes(out, text, 1);
  }
  pawl_text_add(out, "\"");
}

void pawl_comparison_csv(const struct pawl_comparison_table *table, struct pawl_text *out) {
  for (size_t i = 0; i < PAWL_COUNT(line_rows); i++)
    pawl_text_printf(out, "%s%s", i ? "," : "", line_rows[i].key);
  pawl_text_add(out, "\r\n");
  for (size_t i = 0; i < table->count; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *row = pawl_struct_write(&line_fields, &table->rows[i]);
    for (size_t j = 0; j < PAWL_COUNT(line_rows); j++) {
      if (j) pawl_text_add(out, ",");
      add_cell(json_object_get(row, line_rows[j].key), out);
    }
    pawl_text_add(out, "\r\n");
  }
}
