/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the ratchet's history: the best-known time of each kernel and case as a line of steps. Each
   has a row with its own scale, over the time of its moves. A row that moved once has no line and
   appears only in the list of moves. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "picture/draw.h"
#include "report/figures.h"

#define MAX_ROWS ((size_t)16)
#define MAX_MOVES ((size_t)2000) /* The picture leaves out the oldest moves beyond this number. */
#define ROW_HEIGHT 84.0
#define INSET 20.0 /* the distance between a row's edges and its line */
#define HEAD 50.0
#define FOOT 40.0
#define NAMES_WIDTH 200.0
#define FIGURES_WIDTH 210.0
#define COMMIT_DIGITS 7
#define LABEL_ROOM 54.0 /* the width of a commit's label */
#define DATES 5

struct ratchet_step {
  const struct pawl_baseline_move *move;
  double time; /* seconds since 1970, UTC */
};

/* The moves of one kernel, case and hardware. */
struct ratchet_row {
  const struct pawl_baseline_move *first;
  struct ratchet_step *steps;
  size_t count;
  double low_ms, high_ms;
};

struct ratchet_plot {
  cairo_t *cr;
  const struct pawl_theme *theme;
  struct pawl_box box; /* the area of the axis and the rows */
  double begin, end;
};

/* --- the data --- */

static bool same(const char *a, const char *b) { return !strcmp(a ? a : "", b ? b : ""); }

static bool of_one_row(const struct pawl_baseline_move *a, const struct pawl_baseline_move *b) {
  return same(a->kernel_name, b->kernel_name) && same(a->case_name, b->case_name) &&
         same(a->hardware, b->hardware);
}

/* Reads "2026-11-22 09:00:00" as seconds since 1970. Returns false if it is no time. */
static bool draw_moves_time_of(const char *text, double *out) {
  struct tm parts = {0};
  if (!text || !strptime(text, "%Y-%m-%d %H:%M:%S", &parts)) return false;
  *out = (double)timegm(&parts);
  return true;
}

static bool draw_moves_drawable(const struct pawl_baseline_move *move) {
  double time;
  return move->to_ms > 0 && draw_moves_time_of(move->timestamp, &time);
}

static size_t count_moves(const struct pawl_run_report *report) {
  return report->earlier_move_count + report->move_count;
}

/* Returns a move by its number. The earlier moves come first, then the moves of the run. */
static const struct pawl_baseline_move *move_at(const struct pawl_run_report *report,
                                                size_t index) {
  return index < report->earlier_move_count ? &report->earlier_moves[index]
                                            : &report->moves[index - report->earlier_move_count];
}

static size_t first_move(const struct pawl_run_report *report) {
  const size_t count = count_moves(report);
  return count > MAX_MOVES ? count - MAX_MOVES : 0;
}

/* Returns whether no earlier move belongs to the same row. */
static bool opens_row(const struct pawl_run_report *report, size_t index) {
  for (size_t i = first_move(report); i < index; i++)
    if (draw_moves_drawable(move_at(report, i)) &&
        of_one_row(move_at(report, i), move_at(report, index)))
      return false;
  return draw_moves_drawable(move_at(report, index));
}

static size_t count_of_row(const struct pawl_run_report *report,
                           const struct pawl_baseline_move *first) {
  size_t count = 0;
  for (size_t i = first_move(report); i < count_moves(report); i++)
    if (draw_moves_drawable(move_at(report, i)) && of_one_row(move_at(report, i), first)) count++;
  return count;
}

/* Counts the rows that moved at least twice. */
static size_t count_rows(const struct pawl_run_report *report) {
  size_t rows = 0;
  for (size_t i = first_move(report); i < count_moves(report); i++)
    if (opens_row(report, i) && count_of_row(report, move_at(report, i)) > 1) rows++;
  return rows;
}

/* Returns a row whose steps have the order of the file, which is the order of time. */
static struct ratchet_row make_row(const struct pawl_run_report *report,
                                   const struct pawl_baseline_move *first) {
  struct ratchet_row row = {.first = first, .low_ms = first->to_ms, .high_ms = first->to_ms};
  row.steps = pawl_alloc(count_moves(report), sizeof *row.steps);
  for (size_t i = first_move(report); i < count_moves(report); i++) {
    const struct pawl_baseline_move *move = move_at(report, i);
    if (!draw_moves_drawable(move) || !of_one_row(move, first)) continue;
    row.steps[row.count].move = move;
    (void)!draw_moves_time_of(move->timestamp, &row.steps[row.count++].time);
    row.low_ms = fmin(row.low_ms, move->to_ms);
    row.high_ms = fmax(row.high_ms, move->to_ms);
  }
  return row;
}

static void draw_moves_find_range(struct ratchet_plot *plot, const struct ratchet_row *row) {
  for (size_t i = 0; i < row->count; i++) {
    plot->begin = fmin(plot->begin, row->steps[i].time);
    plot->end = fmax(plot->end, row->steps[i].time);
  }
}

/* --- the parts --- */

static double draw_moves_x_of(const struct ratchet_plot *plot, double time) {
  return plot->end > plot->begin
             ? plot->box.x + (time - plot->begin) / (plot->end - plot->begin) * plot->box.width
             : plot->box.x;
}

/* Returns the height of a time. A slower time is higher. */
static double y_of(const struct ratchet_row *row, double top, double ms) {
  const double range = row->high_ms - row->low_ms, height = ROW_HEIGHT - 2 * INSET;
  return top + INSET + (range > 0 ? (row->high_ms - ms) / range * height : height / 2);
}

static struct pawl_color draw_moves_color_of(const struct pawl_theme *theme,
                                             enum pawl_move_kind kind) {
  switch (kind) {
    case PAWL_MOVE_IMPROVEMENT: return theme->good;
    case PAWL_MOVE_ACCEPTED: return theme->bad;
    case PAWL_MOVE_NEW:
    case PAWL_MOVE_UNKNOWN: break;
  }
  return theme->plain;
}

static void draw_line(const struct ratchet_plot *plot, const struct ratchet_row *row, double top) {
  cairo_new_path(plot->cr);
  for (size_t i = 0; i < row->count; i++) {
    const double x = draw_moves_x_of(plot, row->steps[i].time);
    if (i) cairo_line_to(plot->cr, x, y_of(row, top, row->steps[i - 1].move->to_ms));
    cairo_line_to(plot->cr, x, y_of(row, top, row->steps[i].move->to_ms));
  }
  cairo_line_to(plot->cr, plot->box.x + plot->box.width,
                y_of(row, top, row->steps[row->count - 1].move->to_ms));
  pawl_set_color(plot->cr, plot->theme->base, 1);
  cairo_set_line_width(plot->cr, 2);
  cairo_stroke(plot->cr);
}

/* Draws a dot for each move, with its commit if there is room. */
static void draw_moves_draw_dots(const struct ratchet_plot *plot, const struct ratchet_row *row,
                                 double top) {
  double taken = -INFINITY;
  for (size_t i = 0; i < row->count; i++) {
    const struct pawl_baseline_move *move = row->steps[i].move;
    const double x = draw_moves_x_of(plot, row->steps[i].time), y = y_of(row, top, move->to_ms);
    cairo_arc(plot->cr, x, y, 4.5, 0, 2 * M_PI);
    pawl_set_color(plot->cr, draw_moves_color_of(plot->theme, move->kind), 1);
    cairo_fill(plot->cr);
    const bool at_the_end =
        x + LABEL_ROOM > plot->box.x + plot->box.width; /* the place of the figures */
    if (!move->git_commit || x - (at_the_end ? LABEL_ROOM : 0) < taken) continue;
    char commit[COMMIT_DIGITS + 1];
    snprintf(commit, sizeof commit, "%.*s", COMMIT_DIGITS, move->git_commit);
    pawl_set_color(plot->cr, plot->theme->dim, 1);
    pawl_font(plot->cr, 11, false);
    pawl_draw_text(plot->cr, at_the_end ? x - 9 : x + 7, at_the_end ? y : y - 9, LABEL_ROOM,
                   at_the_end ? PAWL_ALIGN_RIGHT : PAWL_ALIGN_LEFT, commit);
    taken = x + LABEL_ROOM;
  }
}

static void draw_words(const struct ratchet_plot *plot, const struct ratchet_row *row, double top,
                       double left) {
  const double room = plot->box.x - left - 16, right = plot->box.x + plot->box.width + 16;
  const double before = row->steps[0].move->to_ms, now = row->steps[row->count - 1].move->to_ms;
  char first[PAWL_FIGURE], last[PAWL_FIGURE], text[2 * PAWL_FIGURE + 8];
  pawl_set_color(plot->cr, plot->theme->ink, 1);
  pawl_font(plot->cr, 12, true);
  pawl_draw_text(plot->cr, left, top + 28, room, PAWL_ALIGN_LEFT,
                 row->first->case_name ? row->first->case_name : "?");
  snprintf(text, sizeof text, "%s \xe2\x86\x92 %s", pawl_figure_time(before, first),
           pawl_figure_time(now, last));
  pawl_font(plot->cr, 12, false);
  pawl_draw_text(plot->cr, right, top + 28, 0, PAWL_ALIGN_LEFT, text);
  pawl_set_color(plot->cr, plot->theme->dim, 1);
  pawl_font(plot->cr, 11, false);
  pawl_draw_text(plot->cr, left, top + 46, room, PAWL_ALIGN_LEFT,
                 row->first->kernel_name ? row->first->kernel_name : "?");
  if (row->first->hardware)
    pawl_draw_text(plot->cr, left, top + 62, room, PAWL_ALIGN_LEFT, row->first->hardware);
  pawl_draw_text(plot->cr, right, top + 46, 0, PAWL_ALIGN_LEFT,
                 pawl_figure_change((before - now) / before * 100, first));
}

static void draw_moves_draw_row(const struct ratchet_plot *plot, const struct ratchet_row *row,
                                size_t index, double left) {
  const double top = plot->box.y + (double)index * ROW_HEIGHT;
  pawl_set_color(plot->cr, plot->theme->grid, 1);
  cairo_set_line_width(plot->cr, 1);
  cairo_move_to(plot->cr, left, top + ROW_HEIGHT);
  cairo_line_to(plot->cr, plot->box.x + plot->box.width + FIGURES_WIDTH, top + ROW_HEIGHT);
  cairo_stroke(plot->cr);
  draw_line(plot, row, top);
  draw_moves_draw_dots(plot, row, top);
  draw_words(plot, row, top, left);
}

static void draw_dates(const struct ratchet_plot *plot) {
  const double bottom = plot->box.y + plot->box.height;
  const int count = plot->end > plot->begin ? DATES : 1;
  pawl_font(plot->cr, 11, false);
  for (int i = 0; i < count; i++) {
    const double time =
        count > 1 ? plot->begin + (plot->end - plot->begin) * i / (count - 1) : plot->begin;
    const time_t seconds = (time_t)time;
    struct tm parts;
    char text[32];
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, plot->end - plot->begin < 2 * 86400 ? "%Y-%m-%d %H:%M" : "%Y-%m-%d",
             &parts);
    pawl_set_color(plot->cr, plot->theme->grid, 1);
    cairo_set_line_width(plot->cr, 1);
    cairo_move_to(plot->cr, draw_moves_x_of(plot, time), plot->box.y);
    cairo_line_to(plot->cr, draw_moves_x_of(plot, time), bottom);
    cairo_stroke(plot->cr);
    pawl_set_color(plot->cr, plot->theme->dim, 1);
    pawl_draw_text(plot->cr, draw_moves_x_of(plot, time), bottom + 14, 0, PAWL_ALIGN_CENTER, text);
  }
}

/* --- the whole --- */

double pawl_moves_height(const struct pawl_run_report *report) {
  const size_t rows = count_rows(report);
  return rows ? HEAD + FOOT + ROW_HEIGHT * (double)(rows < MAX_ROWS ? rows : MAX_ROWS) : 0;
}

void pawl_draw_moves(cairo_t *cr, const struct pawl_theme *theme,
                     const struct pawl_run_report *report, struct pawl_box box) {
  struct ratchet_row rows[MAX_ROWS];
  struct ratchet_plot plot = {.cr = cr, .theme = theme, .begin = INFINITY, .end = -INFINITY};
  const size_t all = count_rows(report);
  size_t count = 0;
  char note[120] = "the best-known time, lower is faster; green: improvement, red: accepted loss";
  for (size_t i = first_move(report); i < count_moves(report) && count < MAX_ROWS; i++)
    if (opens_row(report, i) && count_of_row(report, move_at(report, i)) > 1)
      rows[count++] = make_row(report, move_at(report, i));
  for (size_t i = 0; i < count; i++) draw_moves_find_range(&plot, &rows[i]);
  plot.box = (struct pawl_box){box.x + NAMES_WIDTH, box.y + HEAD,
                               box.width - NAMES_WIDTH - FIGURES_WIDTH, ROW_HEIGHT * (double)count};
  if (all > count) snprintf(note, sizeof note, "%zu of %zu", count, all);
  pawl_draw_title(cr, theme, box, "Ratchet", note);
  draw_dates(&plot);
  for (size_t i = 0; i < count; i++) draw_moves_draw_row(&plot, &rows[i], i, box.x);
  for (size_t i = 0; i < count; i++) pawl_free(rows[i].steps);
}
