/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stored_run.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/untrusted.h"
#include "record/reader.h"
#include "record/verdict_code.h"
#include "stats/cliffs.h"

#define JUDGING_WORK ((size_t)40000000) /* 10 000 rows of 60 blocks */

static const char *verdict_name(int number) {
  return pawl_verdict_name((enum pawl_verdict)number);
}
static const char *outcome_name(int number) {
  return pawl_outcome_name((enum pawl_outcome)number);
}

static void read_config(struct pawl_reader *reader, const json_t *object, struct pawl_case *out) {
  const char *const name = pawl_reader_name(reader, object, "case");
  const json_t *const config = json_object_get(object, "config");
  *out = (struct pawl_case){.name = name};
  if (reader->status == PAWL_OK && config)
    pawl_reader_note(reader, pawl_case_from_json(config, name, reader->arena, out, reader->err));
}

/* --- rows --- */

static const char *interval_kind_name(int number) {
  return pawl_interval_kind_name((enum pawl_interval_kind)number);
}

static enum pawl_interval_kind read_interval_kind(struct pawl_reader *reader, const json_t *object, const char *key) {
  const int kind = pawl_reader_choice(reader, object, key, interval_kind_name, PAWL_INTERVAL_PROCESSES + 1);
  return kind < 0 ? PAWL_INTERVAL_UNKNOWN : (enum pawl_interval_kind)kind;
}

static void read_figures(struct pawl_reader *reader, const json_t *object, struct pawl_comparison *out) {
  out->baseline_ms = pawl_reader_time(reader, object, "baseline_time_ms");
  out->current_ms = pawl_reader_time(reader, object, "current_time_ms");
  out->baseline_ci_low = pawl_reader_number(reader, object, "baseline_ci_95_low");
  out->baseline_ci_high = pawl_reader_number(reader, object, "baseline_ci_95_high");
  out->current_ci_low = pawl_reader_number(reader, object, "current_ci_95_low");
  out->current_ci_high = pawl_reader_number(reader, object, "current_ci_95_high");
  out->baseline_ci_of = read_interval_kind(reader, object, "baseline_ci_of");
  out->current_ci_of = read_interval_kind(reader, object, "current_ci_of");
  out->ci_known = json_is_boolean(json_object_get(object, "ci_overlap"));
  out->ci_overlap = pawl_reader_flag(reader, object, "ci_overlap");
  out->cliffs_delta = pawl_reader_number(reader, object, "cliffs_delta");
  out->mann_whitney_p = pawl_reader_number(reader, object, "mann_whitney_p");
  out->threshold = pawl_reader_number(reader, object, "threshold");
  out->baseline_count = (size_t)pawl_reader_count(reader, object, "baseline_samples", 0);
  out->current_count = (size_t)pawl_reader_count(reader, object, "current_samples", 0);
  /* what follows from the times is not believed but computed */
  out->delta_pct = (out->baseline_ms - out->current_ms) / out->baseline_ms * 100;
  out->speedup = out->baseline_ms / out->current_ms;
  if (fabs(out->cliffs_delta) > 1 || out->mann_whitney_p < 0 || out->mann_whitney_p > 1)
    pawl_reader_refuse(reader, "Cliff's delta or p of '%s' is out of range",
                       out->kernel_name ? out->kernel_name : "(unnamed)");
  if (!isnan(out->cliffs_delta) && reader->status == PAWL_OK) out->cliffs_label = pawl_cliffs_label(out->cliffs_delta);
}

static const struct pawl_result *read_result(struct pawl_reader *reader, const json_t *object,
                                             const struct pawl_comparison *item, struct pawl_result *room) {
  const int outcome = pawl_reader_choice(reader, object, "outcome", outcome_name, PAWL_OUTCOMES);
  if (outcome < 0) return NULL;
  pawl_result_init(room);
  room->kernel_name = item->kernel_name;
  room->config = item->config;
  room->outcome = (enum pawl_outcome)outcome;
  room->reason = item->reason;
  room->performance.median_ms = item->current_ms;
  room->performance.ci_95_low = item->current_ci_low;
  room->performance.ci_95_high = item->current_ci_high;
  return room;
}

static const char *change_name(int number) {
  return pawl_ratchet_change_name((enum pawl_ratchet_change)number);
}

static const char *origin_name(int number) {
  return pawl_origin_name((enum pawl_origin)number);
}

/* The blocks behind a paired verdict are judged again, and must give the verdict that the row claims. */
static void judge_again(struct pawl_reader *reader, struct pawl_paired_test *paired,
                        const struct pawl_comparison *item) {
  reader->work += (size_t)paired->policy.max_blocks * (size_t)paired->policy.max_blocks;
  if (reader->work > JUDGING_WORK || paired->block_count > PAWL_RECORD_ROWS) {
    pawl_reader_refuse(reader, "too many blocks to judge again");
    return;
  }
  pawl_reader_note(reader, pawl_paired_test_judge(paired, reader->err));
  const char *const decision =
      pawl_decision_name(paired->decision == PAWL_DECISION_CONTINUE ? PAWL_DECISION_INCONCLUSIVE : paired->decision);
  const char *const claimed = pawl_verdict_name(item->verdict);
  if (reader->status == PAWL_OK && item->verdict != PAWL_VERDICT_BROKEN && strcmp(decision, claimed) != 0)
    pawl_reader_refuse(reader, "a row says '%s', but its blocks come to '%s'", claimed, decision);
}

static void read_paired(struct pawl_reader *reader, const json_t *object, struct pawl_ratchet_row *row) {
  const json_t *const found = json_object_get(object, "paired");
  if (reader->status != PAWL_OK || !json_is_object(found)) return;
  struct pawl_paired_test *const paired = pawl_arena_alloc(reader->arena, 1, sizeof *paired);
  pawl_reader_note(reader, pawl_paired_test_from_json(found, reader->path, reader->arena, paired, reader->err));
  if (reader->status != PAWL_OK) return;
  paired->confirmed_slowdown = pawl_reader_number(reader, found, "confirmed_slowdown_pct") / 100;
  const int origin = pawl_reader_choice(reader, found, "origin", origin_name, PAWL_ORIGIN_INHERITED + 1);
  paired->origin = origin > 0 ? (enum pawl_origin)origin : PAWL_ORIGIN_UNKNOWN;
  judge_again(reader, paired, &row->comparison);
  row->paired = paired;
}

static void read_row(struct pawl_reader *reader, const json_t *object, struct pawl_ratchet_row *row,
                     struct pawl_results *results) {
  struct pawl_comparison *const item = &row->comparison;
  item->kernel_name = pawl_reader_name(reader, object, "kernel_name");
  read_config(reader, object, &item->config);
  const int verdict = pawl_reader_choice(reader, object, "verdict", verdict_name, PAWL_VERDICT_UNSUPPORTED + 1);
  if (verdict < 0 && reader->status == PAWL_OK) pawl_reader_refuse(reader, "a comparison has no 'verdict'");
  item->verdict = verdict < 0 ? PAWL_VERDICT_NEW : (enum pawl_verdict)verdict;
  item->reason = pawl_reader_text(reader, object, "reason");
  read_figures(reader, object, item);
  row->result = read_result(reader, object, item, &results->items[results->count]);
  results->count += row->result != NULL;
  read_paired(reader, object, row);
  pawl_read_code(reader, object, row);
  const double stored = pawl_reader_time(reader, object, "baseline_stored_ms");
  const int change = pawl_reader_choice(reader, object, "baseline_change", change_name, PAWL_RATCHET_IMPROVED + 1);
  if (change > 0) row->change = (enum pawl_ratchet_change)change;
  if (isnan(stored) && isnan(item->baseline_ms)) return;
  struct pawl_baseline_entry *const entry = pawl_arena_alloc(reader->arena, 1, sizeof *entry);
  *entry = (struct pawl_baseline_entry){.kernel_name = item->kernel_name,
                                        .case_name = item->config.name,
                                        .median_ms = isnan(stored) ? item->baseline_ms : stored,
                                        .ci_95_low = item->baseline_ci_low,
                                        .ci_95_high = item->baseline_ci_high,
                                        .throughput_gflops = NAN,
                                        .bandwidth_gb_s = NAN,
                                        .git_commit = pawl_reader_name(reader, object, "baseline_commit"),
                                        .timestamp = pawl_reader_name(reader, object, "baseline_timestamp")};
  row->entry = entry;
}

static void read_rows(struct pawl_reader *reader, const json_t *document, struct pawl_stored_run *out) {
  const json_t *const list = pawl_reader_list(reader, document, "comparisons", JSON_OBJECT);
  const size_t count = json_array_size(list);
  out->ratchet.rows = pawl_arena_alloc(reader->arena, count + 1, sizeof *out->ratchet.rows);
  out->results.items = pawl_arena_alloc(reader->arena, count + 1, sizeof *out->results.items);
  for (size_t i = 0; i < count && reader->status == PAWL_OK; i++) {
    read_row(reader, json_array_get(list, i), &out->ratchet.rows[i], &out->results);
    pawl_ratchet_count(&out->ratchet, out->ratchet.rows[i].comparison.verdict);
    out->ratchet.count++;
  }
  out->report.results = &out->results;
  if (json_is_object(json_object_get(document, "totals"))) out->report.ratchet = &out->ratchet;
}

/* --- builds, checks, moves, notices --- */

static void read_builds(struct pawl_reader *reader, const json_t *document, struct pawl_run_report *report) {
  const json_t *const list = pawl_reader_list(reader, document, "builds", JSON_OBJECT);
  struct pawl_report_build *const builds = pawl_arena_alloc(reader->arena, json_array_size(list) + 1, sizeof *builds);
  for (size_t i = 0; i < json_array_size(list) && reader->status == PAWL_OK; i++) {
    const json_t *const object = json_array_get(list, i);
    builds[report->build_count++] =
        (struct pawl_report_build){.kernel_name = pawl_reader_name(reader, object, "kernel_name"),
                                   .ok = pawl_reader_flag(reader, object, "ok"),
                                   .seconds = pawl_reader_number(reader, object, "seconds"),
                                   .compiles = (int)pawl_reader_count(reader, object, "compiles", -1),
                                   .cache_hits = (int)pawl_reader_count(reader, object, "cache_hits", -1),
                                   .diagnostics = pawl_reader_text(reader, object, "diagnostics")};
  }
  report->builds = builds;
}

static void read_failure(struct pawl_reader *reader, const json_t *object, struct pawl_check_row *row) {
  read_config(reader, object, &row->item);
  row->distribution = pawl_reader_name(reader, object, "distribution");
  row->reason = pawl_reader_text(reader, object, "reason");
  const char *const seed = pawl_reader_name(reader, object, "seed");
  int64_t number = 0;
  if (seed && pawl_parse_i64(seed, &number)) row->seed = (uint64_t)number;
  const int outcome = pawl_reader_choice(reader, object, "outcome", outcome_name, PAWL_OUTCOMES);
  row->outcome = outcome > 0 ? (enum pawl_outcome)outcome : PAWL_OUTCOME_WRONG;
}

static void read_check(struct pawl_reader *reader, const json_t *object, struct pawl_report_check *check) {
  struct pawl_check_report *const report = pawl_arena_alloc(reader->arena, 1, sizeof *report);
  const json_t *const failures = pawl_reader_list(reader, object, "failures", JSON_OBJECT);
  const size_t failed = json_array_size(failures);
  check->kernel_name = pawl_reader_name(reader, object, "kernel_name");
  check->report = report;
  report->count = (size_t)pawl_reader_count(reader, object, "checks", 0);
  report->passed = (size_t)pawl_reader_count(reader, object, "passed", 0);
  report->failed = (size_t)pawl_reader_count(reader, object, "failed", 0);
  report->unsupported = (size_t)pawl_reader_count(reader, object, "unsupported", 0);
  report->reduced = pawl_reader_flag(reader, object, "reduced");
  report->total.max_abs_error = pawl_reader_number(reader, object, "max_abs_error");
  report->total.max_rel_error = pawl_reader_number(reader, object, "max_rel_error");
  report->total.mean_abs_error = pawl_reader_number(reader, object, "mean_abs_error");
  report->total.rel_rms_error = pawl_reader_number(reader, object, "rel_rms_error");
  if (reader->status != PAWL_OK) return;
  reader->checks += report->count;
  const bool bounded = report->count <= PAWL_RECORD_ROWS && reader->checks <= 10 * (size_t)PAWL_RECORD_ROWS;
  if (!bounded || failed != report->failed || report->passed + report->failed + report->unsupported != report->count) {
    pawl_reader_refuse(reader, "the checks of '%s' contradict their own counts",
                       check->kernel_name ? check->kernel_name : "(unnamed)");
    return;
  }
  report->rows = pawl_arena_alloc(reader->arena, report->count + 1, sizeof *report->rows);
  for (size_t i = 0; i < failed; i++) read_failure(reader, json_array_get(failures, i), &report->rows[i]);
}

static void read_checks(struct pawl_reader *reader, const json_t *document, struct pawl_run_report *report) {
  const json_t *const list = pawl_reader_list(reader, document, "checks", JSON_OBJECT);
  struct pawl_report_check *const checks = pawl_arena_alloc(reader->arena, json_array_size(list) + 1, sizeof *checks);
  for (size_t i = 0; i < json_array_size(list) && reader->status == PAWL_OK; i++)
    read_check(reader, json_array_get(list, i), &checks[report->check_count++]);
  report->checks = checks;
}

static void read_moves(struct pawl_reader *reader, const json_t *document, struct pawl_run_report *report) {
  const json_t *const list = pawl_reader_list(reader, document, "baseline_moves", JSON_OBJECT);
  struct pawl_baseline_move *const moves = pawl_arena_alloc(reader->arena, json_array_size(list) + 1, sizeof *moves);
  for (size_t i = 0; i < json_array_size(list) && reader->status == PAWL_OK; i++) {
    const json_t *const object = json_array_get(list, i);
    moves[report->move_count++] =
        (struct pawl_baseline_move){.kernel_name = pawl_reader_name(reader, object, "kernel_name"),
                                    .case_name = pawl_reader_name(reader, object, "case"),
                                    .hardware = pawl_reader_name(reader, object, "hardware"),
                                    .kind = pawl_move_kind_parse(pawl_reader_name(reader, object, "kind")),
                                    .from_ms = pawl_reader_time(reader, object, "from_ms"),
                                    .to_ms = pawl_reader_time(reader, object, "to_ms"),
                                    .git_commit = pawl_reader_name(reader, object, "git_commit"),
                                    .timestamp = pawl_reader_name(reader, object, "timestamp"),
                                    .reason = pawl_reader_text(reader, object, "reason")};
  }
  report->moves = moves;
}

static void read_notices(struct pawl_reader *reader, const json_t *document, struct pawl_run_report *report) {
  const json_t *const list = pawl_reader_list(reader, document, "notices", JSON_STRING);
  report->notices = pawl_arena_alloc(reader->arena, json_array_size(list) + 1, sizeof *report->notices);
  for (size_t i = 0; i < json_array_size(list); i++)
    report->notices[report->notice_count++] = json_string_value(json_array_get(list, i));
}

static void read_shard(struct pawl_reader *reader, const json_t *document, struct pawl_run_report *report) {
  const json_t *const shard = json_object_get(document, "shard");
  if (!json_is_object(shard)) return;
  const long long number = pawl_reader_count(reader, shard, "number", 0),
                  of = pawl_reader_count(reader, shard, "of", 0);
  if (number < 1 || of < 2 || number > of || of > PAWL_SHARDS) {
    pawl_reader_refuse(reader, "it cannot be part %lld of %lld", number, of);
    return;
  }
  report->shard = (int)number;
  report->shards = (int)of;
}

static void read_context(struct pawl_reader *reader, const json_t *document, struct pawl_stored_run *out) {
  read_shard(reader, document, &out->report);
  out->results.commit = pawl_reader_name(reader, document, "commit");
  out->results.dirty = pawl_reader_flag(reader, document, "dirty");
  out->results.hardware = pawl_reader_name(reader, document, "hardware");
  out->results.hardware_name = pawl_reader_name(reader, document, "hardware_name");
  out->results.toolchain = pawl_reader_text(reader, document, "toolchain");
  out->results.timestamp = pawl_reader_name(reader, document, "timestamp");
  out->report.unpaired = pawl_reader_flag(reader, document, "unpaired");
  out->report.seconds = pawl_reader_number(reader, document, "seconds");
  const double cost = pawl_reader_number(reader, document, "cost_usd");
  out->report.usd_per_hour = out->report.seconds > 0 ? cost / out->report.seconds * 3600 : (double)NAN;
}

/* --- the whole --- */

/* What the document says of itself, against what its rows come to. */
static void check_claims(struct pawl_reader *reader, const json_t *document, struct pawl_stored_run *out) {
  const struct pawl_ratchet_report *const r = &out->ratchet;
  const json_t *const totals = json_object_get(document, "totals");
  const struct {
    const char *key;
    size_t counted;
  } claims[] = {{"configurations", r->count},      {"regressions", r->regressions},
                {"improvements", r->improvements}, {"maintained", r->maintained},
                {"inconclusive", r->undecided},    {"broken", r->broken},
                {"missing", r->missing},           {"new", r->fresh},
                {"unsupported", r->unsupported}};
  for (size_t i = 0; out->report.ratchet && i < sizeof claims / sizeof *claims; i++) {
    const long long claimed = pawl_reader_count(reader, totals, claims[i].key, -1);
    if (reader->status == PAWL_OK && claimed != (long long)claims[i].counted)
      pawl_reader_refuse(reader, "'totals.%s' is %lld, but its rows come to %zu", claims[i].key, claimed,
                         claims[i].counted);
  }
  const char *const claimed = pawl_reader_name(reader, document, "verdict");
  const bool failed = pawl_reader_flag(reader, document, "failed");
  out->conclusion = pawl_run_conclusion(&out->report);
  const char *const found = pawl_conclusion_name(out->conclusion);
  if (reader->status != PAWL_OK) return;
  if (!claimed || strcmp(claimed, found) != 0 || failed != pawl_conclusion_fails(out->conclusion))
    pawl_reader_refuse(reader, "it says '%.64s', but its rows come to '%s'", claimed ? claimed : "nothing", found);
}

static void read_measurements(const char *folder, struct pawl_arena *arena, struct pawl_stored_run *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "results.json");
  json_t *document PAWL_CLEANUP(pawl_json_release) = NULL;
  struct pawl_error err = {0};
  enum pawl_status_code status = pawl_untrusted_read(path, PAWL_RECORD_LIMIT, &document, &err);
  const json_t *const rows = json_object_get(document, "results");
  /* where all machine code is the baseline's nothing was timed: the file is whole, and empty */
  if (status == PAWL_OK && json_is_array(rows) && json_array_size(rows) == 0) return;
  if (status == PAWL_OK) status = pawl_results_from_json(document, path, arena, &out->measured, &err);
  if (status != PAWL_OK) out->measured_reason = pawl_arena_copy(arena, err.message);
}

static pawl_status read_document(struct pawl_reader *reader, const json_t *document, struct pawl_stored_run *out) {
  if (!json_is_object(document) || pawl_reader_count(reader, document, "schema_version", 0) != 1)
    return reader->status != PAWL_OK
               ? reader->status
               : pawl_fail(reader->err, PAWL_BAD_DATA, "%s: it is no verdict of schema_version 1", reader->path);
  read_context(reader, document, out);
  read_rows(reader, document, out);
  read_builds(reader, document, &out->report);
  read_checks(reader, document, &out->report);
  read_moves(reader, document, &out->report);
  read_notices(reader, document, &out->report);
  check_claims(reader, document, out);
  return reader->status;
}

pawl_status pawl_stored_run_read(const char *folder, struct pawl_arena *arena, struct pawl_stored_run *out,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "verdict.json");
  json_t *document = NULL;
  PAWL_TRY(pawl_untrusted_read(path, PAWL_RECORD_LIMIT, &document, err));
  struct pawl_reader reader = {.arena = arena, .path = path, .err = err};
  *out = (struct pawl_stored_run){.document = document};
  const enum pawl_status_code status = read_document(&reader, document, out);
  if (status != PAWL_OK) {
    pawl_stored_run_release(out);
    return status;
  }
  read_measurements(folder, arena, out);
  return PAWL_OK;
}

void pawl_stored_run_release(struct pawl_stored_run *verdict) {
  if (!verdict) return;
  pawl_json_release(&verdict->document);
  pawl_results_release(&verdict->measured);
  *verdict = (struct pawl_stored_run){0};
}
