/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_trend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/figures.h"
#include "report/sparkline.h"
#include "stats/changepoint.h"
#include "store/changes.h"
#include "store/trend_json.h"

#define SPARKLINE_WIDTH 40
#define LISTED 20       /* points that pawl lists of a named kernel */
#define COMMIT_DIGITS 8 /* digits that pawl shows */

/* --- for people --- */

static const char *history_trend_figure(const struct pawl_series *series, double value,
                                        char out[PAWL_FIGURE]) {
  return pawl_figure_of_unit(value, series->unit, out);
}

/* Prints the last change, whatever its age. */
static void print_last_change(const struct pawl_series_summary *summary) {
  char day[20];
  if (!summary->change_count) {
    puts(summary->searched ? "none" : "unknown");
    return;
  }
  const struct pawl_series_change *change = &summary->changes[summary->change_count - 1];
  pawl_format_time((time_t)change->at, day);
  printf("%+.1f %%  %.*s  %.10s, %lld %s ago%s%s\n", change->loss_pct, COMMIT_DIGITS,
         change->commit && !change->dirty ? change->commit : "-", day, (long long)change->commits,
         change->commits == 1 ? "commit" : "commits", change->state ? ", " : "",
         change->state ? pawl_change_state_name(change->state) : "");
}

static void print_line(const struct pawl_trend *trend) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text sparkline = {0};
  char latest[PAWL_FIGURE], level[PAWL_FIGURE];
  const struct pawl_series *series = trend->series;
  const struct pawl_series_summary *summary = &trend->summary;
  printf("%-20s %-18s %7lld ", series->kernel_name, series->case_name, (long long)summary->commits);
  if (!summary->commits) {
    const bool measured = summary->points && (!summary->outcome || !strcmp(summary->outcome, "ok"));
    puts(measured ? "no value above 0" : "nothing was measured");
    return;
  }
  pawl_sparkline(summary->recent, summary->recent_count, SPARKLINE_WIDTH, &sparkline);
  printf("%12s ", history_trend_figure(series, summary->latest, latest));
  if (summary->searched)
    printf("%12s %+7.1f %%  ", history_trend_figure(series, summary->level, level),
           summary->loss_pct);
  else
    printf("%12s %9s  ", "-", "-");
  printf("%s  ", pawl_text_string(&sparkline));
  if (summary->uncommitted) printf("uncommitted  ");
  print_last_change(summary);
}

static void print_commit(const char *commit, bool dirty) {
  printf("%-*.*s ", COMMIT_DIGITS + 1, COMMIT_DIGITS, commit && !dirty ? commit : "-");
}

/* An uncommitted tree's commit is not the measured code, so its subject must not take the blame. */
static void print_subject(const char *commit, const char *subject, bool dirty) {
  if (dirty)
    printf("  uncommitted, on %.*s", COMMIT_DIGITS, commit ? commit : "no commit");
  else if (subject)
    printf("  %s", subject);
  putchar('\n');
}

/* Runs of one commit stand together, and the last of them shows the commit's median. */
static void print_place(const struct pawl_trend *trend, const struct pawl_point *point) {
  char median[PAWL_FIGURE];
  printf("  %16s  %-*s %12s  the median of %lld runs of this commit\n", "", COMMIT_DIGITS + 1, "",
         history_trend_figure(trend->series, point->place_value, median),
         (long long)point->place_runs);
}

static void print_point(const struct pawl_trend *trend, const struct pawl_point *point) {
  char when[20], value[PAWL_FIGURE];
  pawl_format_time((time_t)point->time, when);
  printf("  %.16s  ", when);
  print_commit(point->commit, point->dirty);
  printf("%12s  ",
         isnan(point->value) ? "-" : history_trend_figure(trend->series, point->value, value));
  if (point->verdict)
    printf("%s", point->verdict);
  else
    printf("%s", !strcmp(point->outcome, "ok") ? point->source : point->outcome);
  if (point->identical)
    printf(", identical code");
  else if (point->verdict && !isnan(point->change_pct))
    printf(", %s", pawl_figure_change(point->change_pct, value));
  if (!isnan(point->limit_pct))
    printf(", %s of the limit", pawl_figure_percent(point->limit_pct, value));
  print_subject(point->commit, point->subject, point->dirty);
}

static bool ends_place(const struct pawl_trend *trend, size_t i) {
  const struct pawl_point *point = &trend->points[i];
  if (point->place_runs < 2) return false;
  for (size_t j = i + 1; j < trend->count && trend->points[j].at == point->at; j++)
    if (trend->points[j].place_runs > 1 && trend->points[j].commit && point->commit &&
        !strcmp(trend->points[j].commit, point->commit))
      return false;
  return true;
}

static void print_points(const struct pawl_trend *trend) {
  const size_t first = trend->count > LISTED ? trend->count - LISTED : 0;
  const long long before = (long long)(trend->summary.points - (int64_t)(trend->count - first));
  if (before > 0) printf("  ... %lld before\n", before);
  bool judged = false;
  for (size_t i = first; i < trend->count; i++) {
    print_point(trend, &trend->points[i]);
    judged = judged || !isnan(trend->points[i].change_pct);
    if (ends_place(trend, i)) print_place(trend, &trend->points[i]);
  }
  if (judged)
    printf(
        "  times: those under \"Measurements\" of a report; its verdicts compare medians over "
        "blocks\n");
}

static void print_environment(const struct pawl_series_change *change) {
  if (!change->environment || !*change->environment) return;
  printf("  %16s  %-*s environment: %s\n", "", COMMIT_DIGITS + 1, "", change->environment);
}

static void print_note(const struct pawl_series_change *change) {
  char when[20];
  if (change->noted < 0) return;
  pawl_format_time((time_t)change->noted, when);
  printf("  %16s  %-*s %s%s%s, %.10s%s%s\n", "", COMMIT_DIGITS + 1, "",
         pawl_change_state_name(change->state), change->person ? " by " : "",
         change->person ? change->person : "", when, change->note ? ": " : "",
         change->note ? change->note : "");
}

static void print_change(const struct pawl_trend *trend, const struct pawl_series_change *change) {
  char when[20], before[PAWL_FIGURE], after[PAWL_FIGURE];
  pawl_format_time((time_t)change->at, when);
  printf("  %.16s  ", when);
  print_commit(change->commit, change->dirty);
  printf("%7.1f %% %s  %s -> %s", pawl_change_size(change), pawl_change_word(trend->series, change),
         history_trend_figure(trend->series, change->before, before),
         history_trend_figure(trend->series, change->after, after));
  printf(", p %s", pawl_figure_p(1 - change->confidence, before));
  print_subject(change->commit, change->subject, change->dirty);
  print_environment(change);
  print_note(change);
}

static void print_title(const struct pawl_series *series) {
  printf("\n%s on %s", series->kernel_name, series->case_name);
  if (*series->shape) printf(" (%s)", series->shape);
  if (series->hardware_name) printf(", %s", series->hardware_name);
  putchar('\n');
}

/* Says in how many of the commits pawl looked if it did not look in all. */
static void print_changes(const struct pawl_trend *trend) {
  const struct pawl_series_summary *summary = &trend->summary;
  if (!summary->searched) {
    printf("  changes: unknown, of fewer than %d commits\n", PAWL_CHANGE_LEAST);
    return;
  }
  printf("  changes%s%s", *summary->line ? " of " : "", summary->line);
  if (summary->searched < summary->commits)
    printf(" in the newest %lld of %lld commits", (long long)summary->searched,
           (long long)summary->commits);
  if (summary->change_count)
    puts(":");
  else
    printf(": none; the noise is %.2f %%\n", summary->noise_pct);
  for (size_t i = 0; i < summary->change_count; i++) print_change(trend, &summary->changes[i]);
}

struct history_showing {
  struct pawl_store *store;
  const struct pawl_history_view *view;
  struct pawl_series *series;
  size_t count;
};

/* Calls `each` for each series. Its points live only during the call. */
static pawl_status for_each(const struct history_showing *showing,
                            void (*each)(const struct pawl_trend *trend, void *context),
                            void *context, struct pawl_error *err) {
  const struct pawl_trend_choice choice = {.newest = (size_t)showing->view->newest,
                                           .branch = showing->view->branch};
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < showing->count && status == PAWL_OK; i++) {
    struct pawl_arena arena = {0};
    struct pawl_trend trend;
    status = pawl_trend_read(showing->store, &showing->series[i], &choice, &arena, &trend, err);
    if (status == PAWL_OK) each(&trend, context);
    pawl_arena_clear(&arena);
  }
  pawl_series_summary_keep(showing->store);
  return status;
}

struct history_list {
  const struct history_showing *showing;
  size_t next, hidden; /* the next series; those without a value */
};

static bool same_row(const struct pawl_series *a, const struct pawl_series *b) {
  return !strcmp(a->kernel_name, b->kernel_name) && !strcmp(a->case_name, b->case_name);
}

/* Rows of one kernel and case differ in the shape or in the hardware, and stand side by side. */
static void show_line(const struct pawl_trend *trend, void *context) {
  struct history_list *list = context;
  const struct history_showing *showing = list->showing;
  const size_t i = list->next++;
  const struct pawl_series *series = &showing->series[i];
  if (!trend->summary.commits && !showing->view->choice.kernel_name) {
    list->hidden++;
    return;
  }
  print_line(trend);
  if ((i > 0 && same_row(series, series - 1)) ||
      (i + 1 < showing->count && same_row(series, series + 1)))
    printf("    %s%s%s\n", series->shape, *series->shape && series->hardware_name ? ", " : "",
           series->hardware_name ? series->hardware_name : "");
}

struct sections {
  const struct pawl_history_view *view;
  /* --changes: the number of series with too few commits; one line reports them all. */
  size_t short_ones;
};

static void show_section(const struct pawl_trend *trend, void *context) {
  struct sections *sections = context;
  if (sections->view->changes && !trend->summary.searched) {
    sections->short_ones++;
    return;
  }
  print_title(trend->series);
  if (!sections->view->changes) print_points(trend);
  print_changes(trend);
}

static pawl_status history_trend_print(const struct history_showing *showing,
                                       struct pawl_error *err) {
  printf("%-20s %-18s %7s %12s %12s %9s  %s\n", "kernel", "case", "commits", "latest", "level",
         "from best", "trend, last change");
  struct history_list list = {.showing = showing};
  PAWL_TRY(for_each(showing, show_line, &list, err));
  if (list.hidden)
    printf("%zu %s without a value; pawl history KERNEL shows %s\n", list.hidden,
           list.hidden == 1 ? "row" : "rows", list.hidden == 1 ? "it" : "them");
  if (!showing->view->choice.kernel_name && !showing->view->changes) return PAWL_OK;
  struct sections sections = {.view = showing->view};
  PAWL_TRY(for_each(showing, show_section, &sections, err));
  if (sections.short_ones)
    printf("\n%zu of %zu %s fewer than %d commits: too few to look for changes\n",
           sections.short_ones, showing->count, sections.short_ones == 1 ? "row has" : "rows have",
           PAWL_CHANGE_LEAST);
  return PAWL_OK;
}

/* --- as a document --- */

static void add_to_document(const struct pawl_trend *trend, void *context) {
  json_array_append_new(context, pawl_struct_write(&pawl_trend_fields, trend));
}

static pawl_status print_json(const struct history_showing *showing, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  json_t *series = json_array();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "series", series);
  PAWL_TRY(for_each(showing, add_to_document, series, err));
  return pawl_cli_write_json(NULL, document, err);
}

/* --- */

static pawl_status nothing_there(struct pawl_cli *cli, struct pawl_store *store,
                                 const struct pawl_history_view *view, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  struct pawl_series *series;
  size_t count;
  PAWL_TRY(pawl_store_series(store, &any, &cli->arena, &series, &count, err));
  if (!count)
    return pawl_fail(
        err, PAWL_NO_INPUT,
        "the history is empty: pawl run and pawl bench fill it, and so does pawl import");
  const char *wanted = view->choice.kernel_name;
  const char **names = pawl_arena_alloc(&cli->arena, count, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = series[i].kernel_name;
  const char *nearest = wanted ? pawl_nearest(wanted, names, count) : NULL;
  if (nearest && strcmp(nearest, wanted) != 0)
    return pawl_fail(err, PAWL_NO_INPUT, "the history has no kernel '%s'; did you mean '%s'?",
                     wanted, nearest);
  return pawl_fail(err, PAWL_NO_INPUT,
                   "the history has nothing of %s%s%s%s; pawl history lists what it has",
                   wanted ? "the kernel '" : "the case '", wanted ? wanted : view->choice.case_name,
                   wanted && view->choice.case_name ? "' on the case '" : "'",
                   wanted && view->choice.case_name
                       ? pawl_arena_printf(&cli->arena, "%s'", view->choice.case_name)
                       : "");
}

pawl_status pawl_history_show(struct pawl_cli *cli, struct pawl_store *store,
                              const struct pawl_history_view *view, struct pawl_error *err) {
  struct history_showing showing = {.store = store, .view = view};
  PAWL_TRY(
      pawl_store_series(store, &view->choice, &cli->arena, &showing.series, &showing.count, err));
  if (!showing.count) return nothing_there(cli, store, view, err);
  return cli->json ? print_json(&showing, err) : history_trend_print(&showing, err);
}
