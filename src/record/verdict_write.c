/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.json: docs/schema/verdict.schema.json. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gate/baseline_fields.h"
#include "record/conclusion.h"
#include "record/run_report.h"

#define VERDICT_SCHEMA 1

static json_t *code_to_json(const struct pawl_code *code) {
  if (!code) return NULL;
  json_t *const object = json_object();
  pawl_fields_write(pawl_baseline_code_fields, PAWL_BASELINE_CODE, code, object);
  return object;
}

static json_t *codes_to_json(const struct pawl_ratchet_row *row) {
  if (!row->code_now) return NULL;
  json_t *const object = json_object();
  pawl_json_set(object, "before", code_to_json(row->code_before));
  pawl_json_set(object, "now", code_to_json(row->code_now));
  pawl_json_set_bool(object, "worse", pawl_code_is_worse(row->code_before, row->code_now));
  return object;
}

static json_t *row_to_json(const struct pawl_ratchet_row *row) {
  json_t *const object = pawl_comparison_to_json(&row->comparison);
  pawl_json_set_string(object, "baseline_change", pawl_ratchet_change_name(row->change));
  pawl_json_set_string(object, "baseline_commit", row->entry ? row->entry->git_commit : NULL);
  pawl_json_set_string(object, "baseline_timestamp", row->entry ? row->entry->timestamp : NULL);
  pawl_json_set_number(object, "baseline_stored_ms", row->entry ? row->entry->median_ms : (double)NAN);
  pawl_json_set_string(object, "outcome", row->result ? pawl_outcome_name(row->result->outcome) : NULL);
  pawl_json_set(object, "code", codes_to_json(row));
  pawl_json_set(object, "paired", row->paired ? pawl_paired_test_to_json(row->paired) : NULL);
  return object;
}

static json_t *totals_to_json(const struct pawl_ratchet_report *ratchet) {
  if (!ratchet) return NULL;
  json_t *const object = json_object();
  pawl_json_set_int(object, "configurations", (long long)ratchet->count);
  pawl_json_set_int(object, "regressions", (long long)ratchet->regressions);
  pawl_json_set_int(object, "improvements", (long long)ratchet->improvements);
  pawl_json_set_int(object, "maintained", (long long)ratchet->maintained);
  pawl_json_set_int(object, "inconclusive", (long long)ratchet->undecided);
  pawl_json_set_int(object, "broken", (long long)ratchet->broken);
  pawl_json_set_int(object, "missing", (long long)ratchet->missing);
  pawl_json_set_int(object, "new", (long long)ratchet->fresh);
  pawl_json_set_int(object, "unsupported", (long long)ratchet->unsupported);
  return object;
}

static json_t *build_to_json(const struct pawl_report_build *build) {
  json_t *const object = json_object();
  pawl_json_set_string(object, "kernel_name", build->kernel_name);
  pawl_json_set_bool(object, "ok", build->ok);
  pawl_json_set_number(object, "seconds", build->seconds);
  pawl_json_set(object, "compiles", build->compiles >= 0 ? json_integer(build->compiles) : NULL);
  pawl_json_set(object, "cache_hits", build->cache_hits >= 0 ? json_integer(build->cache_hits) : NULL);
  pawl_json_set_string(object, "diagnostics", build->ok ? NULL : build->diagnostics);
  return object;
}

static json_t *check_row_to_json(const struct pawl_check_row *row) {
  json_t *const object = json_object();
  pawl_json_set_string(object, "case", row->item.name);
  pawl_json_set(object, "config", pawl_case_to_json(&row->item));
  pawl_json_set_string(object, "distribution", row->distribution);
  char seed[24]; /* as text: not every reader of JSON keeps 64 bits */
  snprintf(seed, sizeof seed, "%" PRIu64, row->seed);
  pawl_json_set_string(object, "seed", seed);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(row->outcome));
  pawl_json_set_string(object, "reason", row->reason);
  return object;
}

static json_t *check_to_json(const struct pawl_report_check *check) {
  const struct pawl_check_report *const report = check->report;
  json_t *const object = json_object(), *const failures = json_array();
  pawl_json_set_string(object, "kernel_name", check->kernel_name);
  pawl_json_set_int(object, "checks", (long long)report->count);
  pawl_json_set_int(object, "passed", (long long)report->passed);
  pawl_json_set_int(object, "failed", (long long)report->failed);
  pawl_json_set_int(object, "unsupported", (long long)report->unsupported);
  pawl_json_set_bool(object, "reduced", report->reduced);
  pawl_json_set_number(object, "max_abs_error", report->total.max_abs_error);
  pawl_json_set_number(object, "max_rel_error", report->total.max_rel_error);
  pawl_json_set_number(object, "mean_abs_error", report->total.mean_abs_error);
  pawl_json_set_number(object, "rel_rms_error", report->total.rel_rms_error);
  for (size_t i = 0; i < report->count; i++) {
    const enum pawl_outcome outcome = report->rows[i].outcome;
    if (outcome != PAWL_OUTCOME_OK && outcome != PAWL_OUTCOME_UNSUPPORTED)
      json_array_append_new(failures, check_row_to_json(&report->rows[i]));
  }
  pawl_json_set(object, "failures", failures);
  return object;
}

static json_t *move_to_json(const struct pawl_baseline_move *move) {
  json_t *const object = json_object();
  pawl_json_set_string(object, "kernel_name", move->kernel_name);
  pawl_json_set_string(object, "case", move->case_name);
  pawl_json_set_string(object, "hardware", move->hardware);
  pawl_json_set_string(object, "kind", pawl_move_kind_name(move->kind));
  pawl_json_set_number(object, "from_ms", move->from_ms);
  pawl_json_set_number(object, "to_ms", move->to_ms);
  pawl_json_set_string(object, "git_commit", move->git_commit);
  pawl_json_set_string(object, "timestamp", move->timestamp);
  pawl_json_set_string(object, "reason", move->reason);
  return object;
}

static void add_context(json_t *document, const struct pawl_results *results) {
  pawl_json_set_string(document, "commit", results ? results->commit : NULL);
  pawl_json_set(document, "dirty", results ? json_boolean(results->dirty) : NULL);
  pawl_json_set_string(document, "hardware", results ? results->hardware : NULL);
  pawl_json_set_string(document, "hardware_name", results ? results->hardware_name : NULL);
  pawl_json_set_string(document, "toolchain", results ? results->toolchain : NULL);
  pawl_json_set_string(document, "timestamp", results ? results->timestamp : NULL);
}

static json_t *shard_to_json(const struct pawl_run_report *report) {
  if (report->shards < 2) return NULL;
  json_t *const object = json_object();
  pawl_json_set_int(object, "number", report->shard);
  pawl_json_set_int(object, "of", report->shards);
  return object;
}

static json_t *notices_to_json(const struct pawl_run_report *report) {
  json_t *const holder = json_object(), *const notices = json_array(); /* setting a member mends bad UTF-8 */
  for (size_t i = 0; i < report->notice_count; i++) {
    pawl_json_set_string(holder, "notice", report->notices[i]);
    json_array_append(notices, json_object_get(holder, "notice"));
  }
  json_decref(holder);
  return notices;
}

static json_t *phases_to_json(const struct pawl_run_phases *phases) {
  json_t *object = json_object();
  pawl_json_set_number(object, "build", phases->build);
  pawl_json_set_number(object, "check", phases->check);
  pawl_json_set_number(object, "bench", phases->bench);
  pawl_json_set_number(object, "judge", phases->judge);
  pawl_json_set_number(object, "start", phases->spent.start);
  pawl_json_set_number(object, "inputs", phases->spent.inputs);
  pawl_json_set_number(object, "expected", phases->spent.expected);
  pawl_json_set_number(object, "calls", phases->spent.calls);
  pawl_json_set_number(object, "hashing", phases->spent.hashing);
  pawl_json_set_number(object, "compare", phases->spent.compare);
  return object;
}

pawl_status pawl_verdict_to_json(const struct pawl_run_report *report, json_t **out, struct pawl_error *err) {
  (void)err;
  const enum pawl_conclusion conclusion = pawl_run_conclusion(report);
  json_t *const document = json_object(), *const comparisons = json_array(), *const builds = json_array(),
                *const checks = json_array(), *const moves = json_array();
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++)
    json_array_append_new(comparisons, row_to_json(&report->ratchet->rows[i]));
  for (size_t i = 0; i < report->build_count; i++) json_array_append_new(builds, build_to_json(&report->builds[i]));
  for (size_t i = 0; i < report->check_count; i++) json_array_append_new(checks, check_to_json(&report->checks[i]));
  for (size_t i = 0; i < report->move_count; i++) json_array_append_new(moves, move_to_json(&report->moves[i]));
  pawl_json_set_int(document, "schema_version", VERDICT_SCHEMA);
  pawl_json_set_string(document, "verdict", pawl_conclusion_name(conclusion));
  pawl_json_set_bool(document, "failed", pawl_conclusion_fails(conclusion));
  pawl_json_set_bool(document, "unpaired", report->unpaired);
  pawl_json_set(document, "shard", shard_to_json(report));
  add_context(document, report->results);
  pawl_json_set(document, "totals", totals_to_json(report->ratchet));
  pawl_json_set(document, "comparisons", comparisons);
  pawl_json_set(document, "builds", builds);
  pawl_json_set(document, "checks", checks);
  pawl_json_set(document, "baseline_moves", moves);
  pawl_json_set_string(document, "baseline_update_refused", report->ratchet ? report->ratchet->update_refused : NULL);
  pawl_json_set(document, "notices", notices_to_json(report));
  pawl_json_set_number(document, "seconds", report->seconds);
  pawl_json_set(document, "phases", report->phases ? phases_to_json(report->phases) : json_null());
  pawl_json_set_number(document, "cost_usd", report->seconds / 3600 * report->usd_per_hour);
  *out = document;
  return PAWL_OK;
}
