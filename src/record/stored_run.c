/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stored_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/untrusted.h"
#include "gate/discovery.h"

#define JUDGING_WORK ((size_t)200000000) /* squared blocks: 5000 rows of 200 */

/* The state of reading a document. */
struct run_reader {
  const struct pawl_json_path *path; /* the file */
  struct pawl_arena *arena;
  struct pawl_stored_run *run;
  size_t work; /* so far, in judging again */
};

/* --- verdicts and times, computed again --- */

/* Judges the blocks of a paired verdict again, alone. */
static pawl_status judge_again(struct run_reader *reading, struct pawl_paired_test *paired,
                               struct pawl_error *err) {
  const struct pawl_paired_test claimed = *paired;
  reading->work += (size_t)paired->policy.max_blocks * (size_t)paired->policy.max_blocks;
  if (reading->work > JUDGING_WORK || paired->block_count > PAWL_RECORD_ROWS)
    return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                               "too many blocks to judge again");
  struct pawl_error why = {0};
  if (pawl_paired_test_judge(paired, &why) != PAWL_OK)
    return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err, "%s", why.message);
  /* Where the test has no answer, the run may have ended it for a reason of its own. */
  if (paired->decision == PAWL_DECISION_CONTINUE && claimed.decision == PAWL_DECISION_INCONCLUSIVE)
    paired->decision = claimed.decision;
  if (!paired->reason) paired->reason = claimed.reason;
  return PAWL_OK;
}

/* The blocks of all rows must give the verdict that the row claims. */
static pawl_status check_row(const struct run_reader *reading,
                             const struct pawl_paired_test *paired, enum pawl_verdict verdict,
                             struct pawl_error *err) {
  const char *decision = pawl_decision_name(
      paired->decision == PAWL_DECISION_CONTINUE ? PAWL_DECISION_INCONCLUSIVE : paired->decision);
  if (verdict == PAWL_VERDICT_ACCEPTED && paired->decision == PAWL_DECISION_REGRESSION)
    return PAWL_OK;
  /* the outcome of a row without a time decides, whatever its blocks gave */
  if (pawl_verdict_has_no_time(verdict) || verdict == PAWL_VERDICT_UNSUPPORTED ||
      !strcmp(decision, pawl_verdict_name(verdict)))
    return PAWL_OK;
  return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                             "a row has '%s', but its blocks give '%s'", pawl_verdict_name(verdict),
                             decision);
}

/* Stands in for the measurement: the outcome and the time of the comparison. */
static void complete_result(struct pawl_result *result, const struct pawl_comparison *item) {
  result->kernel_name = item->kernel_name;
  result->config = item->config;
  result->reason = item->reason;
  result->performance.median_ms = item->current_ms;
  result->performance.ci_95_low = item->current_ci_low;
  result->performance.ci_95_high = item->current_ci_high;
}

/* A base with a time but without a record also has an entry, whose own time is unknown. */
static void complete_entry(struct pawl_ratchet_row *row, struct pawl_arena *arena) {
  const struct pawl_comparison *item = &row->comparison;
  if (!row->entry && isnan(item->baseline_ms)) return;
  struct pawl_baseline_entry *entry = pawl_arena_alloc(arena, 1, sizeof *entry);
  *entry = row->entry ? *row->entry
                      : (struct pawl_baseline_entry){
                            .median_ms = NAN, .throughput_gflops = NAN, .bandwidth_gb_s = NAN};
  entry->kernel_name = item->kernel_name;
  entry->case_name = item->config.name;
  entry->ci_95_low = item->baseline_ci_low;
  entry->ci_95_high = item->baseline_ci_high;
  row->entry = entry;
}

/* The verdict of an unpaired row must agree with the row's two times. */
static pawl_status check_times(const struct run_reader *reading, const struct pawl_comparison *item,
                               struct pawl_error *err) {
  const bool faster =
      item->current_ms<item->baseline_ms, slower = item->current_ms> item->baseline_ms;
  if (item->verdict == PAWL_VERDICT_IMPROVEMENT
          ? faster
          : item->verdict != PAWL_VERDICT_REGRESSION || slower)
    return PAWL_OK;
  return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                             "a row has '%s', but its times do not",
                             pawl_verdict_name(item->verdict));
}

static int by_names(const void *a, const void *b) {
  const struct pawl_comparison *x = *(const struct pawl_comparison *const *)a;
  const struct pawl_comparison *y = *(const struct pawl_comparison *const *)b;
  const int order = strcmp(x->kernel_name, y->kernel_name);
  return order ? order : strcmp(x->config.name, y->config.name);
}

/* A kernel and case has one row. Older files leave some names out. */
static pawl_status refuse_duplicates(const struct run_reader *reading, struct pawl_error *err) {
  const struct pawl_ratchet_report *ratchet = &reading->run->ratchet;
  const struct pawl_comparison **sorted =
      pawl_arena_alloc(reading->arena, ratchet->count + 1, sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    if (item->kernel_name && item->config.name) sorted[count++] = item;
  }
  qsort(sorted, count, sizeof *sorted, by_names);
  for (size_t i = 1; i < count; i++)
    if (!by_names(&sorted[i - 1], &sorted[i]))
      return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                                 "kernel '%.100s' on case '%.100s' has two rows",
                                 sorted[i]->kernel_name, sorted[i]->config.name);
  return PAWL_OK;
}

static pawl_status complete_rows(struct run_reader *reading, struct pawl_error *err) {
  struct pawl_stored_run *run = reading->run;
  struct pawl_ratchet_report *ratchet = &run->ratchet;
  struct pawl_paired_test **tests =
      pawl_arena_alloc(reading->arena, ratchet->count + 1, sizeof *tests);
  size_t count = 0;
  run->results.items =
      pawl_arena_alloc(reading->arena, ratchet->count + 1, sizeof *run->results.items);
  for (size_t i = 0; i < ratchet->count; i++) {
    struct pawl_ratchet_row *row = &ratchet->rows[i];
    if (row->result) {
      struct pawl_result *result = &run->results.items[run->results.count++];
      *result = *row->result;
      complete_result(result, &row->comparison);
      row->result = result;
    }
    complete_entry(row, reading->arena);
    if (row->paired) {
      struct pawl_paired_test *paired = pawl_arena_alloc(reading->arena, 1, sizeof *paired);
      *paired = *row->paired;
      PAWL_TRY(judge_again(reading, paired, err));
      pawl_paired_test_figures(paired, &row->comparison);
      row->paired = tests[count++] = paired;
    } else {
      PAWL_TRY(check_times(reading, &row->comparison, err));
    }
    pawl_ratchet_count(ratchet, row->comparison.verdict);
  }
  pawl_paired_tests_discover(tests, count);
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_ratchet_row *row = &ratchet->rows[i];
    if (row->paired) PAWL_TRY(check_row(reading, row->paired, row->comparison.verdict, err));
  }
  return refuse_duplicates(reading, err);
}

/* Makes room for all rows of each check. The document has only the failures. */
static pawl_status complete_checks(struct run_reader *reading, struct pawl_error *err) {
  const struct pawl_run_report *report = &reading->run->report;
  size_t all = 0;
  struct pawl_report_check *checks =
      pawl_arena_alloc(reading->arena, report->check_count + 1, sizeof *checks);
  for (size_t i = 0; i < report->check_count; i++) {
    checks[i] = report->checks[i];
    struct pawl_check_report *check = pawl_arena_alloc(reading->arena, 1, sizeof *check);
    *check = *checks[i].report;
    all += check->count;
    if (all > 10 * (size_t)PAWL_RECORD_ROWS)
      return pawl_json_path_fail(reading->path, "checks", PAWL_BAD_DATA, err,
                                 "has more than %d rows for all kernels", 10 * PAWL_RECORD_ROWS);
    check->rows = pawl_arena_alloc(reading->arena, check->count + 1, sizeof *check->rows);
    if (check->failed)
      memcpy(check->rows, checks[i].report->rows, check->failed * sizeof *check->rows);
    checks[i].report = check;
  }
  reading->run->report.checks = checks;
  return PAWL_OK;
}

/* --- the document's totals, against its rows --- */

static pawl_status check_totals(struct run_reader *reading, const json_t *totals,
                                struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(reading->path, "totals");
  struct pawl_ratchet_report claims = {0};
  PAWL_TRY(
      pawl_struct_read(&pawl_verdict_totals_fields, totals, &path, reading->arena, &claims, err));
  for (size_t i = 0; i < pawl_verdict_totals_fields.count; i++) {
    const struct pawl_field *field = &pawl_verdict_totals_fields.rows[i];
    const size_t claimed = *(const size_t *)((const char *)&claims + field->offset);
    const size_t counted = *(const size_t *)((const char *)&reading->run->ratchet + field->offset);
    if (claimed != counted)
      return pawl_json_path_fail(&path, field->key, PAWL_BAD_DATA, err,
                                 "is %zu, but the rows give %zu", claimed, counted);
  }
  return PAWL_OK;
}

static pawl_status check_verdict(struct run_reader *reading, const json_t *document,
                                 struct pawl_error *err) {
  const char *claimed;
  bool failed;
  PAWL_TRY(pawl_json_get_string(document, "verdict", reading->path->key, "nothing", &claimed, err));
  PAWL_TRY(pawl_json_get_bool(document, "failed", reading->path->key, false, &failed, err));
  reading->run->conclusion = pawl_run_conclusion(&reading->run->report);
  const char *found = pawl_conclusion_name(reading->run->conclusion);
  if (!strcmp(claimed, found) && failed == pawl_conclusion_fails(reading->run->conclusion))
    return PAWL_OK;
  return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                             "it has '%.64s', but its rows give '%s'", claimed, found);
}

/* --- the whole --- */

static void read_measurements(const char *folder, struct pawl_arena *arena,
                              struct pawl_stored_run *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "results.json");
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_error err = {0};
  enum pawl_status_code status = pawl_untrusted_read(path, PAWL_RECORD_LIMIT, &document, &err);
  const json_t *rows = json_object_get(document, "results");
  /* Where all machine code is the baseline's, pawl times nothing: the file is whole, and empty. */
  if (status == PAWL_OK && json_is_array(rows) && json_array_size(rows) == 0) return;
  if (status == PAWL_OK)
    status = pawl_results_from_json(document, path, arena, &out->measured, &err);
  if (status != PAWL_OK) out->measured_reason = pawl_arena_copy(arena, err.message);
}

static pawl_status stored_run_read_document(struct run_reader *reading, const json_t *document,
                                            struct pawl_error *err) {
  struct pawl_stored_run *run = reading->run;
  long long version;
  if (!json_is_object(document))
    return pawl_json_value_fail(reading->path, NULL, document, "an object", PAWL_BAD_DATA, err);
  PAWL_TRY(pawl_json_get_int(document, "schema_version", reading->path->key, 0, &version, err));
  if (version != PAWL_VERDICT_SCHEMA)
    return pawl_json_path_fail(reading->path, NULL, PAWL_BAD_DATA, err,
                               "it is not a verdict of schema_version %d", PAWL_VERDICT_SCHEMA);
  pawl_struct_init(&pawl_verdict_fields, &run->report);
  PAWL_TRY(pawl_struct_read(&pawl_verdict_fields, document, reading->path, reading->arena,
                            &run->report, err));
  if (run->report.results) run->results = *run->report.results;
  if (run->report.ratchet) run->ratchet = *run->report.ratchet;
  PAWL_TRY(complete_rows(reading, err));
  PAWL_TRY(complete_checks(reading, err));
  if (run->report.results || run->results.count) run->report.results = &run->results;
  if (!run->report.ratchet) return check_verdict(reading, document, err);
  run->report.ratchet = &run->ratchet;
  PAWL_TRY(check_totals(reading, json_object_get(document, "totals"), err));
  return check_verdict(reading, document, err);
}

pawl_status pawl_stored_run_parse(const json_t *document, const char *name,
                                  struct pawl_arena *arena, struct pawl_stored_run *out,
                                  struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  *out = (struct pawl_stored_run){0};
  struct run_reader reading = {.path = &path, .arena = arena, .run = out};
  return stored_run_read_document(&reading, document, err);
}

pawl_status pawl_stored_run_read(const char *folder, struct pawl_arena *arena,
                                 struct pawl_stored_run *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_untrusted_read(path, PAWL_RECORD_LIMIT, &document, err));
  PAWL_TRY(pawl_stored_run_parse(document, path, arena, out, err));
  read_measurements(folder, arena, out);
  return PAWL_OK;
}

void pawl_stored_run_release(struct pawl_stored_run *run) {
  if (!run) return;
  pawl_results_release(&run->measured);
  *run = (struct pawl_stored_run){0};
}
