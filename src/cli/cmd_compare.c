/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/style.h"
#include "gate/compare.h"
#include "import/import.h"
#include "pairs/compare.h"
#include "project/bench_kernels.h"

/* Names the sampling unit of the intervals, if both have the same. */
static const char *cmd_compare_ci_words(const struct pawl_comparison *item) {
  if (item->baseline_ci_of != item->current_ci_of) return "";
  return item->current_ci_of == PAWL_INTERVAL_PROCESSES ? " by process" : " of the samples";
}

static void cmd_compare_describe(const struct pawl_comparison *item, struct pawl_text *out) {
  pawl_text_printf(out, "%s%s%s: %s", item->kernel_name ? item->kernel_name : "(unnamed)",
                   item->config.name ? ", " : "", item->config.name ? item->config.name : "",
                   pawl_verdict_name(item->verdict));
  if (isfinite(item->baseline_ms) && isfinite(item->current_ms)) {
    pawl_text_printf(out, ": %.6g ms -> %.6g ms, %.1f %% %s, unpaired", item->baseline_ms,
                     item->current_ms, fabs(item->delta_pct),
                     item->delta_pct < 0 ? "slower" : "faster");
  }
  if (item->threshold_mode && isfinite(item->delta_pct))
    pawl_text_printf(out, ", threshold %g %%", item->threshold);
  if (item->ci_known)
    pawl_text_printf(out, "; 95 %% CIs%s %s", cmd_compare_ci_words(item),
                     item->ci_overlap ? "overlap" : "apart");
  if (isfinite(item->cliffs_delta))
    pawl_text_printf(out, "; of the samples: Cliff's delta %+.3f (%s)", item->cliffs_delta,
                     item->cliffs_label);
  if (isfinite(item->mann_whitney_p))
    pawl_text_printf(out, ", Mann-Whitney p %.2g", item->mann_whitney_p);
  if (item->reason) pawl_text_printf(out, " (%s)", item->reason);
}

/* Adds a line. Control characters from file names never reach the terminal. */
static void cmd_compare_add(const struct pawl_comparison *item, struct pawl_text *out) {
  const size_t begin = out->length;
  cmd_compare_describe(item, out);
  for (size_t i = begin; i < out->length; i++) {
    const unsigned char byte = (unsigned char)out->data[i];
    if (byte < 0x20 || byte == 0x7f) out->data[i] = ' ';
  }
  pawl_text_add(out, "\n");
}

/* The two forms of a comparison, which two threads make. */
struct compare_forms {
  const struct pawl_comparisons *comparisons;
  bool as_json, as_lines;
  json_t *document;
  struct pawl_text json, lines;
};

static void compare_make_form(void *context, int64_t part) {
  struct compare_forms *forms = context;
  if (part == 0 && forms->as_json) {
    forms->document = pawl_comparisons_to_json(forms->comparisons);
    pawl_json_write_text(forms->document, true, &forms->json);
  } else if (part == 1 && forms->as_lines) {
    for (size_t i = 0; i < forms->comparisons->count; i++)
      cmd_compare_add(&forms->comparisons->items[i], &forms->lines);
  }
}

/* The file does not wait for the disk: a comparison costs no measurement, so it can be made again.
 */
static pawl_status compare_write_forms(const struct compare_forms *forms, const char *path,
                                       struct pawl_error *err) {
  const struct pawl_text *json = &forms->json, *shown = forms->as_lines ? &forms->lines : json;
  if (path && !strcmp(path, "-")) PAWL_TRY(pawl_cli_write(NULL, json->data, json->length, err));
  if (path && strcmp(path, "-") != 0)
    PAWL_TRY(pawl_file_write_unsynced(path, json->data, json->length, err));
  return pawl_cli_write(NULL, shown->data, shown->length, err);
}

static pawl_status output(const struct pawl_cli *cli, const struct pawl_comparisons *comparisons,
                          const char *path, struct pawl_error *err) {
  static struct compare_forms forms; /* nothing frees it, like the sides */
  forms = (struct compare_forms){comparisons, path || cli->json, !cli->json, NULL, {0}, {0}};
  pawl_parallel_for(2, 2, compare_make_form, &forms);
  return compare_write_forms(&forms, path, err);
}

/* The options of --paired besides the two versions. */
struct paired_words {
  bool paired;
  const char *only_case, *budget;
  uint64_t seed;
};

static pawl_status write_paired(const struct pawl_cli *cli, const struct pawl_run_report *report,
                                const char *path, struct pawl_error *err) {
  const struct pawl_terminal_style look = pawl_cli_style(cli);
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_verdict_to_json(report, &document, err));
  if (path) PAWL_TRY(pawl_cli_write_json(path, document, err));
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  pawl_report_terminal(report, &look, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

static pawl_status measure_paired(const struct pawl_cli *cli, struct pawl_project *project,
                                  const struct pawl_version_comparison *wanted, const char *path,
                                  enum pawl_status_code *verdict, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_results results;
  struct pawl_ratchet_report ratchet;
  PAWL_TRY(pawl_cli_require_row(project, wanted->only_case, err));
  PAWL_TRY(pawl_compare_paired(project, wanted, &ratchet, err));
  pawl_results_begin(&project->git, &project->devices, &results);
  const char *notice =
      pawl_arena_printf(&project->arena, "compared with %s, in pairs", wanted->base.text);
  const double seconds = pawl_seconds_since(begin);
  const struct pawl_run_report report = {.results = &results,
                                         .ratchet = &ratchet,
                                         .notices = &notice,
                                         .notice_count = 1,
                                         .seconds = seconds,
                                         .cost_usd = seconds / 3600 * project->suite.usd_per_hour};
  const enum pawl_status_code status = write_paired(cli, &report, path, err);
  *verdict = pawl_ratchet_status(&ratchet, true);
  pawl_results_release(&results);
  return status;
}

static enum pawl_status_code compare_versions(struct pawl_cli *cli, char **argv,
                                              const struct paired_words *words, const char *path,
                                              struct pawl_error *err) {
  struct pawl_version_comparison wanted = {.only_case = words->only_case, .seed = words->seed};
  enum pawl_status_code verdict = PAWL_OK;
  double budget = 0;
  PAWL_TRY(pawl_parse_duration("--budget", words->budget, &budget, err));
  PAWL_TRY(pawl_version_parse(argv[0], &cli->arena, &wanted.base, err));
  PAWL_TRY(pawl_version_parse(argv[1], &cli->arena, &wanted.candidate, err));
  if (budget > 0) wanted.deadline_ns = pawl_clock_ns() + (int64_t)(budget * 1e9);
  pawl_interrupt_says("pawl wrote no comparison; it keeps builds and expected values");
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  const enum pawl_status_code status = measure_paired(cli, &project, &wanted, path, &verdict, err);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}

/* The two files of a comparison. */
struct sides {
  char **paths;
  struct pawl_results results[2];
  struct pawl_arena arenas[2]; /* each thread has its own */
  enum pawl_status_code status[2];
  struct pawl_error errors[2];
};

/* The message for the file of another harness names the command that reads it. */
static pawl_status read_side(const char *path, struct pawl_arena *arena, struct pawl_results *out,
                             struct pawl_error *err) {
  const enum pawl_status_code status = pawl_results_read(path, arena, out, err);
  const struct pawl_importer *importer =
      status == PAWL_BAD_DATA ? pawl_import_recognize(path) : NULL;
  if (!importer) return status;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "'%s' has the format %s, and compare reads only results of pawl; run pawl "
                   "import %s '%s' --commit REV for each file, then pawl history",
                   path, importer->name, importer->name, path);
}

static void sides_read_one(void *context, int64_t i) {
  struct sides *sides = context;
  sides->status[i] =
      read_side(sides->paths[i], &sides->arenas[i], &sides->results[i], &sides->errors[i]);
}

/* Reads both files at once, because reading takes most of the time of a comparison. */
static pawl_status sides_read(struct sides *sides, struct pawl_error *err) {
  pawl_parallel_for(2, 2, sides_read_one, sides);
  for (int i = 0; i < 2; i++)
    if (sides->status[i] != PAWL_OK) {
      *err = sides->errors[i];
      return sides->status[i];
    }
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_compare(struct pawl_cli *cli, int argc, char **argv,
                                       struct pawl_error *err) {
  const char *path = NULL;
  struct pawl_compare_options compare = {.threshold = NAN};
  struct paired_words paired = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_REAL, "--threshold", &compare.threshold, "PERCENT",
       "use only this rule: a change below PERCENT is a regression, for example -3.0"},
      {PAWL_OPTION_FLAG, "--paired", &paired.paired, NULL,
       "measure two versions in pairs: KERNEL, KERNEL:SOURCE, @REV or KERNEL@REV, the base first"},
      {PAWL_OPTION_STRING, "--case", &paired.only_case, "NAME", "paired: only this case"},
      {PAWL_OPTION_STRING, "--budget", &paired.budget, "TIME",
       "paired: measure no more blocks after this time"},
      {PAWL_OPTION_SEED, "--seed", &paired.seed, "N",
       "paired: the seed of the places of the arms in blocks"},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write the comparison as JSON to FILE"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 2, 2, &done, err));
  if (done) return PAWL_OK;
  const bool only_paired = paired.only_case || paired.budget || paired.seed;
  if (!paired.paired && only_paired)
    return pawl_fail(err, PAWL_USAGE,
                     "'--case', '--budget' and '--seed' work only with '--paired'");
  if (paired.paired && !isnan(compare.threshold))
    return pawl_fail(err, PAWL_USAGE, "'--paired' measures two versions: no '--threshold'");
  if (paired.paired) return compare_versions(cli, argv, &paired, path, err);
  compare.threshold_mode = !isnan(compare.threshold);
  static struct sides sides; /* nothing frees it: that takes time, and the process ends here */
  sides.paths = argv;
  struct pawl_comparisons comparisons = {0};
  const struct pawl_results *base = &sides.results[0], *candidate = &sides.results[1];
  PAWL_TRY(sides_read(&sides, err));
  if (base->hardware && candidate->hardware && strcmp(base->hardware, candidate->hardware) != 0)
    pawl_log_info(&cli->log,
                  "the two results come from different hardware: the change does not come from the "
                  "code alone");
  PAWL_TRY(pawl_compare(base, candidate, &compare, &cli->arena, &comparisons, err));
  const enum pawl_status_code status = output(cli, &comparisons, path, err);
  return pawl_cli_verdict(status, pawl_comparisons_status(&comparisons), err);
}
