/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/comparison.h"

#include <math.h>

#include "stats/cliffs.h"

#define COMPARISON_SCHEMA 1

void pawl_comparison_init(struct pawl_comparison *out) {
  *out = (struct pawl_comparison){.baseline_ms = NAN,
                                  .current_ms = NAN,
                                  .baseline_ci_low = NAN,
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

const char *pawl_interval_kind_name(enum pawl_interval_kind kind) {
  static const char *const names[] = {"unknown", "samples", "processes"};
  return names[kind];
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

static json_t *count_or_null(size_t count) {
  return count > 0 ? json_integer((json_int_t)count) : NULL;
}

static const char *known_kind(enum pawl_interval_kind kind) {
  return kind == PAWL_INTERVAL_UNKNOWN ? NULL : pawl_interval_kind_name(kind);
}

static void add_comparison(json_t *object, const struct pawl_comparison *item) {
  pawl_json_set_string(object, "kernel_name", item->kernel_name);
  pawl_json_set_string(object, "case", item->config.name);
  pawl_json_set(object, "config", pawl_case_to_json(&item->config));
  pawl_json_set_string(object, "verdict", pawl_verdict_name(item->verdict));
  pawl_json_set_string(object, "reason", item->reason);
  /* readers of the earlier scripts' files gate on this key alone: it is true for whatever fails */
  pawl_json_set_bool(object, "is_regression", pawl_verdict_fails(item->verdict));
  pawl_json_set_number(object, "baseline_time_ms", item->baseline_ms);
  pawl_json_set_number(object, "current_time_ms", item->current_ms);
  pawl_json_set_number(object, "speedup", item->speedup);
  pawl_json_set_number(object, "improvement_pct", item->delta_pct);
  pawl_json_set_number(object, "delta_pct", item->delta_pct);
  pawl_json_set_number(object, "threshold", item->threshold);
  pawl_json_set_number(object, "baseline_ci_95_low", item->baseline_ci_low);
  pawl_json_set_number(object, "baseline_ci_95_high", item->baseline_ci_high);
  pawl_json_set_number(object, "current_ci_95_low", item->current_ci_low);
  pawl_json_set_number(object, "current_ci_95_high", item->current_ci_high);
  pawl_json_set_string(object, "baseline_ci_of", known_kind(item->baseline_ci_of));
  pawl_json_set_string(object, "current_ci_of", known_kind(item->current_ci_of));
  pawl_json_set(object, "ci_overlap", item->ci_known ? json_boolean(item->ci_overlap) : NULL);
  pawl_json_set_number(object, "cliffs_delta", item->cliffs_delta);
  pawl_json_set_string(object, "cliffs_label", isnan(item->cliffs_delta) ? NULL : item->cliffs_label);
  pawl_json_set_number(object, "mann_whitney_p", item->mann_whitney_p);
  pawl_json_set(object, "baseline_samples", count_or_null(item->baseline_count));
  pawl_json_set(object, "current_samples", count_or_null(item->current_count));
}

json_t *pawl_comparison_to_json(const struct pawl_comparison *item) {
  json_t *object = json_object();
  add_comparison(object, item);
  return object;
}

json_t *pawl_comparisons_to_json(const struct pawl_comparisons *items) {
  json_t *object = json_object();
  pawl_json_set_int(object, "schema_version", COMPARISON_SCHEMA);
  if (items->count == 1) {
    add_comparison(object, &items->items[0]);
    return object;
  }
  json_t *list = json_array();
  for (size_t i = 0; i < items->count; i++) json_array_append_new(list, pawl_comparison_to_json(&items->items[i]));
  pawl_json_set(object, "comparisons", list);
  return object;
}
