/* SPDX-License-Identifier: Apache-2.0 */
/* pawl check [KERNEL...] [--case NAME] [--seed N] [--reduced] [--sanitize TOOL,...] [-o FILE] */
#include <stdio.h>

#include "base/file.h"
#include "check/kernel_check.h"
#include "cli/gpus.h"
#include "cli/sanitize.h"
#include "loop/check_kernel.h"
#include "loop/kernels.h"

static void print_row(const struct pawl_check_row *row) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_case_key(&row->config, &key);
  printf("  %s %s, %s, seed %llu: %s\n", pawl_outcome_name(row->outcome), pawl_text_string(&key), row->distribution,
         (unsigned long long)row->seed, row->reason);
}

static void print_check(const struct pawl_kernel_check *check) {
  const struct pawl_check_report *report = &check->report;
  if (check->not_checked) return;
  printf("%s: %zu of %zu passed", check->kernel_name, report->passed, report->passed + report->failed);
  if (report->unsupported) printf(", %zu not supported", report->unsupported);
  if (report->reduced) printf(" (reduced: only the smallest shapes)");
  putchar('\n');
  if (report->passed) {
    printf("  worst: max abs %.3g, max rel %.3g, mean abs %.3g, rel RMS %.3g, correlation %.9f\n",
           report->total.max_abs_error, report->total.max_rel_error, report->total.mean_abs_error,
           report->total.rel_rms_error, report->total.correlation);
  }
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].outcome != PAWL_OUTCOME_OK) print_row(&report->rows[i]);
  if (check->lost) printf("  the check is incomplete: %s\n", check->lost);
}

static pawl_status output(struct pawl_cli *cli, const struct pawl_kernel_checks *list, enum pawl_status_code verdict,
                          const char *path, struct pawl_error *err) {
  bool lost = false;
  json_t *kernels = json_array();
  for (size_t i = 0; i < list->count; i++) {
    const struct pawl_kernel_check *checked = &list->items[i];
    if (checked->not_checked) pawl_log_info(&cli->log, "%s: %s", checked->kernel_name, checked->not_checked);
    lost = lost || checked->lost;
    json_array_append_new(kernels, pawl_kernel_check_to_json(checked));
  }
  if (verdict == PAWL_UNDECIDED && !lost) pawl_log_info(&cli->log, "there is nothing to check");
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_kernel_checks_document(kernels);
  if (path) PAWL_TRY(pawl_json_write(path, document, true, err));
  return cli->json ? pawl_cli_write_json(NULL, document, err) : PAWL_OK;
}

/* 1 when a kernel failed, 2 when there was nothing to check. */
static pawl_status check_all(struct pawl_cli *cli, struct pawl_project *project,
                             const struct pawl_check_selection *selection, char **names, int count, const char *path,
                             enum pawl_status_code *verdict, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  bool broken = false;
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  struct pawl_kernel_checks list = {.items = pawl_arena_alloc(&project->arena, spec_count, sizeof *list.items)};
  for (size_t i = 0; i < spec_count; i++) {
    if (specs[i]->kind == PAWL_FROM_COMMAND) continue; /* a command has no outputs to compare */
    struct pawl_kernel_check *checked = &list.items[list.count++];
    PAWL_TRY(pawl_project_check(project, specs[i], selection, checked, &broken, err));
    if (!cli->json) print_check(checked);
  }
  *verdict = broken ? PAWL_FAILED : pawl_kernel_checks_verdict(&list);
  return output(cli, &list, *verdict, path, err);
}

/* The selection as arguments again, for the parts. */
static const char *const *to_arguments(struct pawl_cli *cli, const struct pawl_check_selection *selection,
                                       const struct pawl_option_list *definitions, char **names, int count) {
  const char **words = pawl_arena_alloc(&cli->arena, (size_t)count + 2 * definitions->count + 8, sizeof *words);
  size_t used = 0;
  if (selection->only_case) words[used++] = "--case", words[used++] = selection->only_case;
  words[used++] = "--seed";
  words[used++] = pawl_arena_printf(&cli->arena, "%llu", (unsigned long long)selection->seed);
  if (selection->reduced) words[used++] = "--reduced";
  pawl_cli_add_arguments(words, used, definitions, names, count);
  return words;
}

static pawl_status join(struct pawl_cli *cli, const struct pawl_fleet *fleet, json_t **documents, const char *path,
                        enum pawl_status_code *verdict, struct pawl_error *err) {
  struct pawl_kernel_checks list;
  for (int i = 0; i < fleet->part_count; i++) PAWL_TRY(pawl_json_read(fleet->outputs[i], &documents[i], err));
  PAWL_TRY(pawl_kernel_checks_join(documents, fleet->part_count, &cli->arena, &list, err));
  /* a part may have had no row to check: the whole decides, unless something does not build */
  *verdict = pawl_fleet_verdict(fleet) == PAWL_FAILED ? PAWL_FAILED : pawl_kernel_checks_verdict(&list);
  for (size_t i = 0; i < list.count && !cli->json; i++) print_check(&list.items[i]);
  return output(cli, &list, *verdict, path, err);
}

static pawl_status check_on_several(struct pawl_cli *cli, struct pawl_fleet *fleet,
                                    const struct pawl_check_selection *selection,
                                    const struct pawl_option_list *definitions, char **names, int count,
                                    const char *path, enum pawl_status_code *verdict, struct pawl_error *err) {
  const struct pawl_fleet_task task = {
      .suite = cli->suite, .command = "check", .arguments = to_arguments(cli, selection, definitions, names, count)};
  json_t *documents[PAWL_FLEET_PARTS] = {0};
  PAWL_TRY(pawl_cli_build_for(cli, fleet, definitions, selection->only_case, names, count, NULL, err));
  enum pawl_status_code status = pawl_fleet_run(fleet, &task, err);
  if (status == PAWL_OK) status = join(cli, fleet, documents, path, verdict, err);
  for (int i = 0; i < PAWL_FLEET_PARTS; i++) json_decref(documents[i]);
  return status;
}

enum pawl_status_code pawl_cmd_check(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  struct pawl_check_selection selection = {.seed = PAWL_DEFAULT_SEED};
  struct pawl_sanitize_selection sanitize = {0};
  struct pawl_option_list definitions = {0};
  const char *shard = NULL, *path = NULL, *tools = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selection.only_case, "NAME", "check only this case, without the matrix", 0, 0},
      {PAWL_OPTION_SEED, "--seed", &selection.seed, "N", "the seed of the inputs; 42 by default", 0, 0},
      {PAWL_OPTION_FLAG, "--reduced", &selection.reduced, NULL, "check only the smallest shapes of the matrix", 0, 0},
      {PAWL_OPTION_STRING, "--sanitize", &tools, "TOOL,...",
       "run CUDA kernels under compute-sanitizer instead: memcheck, racecheck, initcheck, synccheck or all", 0, 0},
      {PAWL_OPTION_STRING, "--shard", &shard, "i/n", "run only the i-th of n parts of each kernel's rows", 0, 0},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write every row to FILE, as JSON", 0, 0},
      {PAWL_OPTION_LIST, "-D", &definitions, "NAME=VALUE", "a compile-time parameter that replaces the suite's", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  if (path) PAWL_TRY(pawl_file_may_write(path, err));
  PAWL_TRY(pawl_parse_shard(shard, false, &selection.shard, &selection.shards, err));
  enum pawl_status_code verdict = PAWL_OK, status = PAWL_OK;
  PAWL_CLEANUP(pawl_fleet_release) struct pawl_fleet fleet = {0};
  bool several;
  PAWL_TRY(pawl_cli_find_gpus(cli, &fleet, &several, err));
  if (several && (tools || shard))
    return pawl_fail(err, PAWL_USAGE, "cannot use '%s' with several GPUs: name one GPU, or omit it",
                     shard ? "--shard" : "--sanitize");
  if (several) {
    status = check_on_several(cli, &fleet, &selection, &definitions, argv, argc, path, &verdict, err);
    return pawl_cli_verdict(status, verdict, err);
  }
  struct pawl_project project;
  if (tools) {
    PAWL_TRY(pawl_cli_sanitize_tools(tools, &cli->arena, &sanitize.tools, err));
    sanitize.only_case = selection.only_case;
    sanitize.seed = selection.seed;
  }
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  status = pawl_cli_require_case(&project, selection.only_case, err);
  if (status == PAWL_OK && tools) {
    project.options.line_info = true;
    status = pawl_cli_sanitize(cli, &project, &sanitize, argv, argc, &verdict, err);
  } else if (status == PAWL_OK) {
    status = check_all(cli, &project, &selection, argv, argc, path, &verdict, err);
  }
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
