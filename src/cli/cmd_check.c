/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "check/failure.h"
#include "cli/gpus.h"
#include "cli/interrupt.h"
#include "cli/sanitize.h"
#include "process/process.h"
#include "project/check_kernel.h"
#include "project/definitions.h"
#include "project/kernels.h"

/* --- the answer --- */

/* Prints a kernel's check: the number of passed rows, each kind of failure, and the command that
   repeats the first. */

/* The options of the command, which its repeat command needs. */
struct check_command {
  const struct pawl_check_selection *selection;
  const char *definitions; /* for example "-D A=1 -D B=2"; NULL: none */
  /* The kernel runs on a GPU. The kernel speaks the protocol, so its own messages say most. */
  bool cuda, program;
  bool all_rows; /* -v: print every failed row */
};

#define OTHERS_SHOWN 6

static void print_shape(const struct pawl_check_row *row) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_case_key(&row->config, &key);
  printf("%s, %s", pawl_text_string(&key), row->distribution);
}

static void check_print_row(const struct pawl_check_row *row) {
  printf("  row %zu %s: ", row->number, pawl_check_row_word(row));
  print_shape(row);
  printf(", seed %" PRIu64 ": %s\n", row->seed, row->reason);
}

static void print_others(const struct pawl_check_report *report,
                         const struct pawl_check_failure *failure) {
  size_t shown = 0;
  printf("    %zu more like it: ", failure->others);
  for (const struct pawl_check_row *row = failure->row + 1; row < report->rows + report->count;
       row++) {
    if (!pawl_check_rows_alike(failure->row, row)) continue;
    if (shown == OTHERS_SHOWN) break;
    printf("%srow %zu (", shown++ ? "; " : "", row->number);
    print_shape(row);
    putchar(')');
  }
  puts(failure->others > shown ? "; ..." : "");
}

static void print_failures(const struct pawl_check_report *report, bool all_rows) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_check_failure *failures = pawl_check_failures(report, &count);
  for (size_t i = 0; i < count && !all_rows; i++) {
    check_print_row(failures[i].row);
    if (failures[i].others) print_others(report, &failures[i]);
  }
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *row = &report->rows[i];
    if (row->outcome == PAWL_OUTCOME_UNSUPPORTED || (all_rows && pawl_check_row_failed(row)))
      check_print_row(row);
  }
}

static const struct pawl_check_row *check_print_first_failure(
    const struct pawl_check_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (pawl_check_row_failed(&report->rows[i])) return &report->rows[i];
  return NULL;
}

/* Prints the command that repeats the row, and the command that locates the fault. */
static void print_repeat(const char *kernel, const struct pawl_check_row *row,
                         const struct check_command *command) {
  const struct pawl_check_selection *selection = command->selection;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_text_printf(&words, "pawl check %s", kernel);
  if (selection->only_case) pawl_text_printf(&words, " --case %s", selection->only_case);
  if (selection->assignments) pawl_text_printf(&words, " --set %s", selection->assignments);
  if (selection->check.reduced) pawl_text_add(&words, " --reduced");
  if (command->definitions) pawl_text_printf(&words, " %s", command->definitions);
  if (selection->check.seed != PAWL_DEFAULT_SEED)
    pawl_text_printf(&words, " --seed %" PRIu64, selection->check.seed);
  pawl_text_printf(&words, " --row %zu", row->number);
  printf("  repeat: %s\n", words.data);
  if (command->program && row->outcome != PAWL_OUTCOME_WRONG)
    printf("  debug:  %s --show-output\n", words.data);
  else if (command->cuda)
    printf("  debug:  %s --under 'compute-sanitizer --tool memcheck'\n", words.data);
  else if (row->outcome == PAWL_OUTCOME_HUNG)
    printf("  debug:  %s --under 'timeout -s INT 10 gdb -batch -ex run -ex bt --args'\n",
           words.data);
  else if (row->outcome == PAWL_OUTCOME_CRASHED)
    printf("  debug:  %s --under 'gdb -batch -ex run -ex bt --args'\n", words.data);
}

static void print_report(const struct pawl_kernel_check *check,
                         const struct check_command *command) {
  const struct pawl_check_report *report = &check->report;
  if (check->not_checked) return;
  printf("%s: %zu of %zu passed", check->kernel_name, report->passed,
         report->passed + report->failed);
  if (report->unsupported) printf(", %zu not supported", report->unsupported);
  if (report->reduced) printf(" (reduced: only the smallest shapes)");
  putchar('\n');
  if (report->passed) {
    printf("  worst: max abs %.3g, max rel %.3g, mean abs %.3g, rel RMS %.3g",
           report->total.max_abs_error, report->total.max_rel_error, report->total.mean_abs_error,
           report->total.rel_rms_error);
    /* One element, or equal ones, have none. */
    if (!isnan(report->total.correlation)) printf(", correlation %.9f", report->total.correlation);
    putchar('\n');
  }
  print_failures(report, command->all_rows);
  const struct pawl_check_row *first = check_print_first_failure(report);
  if (first) print_repeat(check->kernel_name, first, command);
  if (check->lost) printf("  the check is incomplete: %s\n", check->lost);
}

/* --- the command --- */

/* Parses row numbers and ranges such as "3", "0-5" or "1,4-6". */
static pawl_status parse_rows(const char *text, struct pawl_arena *arena,
                              struct pawl_check_selection *selection, struct pawl_error *err) {
  struct pawl_check_range *ranges = pawl_arena_alloc(arena, strlen(text) + 1, sizeof *ranges);
  for (const char *next = text; next; next = strchr(next, ',') ? strchr(next, ',') + 1 : NULL) {
    int first, last, used = 0;
    const int read = sscanf(next, "%6d%n-%6d%n", &first, &used, &last, &used);
    if (read == 1) last = first;
    if (read < 1 || first < 0 || last < first || (next[used] && next[used] != ','))
      return pawl_fail(err, PAWL_USAGE,
                       "'--row' takes numbers of rows such as 3 or 0-5,7, not '%s'", text);
    ranges[selection->check.range_count++] = (struct pawl_check_range){(size_t)first, (size_t)last};
  }
  selection->check.ranges = ranges;
  return PAWL_OK;
}

/* Splits a command at spaces. */
static pawl_status parse_under(const char *text, struct pawl_arena *arena,
                               struct pawl_check_selection *selection, struct pawl_error *err) {
  const char **words = pawl_arena_alloc(arena, strlen(text) / 2 + 2, sizeof *words);
  size_t count = 0;
  char *state = NULL;
  for (char *word = strtok_r(pawl_arena_copy(arena, text), " ", &state); word;
       word = strtok_r(NULL, " ", &state))
    words[count++] = word;
  if (count == 0) return pawl_fail(err, PAWL_USAGE, "'--under' needs a command");
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find(words[0]);
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "no program '%s' for '--under'; is it installed?",
                     words[0]);
  words[0] = pawl_arena_copy(arena, program);
  selection->under = words;
  selection->show_output = true;
  return PAWL_OK;
}

static struct check_command command_of(struct pawl_cli *cli,
                                       const struct pawl_check_selection *selection,
                                       const struct pawl_option_list *definitions) {
  const char *text = NULL;
  for (size_t i = 0; i < definitions->count; i++)
    text = pawl_arena_printf(&cli->arena, "%s%s-D %s", text ? text : "", text ? " " : "",
                             definitions->items[i]);
  return (struct check_command){
      .selection = selection, .definitions = text, .all_rows = cli->verbose};
}

static void print_check(const struct pawl_suite *suite, const struct pawl_kernel_check *check,
                        struct check_command command) {
  const struct pawl_kernel_spec *spec = suite ? pawl_suite_kernel(suite, check->kernel_name) : NULL;
  command.cuda = spec && spec->device == PAWL_CUDA;
  command.program = spec && spec->kind == PAWL_FROM_PROTOCOL;
  print_report(check, &command);
}

static pawl_status output(struct pawl_cli *cli, const struct pawl_kernel_checks *list,
                          enum pawl_status_code verdict, const char *path, struct pawl_error *err) {
  bool lost = false;
  json_t *kernels = json_array();
  for (size_t i = 0; i < list->count; i++) {
    const struct pawl_kernel_check *checked = &list->items[i];
    if (checked->not_checked)
      pawl_log_info(&cli->log, "%s: %s", checked->kernel_name,
                    checked->told ? "not checked: it does not build" : checked->not_checked);
    lost = lost || checked->lost;
    json_array_append_new(kernels, pawl_kernel_check_to_json(checked));
  }
  if (verdict == PAWL_UNDECIDED && !lost) pawl_log_info(&cli->log, "there is nothing to check");
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_kernel_checks_document(kernels);
  if (path) PAWL_TRY(pawl_json_write(path, document, true, err));
  return cli->json ? pawl_cli_write_json(NULL, document, err) : PAWL_OK;
}

/* The verdict is 1 if a kernel failed, and 2 if there was nothing to check. */
static pawl_status check_all(struct pawl_cli *cli, struct pawl_project *project,
                             const struct pawl_check_selection *selection,
                             const struct check_command *command, char **names, int count,
                             const char *path, enum pawl_status_code *verdict,
                             struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  bool broken = false;
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, names, count, &specs, &spec_count, err));
  struct pawl_kernel_checks list = {
      .items = pawl_arena_alloc(&project->arena, spec_count, sizeof *list.items)};
  for (size_t i = 0; i < spec_count; i++) {
    if (specs[i]->kind == PAWL_FROM_COMMAND) continue; /* a command has no outputs to compare */
    struct pawl_kernel_check *checked = &list.items[list.count++];
    PAWL_TRY(pawl_project_check(project, specs[i], selection, checked, &broken, err));
    if (!cli->json) print_check(&project->suite, checked, *command);
  }
  *verdict = broken ? PAWL_FAILED : pawl_kernel_checks_verdict(&list);
  return output(cli, &list, *verdict, path, err);
}

static pawl_status join(struct pawl_cli *cli, const struct pawl_fleet *fleet,
                        const struct check_command *command, json_t **documents, const char *path,
                        enum pawl_status_code *verdict, struct pawl_error *err) {
  struct pawl_kernel_checks list;
  for (int i = 0; i < fleet->part_count; i++)
    PAWL_TRY(pawl_json_read(fleet->outputs[i], &documents[i], err));
  PAWL_TRY(pawl_kernel_checks_join(documents, fleet->part_count, &cli->arena, &list, err));
  /* A shard may have no row to check, so all shards decide together, unless a kernel does not
     build. */
  *verdict =
      pawl_fleet_verdict(fleet) == PAWL_FAILED ? PAWL_FAILED : pawl_kernel_checks_verdict(&list);
  for (size_t i = 0; i < list.count && !cli->json; i++) {
    struct check_command one = *command;
    one.cuda = list.items[i].gpus != NULL;
    print_report(&list.items[i], &one);
  }
  return output(cli, &list, *verdict, path, err);
}

static pawl_status check_on_several(struct pawl_cli *cli, struct pawl_fleet *fleet,
                                    const struct pawl_option *options,
                                    const struct pawl_check_selection *selection,
                                    const struct pawl_option_list *definitions, char **names,
                                    int count, const char *path, enum pawl_status_code *verdict,
                                    struct pawl_error *err) {
  const struct pawl_fleet_task task = {
      .suite = cli->suite,
      .command = "check",
      .arguments = pawl_options_words(options, names, count, &cli->arena)};
  const struct check_command command = command_of(cli, selection, definitions);
  json_t *documents[PAWL_FLEET_PARTS] = {0};
  PAWL_TRY(
      pawl_cli_build_for(cli, fleet, definitions, selection->only_case, names, count, NULL, err));
  enum pawl_status_code status = pawl_fleet_run(fleet, &task, err);
  if (status == PAWL_OK) status = join(cli, fleet, &command, documents, path, verdict, err);
  for (int i = 0; i < PAWL_FLEET_PARTS; i++) json_decref(documents[i]);
  return status;
}

enum pawl_status_code pawl_cmd_check(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  struct pawl_check_selection selection = {.check.seed = PAWL_DEFAULT_SEED};
  struct pawl_sanitize_selection sanitize = {0};
  struct pawl_option_list definitions = {0};
  const char *shard = NULL, *path = NULL, *tools = NULL, *rows = NULL, *under = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selection.only_case, "NAME",
       "check only this case, without the matrix"},
      {PAWL_OPTION_STRING, "--set", &selection.assignments, "B=32,S=512",
       "shape values and dtype that replace those of the case, without the matrix"},
      {PAWL_OPTION_STRING, "--row", &rows, "N,N-N",
       "check only these rows, by the numbers of a failed check"},
      {PAWL_OPTION_FLAG, "--show-output", &selection.show_output, NULL,
       "show what the kernel prints"},
      {PAWL_OPTION_STRING, "--under", &under, "COMMAND",
       "start the kernel's process under a command such as 'gdb -batch -ex run -ex bt --args', and "
       "show what it prints"},
      {PAWL_OPTION_SEED, "--seed", &selection.check.seed, "N",
       "the seed of the inputs; 42 by default"},
      {PAWL_OPTION_FLAG, "--reduced", &selection.check.reduced, NULL,
       "check only the smallest shapes of the matrix"},
      PAWL_CLI_TRUST_OUTPUTS(cli),
      {PAWL_OPTION_STRING, "--sanitize", &tools, "TOOL,...",
       "run kernels under tools that see wrong accesses instead: memcheck, racecheck, initcheck, "
       "synccheck (CUDA), address, undefined, memory, thread (CPU) or all"},
      {PAWL_OPTION_STRING, "--shard", &shard, "i/n",
       "run only the i-th of n parts of each kernel's rows"},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write every row to FILE, as JSON"},
      PAWL_CLI_DEFINITIONS(&definitions),
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  pawl_interrupt_says("pawl wrote no results; pawl check KERNEL --case NAME checks less");
  if (path) PAWL_TRY(pawl_file_may_write(path, err));
  if (rows) PAWL_TRY(parse_rows(rows, &cli->arena, &selection, err));
  if (under) PAWL_TRY(parse_under(under, &cli->arena, &selection, err));
  const struct check_command command = command_of(cli, &selection, &definitions);
  PAWL_TRY(pawl_parse_shard(shard, false, &selection.check.shard, &selection.check.shards, err));
  enum pawl_status_code verdict = PAWL_OK, status = PAWL_OK;
  PAWL_CLEANUP(pawl_fleet_release) struct pawl_fleet fleet = {0};
  bool several;
  PAWL_TRY(pawl_cli_find_gpus(cli, &fleet, &several, err));
  if (several && (tools || shard || selection.show_output))
    return pawl_fail(err, PAWL_USAGE, "cannot use '%s' with several GPUs: name one GPU, or omit it",
                     shard   ? "--shard"
                     : tools ? "--sanitize"
                     : under ? "--under"
                             : "--show-output");
  if (rows && (argc > 1 || (several && !argc)))
    return pawl_fail(err, PAWL_USAGE,
                     "'--row' needs the name of one kernel: rows are numbered by kernel");
  if (several) {
    status = check_on_several(cli, &fleet, options, &selection, &definitions, argv, argc, path,
                              &verdict, err);
    return pawl_cli_verdict(status, verdict, err);
  }
  struct pawl_project project;
  if (tools) {
    PAWL_TRY(pawl_cli_sanitize_tools(tools, &cli->arena, &sanitize, err));
    sanitize.only_case = selection.only_case;
    sanitize.seed = selection.check.seed;
  }
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  status = pawl_cli_require_case(&project, selection.only_case, err);
  const char *only = NULL;
  char *only_name[1];
  if (status == PAWL_OK && rows && !argc) {
    status = pawl_cli_only_kernel(&project, PAWL_CHOOSE_CHECKED, &only, err);
    only_name[0] = (char *)(uintptr_t)only;
    argv = only_name;
    argc = 1;
  }
  if (status == PAWL_OK) status = pawl_definitions_check(&project, argv, argc, err);
  project.options.line_info = tools || under;
  if (status == PAWL_OK && tools) {
    status = pawl_cli_sanitize(cli, &project, &sanitize, argv, argc, &verdict, err);
  } else if (status == PAWL_OK) {
    status = check_all(cli, &project, &selection, &command, argv, argc, path, &verdict, err);
  }
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
