/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "cli/command.h"
#include "gate/ratchet.h"
#include "loop/baseline_source.h"
#include "report/report.h"
#include "suite/read.h"

struct judgement {
  struct pawl_results results;
  struct pawl_ratchet_options options;
  struct pawl_ratchet_report report;
};

static enum pawl_status_code judge(void *context, struct pawl_baseline *baseline,
                                   struct pawl_arena *arena, bool *changed,
                                   struct pawl_error *err) {
  struct judgement *judgement = context;
  PAWL_TRY(pawl_ratchet(baseline, &judgement->results, &judgement->options, arena,
                        &judgement->report, err));
  *changed = judgement->options.update && judgement->report.move_count > 0;
  return PAWL_OK;
}

static pawl_status output(struct pawl_cli *cli, const struct judgement *judgement, const char *path,
                          struct pawl_error *err) {
  const struct pawl_ratchet_report *ratchet = &judgement->report;
  const char *refused = NULL;
  if (ratchet->update_refused)
    refused = pawl_arena_printf(&cli->arena, "pawl did not write the baseline: %s",
                                ratchet->update_refused);
  const struct pawl_run_report report = {
      .results = &judgement->results,
      .ratchet = ratchet,
      .moves = judgement->options.update ? ratchet->moves : NULL,
      .move_count = judgement->options.update ? ratchet->move_count : 0,
      .unpaired = true,
      .notices = &refused,
      .notice_count = ratchet->update_refused ? 1 : 0,
      .seconds = NAN,
      .cost_usd = NAN};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_TRY(pawl_report_markdown(&report, NULL, &markdown, err));
  if (path) PAWL_TRY(pawl_cli_write(path, markdown.data, markdown.length, err));
  if (!cli->json) return path ? PAWL_OK : pawl_cli_write(NULL, markdown.data, markdown.length, err);
  PAWL_CLEANUP(pawl_json_release) json_t *verdict = NULL;
  PAWL_TRY(pawl_verdict_to_json(&report, &verdict, err));
  return pawl_cli_write_json(NULL, verdict, err);
}

/* Only an update takes the lock. pawl replaces the file atomically, so readers need none. */
static pawl_status judge_by(const char *baseline, struct pawl_cli *cli, struct judgement *judgement,
                            struct pawl_error *err) {
  if (judgement->options.update) {
    const char *lock = pawl_baseline_lock_path(baseline, &cli->arena);
    return pawl_baseline_update(baseline, lock, PAWL_BASELINE_LOCK_SECONDS, judge, judgement,
                                &cli->arena, err);
  }
  struct pawl_baseline read;
  bool changed;
  PAWL_TRY(pawl_baseline_read(baseline, &cli->arena, &read, err));
  return judge(judgement, &read, &cli->arena, &changed, err);
}

/* Takes the suite's thresholds, or the defaults without a suite. */
static pawl_status read_gate(struct pawl_cli *cli, struct pawl_suite *suite,
                             struct pawl_error *err) {
  static const char nothing[] = "version: 1\n";
  if (pawl_file_exists(cli->suite)) return pawl_suite_read(cli->suite, &cli->arena, suite, err);
  return pawl_suite_parse(nothing, sizeof nothing - 1, "(defaults)", &cli->arena, suite, err);
}

enum pawl_status_code pawl_cmd_ratchet(struct pawl_cli *cli, int argc, char **argv,
                                       struct pawl_error *err) {
  const char *baseline = NULL, *path = NULL;
  struct judgement judgement = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "--baseline", &baseline, "FILE",
       "the baseline; perf/baseline.json by default"},
      {PAWL_OPTION_FLAG, "--update", &judgement.options.update, NULL,
       "record new kernels and improvements"},
      {PAWL_OPTION_PATH, "-o", &path, "REPORT.md", "write the report to FILE"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  if (baseline && !judgement.options.update && pawl_file_absent(baseline))
    return pawl_fail(err, PAWL_NO_INPUT, "no baseline '%s'; --update creates it", baseline);
  if (!baseline) baseline = PAWL_BASELINE_PATH;
  struct pawl_suite suite;
  PAWL_TRY(read_gate(cli, &suite, err));
  judgement.options.gate = suite.gate;
  enum pawl_status_code status = pawl_results_read(argv[0], &cli->arena, &judgement.results, err);
  if (status == PAWL_OK) status = judge_by(baseline, cli, &judgement, err);
  if (status == PAWL_OK) {
    status = output(cli, &judgement, path, err);
    if (status != PAWL_OK && judgement.options.update && judgement.report.move_count)
      pawl_prefix(err, "pawl moved the baseline but could not write the report");
  }
  if (status == PAWL_OK && judgement.report.update_refused)
    status = pawl_fail(err, PAWL_NOT_PERMITTED, "cannot update the baseline: %s",
                       judgement.report.update_refused);
  pawl_results_release(&judgement.results);
  const bool strict = suite.gate.inconclusive == PAWL_INCONCLUSIVE_FAIL;
  return pawl_cli_verdict(status, pawl_ratchet_status(&judgement.report, strict), err);
}
