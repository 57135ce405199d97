/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/ci.h"
#include "cli/history_open.h"
#include "cli/source.h"
#include "notify/notice_changes.h"
#include "notify/notify.h"
#include "suite/read.h"

static const char *cmd_notify_variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* The address of the workflow's run; NULL: this is none. */
static const char *run_link(struct pawl_arena *arena) {
  const char *server = cmd_notify_variable("GITHUB_SERVER_URL"),
             *repository = cmd_notify_variable("GITHUB_REPOSITORY");
  const char *run = cmd_notify_variable("GITHUB_RUN_ID");
  if (!server || !repository || !run) return NULL;
  return pawl_arena_printf(arena, "%s/%s/actions/runs/%s", server, repository, run);
}

static pawl_status cmd_notify_tell(struct pawl_cli *cli, const struct pawl_notify *notify,
                                   const struct pawl_notice *notice, struct pawl_error *err) {
  struct pawl_notified counts = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  PAWL_TRY(pawl_notify(notify, notice, &counts, document, err));
  if (notify->dry_run) return pawl_cli_write_json(NULL, document, err);
  pawl_log_info(&cli->log, "%zu told, %zu knew already", counts.sent, counts.unchanged);
  return PAWL_OK;
}

/* Adds what the history says to a mail. A notice goes out without it too. */
static void add_changes(struct pawl_cli *cli, const struct pawl_suite *suite,
                        struct pawl_notice *notice) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error why = {0};
  const struct pawl_remote_links links = pawl_remote_links_of(suite->folder, &cli->arena);
  if (!suite->notify.email.server) return;
  enum pawl_status_code status = pawl_history_open_kept(cli, &store, &why);
  if (status == PAWL_OK && store)
    status = pawl_notice_changes(store, &links, pawl_wall_clock(), &text, &why);
  if (status != PAWL_OK)
    pawl_log_warning(&cli->log, "the mail has no changes of the history: %s", why.message);
  else if (text.length)
    notice->changes = pawl_arena_copy(&cli->arena, text.data);
}

static pawl_status notify_of(struct pawl_cli *cli, struct pawl_notify *notify,
                             const struct pawl_run_report *report, const char *subject,
                             const char *link, struct pawl_error *err) {
  struct pawl_suite suite;
  struct pawl_notice notice;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(suite.folder, ".pawl");
  PAWL_CLEANUP(pawl_free_pointer) char *state = pawl_path_join(folder, "notify.json");
  if (!link) link = suite.notify.link ? suite.notify.link : run_link(&cli->arena);
  if (!subject)
    subject =
        cmd_notify_variable("GITHUB_REF_NAME") ? cmd_notify_variable("GITHUB_REF_NAME") : "local";
  PAWL_TRY(pawl_notice_make(report, subject, link, &cli->arena, &notice, err));
  add_changes(cli, &suite, &notice);
  if (!notify->dry_run) PAWL_TRY(pawl_make_folders(folder, err));
  notify->spec = &suite.notify;
  notify->state = state;
  return cmd_notify_tell(cli, notify, &notice, err);
}

enum pawl_status_code pawl_cmd_notify(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *subject = NULL, *link = NULL;
  struct pawl_notify notify = {.log = &cli->log};
  bool issues = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--subject", &subject, "NAME",
       "the subject of the verdict; the branch of the workflow by default"},
      {PAWL_OPTION_STRING, "--link", &link, "URL", "the address of the report"},
      {PAWL_OPTION_FLAG, "--always", &notify.always, NULL,
       "send a message also if the verdict does not change"},
      {PAWL_OPTION_FLAG, "--issues", &issues, NULL,
       "then do what pawl ci issues does: one issue for each loss of the history"},
      {PAWL_OPTION_FLAG, "--dry-run", &notify.dry_run, NULL,
       "print the messages as JSON and send nothing"},
      {PAWL_OPTION_PATH, "--ca-file", &notify.ca_file, "FILE", PAWL_CA_FILE_HELP},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  struct pawl_cli_source source = {0};
  enum pawl_status_code status = pawl_cli_source_read(cli, argv[0], &source, err);
  if (status == PAWL_OK) status = notify_of(cli, &notify, &source.report, subject, link, err);
  pawl_cli_source_release(&source);
  if (status != PAWL_OK || !issues) return status;
  struct pawl_ci ci = {.forge = {.dry_run = notify.dry_run, .http.ca_file = notify.ca_file}};
  pawl_ci_prepare(&ci, cli);
  return pawl_ci_issues(&ci, err);
}
