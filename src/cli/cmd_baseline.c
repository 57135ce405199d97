/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "cli/command.h"
#include "loop/baseline_source.h"
#include "project/change_base.h"
#include "report/figures.h"

/* The options, and the results of an edit. */
struct words {
  struct pawl_cli *cli;
  struct pawl_baseline_choice choice;
  const char *path, *results_path, *reason, *new_name;
  struct pawl_results results; /* the results that `accept` takes */
  size_t edited;
};

static pawl_status update(struct words *words, pawl_baseline_edit *edit, struct pawl_error *err) {
  struct pawl_arena *arena = &words->cli->arena;
  const char *lock = pawl_baseline_lock_path(words->path, arena);
  return pawl_baseline_update(words->path, lock, PAWL_BASELINE_LOCK_SECONDS, edit, words, arena,
                              err);
}

/* --- list --- */

static void list_entry(const struct pawl_baseline_entry *entry, struct pawl_text *out) {
  char time[PAWL_FIGURE];
  pawl_text_printf(
      out, "%-20s %-18s %12s  %-12.12s  %s\n", entry->kernel_name ? entry->kernel_name : "-",
      entry->case_name, pawl_figure_time(entry->median_ms, time),
      entry->git_commit ? entry->git_commit : "-", entry->hardware ? entry->hardware : "-");
  if (entry->reason) pawl_text_printf(out, "  accepted: %s\n", entry->reason);
}

static pawl_status list(struct words *words, struct pawl_error *err) {
  struct pawl_baseline baseline;
  PAWL_TRY(pawl_baseline_read(words->path, &words->cli->arena, &baseline, err));
  size_t count = 0;
  for (size_t i = 0; i < baseline.count; i++)
    if (pawl_baseline_chosen(&words->choice, &baseline.entries[i]))
      baseline.entries[count++] = baseline.entries[i];
  baseline.count = count;
  if (words->cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_baseline_to_json(&baseline);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (count)
    pawl_text_printf(&text, "%-20s %-18s %12s  %-12s  %s\n", "kernel", "case", "median", "commit",
                     "hardware");
  else
    pawl_log_info(&words->cli->log, "%s has no such entry", words->path);
  for (size_t i = 0; i < count; i++) list_entry(&baseline.entries[i], &text);
  return pawl_cli_write(NULL, pawl_text_string(&text), text.length, err);
}

/* --- accept --- */

static enum pawl_status_code accept_entry(void *context, struct pawl_baseline *baseline,
                                          struct pawl_arena *arena, bool *changed,
                                          struct pawl_error *err) {
  struct words *words = context;
  *changed = true;
  return pawl_baseline_accept(baseline, &words->results, words->choice.kernel_name,
                              words->choice.case_name, words->reason, arena, err);
}

/* Whether `pawl run` counts the loss as accepted on this branch. Without a suite the answer is
   unknown. */
static pawl_status counts_here(struct words *words, bool *out, struct pawl_error *err) {
  struct pawl_cli *cli = words->cli;
  *out = true;
  if (strcmp(words->path, PAWL_BASELINE_PATH) != 0 || !pawl_file_exists(cli->suite)) return PAWL_OK;
  PAWL_CLEANUP(pawl_project_close) struct pawl_project project = {0};
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  return pawl_change_base_accepts(&project, out, err);
}

static pawl_status accept(struct words *words, struct pawl_error *err) {
  struct pawl_cli *cli = words->cli;
  if (!words->choice.case_name)
    return pawl_fail(err, PAWL_USAGE, "'--case' is missing; usage: pawl %s",
                     cli->command->synopsis);
  if (!words->reason || !*words->reason)
    return pawl_fail(err, PAWL_USAGE, "'--reason' is missing: tell others why you accept the loss");
  if (words->choice.hardware)
    return pawl_fail(err, PAWL_USAGE, "'--hardware' is not for 'accept': the results name theirs");
  bool counts;
  PAWL_TRY(counts_here(words, &counts, err));
  enum pawl_status_code status =
      pawl_results_read(words->results_path, &cli->arena, &words->results, err);
  if (status == PAWL_OK) status = update(words, accept_entry, err);
  pawl_results_release(&words->results);
  if (status == PAWL_OK)
    pawl_log_info(&cli->log, "accepted %s on %s in %s; commit this file", words->choice.kernel_name,
                  words->choice.case_name, words->path);
  if (status == PAWL_OK && !counts)
    pawl_log_warning(&cli->log,
                     "on this branch pawl run still reports the regression: the gate of main takes "
                     "an accepted loss only on main; accept it there after the merge, or set gate: "
                     "{accept: pull-request} on main");
  return status;
}

/* --- remove, rename --- */

static const char *entries(size_t count) { return count == 1 ? "entry" : "entries"; }

static enum pawl_status_code remove_entries(void *context, struct pawl_baseline *baseline,
                                            struct pawl_arena *arena, bool *changed,
                                            struct pawl_error *err) {
  struct words *words = context;
  (void)arena;
  *changed = true;
  return pawl_baseline_remove(baseline, &words->choice, &words->edited, err);
}

static pawl_status remove_chosen(struct words *words, struct pawl_error *err) {
  PAWL_TRY(update(words, remove_entries, err));
  pawl_log_info(&words->cli->log, "removed %zu %s of %s from %s; commit this file", words->edited,
                entries(words->edited), words->choice.kernel_name, words->path);
  return PAWL_OK;
}

static enum pawl_status_code rename_entries(void *context, struct pawl_baseline *baseline,
                                            struct pawl_arena *arena, bool *changed,
                                            struct pawl_error *err) {
  struct words *words = context;
  *changed = true;
  return pawl_baseline_rename(baseline, &words->choice, words->new_name, arena, &words->edited,
                              err);
}

static pawl_status rename_chosen(struct words *words, struct pawl_error *err) {
  if (!words->new_name || !*words->new_name)
    return pawl_fail(err, PAWL_USAGE, "the new name is missing; usage: pawl %s",
                     words->cli->command->synopsis);
  PAWL_TRY(update(words, rename_entries, err));
  pawl_log_info(&words->cli->log, "renamed %zu %s of %s in %s; commit this file", words->edited,
                entries(words->edited), words->choice.kernel_name, words->path);
  return PAWL_OK;
}

static const struct baseline_action {
  const char *name;
  pawl_status (*run)(struct words *words, struct pawl_error *err);
  int min_operands, max_operands;
} actions[] = {{"list", list, 0, 1},
               {"accept", accept, 1, 1},
               {"remove", remove_chosen, 1, 1},
               {"rename", rename_chosen, 2, 2}};

static pawl_status unknown_action(const struct pawl_cli *cli, const char *word,
                                  struct pawl_error *err) {
  const char *names[PAWL_COUNT(actions)];
  for (size_t i = 0; i < PAWL_COUNT(actions); i++) names[i] = actions[i].name;
  const char *nearest = pawl_nearest(word, names, PAWL_COUNT(names));
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no action '%s'; did you mean '%s'?", word, nearest);
  return pawl_fail(err, PAWL_USAGE, "no action '%s'; usage: pawl %s", word, cli->command->synopsis);
}

enum pawl_status_code pawl_cmd_baseline(struct pawl_cli *cli, int argc, char **argv,
                                        struct pawl_error *err) {
  struct words words = {
      .cli = cli, .path = PAWL_BASELINE_PATH, .results_path = "perf/out/results.json"};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.choice.case_name, "NAME",
       "the case; rename: the case gets the new name"},
      {PAWL_OPTION_STRING, "--hardware", &words.choice.hardware, "NAME",
       "list, remove, rename: only the entries of this hardware"},
      {PAWL_OPTION_STRING, "--reason", &words.reason, "TEXT",
       "accept: the reason; the file keeps it and reports show it"},
      {PAWL_OPTION_PATH, "--results", &words.results_path, "FILE",
       "accept: the results; perf/out/results.json by default"},
      {PAWL_OPTION_PATH, "--baseline", &words.path, "FILE",
       "the baseline; perf/baseline.json by default"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 3, &done, err));
  if (done) return PAWL_OK;
  const struct baseline_action *action = NULL;
  for (size_t i = 0; i < PAWL_COUNT(actions) && !action; i++)
    if (!strcmp(argv[0], actions[i].name)) action = &actions[i];
  if (!action) return unknown_action(cli, argv[0], err);
  if (argc - 1 < action->min_operands)
    return pawl_fail(err, PAWL_USAGE, "an argument is missing; usage: pawl %s",
                     cli->command->synopsis);
  if (argc - 1 > action->max_operands)
    return pawl_fail(err, PAWL_USAGE, "'%s' is one argument too many; usage: pawl %s",
                     argv[action->max_operands + 1], cli->command->synopsis);
  words.choice.kernel_name = argc > 1 ? argv[1] : NULL;
  words.new_name = argc > 2 ? argv[2] : NULL;
  return action->run(&words, err);
}
