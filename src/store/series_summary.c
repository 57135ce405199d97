/* SPDX-License-Identifier: Apache-2.0 */
#include "store/series_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "model/result.h"
#include "stats/changepoint.h"
#include "stats/describe.h"
#include "store/change_notes.h"
#include "store/places.h"
#include "store/series_change.h"
#include "store/store.h"
#include "store/store_handle.h"

/* --- the environment of a change --- */

/* Says how the machine and its software differ between the two runs around a change. */

enum fact { MACHINE, DEVICE, DRIVER, CPU, COMPILER, CLOCKS, FACTS };
static const char *const fact_names[FACTS] = {"machine", "device",   "driver",
                                              "CPU",     "compiler", "clocks"};

struct surroundings {
  struct pawl_arena *arena;
  int64_t previous;
  const char *facts[2][FACTS]; /* before and after; NULL: unknown */
};

static const char *word_of(const json_t *object, const char *key, struct pawl_arena *arena) {
  const char *word = json_string_value(json_object_get(object, key));
  return word && *word ? pawl_arena_copy(arena, word) : NULL;
}

static enum pawl_status_code take_surroundings(void *context, const struct pawl_sql_value *columns,
                                               size_t count, struct pawl_error *err) {
  struct surroundings *around = context;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const char *text = pawl_sql_get_text(&columns[3]);
  const bool is_before = pawl_sql_get_integer(&columns[0], 0) == around->previous;
  const char **facts = around->facts[is_before ? 0 : 1];
  (void)count;
  if (text) PAWL_TRY(pawl_json_parse(text, strlen(text), "the history", false, &document, err));
  const json_t *device = json_object_get(document, "device");
  facts[MACHINE] = pawl_arena_copy(around->arena, pawl_sql_get_text(&columns[1]));
  facts[DEVICE] = word_of(device, "name", around->arena);
  facts[DRIVER] = word_of(device, "driver", around->arena);
  facts[CPU] = word_of(document, "cpu", around->arena);
  facts[COMPILER] = word_of(document, "toolchain", around->arena);
  if (!facts[COMPILER])
    facts[COMPILER] = pawl_arena_copy(around->arena, pawl_sql_get_text(&columns[2]));
  facts[CLOCKS] = word_of(document, "clocks", around->arena);
  return PAWL_OK;
}

/* Sets `environment` of the change in the arena. */
static pawl_status change_environment(struct pawl_store *store, struct pawl_arena *arena,
                                      struct pawl_series_change *change, struct pawl_error *err) {
  struct surroundings around = {.arena = arena, .previous = change->previous};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  bool known = false;
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT p.id, p.machine, r.toolchain, e.document FROM pawl_points p"
      " JOIN pawl_runs r ON r.id = p.run LEFT JOIN pawl_details d ON d.point = p.id"
      " LEFT JOIN pawl_environments e ON e.id = d.environment WHERE p.id IN ($1, $2)",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(change->previous), pawl_sql_integer(change->point)),
      take_surroundings, &around, err));
  for (size_t i = 0; i < FACTS; i++) {
    const char *before = around.facts[0][i], *after = around.facts[1][i];
    if (!before || !after) continue;
    known = true;
    if (!strcmp(before, after)) continue;
    pawl_text_printf(&words, "%s%s %s to %s", words.length ? "; " : "", fact_names[i], before,
                     after);
  }
  change->environment = known ? pawl_arena_copy(arena, pawl_text_string(&words)) : NULL;
  return PAWL_OK;
}

#define NAME "the history"
/* Counts up when kept answers are no longer right: the search, its input or the document. */
#define REVISION (PAWL_CHANGE_REVISION * 100 + 2)

/* --- as a document --- */

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }
static const char *state_name(int number) {
  return pawl_change_state_name((enum pawl_change_state)number);
}

#define CHANGE(...) ROW(pawl_series_change, __VA_ARGS__)
static const struct pawl_field change_rows[] = {
    CHANGE("point", INTEGER, point),
    CHANGE("previous", INTEGER, previous),
    CHANGE("at", INTEGER, at),
    CHANGE("time", INTEGER, time),
    CHANGE("commit", STRING, commit),
    CHANGE("subject", STRING, subject),
    CHANGE("dirty", FLAG, dirty),
    CHANGE("previous_commit", STRING, previous_commit),
    CHANGE("before", NUMBER, before),
    CHANGE("after", NUMBER, after),
    CHANGE("loss_pct", NUMBER, loss_pct),
    CHANGE("confidence", NUMBER, confidence),
    CHANGE("commits", INTEGER, commits),
    CHANGE("environment", STRING, environment),
    CHANGE("state", CHOICE, state, .name_of = state_name, .names = PAWL_CHANGE_STATES),
    CHANGE("note", STRING, note),
    CHANGE("person", STRING, person),
    CHANGE("noted", COUNT, noted),
};
const struct pawl_fields pawl_series_change_fields =
    PAWL_FIELDS(change_rows, struct pawl_series_change, NULL);

#define SUMMARY(...) ROW(pawl_series_summary, __VA_ARGS__)
#define SUMMARY_LIST(name, rule, member, number, ...) \
  SUMMARY(name, rule, member, offsetof(struct pawl_series_summary, number), __VA_ARGS__)
static const struct pawl_field summary_rows[] = {
    SUMMARY("line", STRING, line),
    SUMMARY("line_points", INTEGER, points),
    SUMMARY("commits", INTEGER, commits),
    SUMMARY("searched", INTEGER, searched),
    SUMMARY("level", NUMBER, level),
    SUMMARY("best", NUMBER, best),
    SUMMARY("loss_pct", NUMBER, loss_pct),
    SUMMARY("latest", NUMBER, latest),
    SUMMARY("noise_pct", NUMBER, noise_pct),
    SUMMARY("uncommitted", FLAG, uncommitted),
    SUMMARY("newest", INTEGER, newest),
    SUMMARY("newest_at", INTEGER, newest_at),
    SUMMARY("outcome", STRING, outcome),
    SUMMARY("verdict", STRING, verdict),
    SUMMARY_LIST("changes", LIST, changes, change_count, .table = &pawl_series_change_fields),
    SUMMARY_LIST("recent", NUMBERS, recent, recent_count),
};
const struct pawl_fields pawl_series_summary_fields =
    PAWL_FIELDS(summary_rows, struct pawl_series_summary, NULL);

/* --- what the store keeps --- */

static enum pawl_status_code take_document(void *context, const struct pawl_sql_value *columns,
                                           size_t count, struct pawl_error *err) {
  const char *text = pawl_sql_get_text(&columns[0]);
  (void)count;
  return text ? pawl_json_parse(text, strlen(text), NAME, false, context, err) : PAWL_OK;
}

/* *found is false if the store keeps no answer, or one of an older search. */
static pawl_status series_summary_look_up(struct pawl_store *store,
                                          const struct pawl_series *series, const char *branch,
                                          struct pawl_arena *arena, bool *found,
                                          struct pawl_series_summary *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, NAME);
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT document FROM pawl_summaries WHERE series = $1 AND branch = $2 AND version = $3",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(series->id), pawl_sql_text(branch),
                          pawl_sql_integer(series->version)),
      take_document, &document, err));
  *found = json_integer_value(json_object_get(document, "revision")) == REVISION;
  if (!*found) return PAWL_OK;
  pawl_struct_init(&pawl_series_summary_fields, out);
  return pawl_struct_read(&pawl_series_summary_fields, document, &path, arena, out, err);
}

#define MOST_FOUND 256 /* answers that wait in memory */

/* An answer that the store does not keep yet. */
struct pawl_found_summary {
  struct pawl_found_summary *next;
  int64_t series, version;
  const char *line, *document;
};

static pawl_status keep_found(struct pawl_store *store, struct pawl_error *err) {
  /* no lock against writers, because a reader must not wait for it */
  PAWL_TRY(pawl_sql_script(store->sql, "BEGIN", err));
  enum pawl_status_code status = PAWL_OK;
  for (const struct pawl_found_summary *found = store->found; found && status == PAWL_OK;
       found = found->next)
    status = pawl_sql_run(
        store->sql,
        "INSERT INTO pawl_summaries (series, branch, version, document)"
        " SELECT id, $2, $3, $4 FROM pawl_series WHERE id = $1"
        " ON CONFLICT (series, branch) DO UPDATE SET version = excluded.version,"
        " document = excluded.document",
        PAWL_SQL_PARAMETERS(pawl_sql_integer(found->series), pawl_sql_text(found->line),
                            pawl_sql_integer(found->version), pawl_sql_text(found->document)),
        err);
  return pawl_sql_end(store->sql, status, err);
}

void pawl_series_summary_keep(struct pawl_store *store) {
  struct pawl_error ignored = {0};
  if (store->in_transaction || !store->found) return;
  if (pawl_sql_script(store->sql, store->sql->driver->hurry, &ignored) == PAWL_OK)
    (void)!keep_found(store, &ignored);
  (void)!pawl_sql_script(store->sql, store->sql->driver->wait, &ignored);
  pawl_arena_clear(&store->found_arena);
  store->found = NULL;
  store->found_count = 0;
}

/* Notes an answer, because many together cost one transaction. pawl does not keep a branch without
 * points, because its name may be anybody's. */
static void note(struct pawl_store *store, const struct pawl_series *series,
                 const struct pawl_series_summary *summary) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!summary->points || store->in_transaction) return;
  struct pawl_found_summary *found = pawl_arena_alloc(&store->found_arena, 1, sizeof *found);
  document = pawl_struct_write(&pawl_series_summary_fields, summary);
  pawl_json_set_int(document, "revision", REVISION);
  pawl_json_write_text(document, true, &text);
  found->series = series->id;
  found->version = series->version;
  found->line = pawl_arena_copy(&store->found_arena, summary->line);
  found->document = pawl_arena_copy(&store->found_arena, text.data);
  found->next = store->found;
  store->found = found;
  if (++store->found_count >= MOST_FOUND) pawl_series_summary_keep(store);
}

/* --- what pawl finds --- */

static double series_loss(const struct pawl_series *series, double before, double after) {
  return (series->bigger_is_better ? before / after - 1 : after / before - 1) * 100;
}

static int series_summary_compare_values(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static bool is_better(const struct pawl_series *series, double level, double than) {
  return series->bigger_is_better ? level > than : level < than;
}

/* Without a change the level is the median of all values. */
static void set_levels(const struct pawl_series *series, const double *values, size_t count,
                       struct pawl_arena *arena, struct pawl_series_summary *out) {
  double *sorted = pawl_arena_alloc(arena, count, sizeof *sorted);
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, series_summary_compare_values);
  out->level = out->best = pawl_median(sorted, count);
  if (out->change_count) {
    out->best = out->changes[0].before;
    out->level = out->changes[out->change_count - 1].after;
  }
  for (size_t i = 0; i < out->change_count; i++)
    if (is_better(series, out->changes[i].after, out->best)) out->best = out->changes[i].after;
  out->loss_pct = series_loss(series, out->best, out->level);
}

/* Edits that nobody committed are no change of the level, unless there is nothing else. */
static void find_levels(const struct pawl_series *series, const struct pawl_places *places,
                        struct pawl_arena *arena, struct pawl_series_summary *out) {
  const size_t searched =
      places->count < PAWL_CHANGE_MOST ? places->count : (size_t)PAWL_CHANGE_MOST;
  const struct pawl_place_runs *first = places->items + (places->count - searched);
  double *values = pawl_arena_alloc(arena, searched, sizeof *values);
  struct pawl_level_change *found = pawl_arena_alloc(arena, searched + 1, sizeof *found);
  struct pawl_series_noise noise = {.sd = NAN};
  for (size_t i = 0; i < searched; i++) values[i] = first[i].value;
  out->change_count = pawl_changepoints(values, searched, found, &noise);
  if (searched < PAWL_CHANGE_LEAST) return;
  out->noise_pct = noise.sd * 100;
  out->searched = (int64_t)searched;
  out->changes = pawl_arena_alloc(arena, out->change_count, sizeof *out->changes);
  for (size_t i = 0; i < out->change_count; i++) {
    const struct pawl_level_change *change = &found[i];
    out->changes[i] =
        (struct pawl_series_change){.point = first[change->index].first,
                                    .previous = first[change->index - 1].last,
                                    .before = change->before,
                                    .after = change->after,
                                    .loss_pct = series_loss(series, change->before, change->after),
                                    .confidence = change->confidence,
                                    .commits = (int64_t)(searched - change->index),
                                    .noted = -1};
  }
  set_levels(series, values, searched, arena, out);
}

static const struct pawl_point *series_summary_point(const struct pawl_point *points, size_t count,
                                                     int64_t id) {
  for (size_t i = 0; i < count; i++)
    if (points[i].id == id) return &points[i];
  return NULL;
}

/* Reads the commits of the changes and the outcome of the newest run. A point that somebody has
 * just removed leaves its facts unknown, and the answer is old then. */
static pawl_status name_points(struct pawl_store *store, struct pawl_arena *arena,
                               struct pawl_series_summary *out, struct pawl_error *err) {
  int64_t *ids = pawl_arena_alloc(arena, 2 * out->change_count + 1, sizeof *ids);
  struct pawl_point *points;
  size_t count = 0;
  for (size_t i = 0; i < out->change_count; i++) {
    ids[count++] = out->changes[i].point;
    ids[count++] = out->changes[i].previous;
  }
  ids[count++] = out->newest;
  PAWL_TRY(pawl_store_points_by_id(store, ids, count, arena, &points, &count, err));
  for (size_t i = 0; i < out->change_count; i++) {
    struct pawl_series_change *change = &out->changes[i];
    const struct pawl_point *point = series_summary_point(points, count, change->point),
                            *previous = series_summary_point(points, count, change->previous);
    if (previous) change->previous_commit = previous->commit;
    if (!point) continue;
    change->at = point->at;
    change->time = point->time;
    change->commit = point->commit;
    change->subject = point->subject;
    change->dirty = point->dirty;
    PAWL_TRY(change_environment(store, arena, change, err));
  }
  const struct pawl_point *newest = series_summary_point(points, count, out->newest);
  if (!newest) return PAWL_OK;
  out->newest_at = newest->at;
  out->outcome = newest->outcome;
  out->verdict = newest->verdict;
  return PAWL_OK;
}

static void count_line(const struct pawl_figure *figures, size_t count,
                       struct pawl_series_summary *out) {
  bool committed = false;
  for (size_t i = 0; i < count; i++) {
    if (!figures[i].line) continue;
    out->points++;
    if (figures[i].dirty && committed) continue; /* a discarded try is not the present */
    committed = committed || !figures[i].dirty;
    out->newest = figures[i].id;
  }
}

/* Searches a series whose version was read before its points. A point that comes in between makes
 * the answer old at once. */
static pawl_status search(struct pawl_store *store, const struct pawl_series *series,
                          const char *branch, struct pawl_arena *arena,
                          struct pawl_series_summary *out, struct pawl_error *err) {
  struct pawl_series_summary summary = {
      .line = branch, .level = NAN, .best = NAN, .loss_pct = NAN, .latest = NAN, .noise_pct = NAN};
  struct pawl_figure *figures;
  struct pawl_places places;
  size_t count;
  PAWL_TRY(pawl_store_figures(store, series->id, branch, arena, &figures, &count, err));
  pawl_places_of(figures, count, arena, &places);
  count_line(figures, count, &summary);
  find_levels(series, &places, arena, &summary);
  summary.commits = (int64_t)places.count;
  summary.uncommitted = places.uncommitted;
  if (places.count) summary.latest = places.items[places.count - 1].value;
  summary.recent = pawl_arena_alloc(arena, PAWL_SERIES_RECENT, sizeof *summary.recent);
  const size_t skipped = places.count > PAWL_SERIES_RECENT ? places.count - PAWL_SERIES_RECENT : 0;
  for (size_t i = skipped; i < places.count; i++)
    summary.recent[summary.recent_count++] = places.items[i].value;
  PAWL_TRY(name_points(store, arena, &summary, err));
  PAWL_TRY(
      pawl_store_notes_apply(store, series, arena, summary.changes, summary.change_count, err));
  *out = summary;
  return PAWL_OK;
}

pawl_status pawl_series_summary_read(struct pawl_store *store, const struct pawl_series *series,
                                     const char *branch, struct pawl_arena *arena,
                                     struct pawl_series_summary *out, struct pawl_error *err) {
  bool found;
  if (!branch) PAWL_TRY(pawl_store_line(store, arena, &branch, err));
  PAWL_TRY(series_summary_look_up(store, series, branch, arena, &found, out, err));
  if (found) return PAWL_OK;
  PAWL_TRY(search(store, series, branch, arena, out, err));
  note(store, series, out);
  return PAWL_OK;
}

/* --- who should look --- */

static bool has_failed(const char *outcome) {
  enum pawl_outcome found;
  return outcome && pawl_outcome_parse(outcome, &found) && pawl_outcome_fails(found);
}

const char *pawl_series_attention(const struct pawl_series *series,
                                  const struct pawl_series_summary *summary) {
  const bool time = !strcmp(series->unit, "ms");
  if (has_failed(summary->outcome)) return "failed";
  if (!summary->change_count) return NULL;
  const struct pawl_series_change *last = &summary->changes[summary->change_count - 1];
  if (!pawl_change_state_is_open(last->state)) return NULL;
  const double loss = last->loss_pct;
  return loss > 0 ? (time ? "slower" : "worse") : (time ? "faster" : "better");
}
