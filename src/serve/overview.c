/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/overview.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/text.h"
#include "store/trend_json.h"

/* --- rows --- */

static bool overview_is_equal(const char *wanted, const char *found) {
  return !wanted || (found && !strcmp(wanted, found));
}

static bool overview_is_chosen(const struct pawl_dashboard_choice *choice,
                               const struct pawl_series *series) {
  bool found = !choice;
  for (size_t i = 0; !found && i < choice->count; i++) {
    const struct pawl_series_choice *item = &choice->items[i];
    found = overview_is_equal(item->kernel_name, series->kernel_name) &&
            overview_is_equal(item->case_name, series->case_name) &&
            overview_is_equal(item->hardware, series->hardware);
  }
  return found;
}

static int compare_row_ids(const void *a, const void *b) {
  const struct pawl_overview_row *left = a, *right = b;
  return (left->series->id > right->series->id) - (left->series->id < right->series->id);
}

/* Moves the rows whose series has not changed. Its version counts up with each change. */
static void reuse_rows(struct pawl_overview *old, struct pawl_overview *made) {
  if (!old->known || strcmp(old->line, made->line) != 0) return;
  qsort(old->rows, old->count, sizeof *old->rows, compare_row_ids);
  for (size_t i = 0; i < made->count; i++) {
    struct pawl_overview_row *row = &made->rows[i], *found = bsearch(row, old->rows, old->count,
                                                                     sizeof *row, compare_row_ids);
    if (!found || !found->text || found->series->version != row->series->version) continue;
    const struct pawl_series *series = row->series;
    *row = *found;
    row->series = series;
    found->text = found->words = NULL;
    made->known++;
  }
}

void pawl_overview_clear(struct pawl_overview *overview) {
  for (size_t i = 0; i < overview->count; i++) {
    free(overview->rows[i].text);
    pawl_free(overview->rows[i].words);
  }
  pawl_arena_clear(&overview->arena);
  memset(overview, 0, sizeof *overview);
}

pawl_status pawl_overview_list(struct pawl_overview *overview, struct pawl_store *store,
                               const struct pawl_dashboard_choice *choice, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  struct pawl_overview made = {0};
  struct pawl_series *series;
  size_t count;
  enum pawl_status_code status = pawl_store_series(store, &any, &made.arena, &series, &count, err);
  if (status == PAWL_OK) status = pawl_store_line(store, &made.arena, &made.line, err);
  if (status != PAWL_OK) {
    pawl_arena_clear(&made.arena);
    return status;
  }
  made.rows = pawl_arena_alloc(&made.arena, count, sizeof *made.rows);
  for (size_t i = 0; i < count; i++)
    if (overview_is_chosen(choice, &series[i]) && ++made.all <= PAWL_OVERVIEW_MOST)
      made.rows[made.count++].series = &series[i];
  reuse_rows(overview, &made);
  pawl_overview_clear(overview);
  *overview = made;
  return PAWL_OK;
}

static int rank_of(const char *attention) {
  if (!attention) return 0;
  if (!strcmp(attention, "failed")) return 3;
  return !strcmp(attention, "slower") || !strcmp(attention, "worse") ? 2 : 1;
}

static char *words_of(const struct pawl_series *series, const char *attention, const char *state) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "%s %s %s %s %s %s", series->kernel_name, series->case_name,
                   series->shape, series->hardware_name ? series->hardware_name : "",
                   attention ? attention : "", state);
  for (char *at = text.data; *at; at++) *at = (char)tolower((unsigned char)*at);
  return text.data;
}

static pawl_status overview_read_row(struct pawl_store *store, const char *line,
                                     struct pawl_overview_row *row, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_overview_row_document document = {.series = row->series};
  struct pawl_series_summary *summary = &document.summary;
  PAWL_TRY(pawl_series_summary_read(store, row->series, line, &arena, summary, err));
  document.attention = pawl_series_attention(row->series, summary);
  if (summary->change_count) summary->changes += summary->change_count - 1;
  summary->change_count = summary->change_count > 0;
  PAWL_CLEANUP(pawl_json_release)
  json_t *json = pawl_struct_write(&pawl_overview_fields, &document);
  row->text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
  row->rank = rank_of(document.attention);
  row->at = INT64_MIN;
  row->bare = isnan(summary->latest) && row->rank < 3;
  const char *state = "";
  if (summary->change_count) {
    row->at = summary->changes[0].at;
    row->seen = summary->changes[0].state == PAWL_CHANGE_ACKNOWLEDGED;
    row->explained = !pawl_change_state_is_open(summary->changes[0].state);
    state = pawl_change_state_name(summary->changes[0].state);
  }
  row->words = words_of(row->series, document.attention, state);
  row->loss = isnan(summary->loss_pct) ? -INFINITY : summary->loss_pct;
  return PAWL_OK;
}

pawl_status pawl_overview_read(struct pawl_overview *overview, struct pawl_store *store,
                               double seconds, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  enum pawl_status_code status = PAWL_OK;
  if (overview->known == overview->count) return PAWL_OK;
  for (size_t i = 0; i < overview->count && status == PAWL_OK; i++) {
    if (overview->rows[i].text) continue;
    if (pawl_seconds_since(begin) > seconds) return PAWL_OK;
    status = overview_read_row(store, overview->line, &overview->rows[i], err);
    if (status == PAWL_OK) overview->known++;
  }
  pawl_series_summary_keep(store);
  return status;
}

/* --- the order --- */

static int compare_places(const struct pawl_overview_row *a, const struct pawl_overview_row *b) {
  return (a > b) - (a < b); /* the rows lie in the order of names */
}

static int compare_newest(const struct pawl_overview_row *a, const struct pawl_overview_row *b) {
  return (a->at < b->at) - (a->at > b->at);
}

static int overview_compare_rows(const void *a, const void *b, void *sort) {
  const struct pawl_overview_row *left = *(const struct pawl_overview_row *const *)a,
                                 *right = *(const struct pawl_overview_row *const *)b;
  const char *word = sort;
  int order = 0;
  if (!strcmp(word, "look")) order = 2 * right->rank - right->seen - 2 * left->rank + left->seen;
  if (!strcmp(word, "best")) order = (left->loss < right->loss) - (left->loss > right->loss);
  if (!order && strcmp(word, "best") != 0) order = compare_newest(left, right);
  return order ? order : compare_places(left, right);
}

/* --- the filter --- */

static bool has_words(const struct pawl_overview_row *row, const char *wanted) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text word = {0};
  for (const char *at = wanted; *at;) {
    const size_t length = strcspn(at, " \t\n\r\f\v");
    word.length = 0;
    for (size_t i = 0; i < length; i++)
      pawl_text_add_bytes(&word, &(char){(char)tolower((unsigned char)at[i])}, 1);
    if (length && !strstr(row->words, word.data)) return false;
    at += length + (at[length] != '\0');
  }
  return true;
}

/* Lists the rows that pawl knows and the part wants, in its order. *hidden: those that a filter
   would show. */
static size_t choose_rows(const struct pawl_overview *overview,
                          const struct pawl_overview_part *part,
                          const struct pawl_overview_row **out, size_t *hidden) {
  static const char *const sorts[] = {"look", "change", "best"};
  const char *words = part && part->words ? part->words : "";
  size_t count = 0;
  *hidden = 0;
  for (size_t i = 0; i < overview->count; i++) {
    const struct pawl_overview_row *row = &overview->rows[i];
    if (!row->text || !has_words(row, words)) continue;
    if (part && row->bare && !*words)
      ++*hidden;
    else
      out[count++] = row;
  }
  if (!part || (part->sort && !strcmp(part->sort, "kernel"))) return count;
  const int found = pawl_name_index(sorts, PAWL_COUNT(sorts), part->sort);
  char *sort = (char *)(uintptr_t)sorts[found < 0 ? 0 : found];
  qsort_r(out, count, sizeof *out, overview_compare_rows, sort);
  return count;
}

/* --- the document --- */

static void write_counts(const struct pawl_overview *overview, int64_t since,
                         struct pawl_text *out) {
  size_t failed = 0, slower = 0, faster = 0, slower_before = 0, explained = 0;
  for (size_t i = 0; i < overview->count; i++) {
    const struct pawl_overview_row *row = &overview->rows[i];
    failed += row->rank == 3;
    slower += row->rank == 2 && row->at > since;
    slower_before += row->rank == 2 && row->at <= since;
    explained += row->explained;
    faster += row->rank == 1 && row->at > since;
  }
  pawl_text_printf(out,
                   "\"counts\":{\"failed\":%zu,\"slower\":%zu,\"faster\":%zu,"
                   "\"slower_before\":%zu,\"explained\":%zu},",
                   failed, slower, faster, slower_before, explained);
}

void pawl_overview_write(const struct pawl_overview *overview,
                         const struct pawl_overview_part *part, const char *more,
                         struct pawl_text *out) {
  const struct pawl_overview_row **rows = pawl_alloc(overview->count + 1, sizeof *rows);
  size_t hidden;
  const size_t matched = choose_rows(overview, part, rows, &hidden);
  size_t first = 0, end = matched;
  pawl_text_printf(out, "{\"schema_version\":1,%s\"series_count\":%zu,", more, overview->all);
  if (part) {
    first = (uint64_t)part->first < matched ? (size_t)part->first : matched;
    end = (uint64_t)part->count < matched - first ? first + (size_t)part->count : matched;
    pawl_text_printf(out, "\"matched\":%zu,\"hidden\":%zu,\"pending\":%zu,", matched, hidden,
                     overview->count - overview->known);
    write_counts(overview, part->since, out);
  }
  pawl_text_add(out, "\"series\":[");
  for (size_t i = first; i < end; i++) {
    if (i > first) pawl_text_add(out, ",");
    pawl_text_add(out, rows[i]->text);
  }
  pawl_text_add(out, "]}");
  pawl_free(rows);
}
