/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "cli/tune_apply.h"
#include "picture/search_picture.h"
#include "report/suggestions.h"
#include "tune/kernel_tuner.h"
#include "tune/search_replay.h"
#include "tuning/evaluator.h"
#include "tuning/past.h"
#include "tuning/pool.h"
#include "tuning/run.h"

#define PICTURE "search.png" /* in the output folder */

struct tune_words {
  struct pawl_tune_options tune; /* as given; read_options() adds what follows from the suite */
  const char *budget, *replay, *from, *current, *evaluate;
  struct pawl_place place;
  int evaluations, batch;
  bool apply;
};

/* --- replay --- */

static void print_replay(const struct pawl_tune_record *record,
                         const struct pawl_tune_replay *replay, struct pawl_text *out) {
  if (record->failed == record->space.count)
    pawl_text_printf(out, "%zu configurations, and all fail\n", record->failed);
  else
    pawl_text_printf(out, "%zu configurations, %zu fail, optimum %.6g ms\n", record->space.count,
                     record->failed, record->best);
  pawl_text_printf(out, "strategy %s, seed %llu, %zu evaluations, %zu failed\n\n", replay->strategy,
                   (unsigned long long)replay->seed, replay->evaluations, replay->failed);
  pawl_text_printf(out, "%12s %14s %14s  %s\n", "evaluations", "best, ms", "over optimum",
                   "parameters");
  for (size_t i = 0; i < replay->step_count; i++) {
    const struct pawl_tune_step *step = &replay->steps[i];
    pawl_text_printf(out, "%12zu %14.6g %14.4f  ", step->evaluations, step->time,
                     step->time / record->best);
    pawl_space_key(&record->space, step->index, out);
    pawl_text_add(out, "\n");
  }
  if (!replay->step_count) pawl_text_add(out, "no configuration that the search tried works\n");
}

static pawl_status replay(struct pawl_cli *cli, const struct tune_words *words,
                          struct pawl_error *err) {
  struct pawl_tune_record record;
  struct pawl_tune_replay result;
  const bool begins_anew = words->tune.prior && !strcmp(words->tune.prior, PAWL_TUNE_NO_PRIOR);
  const struct pawl_tune_replay_options options = {.strategy = words->tune.strategy,
                                                   .evaluations = (size_t)words->evaluations,
                                                   .batch = (size_t)words->batch,
                                                   .seed = words->tune.seed,
                                                   .current = words->current,
                                                   .prior = begins_anew ? NULL : words->tune.prior,
                                                   .resume = words->tune.resume,
                                                   .folder = words->tune.folder};
  PAWL_TRY(pawl_tune_record_read(words->replay, &cli->arena, &record, err));
  PAWL_TRY(pawl_tune_replay_run(&record, &options, &cli->arena, &result, err));
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_replay_to_json(&record, &result);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  print_replay(&record, &result, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

/* --- tuning --- */

/* Gives the path of a file in the output folder and clears the place for it. */
static pawl_status output_path(const char *folder, const char *name, struct pawl_arena *arena,
                               const char **out, struct pawl_error *err) {
  *out = pawl_arena_printf(arena, "%s/%s", folder, name);
  return pawl_file_clear_place(*out, err);
}

/* These formats serve other tuners. */
static pawl_status write_formats(const struct pawl_tune *tune, struct pawl_arena *arena,
                                 const char *folder, struct pawl_error *err) {
  const char *cache, *t4;
  PAWL_TRY(output_path(folder, "kernel_tuner_cache.json", arena, &cache, err));
  PAWL_TRY(output_path(folder, "t4.json", arena, &t4, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_to_t4(tune);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_tune_to_kernel_tuner_cache(tune, &text);
  PAWL_TRY(pawl_file_write(cache, text.data, text.length, err));
  return pawl_json_write(t4, document, true, err);
}

static pawl_status write_suggestions(const struct pawl_tune *tune, struct pawl_project *project,
                                     const char *folder, struct pawl_error *err) {
  struct pawl_tune_insight insight;
  const char *picture, *markdown;
  PAWL_TRY(output_path(folder, PICTURE, &project->arena, &picture, err));
  PAWL_TRY(output_path(folder, "suggestions.md", &project->arena, &markdown, err));
  pawl_tune_learn(tune, &project->arena, &insight);
  const bool drawn = pawl_search_has_picture(tune);
  if (drawn) PAWL_TRY(pawl_search_picture(tune, &insight, picture, err));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_tune_suggestions(tune, &insight, project->suite.path, folder, drawn ? PICTURE : NULL, &text);
  return pawl_file_write(markdown, text.data, text.length, err);
}

/* tune.json marks a finished search with all its files, so pawl removes an old one first and writes
   the new one last. */
static enum pawl_status_code write_output(const struct pawl_tune *tune,
                                          struct pawl_project *project, const char *folder,
                                          struct pawl_error *err) {
  const char *json = pawl_arena_printf(&project->arena, "%s/" PAWL_TUNE_RESULT, folder);
  PAWL_TRY(pawl_file_remove_old(json, err));
  PAWL_TRY(write_formats(tune, &project->arena, folder, err));
  PAWL_TRY(write_suggestions(tune, project, folder, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_to_json(tune);
  return pawl_json_write(json, document, true, err);
}

static pawl_status print_result(const struct pawl_cli *cli, const struct pawl_tune *tune,
                                struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_to_json(tune);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, "%s on %s: tried %zu of %zu configurations\n%s\n", tune->kernel_name,
                   tune->case_name, pawl_tune_tried(tune), tune->space->count, tune->conclusion);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

/* Whether the list has this name before `at` too. */
static bool is_named_before(const char *names, const char *at, const char *name) {
  for (const char *one = names; one < at; one = strchr(one, ',') + 1)
    if (strcspn(one, ",") == strlen(name) && pawl_starts_with(one, name)) return true;
  return false;
}

/* Requires the cases of a list such as "small,large"; "all" needs no check. */
static pawl_status require_cases(struct pawl_project *project, const char *names,
                                 struct pawl_error *err) {
  if (!names || !strcmp(names, "all")) return PAWL_OK;
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const char *name = pawl_arena_printf(&project->arena, "%.*s", (int)strcspn(at, ","), at);
    if (!*name)
      return pawl_fail(err, PAWL_USAGE, "'--cases' has an empty name; use NAME,NAME or all");
    if (is_named_before(names, at, name))
      return pawl_fail(err, PAWL_USAGE, "'--cases' has the case '%s' twice; name each case once",
                       name);
    PAWL_TRY(pawl_cli_require_case(project, name, err));
  }
  return PAWL_OK;
}

static pawl_status read_options(const struct tune_words *words, struct pawl_project *project,
                                struct pawl_tune_options *out, struct pawl_error *err) {
  *out = words->tune;
  PAWL_TRY(pawl_cli_only_kernel(project, PAWL_CHOOSE_TUNED, &out->kernel, err));
  out->budget_given = words->budget != NULL;
  out->budget_seconds = PAWL_TUNE_BUDGET_SECONDS;
  PAWL_TRY(pawl_parse_duration("--budget", words->budget, &out->budget_seconds, err));
  PAWL_TRY(pawl_cli_require_case(project, out->case_name, err));
  PAWL_TRY(require_cases(project, out->case_names, err));
  if (!out->folder) {
    PAWL_TRY(pawl_output_folder(&project->paths, &out->folder, err));
    out->folder = pawl_arena_printf(&project->arena, "%s/tune", out->folder);
  }
  return pawl_make_folders(out->folder, err);
}

/* The judging evaluator, or an earlier command, has written all files. This reads them as data. */
static pawl_status take_written(struct pawl_cli *cli, struct pawl_project *project,
                                const struct tune_words *words, const char *folder,
                                const struct pawl_tune *tune, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, PAWL_TUNE_RESULT);
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    PAWL_TRY(pawl_json_read(path, &document, err));
    PAWL_TRY(pawl_cli_write_json(NULL, document, err));
  } else {
    PAWL_TRY(print_result(cli, tune, err));
  }
  if (tune->ended_before)
    pawl_log_info(&cli->log,
                  "the search in '%s' had ended, so --resume changes nothing; a larger --budget "
                  "goes on, and without --resume it begins anew",
                  folder);
  return words->apply ? pawl_cli_apply_written(cli, tune, project, folder, err) : PAWL_OK;
}

static pawl_status tune_here(struct pawl_cli *cli, struct pawl_project *project,
                             const struct tune_words *words, struct pawl_tune *out,
                             struct pawl_error *err) {
  struct pawl_tune_options options;
  PAWL_TRY(read_options(words, project, &options, err));
  options.stop = pawl_interrupt_asks(
      "stopping after the candidate at hand; pawl keeps all that it knows, and the same command "
      "with --resume goes on; Ctrl-C again ends it at once",
      NULL);
  PAWL_TRY(pawl_loop_tune(project, &options, out, err));
  if (out->ended_before) {
    PAWL_TRY(take_written(cli, project, words, options.folder, out, err));
    pawl_log_info(&cli->log, "the suggestions are in %s", options.folder);
    return PAWL_OK;
  }
  struct pawl_error ignored = {0};
  const enum pawl_status_code printed =
      print_result(cli, out, err); /* prints first, so a full disk hides no result */
  PAWL_TRY(write_output(out, project, options.folder, printed == PAWL_OK ? err : &ignored));
  if (words->apply)
    PAWL_TRY(pawl_cli_apply_tuning(cli, out, project, options.folder,
                                   printed == PAWL_OK ? err : &ignored));
  if (printed != PAWL_OK) return printed; /* without a reader the files still exist */
  pawl_log_info(&cli->log, "the suggestions are in %s", options.folder);
  return PAWL_OK;
}

/* An evaluator's command is this search's, with absolute paths. */
static pawl_status list_words(struct pawl_cli *cli, const struct pawl_tune_options *options,
                              struct pawl_words *words, struct pawl_error *err) {
  struct pawl_arena *arena = &cli->arena;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_real(options->folder);
  PAWL_TRY(pawl_cli_begin_words(cli, "tune", words, err));
  pawl_words_add(words, arena, options->kernel);
  if (options->case_name) pawl_words_printf(words, arena, "--case=%s", options->case_name);
  if (options->case_names) pawl_words_printf(words, arena, "--cases=%s", options->case_names);
  pawl_words_printf(words, arena, "--strategy=%s", options->strategy);
  pawl_words_printf(words, arena, "--seed=%llu", (unsigned long long)options->seed);
  pawl_words_printf(words, arena, "--budget=%.17gs", options->budget_seconds);
  pawl_words_printf(words, arena, "-o%s", folder ? folder : options->folder);
  /* The search asks the evaluator, which searches nothing itself. */
  pawl_words_add(words, arena, "--prior=" PAWL_TUNE_NO_PRIOR);
  pawl_words_add(words, arena, "--evaluate");
  return PAWL_OK;
}

static pawl_status tune_elsewhere(struct pawl_cli *cli, struct pawl_project *project,
                                  const struct tune_words *words, bool *decided,
                                  struct pawl_error *err) {
  struct pawl_tune_options options;
  struct pawl_tune_pool_result result;
  struct pawl_words evaluator = {0};
  PAWL_TRY(read_options(words, project, &options, err));
  options.stop = pawl_interrupt_asks(
      "ending the evaluators; pawl keeps all that they answered, and the same command with "
      "--resume goes on; Ctrl-C again ends it at once",
      NULL);
  PAWL_TRY(list_words(cli, &options, &evaluator, err));
  const struct pawl_pool_plan plan =
      pawl_cli_place_plan(cli, &words->place, &evaluator, "the same command with --resume goes on");
  PAWL_TRY(pawl_loop_tune_pool(project, &options, &plan, &result, err));
  if (result.written) {
    PAWL_TRY(take_written(cli, project, words, options.folder, &result.tune, err));
  } else {
    PAWL_TRY(write_output(&result.tune, project, options.folder, err));
    PAWL_TRY(print_result(cli, &result.tune, err));
    if (words->apply)
      PAWL_TRY(pawl_cli_apply_tuning(cli, &result.tune, project, options.folder, err));
  }
  pawl_log_info(&cli->log, "the suggestions are in %s", options.folder);
  *decided = result.tune.decided;
  return PAWL_OK;
}

static pawl_status evaluate(struct pawl_project *project, const struct tune_words *words,
                            struct pawl_error *err) {
  struct pawl_tune_options options;
  PAWL_TRY(read_options(words, project, &options, err));
  return pawl_loop_evaluate(project, &options, words->evaluate, write_output, err);
}

/* A replay and a tuning take different options. */
static pawl_status cmd_tune_check_words(const struct tune_words *words, int operands,
                                        struct pawl_error *err) {
  if (words->replay) {
    const bool elsewhere =
        words->place.executor || words->place.evaluators || words->place.slurm_options;
    if (operands || words->tune.case_name || words->tune.case_names || words->budget ||
        words->apply || words->from || elsewhere)
      return pawl_fail(err, PAWL_USAGE,
                       "'--replay' takes no kernel, case, budget or executor; use --strategy, "
                       "--evaluations, --seed, --prior, -o and --resume");
    if (words->tune.resume && !words->tune.folder)
      return pawl_fail(err, PAWL_USAGE,
                       "'--resume' of a replay needs -o, the folder of its journal");
    return PAWL_OK;
  }
  if (words->from) {
    if (operands || words->tune.case_name || words->tune.case_names || words->budget ||
        words->tune.resume || words->tune.folder || words->tune.prior || words->current ||
        words->evaluations || words->batch != 1 || words->place.executor ||
        words->place.evaluators || words->place.slurm_options)
      return pawl_fail(err, PAWL_USAGE,
                       "'--from' takes no kernel and no other option than --apply");
    return PAWL_OK;
  }
  if (words->evaluations)
    return pawl_fail(err, PAWL_USAGE,
                     "'--evaluations' works only with --replay; otherwise use --budget");
  if (words->batch != 1) return pawl_fail(err, PAWL_USAGE, "'--batch' works only with --replay");
  if (words->current)
    return pawl_fail(
        err, PAWL_USAGE,
        "'--current' works only with --replay; otherwise pawl.yaml has the parameters");
  if (words->tune.case_name && words->tune.case_names)
    return pawl_fail(err, PAWL_USAGE, "'--case' and '--cases' exclude each other");
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_tune(struct pawl_cli *cli, int argc, char **argv,
                                    struct pawl_error *err) {
  struct tune_words words = {.tune = {.strategy = "auto", .seed = PAWL_DEFAULT_SEED}, .batch = 1};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.tune.case_name, "NAME", "the case to tune for"},
      {PAWL_OPTION_STRING, "--cases", &words.tune.case_names, "NAME,NAME|all",
       "the cases to tune for: one setting for all of them, and the best of each with the rule "
       "that chooses"},
      {PAWL_OPTION_STRING, "--budget", &words.budget, "TIME",
       "the time for the whole search: 90s, 20m, 2h; 20m by default; pawl finishes work that has "
       "started"},
      {PAWL_OPTION_STRING, "--strategy", &words.tune.strategy, "NAME",
       "auto, exhaustive, random or bayesian"},
      {PAWL_OPTION_SEED, "--seed", &words.tune.seed, "N", "the seed of the search; 42 by default"},
      PAWL_PLACE_OPTIONS(words.place),
      {PAWL_OPTION_PATH, "--evaluate", &words.evaluate, "DIR",
       "time the candidates that another pawl tune asks for in DIR; executors start this"},
      {PAWL_OPTION_FLAG, "--apply", &words.apply, NULL,
       "write the recommended parameters into pawl.yaml"},
      {PAWL_OPTION_FLAG, "--resume", &words.tune.resume, NULL,
       "continue from the journal in the output folder; a search that has ended only shows its "
       "result"},
      {PAWL_OPTION_PATH, "-o", &words.tune.folder, "DIR",
       "the output folder; perf/out/tune by default"},
      {PAWL_OPTION_PATH, "--prior", &words.tune.prior, "FILE",
       "begin with the times of this search, by default of an earlier one of the kernel and its "
       "cases: its tune.json or journal, a cache of Kernel Tuner or T4 results; none: begin anew"},
      {PAWL_OPTION_PATH, "--from", &words.from, "DIR",
       "take the result of a search that has ended from its DIR; --apply writes it"},
      {PAWL_OPTION_PATH, "--replay", &words.replay, "CACHE.json",
       "search a recorded space instead"},
      {PAWL_OPTION_INT, "--evaluations", &words.evaluations, "N",
       "the number of evaluations in a replay; all by default", 1, 1000000},
      /* Benchmarks set how many configurations a replay asks for at once, and the configuration
         that it times first. */
      {PAWL_OPTION_INT, "--batch", &words.batch, "N", NULL, 1, 1000},
      {PAWL_OPTION_STRING, "--current", &words.current, "A=1,B=2", NULL},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(cmd_tune_check_words(&words, argc, err));
  if (words.replay) return replay(cli, &words, err);
  bool recommended = true;
  if (words.from) {
    const enum pawl_status_code taken =
        pawl_cli_take_tuning(cli, words.from, words.apply, &recommended, err);
    return pawl_cli_verdict(taken, recommended ? PAWL_OK : PAWL_UNDECIDED, err);
  }
  words.tune.kernel = argc ? argv[0] : NULL;
  PAWL_TRY(pawl_cli_find_place(cli, &words.place, err));
  struct pawl_project project;
  struct pawl_tune result = {0};
  enum pawl_status_code status;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  if (words.evaluate) {
    status = evaluate(&project, &words, err);
    result.decided = true;
  } else if (words.place.elsewhere) {
    status = tune_elsewhere(cli, &project, &words, &result.decided, err);
  } else {
    status = tune_here(cli, &project, &words, &result, err);
  }
  pawl_project_close(&project);
  return pawl_cli_verdict(status, result.decided ? PAWL_OK : PAWL_UNDECIDED, err);
}
