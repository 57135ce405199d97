/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what each table of fields says about the objects that it writes, as JSON Schema: one
 * object, by the name of the table. A row with functions of its own says only that the key is
 * there. tests/rules/schemas.py puts these schemas into docs/schema. */
#include <stdio.h>

#include "base/count.h"
#include "gate/baseline_fields.h"
#include "gate/comparison.h"
#include "gate/selftest.h"
#include "gate/sequential_json.h"
#include "model/fields.h"
#include "model/result.h"
#include "pairs/bisect_report.h"
#include "record/change_note.h"
#include "record/history.h"
#include "record/verdict_fields.h"
#include "store/comparison.h"
#include "store/trend_json.h"
#include "sweep/verify.h"

static json_t *schema_of_struct(const struct pawl_fields *table);

static json_t *names_of(const struct pawl_field *field, bool null) {
  json_t *names = json_array();
  for (int i = field->zero_is_null; i < field->names; i++)
    if (field->name_of(i)) json_array_append_new(names, json_string(field->name_of(i)));
  if (null || !field->name_of(0)) json_array_append_new(names, json_null());
  return json_pack("{s:o}", "enum", names);
}

static json_t *typed(const char *type, bool null) {
  return null ? json_pack("{s:[s, s]}", "type", type, "null") : json_pack("{s:s}", "type", type);
}

static json_t *listed(json_t *items) {
  return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *struct_or_null(const struct pawl_fields *table, bool null) {
  json_t *schema = schema_of_struct(table);
  if (null) json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
  return schema;
}

/* The schema that a field's rule gives its value. `null`: an unknown value is null. `absent`:
   the struct of the value may be absent, so that all its members but the lists are null. */
static json_t *schema_of_rule(const struct pawl_field *field, bool null, bool absent) {
  json_t *schema;
  switch (field->rule) {
    case PAWL_FIELD_NUMBER: return typed("number", null);
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME:
      schema = typed("number", null);
      json_object_set_new(schema, field->rule == PAWL_FIELD_TIME ? "exclusiveMinimum" : "minimum",
                          json_integer(0));
      return schema;
    case PAWL_FIELD_COUNT:
    case PAWL_FIELD_INT:
    case PAWL_FIELD_SIZE:
      schema = typed("integer",
                     null && (absent || field->rule != PAWL_FIELD_SIZE || field->zero_is_null));
      json_object_set_new(schema, "minimum", json_integer(0));
      if (field->max) json_object_set_new(schema, "maximum", json_integer(field->max));
      return schema;
    case PAWL_FIELD_INTEGER: return typed("integer", absent);
    case PAWL_FIELD_VERSION: return json_pack("{s:i}", "const", field->max);
    case PAWL_FIELD_SEED:
      return field->text ? json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9]+$")
                         : json_pack("{s:[s, s]}", "type", "integer", "string");
    case PAWL_FIELD_STRING:
    case PAWL_FIELD_NAME:
    case PAWL_FIELD_COMMIT:
      if (field->name_of) return names_of(field, null);
      schema = typed("string", null);
      if (field->rule == PAWL_FIELD_COMMIT)
        json_object_set_new(schema, "pattern", json_string("^[0-9a-f]{4,64}$"));
      return schema;
    case PAWL_FIELD_CHOICE: return names_of(field, absent || field->zero_is_null);
    case PAWL_FIELD_FLAG: return typed("boolean", absent);
    case PAWL_FIELD_MAYBE: return typed("boolean", true);
    case PAWL_FIELD_TIMES:
      schema = listed(json_pack("{s:s, s:i}", "type", "number", "exclusiveMinimum", 0));
      json_object_set_new(schema, "minItems", json_integer(1));
      if (null) json_object_set_new(schema, "type", json_pack("[s, s]", "array", "null"));
      return schema;
    case PAWL_FIELD_NUMBERS: return listed(typed("number", false));
    case PAWL_FIELD_STRINGS: return listed(typed("string", false));
    case PAWL_FIELD_LIST: return listed(schema_of_struct(field->table));
    case PAWL_FIELD_STRUCT: return struct_or_null(field->table, absent || field->known);
    case PAWL_FIELD_OBJECT: return struct_or_null(field->table, null);
    case PAWL_FIELD_INSIDE:
    case PAWL_FIELD_BESIDE:
    case PAWL_FIELD_OWN: break;
  }
  return json_object();
}

static void add_rows(const struct pawl_fields *table, bool absent, json_t *properties,
                     json_t *required) {
  for (size_t i = 0; i < table->count; i++) {
    const struct pawl_field *field = &table->rows[i];
    if (field->rule == PAWL_FIELD_INSIDE || field->rule == PAWL_FIELD_BESIDE) {
      add_rows(field->table, field->rule == PAWL_FIELD_BESIDE && !field->required, properties,
               required);
      continue;
    }
    json_t *schema = schema_of_rule(field, absent || !field->required, absent);
    json_object_set_new(properties, field->key, schema);
    if (!field->left_out) json_array_append_new(required, json_string(field->key));
  }
}

static json_t *schema_of_struct(const struct pawl_fields *table) {
  json_t *properties = json_object(), *required = json_array();
  add_rows(table, false, properties, required);
  return json_pack("{s:s, s:o, s:o}", "type", "object", "required", required, "properties",
                   properties);
}

int main(void) {
  static const struct {
    const char *name;
    const struct pawl_fields *table;
  } tables[] = {
      {"beside", &pawl_beside_fields},
      {"bisect", &pawl_bisect_fields},
      {"sweep", &pawl_sweep_plan_fields},
      {"sweep_block", &pawl_sweep_block_fields},
      {"claims", &pawl_sweep_claims_fields},
      {"verification", &pawl_verification_fields},
      {"code", &pawl_code_fields},
      {"compare", &pawl_comparison_table_fields},
      {"comparison", &pawl_comparison_fields},
      {"correctness", &pawl_correctness_fields},
      {"note", &pawl_change_note_fields},
      {"history", &pawl_history_fields},
      {"move", &pawl_move_step_fields},
      {"moves", &pawl_move_fields},
      {"overview", &pawl_overview_fields},
      {"performance", &pawl_performance_fields},
      {"policy", &pawl_sequential_policy_fields},
      {"roofline", &pawl_roofline_fields},
      {"selftest", &pawl_selftest_fields},
      {"tally", &pawl_selftest_tally_fields},
      {"trend", &pawl_trend_fields},
      {"verdict", &pawl_verdict_fields},
  };
  json_t *all = json_object();
  for (size_t i = 0; i < PAWL_COUNT(tables); i++)
    json_object_set_new(all, tables[i].name, schema_of_struct(tables[i].table));
  PAWL_ASSERT(!json_dumpf(all, stdout, 0));
  json_decref(all);
  return 0;
}
