/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tune_apply.h"

#include <string.h>

#include "base/file.h"
#include "report/suggestions.h"
#include "report/suggestions_cases.h"
#include "suite/edit_params.h"
#include "tune/proposal.h"
#include "tuning/tuning.h"

/* --- of a search that ends now --- */

static pawl_status write_params(const char *path, const char *kernel,
                                const struct pawl_param_value *params, size_t count,
                                struct pawl_log *log, struct pawl_error *err) {
  PAWL_TRY(pawl_suite_write_params(path, kernel, params, count, err));
  pawl_log_info(log, "wrote the parameters of kernel '%s' in '%s'", kernel, path);
  return PAWL_OK;
}

/* "" means that there is no such kernel or parameter. */
static const char *param_of(const struct pawl_kernel_spec *spec, const char *name) {
  const char *value = spec ? pawl_kernel_param(spec, name) : NULL;
  return value ? value : "";
}

/* Changes that a user made to the suite during the search stay. */
static pawl_status write_result(struct pawl_project *project, const char *kernel,
                                const struct pawl_param_value *params, size_t count,
                                const char *folder, struct pawl_error *err) {
  const char *path = project->suite.path;
  struct pawl_suite now;
  PAWL_TRY(pawl_suite_read(path, &project->arena, &now, err));
  const struct pawl_kernel_spec *before = pawl_suite_kernel(&project->suite, kernel),
                                *after = pawl_suite_kernel(&now, kernel);
  for (size_t i = 0; i < count; i++) {
    const char *name = params[i].name, *old = param_of(before, name),
               *value = param_of(after, name);
    if (!strcmp(old, value)) continue;
    return pawl_fail(err, PAWL_TRY_AGAIN,
                     "'%s' of kernel '%s' in '%s' was '%s' when the search began, and now is '%s', "
                     "so pawl applied nothing; 'pawl tune --from %s --apply' writes over it",
                     name, kernel, path, old, value, folder);
  }
  return write_params(path, kernel, params, count, project->options.log, err);
}

static pawl_status apply_winner(const struct pawl_tune *tune, struct pawl_project *project,
                                const char *folder, struct pawl_error *err) {
  const size_t winner = pawl_tune_plainest(tune, tune->finalists[tune->winner].candidate);
  const size_t index = tune->candidates[winner].index;
  const size_t count = tune->space->axis_count;
  struct pawl_param_value *params = pawl_arena_alloc(&project->arena, count, sizeof *params);
  for (size_t i = 0; i < count; i++)
    params[i] = (struct pawl_param_value){tune->space->axes[i].name,
                                          pawl_space_value(tune->space, index, i)};
  return write_result(project, tune->kernel_name, params, count, folder, err);
}

pawl_status pawl_cli_apply_tuning(struct pawl_cli *cli, const struct pawl_tune *tune,
                                  struct pawl_project *project, const char *folder,
                                  struct pawl_error *err) {
  const bool rule = tune->selection && tune->selection->offered;
  if (tune->recommended) PAWL_TRY(apply_winner(tune, project, folder, err));
  if (!tune->recommended) pawl_log_info(&cli->log, "pawl applied nothing");
  if (!rule) return PAWL_OK;
  pawl_log_info(&cli->log,
                "pawl cannot apply the rule: 'params' holds one setting, and the rule chooses "
                "among %zu by the shape; put this into the code that starts the kernel:",
                tune->selection->rule.settings);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text code = {0};
  pawl_tune_rule_code(tune, &code);
  return cli->json ? PAWL_OK : pawl_cli_write(NULL, code.data, code.length, err);
}

pawl_status pawl_cli_apply_written(struct pawl_cli *cli, const struct pawl_tune *tune,
                                   struct pawl_project *project, const char *folder,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, PAWL_TUNE_RESULT);
  struct pawl_tune_proposal proposal;
  if (!tune->recommended) {
    pawl_log_info(&cli->log, "pawl applied nothing");
    return PAWL_OK;
  }
  PAWL_TRY(pawl_tune_proposal_read(path, &project->suite, &project->arena, &proposal, err));
  if (strcmp(proposal.spec->name, tune->kernel_name) != 0 || !proposal.params)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' recommends nothing for kernel '%s'", path,
                     tune->kernel_name);
  return write_result(project, tune->kernel_name, proposal.params, proposal.count, folder, err);
}

/* --- of an earlier search --- */

/* Warns of parameters that changed since the speed-up was measured, except to the recommended
   values. */
static void warn_of_params(struct pawl_cli *cli, const struct pawl_tune_proposal *proposal) {
  for (size_t i = 0; proposal->began && i < proposal->count; i++) {
    const char *name = proposal->params[i].name, *value = pawl_kernel_param(proposal->spec, name);
    if (!value || !strcmp(value, proposal->params[i].value) ||
        pawl_params_text_has(proposal->began, name, value))
      continue;
    pawl_log_warning(&cli->log,
                     "'%s' was not %s when the search began: the speed-up is over other parameters",
                     name, value);
  }
}

static void warn_of_code(struct pawl_cli *cli, const struct pawl_tune_proposal *proposal,
                         const char *suite) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(suite);
  struct pawl_tune_code now;
  pawl_tune_code_read(proposal->spec, folder, &cli->arena, &now);
  const char *changed = pawl_tune_code_changed(&proposal->code, &now);
  if (!changed) return;
  const char *kernel = proposal->spec->name;
  const bool gone = !strcmp(changed, PAWL_TUNE_CODE_SOURCES),
             flags = !strcmp(changed, PAWL_TUNE_CODE_FLAGS);
  const char *what = pawl_arena_printf(&cli->arena, "'%s'", changed);
  if (gone) what = pawl_arena_printf(&cli->arena, "the list of sources of kernel '%s'", kernel);
  if (flags)
    what = pawl_arena_printf(&cli->arena,
                             "the compiler, flags, include_dirs or libs of kernel '%s'", kernel);
  pawl_log_warning(&cli->log, "%s changed after the search began: the speed-up is of other code",
                   what);
}

pawl_status pawl_cli_take_tuning(struct pawl_cli *cli, const char *from, bool apply,
                                 bool *recommended, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(from, PAWL_TUNE_RESULT);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_tune_proposal proposal;
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  PAWL_TRY(pawl_tune_proposal_read(path, &suite, &cli->arena, &proposal, err));
  *recommended = proposal.params != NULL;
  if (!proposal.params) {
    pawl_log_info(&cli->log, "'%s' recommends nothing", path);
    return PAWL_OK;
  }
  warn_of_params(cli, &proposal);
  warn_of_code(cli, &proposal, suite.path);
  if (apply)
    PAWL_TRY(write_params(suite.path, proposal.spec->name, proposal.params, proposal.count,
                          &cli->log, err));
  pawl_tune_proposal_text(&proposal, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}
