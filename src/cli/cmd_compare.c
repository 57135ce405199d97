/* SPDX-License-Identifier: Apache-2.0 */
/* pawl compare BASELINE CANDIDATE [--threshold -3.0] [-o FILE], pawl compare --replay VERDICT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "gate/compare.h"
#include "gate/replay.h"

/* What the intervals are over, where both are over the same. */
static const char *ci_words(const struct pawl_comparison *item) {
  if (item->baseline_ci_of != item->current_ci_of) return "";
  return item->current_ci_of == PAWL_INTERVAL_PROCESSES ? " by process" : " of the samples";
}

static void describe(const struct pawl_comparison *item, struct pawl_text *out) {
  pawl_text_printf(out, "%s%s%s: %s", item->kernel_name ? item->kernel_name : "(unnamed)",
                   item->config.name ? ", " : "", item->config.name ? item->config.name : "",
                   pawl_verdict_name(item->verdict));
  if (isfinite(item->baseline_ms) && isfinite(item->current_ms)) {
    pawl_text_printf(out, ": %.6g ms -> %.6g ms, %.1f %% %s, unpaired", item->baseline_ms, item->current_ms,
                     fabs(item->delta_pct), item->delta_pct < 0 ? "slower" : "faster");
  }
  if (item->threshold_mode && isfinite(item->delta_pct)) pawl_text_printf(out, ", threshold %g %%", item->threshold);
  if (item->ci_known) pawl_text_printf(out, "; 95 %% CIs%s %s", ci_words(item), item->ci_overlap ? "overlap" : "apart");
  if (isfinite(item->cliffs_delta))
    pawl_text_printf(out, "; of the samples: Cliff's delta %+.3f (%s)", item->cliffs_delta, item->cliffs_label);
  if (isfinite(item->mann_whitney_p)) pawl_text_printf(out, ", Mann-Whitney p %.2g", item->mann_whitney_p);
  if (item->reason) pawl_text_printf(out, " (%s)", item->reason);
}

/* One line whatever the files' names hold: no control character reaches the terminal. Clears it. */
static void put_line(struct pawl_text *line) {
  for (size_t i = 0; i < line->length; i++) {
    const unsigned char byte = (unsigned char)line->data[i];
    if (byte < 0x20 || byte == 0x7f) line->data[i] = ' ';
  }
  puts(pawl_text_string(line));
  pawl_text_clear(line);
}

static void print(const struct pawl_comparison *item) {
  struct pawl_text line = {0};
  describe(item, &line);
  put_line(&line);
}

static pawl_status output(const struct pawl_cli *cli, const struct pawl_comparisons *comparisons, const char *path,
                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_comparisons_to_json(comparisons);
  if (path) PAWL_TRY(pawl_cli_write_json(path, document, err));
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  for (size_t i = 0; i < comparisons->count; i++) print(&comparisons->items[i]);
  return PAWL_OK;
}

static void print_replayed(const struct pawl_replay *replay) {
  for (size_t i = 0; i < replay->count; i++) {
    const struct pawl_replay_row *row = &replay->rows[i];
    struct pawl_text line = {0};
    pawl_text_printf(&line, "%s, %s: %s", row->kernel_name ? row->kernel_name : "(unnamed)",
                     row->case_name ? row->case_name : "(unnamed)", row->difference ? "differs: " : "agrees: ");
    pawl_text_add(&line, row->difference ? row->difference : pawl_decision_name(row->decision));
    put_line(&line);
  }
  if (!replay->count) puts("it has no paired measurement: there is nothing to recompute");
}

static json_t *replay_to_json(const struct pawl_replay *replay) {
  json_t *document = json_object(), *rows = json_array();
  for (size_t i = 0; i < replay->count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "kernel_name", replay->rows[i].kernel_name);
    pawl_json_set_string(row, "case", replay->rows[i].case_name);
    pawl_json_set_string(row, "answer", pawl_decision_name(replay->rows[i].decision));
    pawl_json_set_string(row, "difference", replay->rows[i].difference);
    json_array_append_new(rows, row);
  }
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_bool(document, "agrees", replay->differ == 0);
  pawl_json_set(document, "rows", rows);
  return document;
}

/* 0: every paired verdict of the file follows from its blocks; 1: one does not; 2: there is none. */
static enum pawl_status_code replay_verdict(struct pawl_cli *cli, const char *verdict, const char *path,
                                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_replay replay;
  PAWL_TRY(pawl_json_read(verdict, &document, err));
  PAWL_TRY(pawl_replay(document, verdict, &cli->arena, &replay, err));
  PAWL_CLEANUP(pawl_json_release) json_t *result = replay_to_json(&replay);
  if (path) PAWL_TRY(pawl_cli_write_json(path, result, err));
  if (cli->json)
    PAWL_TRY(pawl_cli_write_json(NULL, result, err));
  else
    print_replayed(&replay);
  return pawl_cli_verdict(PAWL_OK, replay.differ ? PAWL_FAILED : replay.count ? PAWL_OK : PAWL_UNDECIDED, err);
}

enum pawl_status_code pawl_cmd_compare(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  const char *path = NULL, *verdict = NULL;
  struct pawl_compare_options compare = {.threshold = NAN};
  const struct pawl_option options[] = {
      {PAWL_OPTION_REAL, "--threshold", &compare.threshold, "PERCENT",
       "use only this rule: a change below PERCENT is a regression, for example -3.0", 0, 0},
      {PAWL_OPTION_PATH, "--replay", &verdict, "VERDICT",
       "recompute the paired verdicts of a verdict.json from its blocks instead", 0, 0},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write the comparison as JSON to FILE", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 2, &done, err));
  if (done) return PAWL_OK;
  if (verdict && (argc > 0 || !isnan(compare.threshold)))
    return pawl_fail(err, PAWL_USAGE, "'--replay' takes only a verdict.json: no other files, no '--threshold'");
  if (verdict) return replay_verdict(cli, verdict, path, err);
  if (argc < 2) return pawl_fail(err, PAWL_USAGE, "an argument is missing; usage: pawl %s", cli->command->synopsis);
  compare.threshold_mode = !isnan(compare.threshold);
  struct pawl_results baseline = {0}, candidate = {0};
  struct pawl_comparisons comparisons = {0};
  enum pawl_status_code status = pawl_results_read(argv[0], &cli->arena, &baseline, err);
  if (status == PAWL_OK) status = pawl_results_read(argv[1], &cli->arena, &candidate, err);
  if (status == PAWL_OK && baseline.hardware && candidate.hardware &&
      strcmp(baseline.hardware, candidate.hardware) != 0)
    pawl_log_info(&cli->log,
                  "the two results come from different hardware: the change does not come from the code alone");
  if (status == PAWL_OK) status = pawl_compare(&baseline, &candidate, &compare, &cli->arena, &comparisons, err);
  if (status == PAWL_OK) status = output(cli, &comparisons, path, err);
  pawl_results_release(&baseline);
  pawl_results_release(&candidate);
  return pawl_cli_verdict(status, pawl_comparisons_status(&comparisons), err);
}
