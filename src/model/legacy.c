/* SPDX-License-Identifier: Apache-2.0 */
#include "model/legacy.h"

#include "base/count.h"
#include "model/legacy_case.h"

#define PERFORMANCE(key, rule, member) \
  { key, PAWL_FIELD_##rule, offsetof(struct pawl_performance, member), 0 }

static const struct pawl_field statistics_fields[] = {
    PERFORMANCE("median_ms", TIME, median_ms),    PERFORMANCE("mean_ms", TIME, mean_time_ms),
    PERFORMANCE("std_ms", AMOUNT, std_dev_ms),    PERFORMANCE("ci_95_lower", TIME, ci_95_low),
    PERFORMANCE("ci_95_upper", TIME, ci_95_high), PERFORMANCE("min_ms", TIME, min_ms),
    PERFORMANCE("max_ms", TIME, max_ms),
};
static const struct pawl_field rate_fields[] = {
    PERFORMANCE("throughput_gflops", AMOUNT, throughput_gflops),
    PERFORMANCE("bandwidth_gb_s", AMOUNT, bandwidth_gb_s),
};
static const struct pawl_field memory_fields[] = {PERFORMANCE("peak_mb", AMOUNT, peak_memory_mb)};
static const struct pawl_field latency_fields[] = {
    {"raw_latencies", PAWL_FIELD_TIMES, offsetof(struct pawl_performance, samples_ms),
     offsetof(struct pawl_performance, sample_count)},
};
static const struct pawl_field baseline_fields[] = {
    PERFORMANCE("median_ms", TIME, median_ms),
    PERFORMANCE("ci_95_low", TIME, ci_95_low),
    PERFORMANCE("ci_95_high", TIME, ci_95_high),
    PERFORMANCE("throughput_gflops", AMOUNT, throughput_gflops),
    PERFORMANCE("bandwidth_gb_s", AMOUNT, bandwidth_gb_s),
};
static const struct pawl_field timestamp_field = {"timestamp", PAWL_FIELD_STRING,
                                                  offsetof(struct pawl_result, timestamp), 0};

/* Reads `key` of the row, an object, by a table; absent is unknown. */
static pawl_status read_part(const json_t *row, const char *key, const struct pawl_field *fields,
                             size_t count, const struct pawl_json_path *path,
                             struct pawl_arena *arena, struct pawl_performance *out,
                             struct pawl_error *err) {
  const json_t *part = json_object_get(row, key);
  if (!part || json_is_null(part)) return PAWL_OK;
  const struct pawl_json_path here = PAWL_JSON_KEY(path, key);
  return pawl_fields_read(fields, count, part, &here, arena, out, err);
}

pawl_status pawl_legacy_sweep_row(const json_t *row, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out,
                                  struct pawl_error *err) {
  struct pawl_result result;
  pawl_result_init(&result);
  struct pawl_performance *performance = &result.performance;
  const json_t *config = json_object_get(row, "config");
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "config");
  PAWL_TRY(pawl_legacy_config(config, NULL, &here, arena, &result.config, err));
  const char *backend = json_string_value(json_object_get(config, "backend"));
  result.kernel_name = backend && *backend ? pawl_arena_copy(arena, backend) : PAWL_KERNEL_UNNAMED;
  PAWL_TRY(read_part(row, "statistics", statistics_fields, PAWL_COUNT(statistics_fields), path,
                     arena, performance, err));
  PAWL_TRY(read_part(row, "performance", rate_fields, PAWL_COUNT(rate_fields), path, arena,
                     performance, err));
  PAWL_TRY(read_part(row, "memory", memory_fields, PAWL_COUNT(memory_fields), path, arena,
                     performance, err));
  PAWL_TRY(pawl_fields_read(latency_fields, PAWL_COUNT(latency_fields), row, path, arena,
                            performance, err));
  PAWL_TRY(pawl_result_check(&result, path, err));
  *out = result;
  return PAWL_OK;
}

static const struct pawl_field commit_field = {"git_commit", PAWL_FIELD_COMMIT, 0,
                                               0}; /* a string alone */

pawl_status pawl_legacy_baseline_row(const json_t *row, const char *name,
                                     const struct pawl_json_path *path, struct pawl_arena *arena,
                                     struct pawl_result *out, const char **commit,
                                     struct pawl_error *err) {
  struct pawl_result result;
  const char *found = NULL;
  pawl_result_init(&result);
  result.kernel_name = PAWL_KERNEL_UNNAMED;
  PAWL_TRY(pawl_fields_read(baseline_fields, PAWL_COUNT(baseline_fields), row, path, arena,
                            &result.performance, err));
  PAWL_TRY(pawl_fields_read(&timestamp_field, 1, row, path, arena, &result, err));
  PAWL_TRY(pawl_fields_read(&commit_field, 1, row, path, arena, &found, err));
  const struct pawl_json_path here = PAWL_JSON_KEY(path, "config");
  PAWL_TRY(
      pawl_legacy_config(json_object_get(row, "config"), name, &here, arena, &result.config, err));
  PAWL_TRY(pawl_result_check(&result, path, err));
  *commit = found;
  *out = result;
  return PAWL_OK;
}
