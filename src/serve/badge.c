/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/badge.h"

#include <string.h>

#include "report/escape.h"
#include "report/figures.h"
#include "store/changes.h"
#include "store/series_summary.h"

/* White letters have a contrast of 4.5 or more on each of these. */
#define PLAIN "#1f5fa8"
#define GOOD "#1b7a36"
#define BAD "#b3261e"
#define NAME "#4a525a"

#define LETTER 7 /* pixels */
#define MOST_LETTERS 40

static void badge_words(const struct pawl_series *series, const struct pawl_series_summary *summary,
                        struct pawl_text *out, const char **color) {
  char figure[PAWL_FIGURE];
  const char *attention = pawl_series_attention(series, summary);
  const double value = pawl_figure_known(summary->level) ? summary->level : summary->latest;
  *color = PLAIN;
  if (attention && !strcmp(attention, "failed")) {
    pawl_text_add(out, summary->outcome);
    *color = BAD;
    return;
  }
  pawl_text_add(out, pawl_figure_known(value) ? pawl_figure_of_unit(value, series->unit, figure)
                                              : "nothing measured");
  if (!attention) return;
  const struct pawl_series_change *last = &summary->changes[summary->change_count - 1];
  pawl_text_printf(out, ", %.1f %% %s", pawl_change_size(last), pawl_change_word(series, last));
  *color = last->loss_pct > 0 ? BAD : GOOD;
}

/* Cuts a long name between two characters. */
static void badge_cut(struct pawl_text *text) {
  size_t end = 0, letters = 0;
  while (end < text->length && letters <= MOST_LETTERS)
    letters += ((unsigned char)text->data[end++] & 0xc0) != 0x80;
  if (end == text->length) return;
  while (end > 0 && ((unsigned char)text->data[end] & 0xc0) == 0x80) end--;
  text->data[text->length = end] = '\0';
  pawl_text_add(text, "…");
}

static void badge_side(const char *words, size_t left, size_t width, const char *color,
                       struct pawl_text *out) {
  pawl_text_printf(out, "<rect x=\"%zu\" width=\"%zu\" height=\"20\" fill=\"%s\"/>", left, width,
                   color);
  pawl_text_printf(out, "<text x=\"%zu\" y=\"14\" textLength=\"%zu\">", left + LETTER,
                   width - 2 * LETTER);
  pawl_html_text(words, out);
  pawl_text_add(out, "</text>");
}

static void badge_write(const struct pawl_series *series, const struct pawl_series_summary *summary,
                        struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text raw = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  const char *color;
  pawl_text_printf(&raw, "%s %s", series->kernel_name, series->case_name);
  pawl_clean_name(raw.data, &name);
  badge_cut(&name);
  badge_words(series, summary, &words, &color);
  const size_t left = (pawl_count_characters(name.data) + 2) * LETTER,
               right = (pawl_count_characters(words.data) + 2) * LETTER;
  pawl_text_printf(out,
                   PAWL_BADGE_BEGINS
                   " width=\"%zu\" height=\"20\" "
                   "role=\"img\"><title>",
                   left + right);
  pawl_html_text(name.data, out);
  pawl_text_add(out, ": ");
  pawl_html_text(words.data, out);
  pawl_text_add(out,
                "</title><g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
                "font-size=\"11\">");
  badge_side(name.data, 0, left, NAME, out);
  badge_side(words.data, left, right, color, out);
  pawl_text_add(out, "</g></svg>\n");
}

pawl_status pawl_badge_of_series(struct pawl_store *store, const struct pawl_series *series,
                                 struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_series_summary summary;
  const enum pawl_status_code status =
      pawl_series_summary_read(store, series, NULL, &arena, &summary, err);
  if (status == PAWL_OK) badge_write(series, &summary, out);
  pawl_series_summary_keep(store);
  return status;
}

pawl_status pawl_badge_of(struct pawl_store *store, const struct pawl_series_choice *choice,
                          struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_series *series;
  size_t count;
  PAWL_TRY(pawl_store_series(store, choice, &arena, &series, &count, err));
  if (!count) return pawl_fail(err, PAWL_NO_INPUT, "the history has no such series");
  return pawl_badge_of_series(store, &series[0], out, err);
}
