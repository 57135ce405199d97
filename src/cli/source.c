/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/source.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/untrusted.h"
#include "check/kernel_check.h"
#include "gate/baseline.h"

/* The folder of a verdict's path, FOLDER or FOLDER/verdict.json; NULL: the path is a file of
   results. */
static const char *verdict_folder(const char *path, struct pawl_arena *arena) {
  static const char name[] = "verdict.json";
  const size_t length = strlen(path), tail = strlen(name);
  if (pawl_is_folder(path)) return path;
  if (length < tail || strcmp(path + length - tail, name) != 0) return NULL;
  if (length == tail) return ".";
  return path[length - tail - 1] == '/'
             ? pawl_arena_printf(arena, "%.*s", (int)(length - tail), path)
             : NULL;
}

static bool source_is_of(const struct pawl_result *result, const struct pawl_comparison *item) {
  return result->kernel_name && item->kernel_name &&
         !strcmp(result->kernel_name, item->kernel_name) && result->config.name &&
         item->config.name && !strcmp(result->config.name, item->config.name);
}

/* The measurements beside a verdict give its report the times, the roofline and the pictures. */
static void add_measurements(struct pawl_cli_source *source) {
  const struct pawl_results *measured = &source->verdict.measured;
  if (measured->count == 0) return;
  source->report.results = measured;
  for (size_t i = 0; i < source->verdict.ratchet.count; i++) {
    struct pawl_ratchet_row *row = &source->verdict.ratchet.rows[i];
    for (size_t j = 0; j < measured->count; j++)
      if (source_is_of(&measured->items[j], &row->comparison)) row->result = &measured->items[j];
  }
}

pawl_status pawl_cli_source_read(struct pawl_cli *cli, const char *path,
                                 struct pawl_cli_source *out, struct pawl_error *err) {
  const char *folder = verdict_folder(path, &cli->arena);
  if (folder) {
    PAWL_TRY(pawl_stored_run_read(folder, &cli->arena, &out->verdict, err));
    out->report = out->verdict.report;
    add_measurements(out);
    return PAWL_OK;
  }
  PAWL_TRY(pawl_results_read(path, &cli->arena, &out->results, err));
  out->report = (struct pawl_run_report){.results = &out->results, .seconds = NAN, .cost_usd = NAN};
  return PAWL_OK;
}

/* --- by its contents --- */

static bool has(const json_t *document, const char *key) {
  return json_object_get(document, key) != NULL;
}

/* A report that has only results. */
static struct pawl_run_report plain_report(struct pawl_cli_source *out) {
  return (struct pawl_run_report){.results = &out->results, .seconds = NAN, .cost_usd = NAN};
}

/* Turns the entries back into results. */
static pawl_status take_baseline(struct pawl_cli *cli, const char *path,
                                 struct pawl_cli_source *out, struct pawl_error *err) {
  struct pawl_baseline baseline;
  PAWL_TRY(pawl_baseline_read(path, &cli->arena, &baseline, err));
  struct pawl_result *items = pawl_arena_alloc(&cli->arena, baseline.count + 1, sizeof *items);
  for (size_t i = 0; i < baseline.count; i++) {
    const struct pawl_baseline_entry *entry = &baseline.entries[i];
    pawl_result_init(&items[i]);
    items[i].kernel_name = entry->kernel_name ? entry->kernel_name : PAWL_KERNEL_UNNAMED;
    items[i].config = entry->config;
    items[i].config.name = entry->case_name;
    items[i].timestamp = entry->timestamp;
    items[i].performance.median_ms = entry->median_ms;
    items[i].performance.process_ci_95_low = entry->process_ci_95_low;
    items[i].performance.process_ci_95_high = entry->process_ci_95_high;
    items[i].performance.throughput_gflops = entry->throughput_gflops;
    items[i].performance.bandwidth_gb_s = entry->bandwidth_gb_s;
    items[i].performance.samples_ms = entry->samples_ms;
    items[i].performance.sample_count = entry->sample_count;
    items[i].code = entry->code;
  }
  out->results = (struct pawl_results){.items = items, .count = baseline.count};
  out->report = plain_report(out);
  out->report.moves = baseline.moves;
  out->report.move_count = baseline.move_count;
  return PAWL_OK;
}

static pawl_status take_checks(struct pawl_cli *cli, struct pawl_cli_source *out,
                               struct pawl_error *err) {
  struct pawl_kernel_checks checks;
  PAWL_TRY(pawl_kernel_checks_join(&out->document, 1, &cli->arena, &checks, err));
  struct pawl_report_check *rows = pawl_arena_alloc(&cli->arena, checks.count + 1, sizeof *rows);
  out->report = plain_report(out);
  static const char *alone[] = {"this is a check alone: nothing was timed"};
  out->report.checks = rows;
  out->report.check_alone = true;
  out->report.notices = alone;
  out->report.notice_count = 1;
  for (size_t i = 0; i < checks.count; i++) {
    if (checks.items[i].not_checked) continue;
    rows[out->report.check_count++] =
        (struct pawl_report_check){checks.items[i].kernel_name, &checks.items[i].report};
  }
  return PAWL_OK;
}

static pawl_status take_comparison(struct pawl_cli *cli, const char *path,
                                   struct pawl_cli_source *out, struct pawl_error *err) {
  const struct pawl_json_path top = PAWL_JSON_KEY(NULL, path);
  const json_t *list = json_object_get(out->document, "comparisons");
  const size_t count = list ? json_array_size(list) : 1;
  struct pawl_ratchet_report *ratchet = &out->ratchet;
  ratchet->rows = pawl_arena_alloc(&cli->arena, count + 1, sizeof *ratchet->rows);
  for (size_t i = 0; i < count; i++) {
    struct pawl_comparison *item = &ratchet->rows[i].comparison;
    const struct pawl_json_path here = PAWL_JSON_INDEX(&top, i);
    pawl_comparison_init(item);
    PAWL_TRY(pawl_struct_read(&pawl_comparison_fields,
                              list ? json_array_get(list, i) : out->document, &here, &cli->arena,
                              item, err));
    pawl_ratchet_count(ratchet, item->verdict);
  }
  ratchet->count = count;
  out->report = plain_report(out);
  out->report.ratchet = ratchet;
  out->report.unpaired = true;
  return PAWL_OK;
}

/* `history export` writes one run a line, which no reader of a single document accepts. */
static bool is_history(const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *run = NULL;
  struct pawl_error ignored;
  if (pawl_file_read(path, PAWL_RECORD_LIMIT, &text, &ignored) != PAWL_OK) return false;
  const size_t line = strcspn(pawl_text_string(&text), "\n");
  if (pawl_untrusted_parse(pawl_text_string(&text), line, path, &run, &ignored) != PAWL_OK)
    return false;
  return has(run, "points") && has(run, "source");
}

pawl_status pawl_cli_document_read(struct pawl_cli *cli, const char *path,
                                   struct pawl_cli_source *out, struct pawl_error *err) {
  struct pawl_error ignored;
  if (verdict_folder(path, &cli->arena)) return pawl_cli_source_read(cli, path, out, err);
  if (pawl_untrusted_read(path, PAWL_RECORD_LIMIT, &out->document, &ignored) != PAWL_OK) {
    if (is_history(path))
      return pawl_fail(err, PAWL_BAD_DATA,
                       "'%s' has several runs: pawl history import %s takes them in, then pawl "
                       "history and pawl report -o DIR.html show them",
                       path, path);
    /* This call's error names the file and the place. */
    return pawl_cli_source_read(cli, path, out, err);
  }
  const json_t *document = out->document,
               *first = json_array_get(json_object_get(document, "kernels"), 0);
  if (has(document, "totals") && has(document, "comparisons")) {
    PAWL_TRY(pawl_stored_run_parse(document, path, &cli->arena, &out->verdict, err));
    out->report = out->verdict.report;
    return PAWL_OK;
  }
  if (has(document, "entries") && has(document, "moves")) return take_baseline(cli, path, out, err);
  if (has(first, "rows_passed")) return take_checks(cli, out, err);
  if (has(document, "comparisons") || has(document, "is_regression"))
    return take_comparison(cli, path, out, err);
  out->view = pawl_view_of(document);
  if (out->view) return pawl_view_check(out->view, document, path, err);
  return pawl_cli_source_read(cli, path, out, err);
}

void pawl_cli_source_release(struct pawl_cli_source *source) {
  json_decref(source->document);
  source->document = NULL;
  pawl_stored_run_release(&source->verdict);
  pawl_results_release(&source->results);
}
