/* SPDX-License-Identifier: Apache-2.0 */
#include "store/series_summary.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "store/store_handle.h"

#define NAME "the history"

/* --- as a document --- */

static json_t *change_to_json(const struct pawl_series_change *change) {
  json_t *row = json_object();
  pawl_json_set_int(row, "point", change->point);
  pawl_json_set_int(row, "previous", change->previous);
  pawl_json_set_number(row, "before", change->change.before);
  pawl_json_set_number(row, "after", change->change.after);
  pawl_json_set_number(row, "confidence", change->change.confidence);
  return row;
}

static json_t *series_summary_to_json(const struct pawl_series_summary *summary) {
  json_t *document = json_object(), *changes = json_array();
  pawl_json_set_int(document, "revision", PAWL_CHANGE_REVISION);
  pawl_json_set_int(document, "points", summary->points);
  pawl_json_set_number(document, "best", summary->best);
  pawl_json_set_number(document, "noise", summary->noise.sd);
  pawl_json_set_number(document, "correlation", summary->noise.correlation);
  for (size_t i = 0; i < summary->change_count; i++)
    json_array_append_new(changes, change_to_json(&summary->changes[i]));
  pawl_json_set(document, "changes", changes);
  return document;
}

static pawl_status series_summary_change_of(const json_t *row, struct pawl_series_change *out,
                                            struct pawl_error *err) {
  struct pawl_level_change *change = &out->change;
  long long point, previous;
  PAWL_TRY(pawl_json_get_int(row, "point", NAME, 0, &point, err));
  PAWL_TRY(pawl_json_get_int(row, "previous", NAME, 0, &previous, err));
  PAWL_TRY(pawl_json_get_number(row, "before", NAME, NAN, &change->before, err));
  PAWL_TRY(pawl_json_get_number(row, "after", NAME, NAN, &change->after, err));
  PAWL_TRY(pawl_json_get_number(row, "confidence", NAME, NAN, &change->confidence, err));
  change->size = change->after / change->before - 1;
  out->point = point;
  out->previous = previous;
  return PAWL_OK;
}

/* *fits is false if an older search found the changes. */
static pawl_status from_json(const json_t *document, struct pawl_arena *arena, bool *fits,
                             struct pawl_series_summary *out, struct pawl_error *err) {
  const json_t *changes = json_object_get(document, "changes"), *row;
  struct pawl_series_summary summary = {.change_count = json_array_size(changes)};
  long long revision, points;
  size_t i;
  PAWL_TRY(pawl_json_get_int(document, "revision", NAME, 0, &revision, err));
  PAWL_TRY(pawl_json_get_int(document, "points", NAME, 0, &points, err));
  PAWL_TRY(pawl_json_get_number(document, "best", NAME, NAN, &summary.best, err));
  PAWL_TRY(pawl_json_get_number(document, "noise", NAME, NAN, &summary.noise.sd, err));
  PAWL_TRY(
      pawl_json_get_number(document, "correlation", NAME, NAN, &summary.noise.correlation, err));
  summary.points = points;
  summary.changes = pawl_arena_alloc(arena, summary.change_count, sizeof *summary.changes);
  json_array_foreach(changes, i, row)
      PAWL_TRY(series_summary_change_of(row, &summary.changes[i], err));
  *fits = revision == PAWL_CHANGE_REVISION;
  *out = summary;
  return PAWL_OK;
}

/* --- what is kept --- */

static enum pawl_status_code take_document(void *context, const struct pawl_sql_value *columns,
                                           size_t count, struct pawl_error *err) {
  const char *text = pawl_sql_get_text(&columns[0]);
  (void)count;
  return text ? pawl_json_parse(text, strlen(text), NAME, false, context, err) : PAWL_OK;
}

static pawl_status series_summary_look_up(struct pawl_store *store,
                                          const struct pawl_series *series, const char *branch,
                                          struct pawl_arena *arena, bool *found,
                                          struct pawl_series_summary *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT document FROM pawl_summaries WHERE series = $1 AND branch = $2 AND version = $3",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(series->id), pawl_sql_text(branch),
                          pawl_sql_integer(series->version)),
      take_document, &document, err));
  *found = false;
  return document ? from_json(document, arena, found, out, err) : PAWL_OK;
}

/* Keeps the summary. A reader neither waits for a writer nor needs the right to write. If this
 * fails, the next reader searches again. pawl does not keep a branch without points, because its
 * name may be anybody's. */
static void keep(struct pawl_store *store, const struct pawl_series *series, const char *branch,
                 const struct pawl_series_summary *summary) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = series_summary_to_json(summary);
  struct pawl_error ignored = {0};
  if (!summary->points || store->in_transaction) return;
  pawl_json_write_text(document, true, &text);
  if (pawl_sql_script(store->sql, store->sql->driver->hurry, &ignored) != PAWL_OK) return;
  (void)!pawl_sql_run(
      store->sql,
      "INSERT INTO pawl_summaries (series, branch, version, document) VALUES ($1, $2, $3, $4)"
      " ON CONFLICT (series, branch) DO UPDATE SET version = excluded.version,"
      " document = excluded.document",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(series->id), pawl_sql_text(branch),
                          pawl_sql_integer(series->version), pawl_sql_text(text.data)),
      &ignored);
  (void)!pawl_sql_script(store->sql, store->sql->driver->wait, &ignored);
}

/* --- what is found --- */

/* Chooses the places of the values above 0: of committed trees, or else of the others. */
static size_t choose(const struct pawl_figure *figures, size_t count, bool dirty, size_t *places) {
  size_t chosen = 0;
  for (size_t i = 0; i < count; i++)
    if (figures[i].value > 0 && figures[i].dirty == dirty) places[chosen++] = i;
  return chosen;
}

/* Edits that nobody committed are no change of the level, unless there is nothing else. */
static void find_changes(const struct pawl_figure *figures, size_t count, struct pawl_arena *arena,
                         struct pawl_series_summary *out) {
  double *values = pawl_arena_alloc(arena, count, sizeof *values);
  size_t *places = pawl_arena_alloc(arena, count, sizeof *places);
  struct pawl_level_change *found = pawl_arena_alloc(arena, count + 1, sizeof *found);
  size_t value_count = choose(figures, count, false, places);
  if (!value_count) value_count = choose(figures, count, true, places);
  for (size_t i = 0; i < value_count; i++) values[i] = figures[places[i]].value;
  out->change_count = pawl_changepoints(values, value_count, found, &out->noise);
  out->changes = pawl_arena_alloc(arena, out->change_count, sizeof *out->changes);
  for (size_t i = 0; i < out->change_count; i++) {
    const size_t index = found[i].index;
    out->changes[i] = (struct pawl_series_change){.change = found[i],
                                                  .point = figures[places[index]].id,
                                                  .previous = figures[places[index - 1]].id};
    out->changes[i].change.index = 0;
  }
}

/* Searches a series whose version was read before its points. A point that comes in between makes
 * the answer old at once. */
static pawl_status search(struct pawl_store *store, const struct pawl_series *series,
                          const char *branch, const struct pawl_branch_figures *figures,
                          struct pawl_arena *arena, struct pawl_series_summary *out,
                          struct pawl_error *err) {
  const struct pawl_point_choice choice = {.branch = branch};
  struct pawl_series_summary summary = {.points = 0};
  struct pawl_figure *read;
  struct pawl_branch_figures all = {0};
  if (figures) {
    all = *figures;
  } else {
    PAWL_TRY(pawl_store_figures(store, series->id, &choice, arena, &read, &all.count, err));
    all.items = read;
  }
  PAWL_TRY(pawl_store_best(store, series, branch, &summary.best, err));
  find_changes(all.items, all.count, arena, &summary);
  summary.points = (int64_t)all.count;
  *out = summary;
  return PAWL_OK;
}

pawl_status pawl_series_summary_read(struct pawl_store *store, const struct pawl_series *series,
                                     const char *branch, const struct pawl_branch_figures *figures,
                                     struct pawl_arena *arena, struct pawl_series_summary *out,
                                     struct pawl_error *err) {
  const char *row = branch ? branch : ""; /* no branch has this name */
  bool found;
  PAWL_TRY(series_summary_look_up(store, series, row, arena, &found, out, err));
  if (found) return PAWL_OK;
  PAWL_TRY(search(store, series, branch, figures, arena, out, err));
  keep(store, series, row, out);
  return PAWL_OK;
}
