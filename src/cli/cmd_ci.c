/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "cli/ci.h"
#include "forge/post.h"

static bool cmd_ci_is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

bool pawl_ci_on_gitlab(void) { return cmd_ci_is_set("GITLAB_CI"); }

bool pawl_ci_on_github(void) { return cmd_ci_is_set("GITHUB_REPOSITORY"); }

pawl_status pawl_ci_read_forge(struct pawl_ci *ci, struct pawl_error *err) {
  if (pawl_ci_on_gitlab()) return pawl_forge_read_gitlab(&ci->forge, ci->token_file, err);
  return pawl_forge_read(&ci->forge, ci->token_file, err);
}

void pawl_ci_prepare(struct pawl_ci *ci, struct pawl_cli *cli) {
  ci->cli = cli;
  ci->forge.arena = &cli->arena;
  ci->forge.log = ci->forge.http.log = &cli->log;
  ci->forge.http.redirects = 3;
}

struct action {
  const char *name;
  enum pawl_status_code (*run)(struct pawl_ci *ci, struct pawl_error *err);
};

static const struct action actions[] = {
    {"plan", pawl_ci_plan},         {"measure", pawl_ci_measure}, {"report", pawl_ci_report},
    {"baseline", pawl_ci_baseline}, {"tune", pawl_ci_tune},       {"propose", pawl_ci_propose},
    {"bisect", pawl_ci_bisect},     {"issues", pawl_ci_issues},   {"prove", pawl_ci_prove}};

static pawl_status find_action(const char *word, const struct action **out,
                               struct pawl_error *err) {
  const char *names[PAWL_COUNT(actions)];
  const size_t count = PAWL_COUNT(actions);
  for (size_t i = 0; i < count; i++) {
    names[i] = actions[i].name;
    if (strcmp(names[i], word) != 0) continue;
    *out = &actions[i];
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(word, names, count);
  return nearest ? pawl_fail(err, PAWL_USAGE, "no 'ci %s'; did you mean '%s'?", word, nearest)
                 : pawl_fail(err, PAWL_USAGE, "no 'ci %s'; pawl ci -h lists the actions", word);
}

/* A workflow command makes the code host show the reason at the top of the run. */
static void show_refusal(const struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const struct pawl_annotation item = {
      .is_error = true, .path = "pawl.yaml", .line = 1, .title = "pawl", .message = err->message};
  pawl_forge_workflow_commands(&item, 1, &text);
  pawl_cli_print(pawl_text_string(&text));
}

enum pawl_status_code pawl_cmd_ci(struct pawl_cli *cli, int argc, char **argv,
                                  struct pawl_error *err) {
  struct pawl_ci ci = {.name = "pawl", .id = "verdict"};
  pawl_ci_prepare(&ci, cli);
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--shard", &ci.shard, "i/n",
       "measure: only the i-th of n parts of the suite"},
      {PAWL_OPTION_PATH, "--from", &ci.from, "DIR",
       "report, baseline, propose: the output of the run, or a folder with one for each part; "
       "perf/out by default"},
      {PAWL_OPTION_STRING, "--kernel", &ci.kernel, "NAME", "tune: the kernel"},
      {PAWL_OPTION_STRING, "--case", &ci.case_name, "NAME", "tune: the case"},
      {PAWL_OPTION_STRING, "--cases", &ci.case_names, "NAME,NAME|all",
       "tune: several cases, in place of --case"},
      {PAWL_OPTION_STRING, "--budget", &ci.budget, "TIME",
       "tune, bisect: the time for the whole search; 20m by default"},
      {PAWL_OPTION_STRING, "--by", &ci.by, "WAY",
       "baseline: push, or pull-request where the branch is protected; PAWL_BASELINE_BY or push by "
       "default"},
      {PAWL_OPTION_STRING, "--name", &ci.name, "NAME",
       "the name of the check run or status; pawl by default"},
      {PAWL_OPTION_STRING, "--id", &ci.id, "ID",
       "the name of the comment, if there are several suites"},
      {PAWL_OPTION_FLAG, "--dry-run", &ci.forge.dry_run, NULL,
       "print the requests and send nothing"},
      {PAWL_OPTION_PATH, "--token-file", &ci.token_file, "FILE",
       "the file with the token; GITHUB_TOKEN, GH_TOKEN or GITLAB_TOKEN by default"},
      {PAWL_OPTION_PATH, "--ca-file", &ci.forge.http.ca_file, "FILE", PAWL_CA_FILE_HELP},
      {PAWL_OPTION_END}};
  bool done;
  const struct action *action = NULL;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(find_action(argv[0], &action, err));
  PAWL_TRY(pawl_forge_check_id(ci.id, err));
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(cli->suite);
  PAWL_CLEANUP(pawl_free_pointer) char *output = pawl_path_join(folder, PAWL_OUTPUT_FOLDER);
  ci.suite_folder = folder;
  ci.output = output;
  if (!ci.from) ci.from = output;
  const enum pawl_status_code status = action->run(&ci, err);
  if (status >= PAWL_USAGE && pawl_ci_on_github() && !cli->json) show_refusal(err);
  return status;
}
