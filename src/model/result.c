/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "model/legacy_case.h"

static const char *const outcome_names[PAWL_OUTCOMES] = {
    "ok",       "wrong",   "build_failed", "crashed", "hung",
    "no_times", "dropped", "unsupported",  "absent",  "inconclusive"};

const char *pawl_outcome_name(enum pawl_outcome outcome) { return outcome_names[outcome]; }

const char *pawl_outcome_word(int outcome) { return outcome_names[outcome]; }

void pawl_outcome_capitals(enum pawl_outcome outcome, struct pawl_text *out) {
  for (const char *letter = pawl_outcome_name(outcome); *letter; letter++)
    pawl_text_printf(out, "%c", toupper((unsigned char)*letter));
}

bool pawl_outcome_parse(const char *name, enum pawl_outcome *out) {
  const int found = pawl_name_index(outcome_names, PAWL_OUTCOMES, name);
  if (found >= 0) *out = (enum pawl_outcome)found;
  return found >= 0;
}

bool pawl_outcome_fails(enum pawl_outcome outcome) {
  return outcome == PAWL_OUTCOME_WRONG || outcome == PAWL_OUTCOME_BUILD ||
         outcome == PAWL_OUTCOME_CRASHED || outcome == PAWL_OUTCOME_HUNG ||
         outcome == PAWL_OUTCOME_NO_TIMES || outcome == PAWL_OUTCOME_DROPPED;
}

#define FIELD(type, key, rule) \
  { #key, PAWL_FIELD_##rule, offsetof(struct type, key), 0 }
#define LIST(type, key, count, rule) \
  { #key, PAWL_FIELD_##rule, offsetof(struct type, key), offsetof(struct type, count) }

static const struct pawl_field correctness_rows[] = {
    FIELD(pawl_correctness, max_abs_error, AMOUNT),  FIELD(pawl_correctness, max_rel_error, AMOUNT),
    FIELD(pawl_correctness, mean_abs_error, AMOUNT), FIELD(pawl_correctness, correlation, NUMBER),
    FIELD(pawl_correctness, rel_rms_error, AMOUNT),  FIELD(pawl_correctness, oracle, STRING),
};
const struct pawl_fields pawl_correctness_fields =
    PAWL_FIELDS(correctness_rows, struct pawl_correctness, NULL);
static const struct pawl_field performance_rows[] = {
    FIELD(pawl_performance, median_ms, TIME),
    FIELD(pawl_performance, mean_time_ms, TIME),
    FIELD(pawl_performance, std_dev_ms, AMOUNT),
    FIELD(pawl_performance, min_ms, TIME),
    FIELD(pawl_performance, max_ms, TIME),
    FIELD(pawl_performance, p50_ms, TIME),
    FIELD(pawl_performance, p95_ms, TIME),
    FIELD(pawl_performance, p99_ms, TIME),
    FIELD(pawl_performance, cv, AMOUNT),
    FIELD(pawl_performance, ci_95_low, TIME),
    FIELD(pawl_performance, ci_95_high, TIME),
    FIELD(pawl_performance, process_ci_95_low, TIME),
    FIELD(pawl_performance, process_ci_95_high, TIME),
    FIELD(pawl_performance, throughput_gflops, AMOUNT),
    FIELD(pawl_performance, bandwidth_gb_s, AMOUNT),
    FIELD(pawl_performance, peak_memory_mb, AMOUNT),
    LIST(pawl_performance, samples_ms, sample_count, TIMES),
};
const struct pawl_fields pawl_performance_fields =
    PAWL_FIELDS(performance_rows, struct pawl_performance, NULL);
static const struct pawl_field roofline_rows[] = {
    FIELD(pawl_roofline, arithmetic_intensity, AMOUNT),
    FIELD(pawl_roofline, bottleneck, STRING),
    FIELD(pawl_roofline, efficiency_pct, AMOUNT),
    LIST(pawl_roofline, recommendations, recommendation_count, STRINGS),
};
const struct pawl_fields pawl_roofline_fields =
    PAWL_FIELDS(roofline_rows, struct pawl_roofline, NULL);
static const struct pawl_field process_fields[] = {
    LIST(pawl_process_samples, samples_ms, count, TIMES)};
static const struct pawl_field code_rows[] = {
    FIELD(pawl_code, hash, STRING),          FIELD(pawl_code, arch, STRING),
    FIELD(pawl_code, registers, COUNT),      FIELD(pawl_code, spill_bytes, COUNT),
    FIELD(pawl_code, local_bytes, COUNT),    FIELD(pawl_code, stack_bytes, COUNT),
    FIELD(pawl_code, shared_bytes, COUNT),   FIELD(pawl_code, code_bytes, COUNT),
    FIELD(pawl_code, occupancy_pct, AMOUNT),
};
const struct pawl_fields pawl_code_fields = PAWL_FIELDS(code_rows, struct pawl_code, NULL);
static const struct pawl_field row_fields[] = {
    FIELD(pawl_result, reason, STRING),
    FIELD(pawl_result, device, STRING),
    FIELD(pawl_result, reference, FLAG),
    FIELD(pawl_result, timestamp, STRING),
    LIST(pawl_result, warnings, warning_count, STRINGS),
};

/* The parts of a row that are objects of their own; all of a part unknown is null. */
static const struct section {
  const char *key;
  size_t offset; /* in struct pawl_result */
  const struct pawl_fields *table;
} sections[] = {
    {"performance", offsetof(struct pawl_result, performance), &pawl_performance_fields},
    {"roofline", offsetof(struct pawl_result, roofline), &pawl_roofline_fields},
    {"code", offsetof(struct pawl_result, code), &pawl_code_fields},
};

const char *pawl_correctness_oracle(const char *a, const char *b) {
  if (!a || !b) return a ? a : b;
  return strcmp(a, b) ? "mixed" : a;
}

void pawl_code_migrate(const json_t *object, struct pawl_code *code) {
  if (!object || json_object_get(object, "local_bytes")) return;
  if (code->spill_bytes == 0) code->local_bytes = 0;
  if (code->spill_bytes > 0) code->spill_bytes = -1;
}

void pawl_result_init(struct pawl_result *result) {
  *result = (struct pawl_result){0};
  pawl_struct_init(&pawl_correctness_fields, &result->correctness);
  for (size_t i = 0; i < PAWL_COUNT(sections); i++)
    pawl_struct_init(sections[i].table, (char *)result + sections[i].offset);
}

/* --- writing --- */

static json_t *correctness_to_json(const struct pawl_correctness *correctness) {
  if (!correctness->known) return NULL;
  json_t *object = json_object();
  pawl_json_set_bool(object, "passed", correctness->passed);
  pawl_fields_write(correctness_rows, PAWL_COUNT(correctness_rows), correctness, object);
  return object;
}

static json_t *section_to_json(const struct section *section, const struct pawl_result *result) {
  const void *source = (const char *)result + section->offset;
  if (pawl_fields_unknown(section->table->rows, section->table->count, source)) return NULL;
  return pawl_struct_write(section->table, source);
}

static json_t *processes_to_json(const struct pawl_result *result) {
  if (!result->process_count) return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < result->process_count; i++) {
    json_t *item = json_object();
    pawl_fields_write(process_fields, PAWL_COUNT(process_fields), &result->processes[i], item);
    json_array_append_new(list, item);
  }
  return list;
}

json_t *pawl_result_to_json(const struct pawl_result *result) {
  json_t *row = json_object();
  pawl_json_set_int(row, "schema_version", PAWL_RESULTS_SCHEMA);
  pawl_json_set_string(row, "kernel_name", result->kernel_name);
  pawl_json_set_string(row, "case", result->config.name);
  pawl_json_set_string(row, "operator", result->config.operator_name);
  pawl_json_set(row, "config", pawl_case_to_json(&result->config));
  pawl_json_set_string(row, "outcome", pawl_outcome_name(result->outcome));
  pawl_fields_write(row_fields, PAWL_COUNT(row_fields), result, row);
  pawl_json_set(row, "correctness", correctness_to_json(&result->correctness));
  for (size_t i = 0; i < PAWL_COUNT(sections); i++)
    pawl_json_set(row, sections[i].key, section_to_json(&sections[i], result));
  pawl_json_set(row, "processes", processes_to_json(result));
  pawl_json_set(row, "environment", json_incref(result->environment));
  pawl_json_set(row, "gpu_state", json_incref(result->gpu_state));
  return row;
}

/* --- reading --- */

static const json_t *member(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_null(value) ? NULL : value;
}

static pawl_status result_read_outcome(const json_t *row, const struct pawl_json_path *path,
                                       enum pawl_outcome *out, struct pawl_error *err) {
  const json_t *value = member(row, "outcome");
  if (!value) return PAWL_OK;
  if (pawl_outcome_parse(json_string_value(value), out)) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  return pawl_json_value_fail(path, "outcome", value,
                              pawl_text_add_names(&names, outcome_names, PAWL_OUTCOMES),
                              PAWL_BAD_DATA, err);
}

static pawl_status read_correctness(const json_t *row, const struct pawl_json_path *path,
                                    struct pawl_arena *arena, struct pawl_correctness *out,
                                    struct pawl_error *err) {
  const json_t *object = member(row, "correctness");
  if (!object) return PAWL_OK;
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "correctness");
  PAWL_TRY(pawl_struct_read(&pawl_correctness_fields, object, &here, arena, out, err));
  const json_t *passed = json_object_get(object, "passed");
  if (!json_is_boolean(passed))
    return pawl_json_value_fail(&here, "passed", passed, "true or false", PAWL_BAD_DATA, err);
  out->known = true;
  out->passed = json_is_true(passed);
  return PAWL_OK;
}

static pawl_status read_processes(const json_t *row, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out,
                                  struct pawl_error *err) {
  const json_t *list = member(row, "processes");
  if (!list) return PAWL_OK;
  if (!json_is_array(list))
    return pawl_json_value_fail(path, "processes", list, "a list", PAWL_BAD_DATA, err);
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "processes");
  out->process_count = json_array_size(list);
  out->processes = pawl_arena_alloc(arena, out->process_count + 1, sizeof *out->processes);
  for (size_t i = 0; i < out->process_count; i++) {
    const struct pawl_json_path item_path = PAWL_JSON_INDEX(&here, i);
    PAWL_TRY(pawl_fields_read(process_fields, PAWL_COUNT(process_fields), json_array_get(list, i),
                              &item_path, arena, &out->processes[i], err));
  }
  return PAWL_OK;
}

/* Objects of other people's making: kept as they are, only their kind is checked. */
static pawl_status result_read_object(const json_t *row, const char *key,
                                      const struct pawl_json_path *path, json_t **out,
                                      struct pawl_error *err) {
  json_t *value = json_object_get(row, key);
  if (!value || json_is_null(value)) return PAWL_OK;
  if (!json_is_object(value))
    return pawl_json_value_fail(path, key, value, "an object", PAWL_BAD_DATA, err);
  *out = value;
  return PAWL_OK;
}

static pawl_status result_read_text(const json_t *row, const char *key,
                                    const struct pawl_json_path *path, const char **out,
                                    struct pawl_error *err) {
  const json_t *value = member(row, key);
  if (value && !json_is_string(value))
    return pawl_json_value_fail(path, key, value, "a text", PAWL_BAD_DATA, err);
  *out = json_string_value(value);
  return PAWL_OK;
}

static pawl_status read_kernel_name(const json_t *row, bool ours, const struct pawl_json_path *path,
                                    struct pawl_arena *arena, const char **out,
                                    struct pawl_error *err) {
  const char *name = NULL;
  PAWL_TRY(result_read_text(row, "kernel_name", path, &name, err));
  if (ours && (!name || !*name))
    return pawl_json_value_fail(path, "kernel_name", json_object_get(row, "kernel_name"),
                                "a kernel's name", PAWL_BAD_DATA, err);
  *out = name && *name ? pawl_arena_copy(arena, name) : PAWL_KERNEL_UNNAMED;
  return PAWL_OK;
}

/* The case: in our files by name, operator and shape; in the earlier scripts' by their config
 * alone. */
static pawl_status result_read_case(const json_t *row, bool ours, const struct pawl_json_path *path,
                                    struct pawl_arena *arena, struct pawl_case *out,
                                    struct pawl_error *err) {
  const char *name = NULL, *operator_name = NULL;
  PAWL_TRY(result_read_text(row, "case", path, &name, err));
  PAWL_TRY(result_read_text(row, "operator", path, &operator_name, err));
  const json_t *config = member(row, "config");
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "config");
  if (!ours) return pawl_legacy_config(config, name, &here, arena, out, err);
  if (!name || !*name)
    return pawl_json_value_fail(path, "case", json_object_get(row, "case"), "a case's name",
                                PAWL_BAD_DATA, err);
  if (!config)
    return pawl_json_value_fail(path, "config", json_object_get(row, "config"), "an object",
                                PAWL_BAD_DATA, err);
  PAWL_TRY(pawl_case_from_json_at(config, name, &here, arena, out, err));
  out->operator_name = pawl_arena_copy(arena, operator_name);
  return PAWL_OK;
}

static pawl_status read_section(const struct section *section, const json_t *row,
                                const struct pawl_json_path *path, struct pawl_arena *arena,
                                struct pawl_result *out, struct pawl_error *err) {
  const json_t *object = member(row, section->key);
  if (!object) return PAWL_OK;
  const struct pawl_json_path here = PAWL_JSON_KEY(path, section->key);
  return pawl_struct_read(section->table, object, &here, arena, (char *)out + section->offset, err);
}

pawl_status pawl_result_from_json(const json_t *row, bool ours, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out,
                                  struct pawl_error *err) {
  struct pawl_result result;
  pawl_result_init(&result);
  PAWL_TRY(pawl_fields_read(row_fields, PAWL_COUNT(row_fields), row, path, arena, &result, err));
  PAWL_TRY(read_kernel_name(row, ours, path, arena, &result.kernel_name, err));
  PAWL_TRY(result_read_case(row, ours, path, arena, &result.config, err));
  PAWL_TRY(read_correctness(row, path, arena, &result.correctness, err));
  const bool failed = result.correctness.known && !result.correctness.passed;
  if (!ours && failed) {
    result.outcome = PAWL_OUTCOME_WRONG;
    result.reason = "its check failed";
  }
  PAWL_TRY(result_read_outcome(row, path, &result.outcome, err));
  for (size_t i = 0; i < PAWL_COUNT(sections); i++)
    PAWL_TRY(read_section(&sections[i], row, path, arena, &result, err));
  pawl_code_migrate(member(row, "code"), &result.code);
  if (!ours && !member(row, "performance") &&
      member(row, "metrics")) { /* the name that older scripts use */
    struct section metrics = sections[0];
    metrics.key = "metrics";
    PAWL_TRY(read_section(&metrics, row, path, arena, &result, err));
  }
  PAWL_TRY(read_processes(row, path, arena, &result, err));
  PAWL_TRY(result_read_object(row, "environment", path, &result.environment, err));
  PAWL_TRY(result_read_object(row, "gpu_state", path, &result.gpu_state, err));
  PAWL_TRY(pawl_result_check(&result, path, err));
  *out = result;
  return PAWL_OK;
}

/* --- rules between values --- */

/* Fails when both are known and a > b. */
static pawl_status check_order(double a, const char *a_name, double b, const char *b_name,
                               const struct pawl_json_path *path, struct pawl_error *err) {
  if (isnan(a) || isnan(b) || a <= b) return PAWL_OK;
  return pawl_json_path_fail(path, a_name, PAWL_BAD_DATA, err, "is %g, greater than %s, %g", a,
                             b_name, b);
}

static pawl_status check_samples(const struct pawl_performance *performance,
                                 const struct pawl_json_path *path, struct pawl_error *err) {
  double min = INFINITY, max = 0;
  for (size_t i = 0; i < performance->sample_count; i++) {
    min = fmin(min, performance->samples_ms[i]);
    max = fmax(max, performance->samples_ms[i]);
  }
  const double slack = 1e-6; /* files may hold rounded figures beside exact samples */
  if (!performance->sample_count || isnan(performance->median_ms)) return PAWL_OK;
  if (performance->median_ms >= min * (1 - slack) && performance->median_ms <= max * (1 + slack))
    return PAWL_OK;
  return pawl_json_path_fail(path, "median_ms", PAWL_BAD_DATA, err,
                             "is %g, but the samples are between %g and %g", performance->median_ms,
                             min, max);
}

pawl_status pawl_result_check(const struct pawl_result *result, const struct pawl_json_path *path,
                              struct pawl_error *err) {
  const struct pawl_performance *performance = &result->performance;
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "performance");
  PAWL_TRY(check_order(performance->ci_95_low, "ci_95_low", performance->ci_95_high, "ci_95_high",
                       &here, err));
  PAWL_TRY(check_order(performance->process_ci_95_low, "process_ci_95_low",
                       performance->process_ci_95_high, "process_ci_95_high", &here, err));
  PAWL_TRY(check_order(performance->min_ms, "min_ms", performance->max_ms, "max_ms", &here, err));
  PAWL_TRY(check_samples(performance, &here, err));
  if (result->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  if (result->correctness.known && !result->correctness.passed)
    return pawl_json_path_fail(path, "outcome", PAWL_BAD_DATA, err,
                               "is 'ok', but correctness.passed is false");
  if (isnan(performance->median_ms) && isnan(performance->mean_time_ms))
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "has no time: median_ms and mean_time_ms are both missing");
  return PAWL_OK;
}
