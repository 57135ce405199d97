/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "cli/command.h"
#include "cli/history_lines.h"
#include "cli/history_note.h"
#include "cli/history_open.h"
#include "cli/history_trend.h"
#include "report/figures.h"
#include "store/comparison.h"

/* --- compare --- */

/* Compares two sides of the history over all series, for `pawl history compare`. */

/* The operands. */
struct history_sides {
  const char *a, *b;  /* names, see pawl_comparison_find() */
  const char *folder; /* git's folder */
  const char *path;   /* FILE.csv, FILE.json or "-"; NULL: a table on standard output */
  struct pawl_series_choice choice;
};

static void print_side(const char *letter, const struct pawl_comparison_side *side) {
  printf("%s: %s, the %s", letter, side->name, side->kind);
  if (!strstr(side->name, side->key)) printf(" %.40s", side->key);
  putchar('\n');
}

static void print_interval(double low, double high) {
  char text[64] = "unknown";
  if (!isnan(low)) snprintf(text, sizeof text, "%+.1f to %+.1f %%", low, high);
  printf("%-20s", text);
}

static void print_row(const struct pawl_comparison_row *row) {
  char a[PAWL_FIGURE], b[PAWL_FIGURE];
  printf("%-20s %-18s %12s %12s %+8.1f %%  ", row->kernel_name, row->case_name,
         pawl_figure_of_unit(row->a, row->unit, a), pawl_figure_of_unit(row->b, row->unit, b),
         row->loss_pct);
  print_interval(row->low_pct, row->high_pct);
  printf("%-9s %-7s %s\n", row->evidence, row->answer,
         row->hardware_name ? row->hardware_name : "-");
}

static void print_table(const struct pawl_comparison_table *table) {
  print_side("A", &table->a);
  print_side("B", &table->b);
  printf("\n%-20s %-18s %12s %12s %10s  %-20s%-9s %-7s %s\n", "kernel", "case", "A", "B", "loss",
         "95 % interval", "evidence", "answer", "hardware");
  for (size_t i = 0; i < table->count; i++) print_row(&table->rows[i]);
  printf("\ngeometric mean of %zu %s: %+.2f %%, ", table->count, table->count == 1 ? "row" : "rows",
         table->mean_pct);
  if (table->unknown)
    printf("the interval is unknown, because %lld rows have none\n", (long long)table->unknown);
  else
    printf("%+.2f to %+.2f %%\n", table->mean_low_pct, table->mean_high_pct);
  printf("paired evidence: %lld; series with a value of A alone: %lld, of B alone: %lld\n",
         (long long)table->paired, (long long)table->only_a, (long long)table->only_b);
  if (table->several)
    printf(
        "several machines have the name '%s', and each has its rows: name one by its hardware "
        "identity\n",
        table->b.key);
}

static pawl_status history_compare(struct pawl_cli *cli, struct pawl_store *store,
                                   const struct history_sides *sides, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_comparison_side a, b;
  struct pawl_comparison_table table;
  PAWL_TRY(pawl_comparison_find(store, sides->folder, sides->a, &cli->arena, &a, err));
  PAWL_TRY(pawl_comparison_find(store, sides->folder, sides->b, &cli->arena, &b, err));
  PAWL_TRY(pawl_comparison_read(store, &a, &b, &sides->choice, &cli->arena, &table, err));
  if (sides->path && !pawl_ends_with(sides->path, ".json")) {
    pawl_comparison_csv(&table, &text);
    return pawl_cli_write(sides->path, text.data, text.length, err);
  }
  if (cli->json || sides->path) {
    document = pawl_struct_write(&pawl_comparison_table_fields, &table);
    return pawl_cli_write_json(sides->path, document, err);
  }
  print_table(&table);
  return PAWL_OK;
}

/* --- the command --- */

struct history_words {
  struct pawl_cli *cli;
  struct pawl_history_view view;
  const char *path;            /* -o */
  int days;                    /* --older-than; -1: not given */
  bool only_samples;           /* --details */
  bool dry_run;                /* --dry-run */
  const char *reason, *person; /* --reason, --by */
  int retention;               /* days of retention in pawl.yaml; 0: no limit */
  const char *folder;          /* the suite's */
  char **operands;
  int count;
};

static pawl_status show(struct history_words *words, struct pawl_store *store,
                        struct pawl_error *err) {
  if (words->count > 1)
    return pawl_fail(err, PAWL_USAGE, "'%s' is one argument too many; usage: pawl %s",
                     words->operands[1], words->cli->command->synopsis);
  words->view.choice.kernel_name = words->count ? words->operands[0] : NULL;
  return pawl_history_show(words->cli, store, &words->view, err);
}

static pawl_status export(struct history_words *words, struct pawl_store *store,
                          struct pawl_error *err) {
  if (words->path && pawl_ends_with(words->path, ".html"))
    return pawl_fail(err, PAWL_USAGE,
                     "export writes lines of JSON; for the page run pawl report -o %s",
                     words->path);
  return pawl_history_export(words->cli, store, words->path, err);
}

static pawl_status import(struct history_words *words, struct pawl_store *store,
                          struct pawl_error *err) {
  if (!words->count)
    return pawl_fail(err, PAWL_USAGE, "an argument is missing; usage: pawl %s",
                     words->cli->command->synopsis);
  for (int i = 0; i < words->count; i++)
    PAWL_TRY(pawl_history_import(words->cli, store, words->operands[i], err));
  return PAWL_OK;
}

static pawl_status compare(struct history_words *words, struct pawl_store *store,
                           struct pawl_error *err) {
  if (words->count < 2 || words->count > 3)
    return pawl_fail(err, PAWL_USAGE, "compare takes two sides and a kernel; usage: pawl %s",
                     words->cli->command->synopsis);
  const struct history_sides sides = {
      .a = words->operands[0],
      .b = words->operands[1],
      .folder = words->folder,
      .path = words->path,
      .choice = {.kernel_name = words->count > 2 ? words->operands[2] : NULL,
                 .case_name = words->view.choice.case_name}};
  return history_compare(words->cli, store, &sides, err);
}

static pawl_status note(struct history_words *words, struct pawl_store *store,
                        struct pawl_error *err) {
  if (words->count < 2 || words->count > 3)
    return pawl_fail(err, PAWL_USAGE, "note takes a commit, a state and a kernel; usage: pawl %s",
                     words->cli->command->synopsis);
  const struct pawl_history_noting noting = {
      .commit = words->operands[0],
      .state = words->operands[1],
      .reason = words->reason,
      .person = words->person,
      .branch = words->view.branch,
      .folder = words->folder,
      .choice = {.kernel_name = words->count > 2 ? words->operands[2] : NULL,
                 .case_name = words->view.choice.case_name}};
  return pawl_history_note(words->cli, store, &noting, err);
}

#define SECONDS_OF_A_DAY ((int64_t)24 * 3600)

static void say_pruned(const struct history_words *words, const struct pawl_prune *what,
                       const struct pawl_pruned *pruned) {
  const char *done = what->dry_run ? "would remove" : "removed";
  if (!what->only_samples)
    pawl_log_info(&words->cli->log, "%s %lld points of %lld runs", done, (long long)pruned->points,
                  (long long)pruned->runs);
  else
    pawl_log_info(&words->cli->log,
                  "%s the samples of %lld points of %lld runs (%.1f MB); %lld older points keep "
                  "theirs: there the level, the baseline or the verdict changed",
                  done, (long long)pruned->points, (long long)pruned->runs,
                  (double)pruned->bytes / 1e6, (long long)pruned->spared);
}

static pawl_status prune(struct history_words *words, struct pawl_store *store,
                         struct pawl_error *err) {
  const bool by_suite = words->days < 0;
  if (by_suite && !words->retention)
    return pawl_fail(err, PAWL_USAGE,
                     "'--older-than DAYS' is missing: it says which runs pawl removes; without it "
                     "pawl removes samples by 'retention' of pawl.yaml, which has none");
  const int days = by_suite ? words->retention : words->days;
  const struct pawl_prune what = {.before = (int64_t)pawl_wall_clock() - days * SECONDS_OF_A_DAY,
                                  .only_samples = by_suite || words->only_samples,
                                  .dry_run = words->dry_run};
  struct pawl_pruned pruned;
  PAWL_TRY(pawl_store_prune(store, &what, &pruned, err));
  say_pruned(words, &what, &pruned);
  return PAWL_OK;
}

/* The last row is what `pawl history` does without a word of these. */
static const struct history_action {
  const char *name;
  pawl_status (*run)(struct history_words *words, struct pawl_store *store, struct pawl_error *err);
} actions[] = {{"compare", compare}, {"export", export}, {"import", import},
               {"note", note},       {"prune", prune},   {"show", show}};

/* Refuses an option that the action does not read: `prune --case NAME` must not remove the runs of
   all cases. */
static pawl_status check_options(const struct history_words *words, const char *action,
                                 struct pawl_error *err) {
  const struct {
    const char *name, *actions;
    bool given;
  } options[] = {{"--case", "show compare note", words->view.choice.case_name},
                 {"--branch", "show note", words->view.branch},
                 {"--newest", "show", words->view.newest},
                 {"--changes", "show", words->view.changes},
                 {"-o", "export compare", words->path},
                 {"--reason", "note", words->reason},
                 {"--by", "note", words->person},
                 {"--older-than", "prune", words->days >= 0},
                 {"--details", "prune", words->only_samples},
                 {"--dry-run", "prune", words->dry_run}};
  for (size_t i = 0; i < PAWL_COUNT(options); i++)
    if (options[i].given && !strstr(options[i].actions, action))
      return pawl_fail(err, PAWL_USAGE, "'%s' is not for 'pawl history%s%s'; see pawl history -h",
                       options[i].name, strcmp(action, "show") ? " " : "",
                       strcmp(action, "show") ? action : "");
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_history(struct pawl_cli *cli, int argc, char **argv,
                                       struct pawl_error *err) {
  struct history_words words = {.cli = cli, .days = -1};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &words.view.choice.case_name, "NAME", "only this case"},
      {PAWL_OPTION_STRING, "--branch", &words.view.branch, "NAME",
       "the runs of this branch; the default branch by default"},
      {PAWL_OPTION_INT, "--newest", &words.view.newest, "N",
       "show only the newest N points of each series; levels and changes are those of all", 1,
       1000000000},
      {PAWL_OPTION_FLAG, "--changes", &words.view.changes, NULL,
       "the changes of every series, with their commits"},
      {PAWL_OPTION_PATH, "-o", &words.path, "FILE",
       "export: the file; compare: FILE.csv or FILE.json; standard output by default"},
      {PAWL_OPTION_STRING, "--reason", &words.reason, "TEXT", "note: why, for others"},
      {PAWL_OPTION_STRING, "--by", &words.person, "NAME",
       "note: the person; the name that git knows by default"},
      {PAWL_OPTION_INT, "--older-than", &words.days, "DAYS",
       "prune: the runs that are older; without it the samples that are older than 'retention' "
       "says",
       0, 100000},
      {PAWL_OPTION_FLAG, "--details", &words.only_samples, NULL,
       "prune: remove only samples; figures, verdicts and the samples of changes stay"},
      {PAWL_OPTION_FLAG, "--dry-run", &words.dry_run, NULL,
       "prune: only say what pawl would remove"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  const struct history_action *action = &actions[PAWL_COUNT(actions) - 1];
  words.operands = argv;
  words.count = argc;
  for (size_t i = 0; argc && i + 1 < PAWL_COUNT(actions); i++) {
    if (strcmp(argv[0], actions[i].name) != 0) continue;
    action = &actions[i];
    words.operands++;
    words.count--;
    break;
  }
  PAWL_TRY(check_options(&words, action->name, err));
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  words.retention = suite.retention_days;
  words.folder = suite.folder;
  return action->run(&words, store, err);
}
