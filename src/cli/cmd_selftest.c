/* SPDX-License-Identifier: Apache-2.0 */
/* pawl selftest [KERNEL] [--case NAME] [--trials N] [--budget TIME] [-o DIR] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "loop/run.h"
#include "loop/selftest.h"
#include "report/selftest.h"

/* "90", "90s", "20m", "2h". */
static pawl_status parse_time(const char *text, double *seconds, struct pawl_error *err) {
  static const struct {
    char letter;
    double seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  double unit = 1, value;
  char number[32];
  if (!text) return PAWL_OK;
  const size_t length = strlen(text);
  snprintf(number, sizeof number, "%s", text);
  for (size_t i = 0; length && length < sizeof number && i < sizeof units / sizeof *units; i++) {
    if (text[length - 1] != units[i].letter) continue;
    unit = units[i].seconds;
    number[length - 1] = '\0';
  }
  if (length >= sizeof number || !pawl_parse_double(number, &value) || !(value > 0))
    return pawl_fail(err, PAWL_USAGE, "'--budget' takes a time such as 90s, 20m or 2h, not '%.40s'", text);
  *seconds = value * unit;
  return PAWL_OK;
}

static pawl_status write_output(const struct pawl_selftest *selftest, const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *json = pawl_path_join(folder, "selftest.json");
  PAWL_CLEANUP(pawl_free_pointer) char *picture = pawl_path_join(folder, "selftest.png");
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftest_to_json(selftest);
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_TRY(pawl_json_write(json, document, true, err));
  return selftest->count ? pawl_selftest_picture(selftest, picture, err) : PAWL_OK;
}

static pawl_status print(const struct pawl_cli *cli, const struct pawl_selftest *selftest, struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftest_to_json(selftest);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_selftest_tally same;
  pawl_selftest_tally(selftest, 0, &same);
  pawl_text_printf(&text, "%s on %s: %.4g ms a call, %.4g ms of delay in both arms, %d samples of each in a block\n\n",
                   selftest->kernel_name, selftest->case_name, selftest->base_ms, selftest->delay_ms,
                   selftest->samples);
  pawl_selftest_table(selftest, &text);
  pawl_text_printf(&text, "\ncalibration: %s: %d false alarms in %d trials of identical code, %g %% allowed a run\n",
                   pawl_selftest_failed(selftest) ? "FAILED" : "no fault found", same.flagged, same.trials,
                   selftest->policy.false_alarm * 100);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

PAWL_COMMAND(selftest) {
  struct pawl_selftest_options selftest = {.trials = 20, .seed = PAWL_DEFAULT_SEED};
  const char *budget = NULL, *folder = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selftest.case_name, "NAME", "on this case; the kernel's first by default", 0, 0},
      {PAWL_OPTION_INT, "--trials", &selftest.trials, "N", "trials for each change put in; 20 by default", 1,
       PAWL_SELFTEST_MAX_TRIALS / PAWL_SELFTEST_CHANGES},
      {PAWL_OPTION_STRING, "--budget", &budget, "TIME", "begin no trial after 90s, 20m, 2h", 0, 0},
      {PAWL_OPTION_STRING, "-o", &folder, "DIR", "where the output goes; perf/out by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(parse_time(budget, &selftest.budget_seconds, err));
  selftest.kernel = argc ? argv[0] : NULL;
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  struct pawl_selftest result;
  bool failed = false;
  enum pawl_status_code status = PAWL_OK;
  if (selftest.case_name && !pawl_suite_case(&project.suite, selftest.case_name))
    status = pawl_cli_no_case(&project, selftest.case_name, err);
  if (status == PAWL_OK) status = pawl_loop_selftest(&project, &selftest, &result, err);
  if (status == PAWL_OK) status = write_output(&result, folder ? folder : pawl_project_path(&project, "perf/out"), err);
  if (status == PAWL_OK) status = print(cli, &result, err);
  if (status == PAWL_OK) failed = pawl_selftest_failed(&result);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, failed ? PAWL_FAILED : PAWL_OK, err);
}
