/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/comparison.h"

#include <math.h>

#include "stats/cliffs.h"

#define COMPARISON_SCHEMA 1

void pawl_comparison_init(struct pawl_comparison *out) {
  *out = (struct pawl_comparison){.baseline_ms = NAN,
                                  .current_ms = NAN,
                                  .baseline_ci_low = NAN,
                                  .baseline_fastest_greatest = NAN,
                                  .current_fastest_least = NAN,
                                  .baseline_ci_high = NAN,
                                  .current_ci_low = NAN,
                                  .current_ci_high = NAN,
                                  .delta_pct = NAN,
                                  .speedup = NAN,
                                  .cliffs_delta = NAN,
                                  .cliffs_label = pawl_cliffs_label(NAN),
                                  .mann_whitney_p = NAN,
                                  .threshold = -PAWL_COMPARE_REGRESSION_PCT};
}

enum pawl_status_code pawl_comparisons_status(const struct pawl_comparisons *comparisons) {
  enum pawl_status_code status = PAWL_OK;
  size_t compared = 0;
  for (size_t i = 0; i < comparisons->count; i++) {
    status = pawl_worse_status(status, pawl_verdict_status(comparisons->items[i].verdict));
    compared += comparisons->items[i].verdict != PAWL_VERDICT_UNSUPPORTED;
  }
  return compared ? status : PAWL_UNDECIDED;
}

static const char *verdict_name(int number) { return pawl_verdict_name((enum pawl_verdict)number); }

static const char *interval_kind_name(int number) {
  static const char *const names[] = {"unknown", "samples", "processes"};
  return names[number];
}

static json_t *write_config(const void *source) {
  return pawl_case_to_json(&((const struct pawl_comparison *)source)->config);
}

static pawl_status read_config(const json_t *value, const struct pawl_json_path *path,
                               struct pawl_arena *arena, void *target, struct pawl_error *err) {
  struct pawl_case *config = &((struct pawl_comparison *)target)->config;
  return pawl_case_from_json_at(value, config->name, path, arena, config, err);
}

/* Readers of the earlier scripts' files use this key alone, so it is true for every failure. */
static json_t *write_is_regression(const void *source) {
  return json_boolean(pawl_verdict_fails(((const struct pawl_comparison *)source)->verdict));
}

static json_t *write_cliffs_label(const void *source) {
  const struct pawl_comparison *item = source;
  return isnan(item->cliffs_delta) ? NULL : json_string(item->cliffs_label);
}

static pawl_status check_comparison(void *target, const struct pawl_json_path *path,
                                    struct pawl_error *err) {
  struct pawl_comparison *item = target;
  if (fabs(item->cliffs_delta) > 1)
    return pawl_json_path_fail(path, "cliffs_delta", PAWL_BAD_DATA, err, "must be from -1 to 1");
  if (item->mann_whitney_p < 0 || item->mann_whitney_p > 1)
    return pawl_json_path_fail(path, "mann_whitney_p", PAWL_BAD_DATA, err, "must be from 0 to 1");
  item->delta_pct = (item->baseline_ms - item->current_ms) / item->baseline_ms * 100;
  item->speedup = item->baseline_ms / item->current_ms;
  item->cliffs_label = pawl_cliffs_label(item->cliffs_delta);
  return PAWL_OK;
}

#define ROW(name, rule, member, ...) \
  { name, rule, offsetof(struct pawl_comparison, member), __VA_ARGS__ }
static const struct pawl_field comparison_rows[] = {
    ROW("kernel_name", PAWL_FIELD_NAME, kernel_name),
    ROW("case", PAWL_FIELD_NAME, config.name),
    ROW("config", PAWL_FIELD_OWN, config, .write = write_config, .read = read_config),
    ROW("verdict", PAWL_FIELD_CHOICE, verdict, .required = true, .name_of = verdict_name,
        .names = PAWL_VERDICT_UNSUPPORTED + 1),
    ROW("reason", PAWL_FIELD_STRING, reason),
    ROW("is_regression", PAWL_FIELD_OWN, verdict, .write = write_is_regression),
    ROW("baseline_time_ms", PAWL_FIELD_TIME, baseline_ms),
    ROW("current_time_ms", PAWL_FIELD_TIME, current_ms),
    ROW("speedup", PAWL_FIELD_NUMBER, speedup),
    ROW("improvement_pct", PAWL_FIELD_NUMBER, delta_pct),
    ROW("delta_pct", PAWL_FIELD_NUMBER, delta_pct),
    ROW("threshold", PAWL_FIELD_NUMBER, threshold),
    ROW("baseline_ci_95_low", PAWL_FIELD_NUMBER, baseline_ci_low),
    ROW("baseline_ci_95_high", PAWL_FIELD_NUMBER, baseline_ci_high),
    ROW("current_ci_95_low", PAWL_FIELD_NUMBER, current_ci_low),
    ROW("current_ci_95_high", PAWL_FIELD_NUMBER, current_ci_high),
    ROW("baseline_ci_of", PAWL_FIELD_CHOICE, baseline_ci_of, .zero_is_null = true,
        .name_of = interval_kind_name, .names = PAWL_INTERVAL_PROCESSES + 1),
    ROW("current_ci_of", PAWL_FIELD_CHOICE, current_ci_of, .zero_is_null = true,
        .name_of = interval_kind_name, .names = PAWL_INTERVAL_PROCESSES + 1),
    ROW("ci_overlap", PAWL_FIELD_MAYBE, ci_overlap, offsetof(struct pawl_comparison, ci_known)),
    ROW("cliffs_delta", PAWL_FIELD_NUMBER, cliffs_delta),
    ROW("cliffs_label", PAWL_FIELD_OWN, cliffs_label, .write = write_cliffs_label),
    ROW("mann_whitney_p", PAWL_FIELD_NUMBER, mann_whitney_p),
    ROW("baseline_samples", PAWL_FIELD_SIZE, baseline_count, .zero_is_null = true),
    ROW("current_samples", PAWL_FIELD_SIZE, current_count, .zero_is_null = true),
};
const struct pawl_fields pawl_comparison_fields =
    PAWL_FIELDS(comparison_rows, struct pawl_comparison, .check = check_comparison);

json_t *pawl_comparison_to_json(const struct pawl_comparison *item) {
  return pawl_struct_write(&pawl_comparison_fields, item);
}

json_t *pawl_comparisons_to_json(const struct pawl_comparisons *items) {
  json_t *object = json_object();
  pawl_json_set_int(object, "schema_version", COMPARISON_SCHEMA);
  if (items->count == 1) {
    pawl_fields_write(pawl_comparison_fields.rows, pawl_comparison_fields.count, &items->items[0],
                      object);
    return object;
  }
  json_t *list = json_array();
  for (size_t i = 0; i < items->count; i++)
    json_array_append_new(list, pawl_comparison_to_json(&items->items[i]));
  pawl_json_set(object, "comparisons", list);
  return object;
}
