/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/budget.h"
#include "base/clean.h"
#include "cli/command.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "project/paths.h"
#include "sweep/evaluator.h"
#include "sweep/run.h"

#define LEAST_BLOCKS 12
#define MOST_BLOCKS 60
#define PRECISION_PERCENT 1.0
#define GOES_ON "the same command goes on"
#define FOLDER PAWL_OUTPUT_FOLDER "/sweep"

static void cmd_sweep_add_mean(const struct pawl_sweep_mean *mean, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  pawl_text_printf(&names, "%s over %s (%s): ", mean->kernel, mean->reference, mean->device);
  pawl_clean_text(names.data, false, out);
  if (mean->speedup > 0)
    pawl_text_printf(out, "%.3fx", mean->speedup);
  else
    pawl_text_add(out, "no time of both");
  if (mean->low > 0) pawl_text_printf(out, " [%.3f, %.3f]", mean->low, mean->high);
  pawl_text_printf(out, "; %zu faster, %zu slower, %zu not decided, %zu failed\n", mean->faster,
                   mean->slower, mean->undecided, mean->failed);
}

static void cmd_sweep_add_missing(const struct pawl_sweep_arm *arm, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_text_printf(&words, "%s is not measured: %s", arm->name, arm->missing);
  pawl_clean_text(words.data, false, out);
  pawl_text_add(out, "\n");
}

/* The files of the folder have all warnings. */
static void cmd_sweep_add_warnings(const struct pawl_sweep_claims *claims, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  size_t count = 0;
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    if (time->warning && !count++)
      pawl_text_printf(&words, "%s on %s of the %s reaches %s", time->arm, time->case_name,
                       time->point->device, time->warning);
  }
  if (!count) return;
  pawl_text_printf(out, "%zu time%s beyond a limit of the device: ", count,
                   count == 1 ? " is" : "s are");
  pawl_clean_text(words.data, false, out);
  pawl_text_add(out, count == 1 ? "\n" : "; ...\n");
}

static pawl_status cmd_sweep_print(const struct pawl_cli *cli, const struct pawl_sweep *sweep,
                                   const struct pawl_sweep_claims *claims, const char *folder,
                                   struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release)
    json_t *document = pawl_struct_write(&pawl_sweep_claims_fields, claims);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < claims->mean_count; i++) cmd_sweep_add_mean(&claims->means[i], &text);
  for (size_t i = 0; i < sweep->plan.arm_count; i++)
    if (sweep->plan.arms[i].missing) cmd_sweep_add_missing(&sweep->plan.arms[i], &text);
  cmd_sweep_add_warnings(claims, &text);
  pawl_text_printf(&text, "%zu of %zu shapes complete; %s/README.md, %s/index.html\n",
                   claims->complete, sweep->plan.point_count, folder, folder);
  if (claims->complete < sweep->plan.point_count) pawl_text_add(&text, GOES_ON "\n");
  return pawl_cli_write(NULL, text.data, text.length, err);
}

/* A kernel that is wrong fails the sweep. Shapes that are left decide nothing yet. */
static enum pawl_status_code cmd_sweep_verdict(const struct pawl_sweep *sweep,
                                               const struct pawl_sweep_claims *claims) {
  for (size_t i = 0; i < claims->time_count; i++)
    for (size_t j = 0; j < sweep->plan.arm_count; j++)
      if (pawl_text_equal(claims->times[i].arm, sweep->plan.arms[j].name) &&
          !sweep->plan.arms[j].reference && pawl_outcome_fails(claims->times[i].outcome))
        return PAWL_FAILED;
  return claims->complete == sweep->plan.point_count ? PAWL_OK : PAWL_UNDECIDED;
}

/* Prints the claims, and returns the exit status. Releases the sweep. */
static enum pawl_status_code cmd_sweep_end(const struct pawl_cli *cli, struct pawl_sweep *sweep,
                                           const struct pawl_sweep_claims *claims,
                                           const char *folder, struct pawl_error *err) {
  const enum pawl_status_code verdict = cmd_sweep_verdict(sweep, claims),
                              status = cmd_sweep_print(cli, sweep, claims, folder, err);
  pawl_sweep_release(sweep);
  return pawl_cli_verdict(status, verdict, err);
}

static enum pawl_status_code cmd_sweep_rewrite(struct pawl_cli *cli, const char *folder,
                                               const struct pawl_sweep_writing *writing,
                                               struct pawl_error *err) {
  struct pawl_sweep sweep;
  struct pawl_sweep_claims claims;
  PAWL_TRY(pawl_sweep_rewrite(folder, writing, &cli->arena, &sweep, &claims, err));
  return cmd_sweep_end(cli, &sweep, &claims, folder, err);
}

/* An evaluator's command is this one's. */
static pawl_status cmd_sweep_words(struct pawl_cli *cli, const struct pawl_sweep_options *options,
                                   struct pawl_words *words, struct pawl_error *err) {
  struct pawl_arena *arena = &cli->arena;
  PAWL_TRY(pawl_cli_begin_words(cli, "sweep", words, err));
  for (int i = 0; i < options->name_count; i++) pawl_words_add(words, arena, options->names[i]);
  if (options->case_name) pawl_words_printf(words, arena, "--case=%s", options->case_name);
  if (options->matrix) pawl_words_printf(words, arena, "--matrix=%s", options->matrix);
  pawl_words_printf(words, arena, "--precision=%.15g", options->precision * 100);
  pawl_words_printf(words, arena, "--blocks=%d", options->least_blocks);
  pawl_words_printf(words, arena, "--max-blocks=%d", options->most_blocks);
  pawl_words_printf(words, arena, "--seed=%llu", (unsigned long long)options->seed);
  pawl_words_add(words, arena, "--evaluate");
  return PAWL_OK;
}

static pawl_status cmd_sweep_run(struct pawl_cli *cli, struct pawl_project *project,
                                 const struct pawl_sweep_options *options,
                                 const struct pawl_place *place,
                                 const struct pawl_sweep_writing *writing, struct pawl_error *err) {
  struct pawl_sweep sweep;
  struct pawl_sweep_claims claims;
  struct pawl_words words = {0};
  if (place->elsewhere) PAWL_TRY(cmd_sweep_words(cli, options, &words, err));
  const struct pawl_pool_plan pool = pawl_cli_place_plan(cli, place, &words, GOES_ON);
  PAWL_TRY(pawl_sweep_run(project, options, place->elsewhere ? &pool : NULL, writing, &sweep,
                          &claims, err));
  return cmd_sweep_end(cli, &sweep, &claims, options->folder, err);
}

static enum pawl_status_code cmd_sweep_measure(struct pawl_cli *cli,
                                               const struct pawl_sweep_options *options,
                                               const struct pawl_place *place, const char *evaluate,
                                               const struct pawl_sweep_writing *writing,
                                               struct pawl_error *err) {
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  enum pawl_status_code status = pawl_cli_require_case(&project, options->case_name, err);
  const char *parent;
  if (status == PAWL_OK && !evaluate && !strcmp(options->folder, FOLDER))
    status = pawl_output_folder(&project.paths, &parent, err); /* git ignores it */
  if (status == PAWL_OK)
    status = evaluate ? pawl_sweep_evaluate(&project, options, evaluate, err)
                      : cmd_sweep_run(cli, &project, options, place, writing, err);
  pawl_project_close(&project);
  return status;
}

enum pawl_status_code pawl_cmd_sweep(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  struct pawl_sweep_options sweep = {
      .least_blocks = LEAST_BLOCKS, .most_blocks = MOST_BLOCKS, .seed = PAWL_DEFAULT_SEED};
  struct pawl_place place = {0};
  const char *budget = NULL, *folder = FOLDER, *evaluate = NULL;
  struct pawl_sweep_writing writing = {0};
  bool rewrite = false;
  double seconds = 0, percent = PRECISION_PERCENT;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &sweep.case_name, "NAME", "only this case of the suite"},
      {PAWL_OPTION_STRING, "--matrix", &sweep.matrix, "YAML",
       "shapes in place of the suite's 'sweep' section: '{softmax: {n: [64, 128]}}'"},
      {PAWL_OPTION_REAL, "--precision", &percent, "PERCENT",
       "the half width of an interval that ends a shape; 1 by default"},
      {PAWL_OPTION_INT, "--blocks", &sweep.least_blocks, "N",
       "the least number of blocks of a shape; 12 by default", 6, 1000},
      {PAWL_OPTION_INT, "--max-blocks", &sweep.most_blocks, "N",
       "the largest number of blocks of a shape; 60 by default", 6, 1000},
      {PAWL_OPTION_STRING, "--budget", &budget, "TIME",
       "stop after this time: 90s, 20m, 2h; the same command goes on"},
      {PAWL_OPTION_SEED, "--seed", &sweep.seed, "N",
       "the seed of inputs and orders; 42 by default"},
      PAWL_PLACE_OPTIONS(place),
      {PAWL_OPTION_PATH, "--evaluate", &evaluate, "DIR",
       "measure the shapes that another pawl sweep asks for in DIR; executors start this"},
      {PAWL_OPTION_FLAG, "--rewrite", &rewrite, NULL,
       "write the files of the folder anew from its samples, and measure nothing"},
      {PAWL_OPTION_FLAG, "--no-png", &writing.no_png, NULL,
       "write the pictures as SVG alone, which makes the folder smaller"},
      {PAWL_OPTION_PATH, "--sign", &writing.key, "KEY",
       "sign the checksums by this private key of ssh or minisign"},
      {PAWL_OPTION_PATH, "-o", &folder, "DIR", "the folder; " FOLDER " by default"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  if (sweep.most_blocks < sweep.least_blocks)
    return pawl_fail(err, PAWL_USAGE, "'--max-blocks' (%d) must be at least '--blocks' (%d)",
                     sweep.most_blocks, sweep.least_blocks);
  if (!(percent >= 0.01 && percent <= 50))
    return pawl_fail(err, PAWL_USAGE, "'--precision' takes a percentage from 0.01 to 50");
  PAWL_TRY(pawl_parse_duration("--budget", budget, &seconds, err));
  if (!rewrite && !evaluate) PAWL_TRY(pawl_cli_find_place(cli, &place, err));
  pawl_budget_begin(place.elsewhere ? 0 : seconds);
  if (!evaluate)
    pawl_interrupt_asks("pawl writes the claims so far; " GOES_ON, pawl_budget_interrupt);
  sweep.budget_seconds = seconds;
  sweep.precision = percent / 100;
  sweep.folder = folder;
  sweep.names = argv;
  sweep.name_count = argc;
  return rewrite ? cmd_sweep_rewrite(cli, folder, &writing, err)
                 : cmd_sweep_measure(cli, &sweep, &place, evaluate, &writing, err);
}
