/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/tuning.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "build/reads.h"
#include "project/check_kernel.h"

double pawl_tuning_seconds(const struct pawl_tuning *tuning) {
  return pawl_seconds_since(tuning->begin_ns);
}

bool pawl_tuning_is_stopped(const struct pawl_tuning *tuning) {
  return tuning->options->stop && *tuning->options->stop;
}

double pawl_tuning_left(const struct pawl_tuning *tuning) {
  if (pawl_tuning_is_stopped(tuning)) return 0;
  return fmax(tuning->options->budget_seconds - pawl_tuning_seconds(tuning), 0);
}

double pawl_tuning_worth(const struct pawl_tuning *tuning) {
  return 1 / (1 + tuning->project->suite.gate.improve / 2);
}

struct pawl_kernel_spec *pawl_tuning_spec(struct pawl_tuning *tuning, size_t index) {
  struct pawl_arena *arena = &tuning->project->arena;
  const struct pawl_space *space = &tuning->space;
  struct pawl_kernel_spec *spec = pawl_arena_alloc(arena, 1, sizeof *spec);
  *spec = *tuning->spec;
  spec->params =
      pawl_arena_alloc(arena, spec->param_count + space->axis_count, sizeof *spec->params);
  if (spec->param_count)
    memcpy(spec->params, tuning->spec->params, spec->param_count * sizeof *spec->params);
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    size_t slot = 0;
    while (slot < spec->param_count && strcmp(spec->params[slot].name, space->axes[axis].name) != 0)
      slot++;
    spec->params[slot] =
        (struct pawl_param_value){space->axes[axis].name, pawl_space_value(space, index, axis)};
    if (slot == spec->param_count) spec->param_count++;
  }
  return spec;
}

/* A source that is a symbolic link stands for the file that it leads to. */
void pawl_tuning_know_sources(struct pawl_tuning *tuning) {
  struct pawl_project *project = tuning->project;
  struct pawl_arena *arena = &project->arena;
  const struct pawl_strings *sources =
      tuning->spec->kind == PAWL_FROM_PROTOCOL ? &tuning->spec->protocol : &tuning->spec->sources;
  struct pawl_words paths = {0};
  for (size_t i = 0; i < sources->count; i++) {
    const char *folder = *sources->items[i] == '/' ? "" : project->paths.folder;
    const char *path =
        pawl_arena_printf(arena, "%s%s%s", folder, *folder ? "/" : "", sources->items[i]);
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
    if (tuning->spec->kind == PAWL_FROM_PROTOCOL && !(real && pawl_is_regular(real)))
      continue; /* a word of the command that is no file */
    pawl_words_add(&paths, arena, real ? real : path);
  }
  tuning->sources = pawl_known_files_take(paths.items, paths.count, pawl_project_seal_key(project),
                                          &project->arena);
}

void pawl_tuning_know_headers(struct pawl_tuning *tuning) {
  struct pawl_project *project = tuning->project;
  struct pawl_words paths = {0};
  pawl_build_reads(tuning->base.build.plugin, &project->arena, &paths);
  tuning->headers = pawl_known_files_take(paths.items, paths.count, pawl_project_seal_key(project),
                                          &project->arena);
}

pawl_status pawl_tuning_require_sources(const struct pawl_tuning *tuning, struct pawl_error *err) {
  const char *changed = pawl_known_files_changed(tuning->sources);
  if (!changed) changed = pawl_known_files_changed(tuning->headers);
  if (!changed) return PAWL_OK;
  return pawl_fail(err, PAWL_TRY_AGAIN,
                   "'%s' changed during the search, so its times do not belong together: undo the "
                   "change and use --resume, or start again",
                   changed);
}

pawl_status pawl_tuning_ready(struct pawl_tuning *tuning, size_t index,
                              struct pawl_ready_kernel *out, struct pawl_error *err) {
  PAWL_TRY(pawl_project_ready(tuning->project, pawl_tuning_spec(tuning, index), out, err));
  if (out->diagnostics) pawl_log_detail(tuning->project->options.log, "%s", out->diagnostics);
  return pawl_tuning_require_sources(tuning, err);
}

bool pawl_tuning_is_for(const struct pawl_tuning *tuning, const char *case_name) {
  for (size_t i = 0; case_name && i < tuning->config_count; i++)
    if (!strcmp(tuning->configs[i]->name, case_name)) return true;
  return false;
}

static pawl_status check_smallest(struct pawl_tuning *tuning,
                                  const struct pawl_ready_kernel *kernel,
                                  struct pawl_check_report *out, struct pawl_error *err) {
  const struct pawl_check_selection smallest = {
      .check = {.seed = tuning->options->seed, .reduced = true}};
  return pawl_check_ready_kernel(tuning->project, kernel, &smallest, out, err);
}

/* Whether the current code passes a row of the check. pawl asks this only if a candidate does
   not support the row. */
static pawl_status current_passes(struct pawl_tuning *tuning, const struct pawl_check_row *row,
                                  bool *out, struct pawl_error *err) {
  struct pawl_check_report *current = tuning->current_check;
  if (!current) {
    current = pawl_arena_alloc(&tuning->project->arena, 1, sizeof *current);
    PAWL_TRY(check_smallest(tuning, &tuning->base, current, err));
    tuning->current_check = current;
  }
  *out = false;
  for (size_t i = 0; i < current->count; i++)
    if (current->rows[i].number == row->number) *out = current->rows[i].outcome == PAWL_OUTCOME_OK;
  return PAWL_OK;
}

/* A shape that the candidate does not support is a failure if the current code supports it. */
static pawl_status is_failure(struct pawl_tuning *tuning, const struct pawl_check_row *row,
                              bool *out, struct pawl_error *err) {
  *out = pawl_outcome_fails(row->outcome);
  if (row->outcome != PAWL_OUTCOME_UNSUPPORTED) return PAWL_OK;
  *out = pawl_tuning_is_for(tuning, row->config.name);
  return *out ? PAWL_OK : current_passes(tuning, row, out, err);
}

pawl_status pawl_tuning_check(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                              enum pawl_outcome *outcome, const char **reason,
                              struct pawl_error *err) {
  struct pawl_check_report report;
  PAWL_TRY(check_smallest(tuning, kernel, &report, err));
  *outcome = PAWL_OUTCOME_OK;
  *reason = NULL;
  for (size_t i = 0; i < report.count; i++) {
    const struct pawl_check_row *row = &report.rows[i];
    bool failed;
    PAWL_TRY(is_failure(tuning, row, &failed, err));
    if (!failed) continue;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
    pawl_case_key(&row->config, &shape);
    *outcome = row->outcome;
    *reason = pawl_arena_printf(
        &tuning->project->arena, "on %s (%s): %s%s", pawl_text_string(&shape), row->distribution,
        row->reason,
        row->outcome == PAWL_OUTCOME_UNSUPPORTED ? "; the current code can do this" : "");
    return PAWL_OK;
  }
  return PAWL_OK;
}
