/* SPDX-License-Identifier: Apache-2.0 */
/* pawl github comment|check|status|summary|annotations|baseline|pull-request [--dry-run] */
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "forge/post.h"

struct job {
  struct pawl_cli *cli;
  struct pawl_forge forge;
  struct pawl_stored_run verdict;
  struct pawl_suite *suite; /* NULL: there is none here */
  const char *from, *name, *id, *token_file, *branch, *base, *title, *body;
  char *const *files; /* words after the action's */
  int file_count;
  bool begin;
};

typedef enum pawl_status_code action_function(struct job *job, struct pawl_error *err);

struct action {
  const char *name;
  action_function *run;
  bool reads_verdict, reads_suite, reads_environment;
};

static enum pawl_status_code comment(struct job *job, struct pawl_error *err) {
  return pawl_forge_comment(&job->forge, &job->verdict, job->id, err);
}

/* A run that left no verdict that can be read closes its check run as a failure, and this step fails too. */
static enum pawl_status_code check(struct job *job, struct pawl_error *err) {
  if (job->begin) return pawl_forge_check_begin(&job->forge, job->name, err);
  const enum pawl_status_code read = pawl_stored_run_read(job->from, &job->cli->arena, &job->verdict, err);
  struct pawl_error failure = {0};
  const enum pawl_status_code posted = pawl_forge_check_end(&job->forge, read == PAWL_OK ? &job->verdict : NULL,
                                                            job->suite, job->name, read == PAWL_OK ? err : &failure);
  if (read != PAWL_OK && posted != PAWL_OK) pawl_log_warning(&job->cli->log, "%s", failure.message);
  return read != PAWL_OK ? read : posted;
}

static enum pawl_status_code status(struct job *job, struct pawl_error *err) {
  if (job->begin) return pawl_forge_status(&job->forge, NULL, job->name, err);
  PAWL_TRY(pawl_stored_run_read(job->from, &job->cli->arena, &job->verdict, err));
  return pawl_forge_status(&job->forge, &job->verdict, job->name, err);
}

static enum pawl_status_code summary(struct job *job, struct pawl_error *err) {
  return pawl_forge_summary(&job->forge, &job->verdict, err);
}

static enum pawl_status_code annotations(struct job *job, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  size_t count;
  const struct pawl_annotation *items = pawl_forge_annotations(&job->verdict, job->suite, &job->cli->arena, &count);
  pawl_forge_workflow_commands(items, count, &text);
  return pawl_cli_write(NULL, pawl_text_string(&text), text.length, err);
}

static const char *main_branch(const struct job *job) {
  if (job->base) return job->base;
  return job->forge.default_branch ? job->forge.default_branch : "main";
}

static enum pawl_status_code baseline(struct job *job, struct pawl_error *err) {
  const char *slash = strrchr(job->cli->suite, '/');
  const char *folder =
      slash ? pawl_arena_printf(&job->cli->arena, "%.*s", (int)(slash - job->cli->suite) + 1, job->cli->suite) : ".";
  return pawl_forge_push_baseline(&job->forge, folder, job->files, job->file_count, main_branch(job), err);
}

static enum pawl_status_code pull_request(struct job *job, struct pawl_error *err) {
  if (!job->branch || !job->title || !job->body)
    return pawl_fail(err, PAWL_USAGE, "'pull-request' needs --branch, --title and --body");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(job->body, (size_t)1 << 20, &text, err));
  return pawl_forge_open_pull_request(&job->forge, job->branch, main_branch(job), job->title, pawl_text_string(&text),
                                      err);
}

static const struct action actions[] = {{"comment", comment, true, false, true},
                                        {"check", check, false, true, true},
                                        {"status", status, false, false, true},
                                        {"summary", summary, true, false, true},
                                        {"annotations", annotations, true, true, false},
                                        {"baseline", baseline, false, false, true},
                                        {"pull-request", pull_request, false, false, true}};

static pawl_status find_action(const char *word, const struct action **out, struct pawl_error *err) {
  const char *names[sizeof actions / sizeof *actions];
  const size_t count = sizeof actions / sizeof *actions;
  for (size_t i = 0; i < count; i++) {
    names[i] = actions[i].name;
    if (strcmp(names[i], word) != 0) continue;
    *out = &actions[i];
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(word, names, count);
  return nearest ? pawl_fail(err, PAWL_USAGE, "no 'github %s'; did you mean '%s'?", word, nearest)
                 : pawl_fail(err, PAWL_USAGE, "no 'github %s'; pawl github -h lists the actions", word);
}

/* Where the sources are. A job that only posts may have no checkout, and a suite that cannot be read must not keep the
   verdict from being posted: pawl.yaml then stands for the sources. */
static void read_suite(struct job *job) {
  struct pawl_error why = {0};
  struct pawl_suite *suite = pawl_arena_alloc(&job->cli->arena, 1, sizeof *suite);
  if (pawl_suite_read(job->cli->suite, &job->cli->arena, suite, &why) == PAWL_OK)
    job->suite = suite;
  else
    pawl_log_info(&job->cli->log, "annotations have no sources: %s", why.message);
}

static pawl_status check_id(const char *id, struct pawl_error *err) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (*id && !id[strspn(id, letters)] && strlen(id) <= 64) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "'--id' takes letters, digits, '_' and '-', not '%s'", id);
}

static pawl_status run_action(const struct action *action, struct job *job, struct pawl_error *err) {
  if (action->reads_environment) PAWL_TRY(pawl_forge_read(&job->forge, job->token_file, err));
  if (action->reads_suite) read_suite(job);
  if (action->reads_verdict) PAWL_TRY(pawl_stored_run_read(job->from, &job->cli->arena, &job->verdict, err));
  return action->run(job, err);
}

enum pawl_status_code pawl_cmd_github(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  struct job job = {.cli = cli, .from = "perf/out", .name = "pawl", .id = "verdict"};
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--dry-run", &job.forge.dry_run, NULL, "print the requests and send nothing", 0, 0},
      {PAWL_OPTION_PATH, "--from", &job.from, "DIR", "the output of the run; perf/out by default", 0, 0},
      {PAWL_OPTION_STRING, "--name", &job.name, "NAME", "the name of the check run or status; pawl by default", 0, 0},
      {PAWL_OPTION_STRING, "--id", &job.id, "ID", "the name of the comment, if there are several suites", 0, 0},
      {PAWL_OPTION_FLAG, "--begin", &job.begin, NULL, "check, status: report that the measurement has begun", 0, 0},
      {PAWL_OPTION_STRING, "--branch", &job.branch, "BRANCH", "pull-request: the branch with the change", 0, 0},
      {PAWL_OPTION_STRING, "--base", &job.base, "BRANCH", "the branch to write to; the default branch by default", 0,
       0},
      {PAWL_OPTION_STRING, "--title", &job.title, "TEXT", "pull-request: its title", 0, 0},
      {PAWL_OPTION_PATH, "--body", &job.body, "FILE", "pull-request: its text, Markdown", 0, 0},
      {PAWL_OPTION_PATH, "--token-file", &job.token_file, "FILE",
       "the file with the token; GITHUB_TOKEN or GH_TOKEN by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, -1, &done, err));
  if (done) return PAWL_OK;
  const struct action *action = NULL;
  PAWL_TRY(find_action(argv[0], &action, err));
  if (argc > 1 && action->run != baseline)
    return pawl_fail(err, PAWL_USAGE, "'github %s' takes no '%s'", action->name, argv[1]);
  job.files = argv + 1;
  job.file_count = argc - 1;
  PAWL_TRY(check_id(job.id, err));
  job.forge.arena = &cli->arena;
  job.forge.log = job.forge.http.log = &cli->log;
  job.forge.http.redirects = 3;
  const enum pawl_status_code code = run_action(action, &job, err);
  pawl_stored_run_release(&job.verdict);
  return code;
}
