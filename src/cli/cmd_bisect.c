/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/count.h"
#include "base/text.h"
#include "cli/bisect_change.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "model/fields.h"
#include "pairs/bisect.h"
#include "report/row_change.h"

static void add_find(const struct pawl_bisect_report *report, const struct pawl_bisect_find *find,
                     struct pawl_text *out) {
  pawl_bisect_find_words(report, find, out);
  pawl_text_add(out, "\n");
  if (find->subject)
    pawl_text_printf(out, "  %s: %s\n", find->author ? find->author : "(no author)", find->subject);
  if (find->merge)
    pawl_text_printf(out, "  merged by %.12s from its parent %zu: %s\n", find->merge,
                     find->merge_parent, find->merge_subject ? find->merge_subject : "");
  if (find->merge_alone) pawl_text_add(out, "  a merge: no side alone shows the change\n");
  pawl_text_printf(out, "  probability %.4g %%%s", 100 * find->probability,
                   !find->proven                       ? "; not proven"
                   : report->kind == PAWL_BISECT_TIME  ? ", and the gate's own test shows it"
                   : report->kind == PAWL_BISECT_WRONG ? ", and the check shows it"
                                                       : "");
  pawl_text_printf(out, "%s%s\n", find->reason ? ": " : "", find->reason ? find->reason : "");
  if (report->kind == PAWL_BISECT_TIME)
    pawl_text_printf(out, "  again: pawl compare --paired %s@%.12s %s@%.12s --case %s\n",
                     report->kernel_name, find->after, report->kernel_name, find->commit,
                     report->case_name);
}

static void add_report(const struct pawl_bisect_report *report, struct pawl_text *out) {
  pawl_text_printf(out, "%s%s%s", report->kernel_name, report->case_name ? ", " : "",
                   report->case_name ? report->case_name : "");
  if (isfinite(report->change)) {
    const struct pawl_slowdown slowdown = {report->change, report->change_low, report->change_high};
    char words[PAWL_ROW_CHANGE];
    pawl_text_printf(out, ": %s", pawl_slowdown_words(&slowdown, words));
  }
  pawl_text_printf(out, " from %.12s to %.12s\n", report->good, report->bad);
  for (size_t i = 0; i < report->find_count; i++) add_find(report, &report->finds[i], out);
  if (report->undecided) pawl_text_printf(out, "undecided: %s\n", report->undecided);
  pawl_text_printf(out,
                   "%zu commit%s: %zu measured in %zu blocks, %zu with the machine code of "
                   "another, %zu left out\n",
                   report->commits, report->commits == 1 ? "" : "s", report->measured,
                   report->blocks, report->identical, report->skip_count);
  for (size_t i = 0; i < report->skip_count; i++)
    pawl_text_printf(out, "  %.12s: %s\n", report->skips[i].commit, report->skips[i].reason);
}

static pawl_status write_bisect(const struct pawl_cli *cli, const struct pawl_bisect_report *report,
                                const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *document = pawl_struct_write(&pawl_bisect_fields, report);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (path) PAWL_TRY(pawl_cli_write_json(path, document, err));
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  add_report(report, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

static pawl_status parse_kind(const char *word, enum pawl_bisect_kind *out,
                              struct pawl_error *err) {
  for (int i = 1; word && i < PAWL_BISECT_KINDS; i++)
    if (pawl_text_equal(word, pawl_bisect_kind_name(i))) *out = (enum pawl_bisect_kind)i;
  if (!word || *out) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "'--of' takes time, wrong or registers, not '%s'", word);
}

/* Without a kernel there must be one alone in the suite. */
static pawl_status choose_kernel(const struct pawl_suite *suite, const char **kernel,
                                 struct pawl_error *err) {
  size_t count = 0;
  if (*kernel) return PAWL_OK;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    if (suite->kernels[i].reference) continue;
    *kernel = suite->kernels[i].name;
    count++;
  }
  if (count == 1) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "'%s' has %zu kernels: name the one to search for", suite->path,
                   count);
}

/* --- the ends --- */

struct bisect_words {
  const char *change, *good, *bad; /* NULL: not given */
  bool note;
  struct pawl_listed_change listed; /* filled in by --change */
};

static pawl_status choose_ends(struct pawl_cli *cli, struct bisect_words *words,
                               struct pawl_bisect_options *search, struct pawl_error *err) {
  if (words->change && (words->good || words->bad))
    return pawl_fail(err, PAWL_USAGE, "'--change' gives both ends: leave --good and --bad out");
  if (words->note && !words->change)
    return pawl_fail(err, PAWL_USAGE, "'--note' is for '--change': it notes the answer there");
  if (words->change)
    return pawl_bisect_change_read(cli, words->change, search, &words->listed, err);
  search->good = words->good;
  search->bad = words->bad ? words->bad : "HEAD";
  if (search->good) return PAWL_OK;
  return pawl_fail(
      err, PAWL_USAGE,
      "'--good' is missing: a commit at which the kernel was still as it should be; or "
      "give --change");
}

/* Another machine may not show the change. The search tests both ends first, so this is no
   error. */
static void bisect_say_hardware(struct pawl_project *project, const struct bisect_words *words,
                                const char *kernel) {
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&project->suite, kernel);
  const struct pawl_device *device =
      spec ? pawl_devices_find(&project->devices, spec->device, NULL) : NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  if (!words->change || !device) return;
  pawl_device_identity(device, &identity);
  if (!pawl_text_equal(words->listed.series->hardware, pawl_text_string(&identity)))
    pawl_log_warning(project->options.log, "the history has this change of '%s', not of '%s'",
                     words->listed.series->hardware ? words->listed.series->hardware : "unknown",
                     pawl_text_string(&identity));
}

enum pawl_status_code pawl_cmd_bisect(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  struct pawl_bisect_options search = {0};
  struct bisect_words words = {0};
  const char *budget = NULL, *path = NULL, *kind = NULL;
  double seconds = 0;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &search.case_name, "NAME",
       "the case; the kernel's first case by default"},
      {PAWL_OPTION_STRING, "--good", &words.good, "REV", "a commit before the change"},
      {PAWL_OPTION_STRING, "--bad", &words.bad, "REV", "a commit after it; HEAD by default"},
      {PAWL_OPTION_STRING, "--change", &words.change, "COMMIT",
       "in place of both: the change of the history at this commit; pawl history --changes lists "
       "them"},
      {PAWL_OPTION_FLAG, "--note", &words.note, NULL,
       "with --change: note the answer in the history, for issues, notices and the page"},
      {PAWL_OPTION_STRING, "--of", &kind, "WORD",
       "the property that changed: time, wrong or registers; the time, or else the correctness, by "
       "default"},
      {PAWL_OPTION_FLAG, "--all", &search.all, NULL, "find further changes between the two too"},
      {PAWL_OPTION_STRING, "--budget", &budget, "TIME",
       "stop after this time: 90s, 20m, 2h; the same command goes on"},
      {PAWL_OPTION_SEED, "--seed", &search.seed, "N",
       "the seed of the places of the arms in blocks; random by default"},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write the answer as JSON to FILE"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(parse_kind(kind, &search.kind, err));
  PAWL_TRY(pawl_parse_duration("--budget", budget, &seconds, err));
  pawl_budget_begin(seconds);
  pawl_interrupt_says("pawl keeps its answers; the same command goes on");
  struct pawl_project project;
  struct pawl_bisect_report report;
  search.kernel = argc ? argv[0] : NULL;
  PAWL_TRY(choose_ends(cli, &words, &search, err));
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  enum pawl_status_code status = choose_kernel(&project.suite, &search.kernel, err);
  if (status == PAWL_OK) bisect_say_hardware(&project, &words, search.kernel);
  if (status == PAWL_OK) status = pawl_cli_require_row(&project, search.case_name, err);
  if (status == PAWL_OK) status = pawl_bisect(&project, &search, &report, err);
  if (status == PAWL_OK) status = write_bisect(cli, &report, path, err);
  if (status == PAWL_OK && words.note)
    status = pawl_bisect_change_note(cli, &words.listed, &report, err);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, status == PAWL_OK && report.undecided ? PAWL_UNDECIDED : PAWL_OK,
                          err);
}
