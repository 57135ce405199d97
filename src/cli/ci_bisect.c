/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci bisect: searches for the commit behind the newest loss of the history, and notes it
   there. `pawl ci issues` then shows the note in the issue. */
#include "base/file.h"
#include "cli/bisect_change.h"
#include "cli/ci.h"

/* Returns whether the history names something that the suite no longer has, so that no search will
   ever answer. */
static bool cannot_be_searched(enum pawl_status_code status) {
  return status == PAWL_USAGE || status == PAWL_NO_INPUT || status == PAWL_CONFIG;
}

/* Notes that a change stays open, so that the next search takes the next change. */
static pawl_status give_up(struct pawl_cli *cli, const struct pawl_listed_change *listed,
                           const struct pawl_error *why, struct pawl_error *err) {
  const struct pawl_bisect_report report = {
      .undecided = pawl_arena_printf(&cli->arena, "it cannot be searched: %s", why->message)};
  pawl_log_warning(&cli->log, "the change of %.12s cannot be searched: %s", listed->change->commit,
                   why->message);
  return pawl_bisect_change_note(cli, listed, &report, err);
}

static enum pawl_status_code search_change(struct pawl_ci *ci,
                                           const struct pawl_listed_change *listed,
                                           struct pawl_error *err) {
  struct pawl_arena *arena = &ci->cli->arena;
  char *words[8];
  int count = 0;
  words[count++] = pawl_arena_printf(arena, "--change=%s", listed->change->commit);
  words[count++] = pawl_arena_printf(arena, "--case=%s", listed->series->case_name);
  words[count++] = pawl_arena_printf(arena, "--budget=%s", ci->budget ? ci->budget : "20m");
  words[count++] = pawl_arena_copy(arena, "--note");
  words[count++] = pawl_arena_printf(arena, "-o%s/bisect.json", ci->output);
  words[count++] = pawl_arena_copy(arena, "--");
  words[count++] = pawl_arena_copy(arena, listed->series->kernel_name);
  words[count] = NULL;
  return pawl_cmd_bisect(ci->cli, count, words, err);
}

enum pawl_status_code pawl_ci_bisect(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_cli *cli = ci->cli;
  struct pawl_listed_change listed;
  bool found;
  if (pawl_ci_on_github() || pawl_ci_on_gitlab()) PAWL_TRY(pawl_ci_refuse_tokens(err));
  PAWL_TRY(pawl_make_folders(ci->output, err));
  for (;;) {
    struct pawl_error why = {0};
    PAWL_TRY(pawl_bisect_change_next(cli, &listed, &found, err));
    if (!found) {
      pawl_log_info(&cli->log, "no loss of the history on this hardware waits for a search");
      return PAWL_OK;
    }
    const enum pawl_status_code status = search_change(ci, &listed, &why);
    if (!cannot_be_searched(status)) {
      *err = why;
      return status == PAWL_UNDECIDED ? PAWL_OK : status;
    }
    PAWL_TRY(give_up(cli, &listed, &why, err));
  }
}
