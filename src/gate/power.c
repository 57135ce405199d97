/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/power.h"

#include <math.h>

#include "gate/comparison.h"
#include "gate/paired_test.h"
#include "gate/result_interval.h"
#include "gate/sequential_json.h"
#include "model/result.h"
#include "stats/describe.h"

const double pawl_power_changes[PAWL_POWER_CHANGES] = {0.02, 0.03, 0.05, 0.1};

static double sd_of(const double *values, size_t count) {
  struct pawl_summary summary;
  struct pawl_error ignored;
  if (count < 2 || pawl_summarize(values, count, &summary, &ignored) != PAWL_OK) return NAN;
  return summary.std;
}

static double sd_of_blocks(const struct pawl_paired_test *paired, struct pawl_arena *arena,
                           size_t *counted) {
  double *ratios = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *ratios);
  *counted = 0;
  for (size_t i = 0; i < paired->block_count; i++) {
    const struct pawl_paired_block *block = &paired->blocks[i];
    if (!block->spoiled) ratios[(*counted)++] = log(block->candidate_ms / block->base_ms);
  }
  return sd_of(ratios, *counted);
}

static double sd_of_processes(const struct pawl_result *result, struct pawl_arena *arena,
                              size_t *counted) {
  double *medians = pawl_arena_alloc(arena, result->process_count + 1, sizeof *medians);
  *counted = pawl_result_process_medians(result, medians);
  for (size_t i = 0; i < *counted; i++) medians[i] = log(medians[i]);
  return sqrt(2) * sd_of(medians, *counted);
}

/* Computes the power at the row's block_sd. */
static pawl_status look(struct pawl_power_row *row, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_sequential_release) struct pawl_sequential test = {0};
  PAWL_TRY(pawl_sequential_init(&test, &row->policy, err));
  const bool known = row->block_sd > 0;
  row->visible = known ? pawl_sequential_detectable(&test, row->block_sd, PAWL_POWER_WANTED) : NAN;
  for (int i = 0; i < PAWL_POWER_CHANGES; i++) {
    row->power[i] =
        pawl_sequential_power(&test, pawl_power_changes[i], row->block_sd, row->policy.max_blocks);
    if (known)
      row->needed[i] = pawl_sequential_blocks_needed(&test, pawl_power_changes[i], row->block_sd,
                                                     PAWL_POWER_WANTED);
  }
  return PAWL_OK;
}

static pawl_status from_verdict(const json_t *comparisons, const char *name,
                                struct pawl_arena *arena, struct pawl_power *out,
                                struct pawl_error *err) {
  for (size_t i = 0; i < json_array_size(comparisons); i++) {
    const json_t *object = json_object_get(json_array_get(comparisons, i), "paired");
    if (!json_is_object(object)) continue;
    struct pawl_paired_test paired;
    PAWL_TRY(pawl_paired_test_from_json(object, name, arena, &paired, err));
    if (paired.identical) continue;
    struct pawl_power_row *row = &out->rows[out->count++];
    *row = (struct pawl_power_row){.kernel_name = paired.kernel_name,
                                   .case_name = paired.case_name,
                                   .from_blocks = true,
                                   .policy = paired.policy};
    row->block_sd = sd_of_blocks(&paired, arena, &row->count);
    PAWL_TRY(look(row, err));
  }
  return PAWL_OK;
}

static pawl_status from_results(const struct pawl_results *results,
                                const struct pawl_sequential_policy *policy,
                                struct pawl_arena *arena, struct pawl_power *out,
                                struct pawl_error *err) {
  size_t timed = 0;
  for (size_t i = 0; i < results->count; i++) timed += results->items[i].outcome == PAWL_OUTCOME_OK;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    if (result->outcome != PAWL_OUTCOME_OK) continue;
    struct pawl_power_row *row = &out->rows[out->count++];
    *row = (struct pawl_power_row){.kernel_name = pawl_arena_copy(arena, result->kernel_name),
                                   .case_name = pawl_arena_copy(arena, result->config.name),
                                   .policy = *policy};
    row->policy.comparisons = (int)timed;
    row->block_sd = sd_of_processes(result, arena, &row->count);
    PAWL_TRY(look(row, err));
  }
  return PAWL_OK;
}

pawl_status pawl_power(const json_t *document, const char *name,
                       const struct pawl_sequential_policy *policy, struct pawl_arena *arena,
                       struct pawl_power *out, struct pawl_error *err) {
  struct pawl_power power = {0};
  const json_t *comparisons = json_object_get(document, "comparisons");
  if (json_is_array(comparisons)) {
    const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
    PAWL_TRY(pawl_json_check_version(document, &path, PAWL_VERDICT_SCHEMA, err));
    power.rows = pawl_arena_alloc(arena, json_array_size(comparisons) + 1, sizeof *power.rows);
    PAWL_TRY(from_verdict(comparisons, name, arena, &power, err));
    if (power.count == 0)
      return pawl_fail(err, PAWL_BAD_DATA,
                       "%s: it has no paired measurement, as of equal machine code; pawl bench "
                       "measures the noise, then pawl power perf/out/results.json",
                       name);
  } else {
    struct pawl_results results = {0};
    PAWL_TRY(pawl_results_from_json(document, name, arena, &results, err));
    power.rows = pawl_arena_alloc(arena, results.count + 1, sizeof *power.rows);
    const enum pawl_status_code status = from_results(&results, policy, arena, &power, err);
    pawl_results_release(&results);
    if (status != PAWL_OK) return status;
    if (power.count == 0)
      return pawl_fail(err, PAWL_BAD_DATA, "%s: it has no times; pawl bench measures them", name);
  }
  *out = power;
  return PAWL_OK;
}

json_t *pawl_power_to_json(const struct pawl_power *power) {
  json_t *document = json_object(), *rows = json_array();
  for (size_t i = 0; i < power->count; i++) {
    const struct pawl_power_row *row = &power->rows[i];
    json_t *object = json_object(), *changes = json_array();
    pawl_json_set_string(object, "kernel_name", row->kernel_name);
    pawl_json_set_string(object, "case", row->case_name);
    pawl_json_set_string(object, "from", row->from_blocks ? "blocks" : "processes");
    pawl_json_set_int(object, "count", (long long)row->count);
    pawl_json_set_number(object, "block_sd", row->block_sd);
    pawl_json_set_number(object, "visible_pct", row->visible * 100);
    for (int j = 0; j < PAWL_POWER_CHANGES; j++) {
      json_t *change = json_object();
      pawl_json_set_number(change, "slowdown_pct", pawl_power_changes[j] * 100);
      pawl_json_set(change, "blocks_needed",
                    row->needed[j] > 0 ? json_integer(row->needed[j]) : NULL);
      pawl_json_set_number(change, "power", row->power[j]);
      json_array_append_new(changes, change);
    }
    pawl_json_set(object, "changes", changes);
    pawl_json_set(object, "policy",
                  pawl_struct_write(&pawl_sequential_policy_fields, &row->policy));
    json_array_append_new(rows, object);
  }
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_number(document, "power_wanted", PAWL_POWER_WANTED);
  pawl_json_set(document, "rows", rows);
  return document;
}
