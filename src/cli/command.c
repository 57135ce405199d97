/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/style.h"
#include "import/import.h"
#include "project/operators.h"

static bool has_printed; /* static, because there is one standard output */

void pawl_cli_print(const char *text) {
  has_printed = true;
  fputs(text, stdout);
}

bool pawl_cli_has_printed(void) { return has_printed; }

static void print_help(const struct pawl_command *command, const struct pawl_option *options) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "usage: pawl %s\n\n%s\n", command->synopsis, command->summary);
  if (options->kind) pawl_text_add(&text, "\nOptions:\n");
  pawl_options_help(options, &text);
  pawl_cli_print(text.data);
  pawl_text_clear(&text);
}

/* Appends the general options to the command's. */
static const struct pawl_option *with_general(struct pawl_cli *cli,
                                              const struct pawl_option *options) {
  size_t count = 0;
  while (options[count].kind) count++;
  struct pawl_option *all =
      pawl_arena_alloc(&cli->arena, count + PAWL_GENERAL_OPTIONS + 1, sizeof *all);
  memcpy(all, options, count * sizeof *all);
  pawl_general_options(cli, all + count);
  all[count + PAWL_GENERAL_OPTIONS] = options[count];
  return all;
}

pawl_status pawl_cli_options(struct pawl_cli *cli, const struct pawl_option *options, int *argc,
                             char **argv, int min_operands, int max_operands, bool *done,
                             struct pawl_error *err) {
  *done = false;
  for (int i = 0; i < *argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "-h") != 0 && strcmp(argv[i], "--help") != 0) continue;
    print_help(cli->command, options);
    *done = true;
    return PAWL_OK;
  }
  PAWL_TRY(pawl_options_parse(with_general(cli, options), argc, argv, &cli->arena, err));
  PAWL_TRY(pawl_general_apply(cli, err));
  if (*argc < min_operands)
    return pawl_fail(err, PAWL_USAGE, "an argument is missing; usage: pawl %s",
                     cli->command->synopsis);
  if (max_operands >= 0 && *argc > max_operands)
    return pawl_fail(err, PAWL_USAGE, "'%s' is one argument too many; usage: pawl %s",
                     argv[max_operands], cli->command->synopsis);
  return PAWL_OK;
}

/* -D NAME=VALUE: NAME must be a C identifier because it becomes a macro. */
static pawl_status split_definition(const char *text, struct pawl_arena *arena,
                                    struct pawl_param_value *out, struct pawl_error *err) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const size_t length = strspn(text, letters);
  if (!length || text[length] != '=' || (text[0] >= '0' && text[0] <= '9'))
    return pawl_fail(err, PAWL_USAGE,
                     "'-D' takes NAME=VALUE, where NAME is a C identifier, not '%s'", text);
  char *name = pawl_arena_copy(arena, text);
  name[length] = '\0';
  *out = (struct pawl_param_value){.name = name, .value = text + length + 1};
  return PAWL_OK;
}

enum pawl_status_code pawl_cli_verdict(enum pawl_status_code status, enum pawl_status_code verdict,
                                       struct pawl_error *err) {
  if (status != PAWL_OK) return status;
  *err = (struct pawl_error){0};
  return verdict;
}

bool pawl_cli_names_gpus(const struct pawl_cli *cli) {
  return cli->device && (strchr(cli->device, ',') || !strcmp(cli->device, "all"));
}

pawl_status pawl_cli_open(struct pawl_cli *cli, const struct pawl_option_list *definitions,
                          struct pawl_project *project, struct pawl_error *err) {
  if (pawl_cli_names_gpus(cli))
    return pawl_fail(err, PAWL_USAGE,
                     "cannot use '--device %s': only run, check, bench and tune use several GPUs",
                     cli->device);
  const size_t count = definitions ? definitions->count : 0;
  struct pawl_param_value *overrides = pawl_arena_alloc(&cli->arena, count, sizeof *overrides);
  for (size_t i = 0; i < count; i++)
    PAWL_TRY(split_definition(definitions->items[i], &cli->arena, &overrides[i], err));
  const struct pawl_project_options options = {.folder = ".",
                                               .suite = cli->suite,
                                               .device = cli->device,
                                               .wait_seconds = cli->wait_seconds,
                                               .only_lists = cli->only_lists,
                                               .trusts_outputs = cli->trusts_outputs,
                                               .gpu_lost = cli->gpu_lost,
                                               .overrides = overrides,
                                               .override_count = count,
                                               .pull_request = cli->pull_request,
                                               .find_reader = pawl_import_reader,
                                               .log = &cli->log};
  enum pawl_status_code status = pawl_project_open(project, &options, err);
  if (status == PAWL_OK) status = pawl_operators_check(&project->suite, project->paths.home, err);
  if (status != PAWL_OK) pawl_project_close(project);
  return status;
}

pawl_status pawl_cli_require_case(const struct pawl_project *project, const char *name,
                                  struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  if (!name || pawl_suite_case(suite, name)) return PAWL_OK;
  const char **names = pawl_alloc(suite->case_count, sizeof *names);
  for (size_t i = 0; i < suite->case_count; i++) names[i] = suite->cases[i].name;
  const char *nearest = pawl_nearest(name, names, suite->case_count);
  const enum pawl_status_code status =
      nearest ? pawl_fail(err, PAWL_USAGE, "no case '%s' in '%s'; did you mean '%s'?", name,
                          suite->path, nearest)
              : pawl_fail(err, PAWL_USAGE, "no case '%s' in '%s'; pawl list shows them", name,
                          suite->path);
  pawl_free(names);
  return status;
}

pawl_status pawl_cli_require_row(const struct pawl_project *project, const char *name,
                                 struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  for (size_t i = 0; i < suite->kernel_count; i++)
    if (pawl_kernel_is_harness(&suite->kernels[i])) return PAWL_OK;
  return pawl_cli_require_case(project, name, err);
}

/* Chooses the only one of the names. `more` follows the noun: " with 'tune'". */
static pawl_status choose_only(const char *const *names, size_t count, const char *noun,
                               const char *more, const char *path, const char **name,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  if (!count) return pawl_fail(err, PAWL_USAGE, "'%s' has no %s%s", path, noun, more);
  if (count > 1)
    return pawl_fail(err, PAWL_USAGE, "'%s' has %zu %ss%s; name one: %s", path, count, noun, more,
                     pawl_text_add_names(&list, names, count));
  *name = names[0];
  return PAWL_OK;
}

static bool command_takes(enum pawl_kernel_choice choice, const struct pawl_kernel_spec *spec) {
  return !spec->reference && (choice != PAWL_CHOOSE_CHECKED || spec->operator_name) &&
         (choice != PAWL_CHOOSE_TUNED || spec->tune_count);
}

pawl_status pawl_cli_only_kernel(const struct pawl_project *project, enum pawl_kernel_choice choice,
                                 const char **name, struct pawl_error *err) {
  static const char *const more[] = {"", " with an operator", " with 'tune'"};
  const struct pawl_suite *suite = &project->suite;
  size_t count = 0;
  if (*name) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer)
  const char **names = pawl_alloc(suite->kernel_count, sizeof *names);
  for (size_t i = 0; i < suite->kernel_count; i++)
    if (command_takes(choice, &suite->kernels[i])) names[count++] = suite->kernels[i].name;
  return choose_only(names, count, "kernel", more[choice], suite->path, name, err);
}

pawl_status pawl_cli_only_case(const struct pawl_project *project, const char *kernel_name,
                               const char **name, struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  const struct pawl_kernel_spec *kernel = pawl_suite_kernel(suite, kernel_name);
  size_t count = 0;
  if (*name || !kernel) return pawl_cli_require_case(project, *name, err);
  PAWL_CLEANUP(pawl_free_pointer)
  const char **names = pawl_alloc(suite->case_count, sizeof *names);
  for (size_t i = 0; i < suite->case_count; i++)
    if (pawl_text_equal(suite->cases[i].operator_name, kernel->operator_name))
      names[count++] = suite->cases[i].name;
  const enum pawl_status_code status =
      choose_only(names, count, "case", "", suite->path, name, err);
  return status == PAWL_OK ? PAWL_OK : pawl_prefix(err, "'--case' of kernel '%s'", kernel_name);
}

pawl_status pawl_cli_write(const char *path, const char *text, size_t length,
                           struct pawl_error *err) {
  if (path && strcmp(path, "-") != 0) return pawl_file_write(path, text, length, err);
  has_printed = true;
  if (fwrite(text, 1, length, stdout) != length || fflush(stdout))
    return pawl_fail(err, PAWL_CANNOT_WRITE, PAWL_CLI_NO_OUTPUT);
  return PAWL_OK;
}

pawl_status pawl_cli_write_json(const char *path, const json_t *value, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_json_write_text(value, true, &text);
  return pawl_cli_write(path, text.data, text.length, err);
}

pawl_status pawl_cli_print_run(const struct pawl_cli *cli, const char *folder, const char *summary,
                               struct pawl_error *err) {
  if (!cli->json) return pawl_cli_write(NULL, summary, strlen(summary), err);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  return pawl_cli_write(NULL, text.data, text.length, err);
}

pawl_status pawl_cli_print_report(const struct pawl_cli *cli, const char *folder,
                                  const struct pawl_run_report *report, struct pawl_error *err) {
  const struct pawl_terminal_style look = pawl_cli_style(cli);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text summary = {0};
  pawl_report_terminal(report, &look, &summary);
  return pawl_cli_print_run(cli, folder, summary.data, err);
}
