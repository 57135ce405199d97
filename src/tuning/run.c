/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "project/base_oracle.h"
#include "project/definitions.h"
#include "project/operators.h"
#include "tuning/evaluate.h"
#include "tuning/finals.h"
#include "tuning/past.h"
#include "tuning/screen.h"

/* --- before the search --- */

#define CASES_NAMED 8 /* in a message */

static pawl_status find_kernel(struct pawl_tuning *tuning, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t count;
  char *name = pawl_arena_copy(&tuning->project->arena, tuning->options->kernel);
  PAWL_TRY(pawl_kernels_named(&tuning->project->suite, &tuning->project->arena, &name, 1, &specs,
                              &count, err));
  tuning->spec = specs[0];
  PAWL_TRY(pawl_space_init(&tuning->space, tuning->spec, tuning->project->suite.path,
                           &tuning->project->arena, err));
  pawl_params_warn(tuning->project, tuning->spec);
  return PAWL_OK;
}

/* Returns whether a name is one of "small,large". */
static bool run_is_listed(const char *names, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strcspn(at, ",") == length && !strncmp(at, name, length)) return true;
  return false;
}

/* If the operator has no case of this name, the suite may have it for another operator, and the
   message says so. */
static pawl_status run_check_names(const struct pawl_tuning *tuning, const char *names,
                                   struct pawl_error *err) {
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    size_t i = 0;
    while (i < tuning->case_count && (strlen(tuning->cases[i].name) != length ||
                                      strncmp(tuning->cases[i].name, at, length) != 0))
      i++;
    if (i == tuning->case_count)
      return pawl_fail(err, PAWL_USAGE,
                       "case '%.*s' does not fit kernel '%s': it belongs to another operator",
                       (int)length, at, tuning->spec->name);
  }
  return PAWL_OK;
}

static pawl_status choose_a_case(const struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  for (size_t i = 0; i < tuning->case_count && i < CASES_NAMED; i++)
    pawl_text_printf(&names, "%s%s", i ? ", " : "", tuning->cases[i].name);
  if (tuning->case_count > CASES_NAMED) pawl_text_add(&names, ", ...");
  return pawl_fail(
      err, PAWL_USAGE,
      "kernel '%s' has %zu cases (%s): choose one with --case, or several with --cases",
      tuning->spec->name, tuning->case_count, pawl_text_string(&names));
}

static pawl_status run_find_cases(struct pawl_tuning *tuning, struct pawl_error *err) {
  const struct pawl_tune_options *options = tuning->options;
  const char *wanted = options->case_name ? options->case_name : options->case_names;
  PAWL_TRY(pawl_project_oracle(tuning->project, tuning->spec->operator_name, &tuning->oracle, err));
  PAWL_TRY(pawl_operator_cases(&tuning->project->suite, &tuning->oracle->info, NULL, NULL,
                               &tuning->project->arena, &tuning->cases, &tuning->case_count, err));
  if (!wanted && tuning->case_count != 1) return choose_a_case(tuning, err);
  const bool all = !wanted || (options->case_names && !strcmp(wanted, "all"));
  if (!all) PAWL_TRY(run_check_names(tuning, wanted, err));
  tuning->configs =
      pawl_arena_alloc(&tuning->project->arena, tuning->case_count + 1, sizeof(struct pawl_case *));
  for (size_t i = 0; i < tuning->case_count; i++)
    if (all || run_is_listed(wanted, tuning->cases[i].name))
      tuning->configs[tuning->config_count++] = &tuning->cases[i];
  if (tuning->config_count <= PAWL_TUNE_MOST_CASES) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "'--cases' gives %zu cases and the limit is %u: name those that matter most",
                   tuning->config_count, PAWL_TUNE_MOST_CASES);
}

static pawl_status prepare_base(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_TRY(pawl_project_ready(tuning->project, tuning->spec, &tuning->base, err));
  if (tuning->base.outcome == PAWL_OUTCOME_ABSENT)
    return pawl_fail(err, PAWL_UNAVAILABLE, "kernel '%s' cannot run: %s", tuning->spec->name,
                     tuning->base.reason);
  if (tuning->base.diagnostics)
    pawl_log_info(tuning->project->options.log, "%s", tuning->base.diagnostics);
  if (tuning->base.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' does not build with its current parameters: %s",
                     tuning->spec->name, tuning->base.reason);
  /* Now that a kernel is ready, the GPU oracle may answer too. */
  PAWL_TRY(pawl_project_oracle(tuning->project, tuning->spec->operator_name, &tuning->oracle, err));
  return pawl_base_oracle_use(tuning->project, tuning->spec, tuning->oracle, err);
}

/* "small,large" */
static const char *case_names(const struct pawl_tuning *tuning) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < tuning->config_count; i++)
    pawl_text_printf(&text, "%s%s", i ? "," : "", tuning->configs[i]->name);
  return pawl_arena_copy(&tuning->project->arena, pawl_text_string(&text));
}

void pawl_tuning_describe(struct pawl_tuning *tuning, const char *hardware,
                          const char *hardware_name) {
  struct pawl_project *project = tuning->project;
  char now[20];
  pawl_format_time(pawl_wall_clock(), now);
  tuning->tune =
      (struct pawl_tune){.kernel_name = tuning->spec->name,
                         .case_name = case_names(tuning),
                         .cases = tuning->configs,
                         .case_count = tuning->config_count,
                         .hardware = pawl_arena_copy(&project->arena, hardware),
                         .hardware_name = pawl_arena_copy(&project->arena, hardware_name),
                         .commit = project->git.commit,
                         .timestamp = pawl_arena_copy(&project->arena, now),
                         .strategy = tuning->options->strategy,
                         .seed = tuning->options->seed,
                         .budget_seconds = tuning->options->budget_seconds,
                         .improve = project->suite.gate.improve,
                         .space = &tuning->space,
                         .current = pawl_kernel_params_text(tuning->spec, &project->arena)};
  pawl_tune_code_read(tuning->spec, project->paths.folder, &project->arena, &tuning->tune.code);
}

json_t *pawl_tuning_identity(const struct pawl_tuning *tuning) {
  json_t *object = json_object(), *axes = json_object();
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  const char *code =
      tuning->base.program.hash ? tuning->base.program.hash : tuning->base.build.code_hash;
  for (size_t i = 0; i < tuning->config_count; i++) {
    if (i) pawl_text_add(&shape, ";");
    pawl_case_key(tuning->configs[i], &shape);
  }
  pawl_json_set_int(object, "schema_version", PAWL_TUNE_SCHEMA);
  pawl_json_set_string(object, "kernel_name", tuning->spec->name);
  pawl_json_set_string(object, "case", tuning->tune.case_name);
  pawl_json_set_string(object, "shape", pawl_text_string(&shape));
  pawl_json_set_string(object, "hardware", tuning->tune.hardware);
  pawl_json_set_string(object, "code", code ? code : tuning->base.build.plugin);
  pawl_json_set_string(object, "toolchain", tuning->base.build.toolchain);
  pawl_tune_journal_name_strategy(object, tuning->options->strategy);
  pawl_json_set(object, "seed", pawl_seed_to_json(tuning->options->seed, true));
  pawl_json_set_bool(object, "asks_ahead", true); /* earlier versions asked in batches */
  for (size_t i = 0; i < tuning->space.axis_count; i++) {
    json_t *values = json_array();
    for (size_t j = 0; j < tuning->space.axes[i].count; j++)
      json_array_append_new(values, json_string(tuning->space.axes[i].values[j].word));
    pawl_json_set(axes, tuning->space.axes[i].name, values);
  }
  char valid[PAWL_HASH_TEXT];
  pawl_hash_format(
      pawl_hash_bytes(tuning->space.configurations,
                      tuning->space.count * tuning->space.axis_count * sizeof(uint16_t)),
      valid);
  pawl_json_set(object, "space", axes);
  /* the configurations that satisfy the constraints */
  pawl_json_set_string(object, "configurations", valid);
  pawl_tuning_name_prior(tuning, object);
  return object;
}

pawl_status pawl_tuning_open_journal(struct pawl_tuning *tuning, const json_t *identity,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *path = pawl_path_join(tuning->options->folder, PAWL_TUNE_JOURNAL);
  struct pawl_tune_journal *journal = &tuning->journal;
  PAWL_TRY(pawl_file_clear_place(path, err));
  /* The prior comes first, because the journal names it. */
  PAWL_TRY(pawl_tuning_save_prior(tuning, err));
  PAWL_TRY(pawl_tune_journal_open(journal, path, identity, tuning->options->resume,
                                  &tuning->project->arena, err));
  if (journal->kept)
    pawl_log_warning(tuning->project->options.log,
                     "an earlier search was interrupted; its journal is now '%s' (--resume would "
                     "have continued it)",
                     journal->kept);
  tuning->begin_ns -= (int64_t)(journal->seconds * 1e9);
  return PAWL_OK;
}

static pawl_status search(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *identity = pawl_tuning_identity(tuning);
  PAWL_TRY(pawl_tuning_open_journal(tuning, identity, err));
  if (pawl_tuning_take_end(tuning)) {
    pawl_tuning_tell_current(tuning);
    pawl_tuning_recall(tuning);
    return PAWL_OK;
  }
  PAWL_TRY(pawl_tuning_open_bench(tuning, err));
  PAWL_TRY(pawl_tuning_screen(tuning, err));
  pawl_tuning_end_builds(tuning);
  PAWL_TRY(pawl_tuning_judge(tuning, err));
  tuning->tune.stopped = pawl_tuning_is_stopped(tuning);
  tuning->tune.seconds = pawl_tuning_seconds(tuning);
  pawl_tune_conclude(&tuning->tune, &tuning->project->arena);
  if (tuning->tune.finished) PAWL_TRY(pawl_tuning_write_end(tuning, tuning->tune.seconds, err));
  pawl_tuning_store(tuning);
  return PAWL_OK;
}

pawl_status pawl_tuning_find(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_TRY(find_kernel(tuning, err));
  pawl_tuning_know_sources(tuning);
  PAWL_TRY(pawl_search_init(&tuning->search, &tuning->space, tuning->options->strategy,
                            tuning->options->seed, err));
  PAWL_TRY(run_find_cases(tuning, err));
  return pawl_tuning_read_prior(tuning, err);
}

pawl_status pawl_tuning_take_turn(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_project *project = tuning->project;
  return pawl_devices_take_turn(&project->devices, tuning->spec->device, &project->suite.measure,
                                project->options.log, err);
}

pawl_status pawl_tuning_open_device(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  struct pawl_project *project = tuning->project;
  PAWL_TRY(prepare_base(tuning, err));
  pawl_tuning_know_headers(tuning);
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  const struct pawl_device *device =
      pawl_devices_find(&project->devices, tuning->spec->device, NULL);
  pawl_device_identity(device, &identity);
  pawl_tuning_describe(tuning, pawl_text_string(&identity), device->name);
  return PAWL_OK;
}

static pawl_status tune_kernel(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_TRY(pawl_tuning_find(tuning, err));
  PAWL_TRY(pawl_tuning_build_first(tuning, err));
  PAWL_TRY(pawl_tuning_take_turn(tuning, err));
  PAWL_TRY(pawl_tuning_open_device(tuning, err));
  return search(tuning, err);
}

struct pawl_tuning *pawl_tuning_new(struct pawl_project *project,
                                    const struct pawl_tune_options *options) {
  struct pawl_tuning *tuning = pawl_arena_alloc(&project->arena, 1, sizeof *tuning);
  *tuning = (struct pawl_tuning){
      .project = project, .options = options, .journal = {.fd = -1}, .begin_ns = pawl_clock_ns()};
  return tuning;
}

void pawl_tuning_release(struct pawl_tuning *tuning) {
  pawl_tuning_end_builds(tuning);
  pawl_tune_bench_close(&tuning->bench);
  pawl_tune_journal_release(&tuning->journal);
  pawl_search_release(&tuning->search);
  pawl_text_clear(&tuning->prior_text);
}

pawl_status pawl_tuning_lock(struct pawl_project *project, struct pawl_lock *lock,
                             struct pawl_error *err) {
  PAWL_TRY(pawl_make_folders(project->paths.cache_folder, err));
  const char *path =
      pawl_arena_printf(&project->arena, "%s/tune.lock", project->paths.cache_folder);
  return pawl_lock_acquire(lock, path, 0, err);
}

pawl_status pawl_loop_tune(struct pawl_project *project, const struct pawl_tune_options *options,
                           struct pawl_tune *out, struct pawl_error *err) {
  struct pawl_tuning *tuning = pawl_tuning_new(project, options);
  struct pawl_lock lock = {.fd = -1};
  /* Two searches at once would disturb each other's times. */
  PAWL_TRY(pawl_tuning_lock(project, &lock, err));
  const enum pawl_status_code status = tune_kernel(tuning, err);
  pawl_tuning_release(tuning);
  pawl_lock_release(&lock);
  if (status == PAWL_OK) *out = tuning->tune;
  return status;
}
