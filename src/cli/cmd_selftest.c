/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "pairs/selftest.h"
#include "picture/selftest_page.h"

#define BY_DEFAULT 0.05 /* the largest slow-down without --changes */

/* Parses some of the selftest's changes, such as "0,3%,5%". NULL: those of BY_DEFAULT. */
static pawl_status parse_changes(const char *text, bool changes[PAWL_SELFTEST_CHANGES],
                                 struct pawl_error *err) {
  for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++)
    changes[i] = !text && pawl_selftest_changes[i] <= BY_DEFAULT;
  for (const char *cursor = text; cursor;) {
    const size_t length = strcspn(cursor, ",");
    char number[16];
    double percent = NAN;
    int found = -1;
    snprintf(number, sizeof number, "%.*s", (int)(length < 15 ? length : 15), cursor);
    char *sign = strchr(number, '%');
    if (sign && !sign[1]) *sign = '\0';
    if (!pawl_parse_double(number, &percent)) percent = NAN;
    for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++) {
      if (fabs(percent - pawl_selftest_changes[i] * 100) < 1e-9) found = i;
    }
    if (found < 0)
      return pawl_fail(err, PAWL_USAGE,
                       "'--changes' takes values from 0,1%%,2%%,3%%,5%%,10%%, not '%.*s'",
                       (int)length, cursor);
    changes[found] = true;
    cursor = cursor[length] ? cursor + length + 1 : NULL;
  }
  return PAWL_OK;
}

struct selftests {
  struct pawl_selftest *items;
  size_t count;
};

/* One kernel and case makes selftest.json; several make selftest-KERNEL-CASE.json. */
static pawl_status write_output(const struct selftests *all, const char *folder,
                                struct pawl_error *err) {
  PAWL_TRY(pawl_make_folders(folder, err));
  for (size_t i = 0; i < all->count; i++) {
    const struct pawl_selftest *selftest = &all->items[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text stem = {0};
    pawl_text_printf(&stem, "%s/selftest", folder);
    if (all->count > 1)
      pawl_text_printf(&stem, "-%s-%s", selftest->kernel_name, selftest->case_name);
    const size_t length = stem.length;
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftest_to_json(selftest);
    pawl_text_printf(&stem, ".json");
    PAWL_TRY(pawl_json_write(pawl_text_string(&stem), document, true, err));
    if (!selftest->count) continue;
    stem.length = length;
    pawl_text_printf(&stem, ".png");
    PAWL_TRY(pawl_selftest_picture(selftest, pawl_text_string(&stem), err));
  }
  return PAWL_OK;
}

static pawl_status print_json(const struct selftests *all, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftests_to_json(all->items, all->count);
  return pawl_cli_write_json(NULL, document, err);
}

static void print_one(const struct pawl_selftest *selftest, struct pawl_text *text) {
  struct pawl_selftest_tally same;
  pawl_selftest_tally(selftest, 0, &same);
  pawl_text_printf(
      text,
      "%s on %s: %.4g ms a call, %.4g ms of delay in both arms, %d samples of each in a block\n\n",
      selftest->kernel_name, selftest->case_name, selftest->base_ms, selftest->delay_ms,
      selftest->samples);
  pawl_selftest_table(selftest, text);
  pawl_text_printf(text,
                   "\ncalibration: %s: %d false alarms in %d trials of identical code; the policy "
                   "allows %g %% in a run\n",
                   pawl_selftest_word(selftest), same.flagged, same.trials,
                   selftest->policy.false_alarm * 100);
}

static pawl_status cmd_selftest_print(const struct pawl_cli *cli, const struct selftests *all,
                                      struct pawl_error *err) {
  if (cli->json) return print_json(all, err);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < all->count; i++) {
    if (i > 0) pawl_text_printf(&text, "\n");
    print_one(&all->items[i], &text);
  }
  return pawl_cli_write(NULL, text.data, text.length, err);
}

enum pawl_status_code pawl_cmd_selftest(struct pawl_cli *cli, int argc, char **argv,
                                        struct pawl_error *err) {
  struct pawl_selftest_options selftest = {.trials = 20};
  const char *budget = NULL, *folder = NULL, *changes = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selftest.case_name, "NAME",
       "the case, or all; the first case of each kernel by default"},
      {PAWL_OPTION_STRING, "--changes", &changes, "LIST",
       "the slow-downs to inject, from 0,1%,2%,3%,5%,10%; all but 10% by default"},
      {PAWL_OPTION_INT, "--trials", &selftest.trials, "N",
       "trials for each injected slow-down; 20 by default", 1,
       PAWL_SELFTEST_MAX_TRIALS / PAWL_SELFTEST_CHANGES},
      {PAWL_OPTION_STRING, "--budget", &budget, "TIME",
       "start no trial after this time: 90s, 20m, 2h"},
      {PAWL_OPTION_SEED, "--seed", &selftest.seed, "N",
       "the seed of the places of the arms in blocks; random by default"},
      PAWL_CLI_TRUST_OUTPUTS(cli),
      {PAWL_OPTION_PATH, "-o", &folder, "DIR", "the output folder; perf/out by default"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  pawl_interrupt_says("pawl keeps the complete trials; the same command goes on");
  PAWL_TRY(pawl_parse_duration("--budget", budget, &selftest.budget_seconds, err));
  if (!selftest.seed) PAWL_TRY(pawl_entropy_seed(&selftest.seed, err));
  PAWL_TRY(parse_changes(changes, selftest.changes, err));
  selftest.kernels = argv;
  selftest.kernel_count = argc;
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  struct selftests all = {0};
  bool failed = false;
  selftest.all_cases = selftest.case_name && !strcmp(selftest.case_name, "all");
  if (selftest.all_cases) selftest.case_name = NULL;
  enum pawl_status_code status = pawl_cli_require_case(&project, selftest.case_name, err);
  if (status == PAWL_OK)
    status = pawl_loop_selftest(&project, &selftest, &all.items, &all.count, err);
  if (status == PAWL_OK && !folder) status = pawl_output_folder(&project.paths, &folder, err);
  if (status == PAWL_OK) status = write_output(&all, folder, err);
  if (status == PAWL_OK) status = cmd_selftest_print(cli, &all, err);
  for (size_t i = 0; i < all.count && status == PAWL_OK; i++)
    failed = failed || pawl_selftest_failed(&all.items[i]);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, failed ? PAWL_FAILED : PAWL_OK, err);
}
