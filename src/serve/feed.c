/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/feed.h"

#include <inttypes.h>
#include <time.h>

#include "report/escape.h"
#include "report/figures.h"
#include "store/change_notes.h"
#include "store/changes.h"

#define ENTRIES 50

static void add_time(const char *element, int64_t seconds, struct pawl_text *out) {
  struct tm parts = {0};
  char text[32];
  const time_t when = (time_t)seconds;
  gmtime_r(&when, &parts);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  pawl_text_printf(out, "<%s>%s</%s>\n", element, text, element);
}

/* A note makes an entry newer, so that readers see its state. */
static int64_t updated(const struct pawl_series_change *change) {
  return change->noted > change->time ? change->noted : change->time;
}

/* Another harness names the unit. */
static void feed_add_figure(const struct pawl_series *series, double value, struct pawl_text *out) {
  char figure[PAWL_FIGURE];
  pawl_html_text(pawl_figure_of_unit(value, series->unit, figure), out);
}

static void add_entry(const struct pawl_listed_change *listed, const char *page,
                      struct pawl_text *out) {
  const struct pawl_series *series = listed->series;
  const struct pawl_series_change *change = listed->change;
  pawl_text_add(out, "<entry>\n<title>");
  pawl_html_text(series->kernel_name, out);
  pawl_text_add(out, " on ");
  pawl_html_text(series->case_name, out);
  char id[PAWL_HASH_TEXT];
  pawl_store_series_hash(series, id);
  pawl_text_printf(out, ": %.1f %% %s</title>\n<id>urn:pawl:change:%s:%" PRId64 "</id>\n",
                   pawl_change_size(change), pawl_change_word(series, change), id, change->at);
  pawl_text_printf(out, "<link href=\"%s#series=%" PRId64 "&amp;point=%" PRId64 "\"/>\n", page,
                   series->id, change->point);
  add_time("published", change->time, out);
  add_time("updated", updated(change), out);
  pawl_text_add(out, "<summary>");
  feed_add_figure(series, change->before, out);
  pawl_text_add(out, " to ");
  feed_add_figure(series, change->after, out);
  pawl_text_printf(out, " at %.12s, %s",
                   change->commit && !change->dirty ? change->commit : "an unknown commit",
                   pawl_change_state_name(change->state));
  if (change->subject && !change->dirty) {
    pawl_text_add(out, ": ");
    pawl_html_text(change->subject, out);
  }
  if (change->note) {
    pawl_text_add(out, " (");
    pawl_html_text(change->note, out);
    pawl_text_add(out, ")");
  }
  pawl_text_add(out, "</summary>\n</entry>\n");
}

pawl_status pawl_feed_write(struct pawl_store *store, const char *page, struct pawl_text *out,
                            struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_listed_change *changes;
  size_t count;
  int64_t newest = 0;
  PAWL_TRY(pawl_store_changes(store, &any, NULL, &arena, &changes, &count, err));
  if (count > ENTRIES) count = ENTRIES;
  for (size_t i = 0; i < count; i++)
    if (updated(changes[i].change) > newest) newest = updated(changes[i].change);
  pawl_text_add(out,
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>pawl: changes</title>\n"
                "<id>urn:pawl:changes</id>\n<author><name>pawl</name></author>\n");
  pawl_text_printf(out, "<link href=\"%s\"/>\n", page);
  add_time("updated", newest, out);
  for (size_t i = 0; i < count; i++) add_entry(&changes[i], page, out);
  pawl_text_add(out, "</feed>\n");
  return PAWL_OK;
}
