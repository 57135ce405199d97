/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the verdicts as a forest plot: Lewis and Clarke, "Forest plots: trying to see the wood and
   the trees", BMJ 322, 2001. Each configuration has a row on one axis of slow-down. In a paired
   row, every dot is a block, the diamond is their estimate and the bar shows its limits. In an
   unpaired row, the hollow diamond is the ratio of the medians of two runs, and the thin line shows
   the range that their intervals allow. */
#include <math.h>
#include <stdio.h>

#include "picture/draw.h"
#include "record/conclusion.h"
#include "report/color.h"
#include "report/figures.h"
#include "report/row_change.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define MAX_ROWS ((size_t)24)
#define ROW_HEIGHT 54.0
#define HEAD 62.0
#define FOOT 46.0
#define NAMES_WIDTH 190.0
#define FIGURES_WIDTH 240.0
#define LEAST_SPAN 0.05 /* on either side of 0 */
/* rows with a smaller change, if there are any, set the axis; arrows stand for the others */
#define NEAR 0.5
/* The axis never goes beyond MOST_LOW and MOST_HIGH. */
#define MOST_LOW -0.95
#define MOST_HIGH 9.0
#define LABEL_ROOM 46.0 /* between two labelled ticks */

struct mark {
  const struct pawl_ratchet_row *row;
  double estimate, low, high; /* slow-downs as fractions; an open limit is the end of the axis */
};

struct change_plot {
  cairo_t *cr;
  const struct pawl_theme *theme;
  struct pawl_box box; /* the area of the axis and the rows */
  struct mark marks[MAX_ROWS];
  size_t count, left_out;
  double tolerate, detect; /* NaN: no row is paired */
  /* The ends of the axis. It is logarithmic, so half and twice the time are equally far from 0. */
  double low, high;
};

/* --- the data --- */

static bool draw_changes_drawable(const struct pawl_ratchet_row *row) {
  return !pawl_verdict_has_no_time(row->comparison.verdict) && pawl_row_has_change(row);
}

static struct mark mark_of(const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  struct mark mark = {row, -item->delta_pct / 100, NAN, NAN};
  if (pawl_row_is_paired(row)) {
    mark.low = row->paired->slowdown.low > -1 ? row->paired->slowdown.low : -INFINITY;
    mark.high = row->paired->slowdown.high;
  } else if (item->ci_known && !row->paired) {
    mark.low = item->current_ci_low / item->baseline_ci_high - 1;
    mark.high = item->current_ci_high / item->baseline_ci_low - 1;
  }
  return mark;
}

static void draw_changes_collect(struct change_plot *plot, const struct pawl_run_report *report) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  plot->tolerate = plot->detect = NAN;
  for (size_t i = 0; i < count; i++) {
    if (!draw_changes_drawable(rows[i])) continue;
    if (pawl_row_is_paired(rows[i]) && isnan(plot->detect)) {
      plot->tolerate = rows[i]->paired->policy.tolerate;
      plot->detect = rows[i]->paired->policy.detect;
    }
    if (plot->count == MAX_ROWS)
      plot->left_out++;
    else
      plot->marks[plot->count++] = mark_of(rows[i]);
  }
}

/* Returns the slow-down of a block as a fraction. */
static double block_change(const struct pawl_paired_block *block) {
  return block->candidate_ms / block->base_ms - 1;
}

/* Widens the range so that it contains the middle 80 % of a row's blocks. */
static void widen_by_blocks(const struct pawl_paired_test *paired, double *low, double *high) {
  PAWL_CLEANUP(pawl_free_pointer)
  double *changes = pawl_alloc(paired->block_count + 1, sizeof *changes);
  size_t count = 0;
  for (size_t i = 0; i < paired->block_count; i++)
    if (!paired->blocks[i].spoiled) changes[count++] = block_change(&paired->blocks[i]);
  if (count == 0) return;
  pawl_sort_doubles(changes, count);
  *low = fmin(*low, pawl_quantile(changes, count, 0.1));
  *high = fmax(*high, pawl_quantile(changes, count, 0.9));
}

static bool near(const struct mark *mark) { return fabs(log1p(mark->estimate)) <= log1p(NEAR); }

static void draw_changes_widen(struct change_plot *plot, const struct mark *mark) {
  plot->low = fmin(plot->low, mark->estimate);
  plot->high = fmax(plot->high, mark->estimate);
  if (isfinite(mark->low)) plot->low = fmin(plot->low, mark->low);
  if (isfinite(mark->high)) plot->high = fmax(plot->high, mark->high);
  if (pawl_row_is_paired(mark->row)) widen_by_blocks(mark->row->paired, &plot->low, &plot->high);
}

static void draw_changes_find_range(struct change_plot *plot) {
  bool any_near = false;
  plot->low = -LEAST_SPAN, plot->high = LEAST_SPAN;
  for (size_t i = 0; i < plot->count; i++) any_near = any_near || near(&plot->marks[i]);
  for (size_t i = 0; i < plot->count; i++)
    if (near(&plot->marks[i]) || !any_near) draw_changes_widen(plot, &plot->marks[i]);
  const double low = log1p(fmax(plot->low, MOST_LOW)), high = log1p(fmin(plot->high, MOST_HIGH));
  const double margin = 0.06 * (high - low);
  plot->low = expm1(low - margin);
  plot->high = expm1(high + margin);
}

/* --- axis and thresholds --- */

static double draw_changes_x_of(const struct change_plot *plot, double change) {
  const double inside = fmin(fmax(change, plot->low), plot->high);
  const double low = log1p(plot->low), high = log1p(plot->high);
  return plot->box.x + (log1p(inside) - low) / (high - low) * plot->box.width;
}

static void vertical(const struct change_plot *plot, double change, struct pawl_color color,
                     double alpha) {
  const double x = draw_changes_x_of(plot, change);
  pawl_set_color(plot->cr, color, alpha);
  cairo_move_to(plot->cr, x, plot->box.y);
  cairo_line_to(plot->cr, x, plot->box.y + plot->box.height);
  cairo_stroke(plot->cr);
}

static void draw_changes_draw_axis(const struct change_plot *plot) {
  const double step = pawl_tick_step(plot->high - plot->low);
  double labelled = -INFINITY; /* the place of the last label */
  pawl_font(plot->cr, 11, false);
  cairo_set_line_width(plot->cr, 1);
  for (double tick = ceil(plot->low / step) * step; tick <= plot->high + step * 1e-6;
       tick += step) {
    const bool zero = fabs(tick) < step / 2;
    char text[PAWL_FIGURE];
    vertical(plot, tick, zero ? plot->theme->dim : plot->theme->grid, 1);
    if (draw_changes_x_of(plot, tick) < labelled + LABEL_ROOM) continue;
    labelled = draw_changes_x_of(plot, tick);
    snprintf(text, sizeof text, zero ? "0 %%" : "%+.3g %%", tick * 100);
    pawl_set_color(plot->cr, plot->theme->dim, 1);
    pawl_draw_text(plot->cr, labelled, plot->box.y + plot->box.height + 13, 0, PAWL_ALIGN_CENTER,
                   text);
  }
}

/* Draws a band for changes that count as none, and a line for the slow-down that the gate must
   detect. */
static void draw_thresholds(const struct change_plot *plot) {
  if (isnan(plot->detect)) return;
  char text[PAWL_FIGURE], label[2 * PAWL_FIGURE];
  pawl_set_color(plot->cr, plot->theme->dim, 0.13);
  cairo_rectangle(
      plot->cr, draw_changes_x_of(plot, -plot->tolerate), plot->box.y,
      draw_changes_x_of(plot, plot->tolerate) - draw_changes_x_of(plot, -plot->tolerate),
      plot->box.height);
  cairo_fill(plot->cr);
  const double dashes[] = {5, 4};
  cairo_set_dash(plot->cr, dashes, 2, 0);
  cairo_set_line_width(plot->cr, 1.3);
  vertical(plot, plot->detect, plot->theme->bad, 0.8);
  cairo_set_dash(plot->cr, NULL, 0, 0);
  pawl_font(plot->cr, 11, false);
  pawl_set_color(plot->cr, plot->theme->bad, 1);
  snprintf(label, sizeof label, "detect %s", pawl_figure_percent(plot->detect * 100, text));
  pawl_draw_text(plot->cr, draw_changes_x_of(plot, plot->detect) + 4, plot->box.y - 9, 0,
                 PAWL_ALIGN_LEFT, label);
  pawl_set_color(plot->cr, plot->theme->dim, 1);
  snprintf(label, sizeof label, "tolerate %s", pawl_figure_percent(plot->tolerate * 100, text));
  pawl_draw_text(plot->cr, draw_changes_x_of(plot, -plot->tolerate) - 4, plot->box.y - 9, 0,
                 PAWL_ALIGN_RIGHT, label);
}

/* --- one row --- */

static struct pawl_color row_color(const struct change_plot *plot,
                                   const struct pawl_ratchet_row *row) {
  const struct pawl_theme *theme = plot->theme;
  const struct pawl_color colors[] = {[PAWL_COLOR_PLAIN] = theme->plain,
                                      [PAWL_COLOR_GOOD] = theme->good,
                                      [PAWL_COLOR_BAD] = theme->bad,
                                      [PAWL_COLOR_DOUBT] = theme->doubt,
                                      [PAWL_COLOR_DIM] = theme->dim};
  return colors[pawl_verdict_color(row->comparison.verdict)];
}

static void draw_blocks(const struct change_plot *plot, const struct pawl_paired_test *paired,
                        double y, struct pawl_color color) {
  cairo_set_line_cap(plot->cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_width(plot->cr, 4);
  pawl_set_color(plot->cr, color, 0.6);
  for (size_t i = 0; i < paired->block_count; i++) {
    const double change = block_change(&paired->blocks[i]);
    if (paired->blocks[i].spoiled || !(change >= plot->low && change <= plot->high)) continue;
    const double jitter =
        2.5 * ((double)(i * 7 % 5) - 2); /* spreads equal blocks, which would hide each other */
    cairo_move_to(plot->cr, draw_changes_x_of(plot, change), y + jitter);
    cairo_rel_line_to(plot->cr, 0, 0);
  }
  cairo_stroke(plot->cr);
  cairo_set_line_cap(plot->cr, CAIRO_LINE_CAP_BUTT);
}

/* Draws a bar from the low to the high limit. An end with a limit has a foot, and an end without
   one is open. */
static void draw_limits(const struct change_plot *plot, const struct mark *mark, double y,
                        double width) {
  if (!(mark->low <= plot->high && mark->high >= plot->low))
    return; /* the limit is unknown or beyond the axis */
  const double low = draw_changes_x_of(plot, mark->low), high = draw_changes_x_of(plot, mark->high);
  cairo_set_line_width(plot->cr, width);
  cairo_move_to(plot->cr, low, y);
  cairo_line_to(plot->cr, high, y);
  if (mark->low >= plot->low)
    cairo_move_to(plot->cr, low, y - 5), cairo_line_to(plot->cr, low, y + 5);
  if (mark->high <= plot->high)
    cairo_move_to(plot->cr, high, y - 5), cairo_line_to(plot->cr, high, y + 5);
  cairo_stroke(plot->cr);
}

/* Draws a diamond, or beyond the axis an arrow that points to it. */
static void draw_estimate(const struct change_plot *plot, double estimate, double y, bool filled) {
  const double x = draw_changes_x_of(plot, estimate);
  const bool right = estimate > plot->high, beyond = right || estimate < plot->low;
  if (beyond) {
    cairo_move_to(plot->cr, x, y);
    cairo_rel_line_to(plot->cr, right ? -10 : 10, -6);
    cairo_rel_line_to(plot->cr, 0, 12);
  } else {
    cairo_move_to(plot->cr, x - 6, y);
    cairo_line_to(plot->cr, x, y - 6);
    cairo_line_to(plot->cr, x + 6, y);
    cairo_line_to(plot->cr, x, y + 6);
  }
  cairo_close_path(plot->cr);
  cairo_set_line_width(plot->cr, 1.6);
  if (filled || beyond)
    cairo_fill(plot->cr);
  else
    cairo_stroke(plot->cr);
}

static void draw_names(const struct change_plot *plot, const struct pawl_ratchet_row *row,
                       double left, double y) {
  const char *case_name = row->comparison.config.name, *kernel = row->comparison.kernel_name;
  const double room = plot->box.x - left - 16;
  pawl_set_color(plot->cr, plot->theme->ink, 1);
  pawl_font(plot->cr, 12, true);
  pawl_draw_text(plot->cr, left, y + 18, room, PAWL_ALIGN_LEFT, case_name ? case_name : "?");
  pawl_set_color(plot->cr, plot->theme->dim, 1);
  pawl_font(plot->cr, 11, false);
  pawl_draw_text(plot->cr, left, y + 35, room, PAWL_ALIGN_LEFT, kernel ? kernel : "?");
}

/* Draws the words of the table. */
static void draw_figures(const struct change_plot *plot, const struct pawl_ratchet_row *row,
                         double y) {
  const double x = plot->box.x + plot->box.width + 16;
  char text[PAWL_ROW_CHANGE], p[PAWL_FIGURE];
  pawl_font(plot->cr, 12, true);
  pawl_set_color(plot->cr, row_color(plot, row), 1);
  pawl_draw_text(plot->cr, x, y + 18, FIGURES_WIDTH - 16, PAWL_ALIGN_LEFT,
                 pawl_row_change(row, text));
  pawl_font(plot->cr, 11, false);
  pawl_set_color(plot->cr, plot->theme->dim, 1);
  const char *verdict = pawl_verdict_name(row->comparison.verdict);
  if (pawl_row_is_paired(row))
    snprintf(text, sizeof text, "%s, %zu block%s, p %s", verdict, row->paired->counted,
             row->paired->counted == 1 ? "" : "s", pawl_figure_p(row->paired->p, p));
  else
    snprintf(text, sizeof text, "%s", verdict);
  pawl_draw_text(plot->cr, x, y + 35, FIGURES_WIDTH - 16, PAWL_ALIGN_LEFT, text);
}

static void draw_changes_draw_row(const struct change_plot *plot, const struct mark *mark,
                                  size_t index, double left, double right) {
  const double y = plot->box.y + (double)index * ROW_HEIGHT;
  const bool paired = pawl_row_is_paired(mark->row);
  const struct pawl_color color = row_color(plot, mark->row);
  pawl_set_color(plot->cr, plot->theme->grid, 1);
  cairo_set_line_width(plot->cr, 1);
  cairo_move_to(plot->cr, left, y + ROW_HEIGHT);
  cairo_line_to(plot->cr, right, y + ROW_HEIGHT);
  cairo_stroke(plot->cr);
  draw_names(plot, mark->row, left, y);
  if (paired) draw_blocks(plot, mark->row->paired, y + 16, color);
  pawl_set_color(plot->cr, color, paired ? 1 : 0.8);
  draw_limits(plot, mark, y + (paired ? 39 : 27), paired ? 2.4 : 1);
  draw_estimate(plot, mark->estimate, y + (paired ? 39 : 27), paired);
  draw_figures(plot, mark->row, y);
}

/* --- the whole --- */

double pawl_changes_height(const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++)
    if (draw_changes_drawable(&report->ratchet->rows[i])) count++;
  return count > 0 ? HEAD + FOOT + ROW_HEIGHT * (double)(count < MAX_ROWS ? count : MAX_ROWS) : 0;
}

static void draw_title(const struct change_plot *plot, struct pawl_box box) {
  char note[160];
  snprintf(note, sizeof note, "%s",
           isnan(plot->detect) ? "unpaired: two runs and their intervals"
                               : "dot: a block; diamond and bar: median and 95 % limits; "
                                 "hollow: unpaired");
  if (plot->left_out > 0)
    snprintf(note, sizeof note, "%zu of %zu, the slowest first", plot->count,
             plot->count + plot->left_out);
  pawl_draw_title(plot->cr, plot->theme, box, "Changes", note);
}

void pawl_draw_changes(cairo_t *cr, const struct pawl_theme *theme,
                       const struct pawl_run_report *report, struct pawl_box box) {
  struct change_plot *plot = pawl_alloc(1, sizeof *plot);
  plot->cr = cr;
  plot->theme = theme;
  draw_changes_collect(plot, report);
  plot->box =
      (struct pawl_box){box.x + NAMES_WIDTH, box.y + HEAD, box.width - NAMES_WIDTH - FIGURES_WIDTH,
                        ROW_HEIGHT * (double)plot->count};
  draw_changes_find_range(plot);
  draw_title(plot, box);
  draw_changes_draw_axis(plot);
  draw_thresholds(plot);
  for (size_t i = 0; i < plot->count; i++)
    draw_changes_draw_row(plot, &plot->marks[i], i, box.x, box.x + box.width);
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 12, false);
  pawl_draw_text(cr, plot->box.x + plot->box.width / 2, plot->box.y + plot->box.height + 33, 0,
                 PAWL_ALIGN_CENTER, "change of the time (left is faster, right is slower)");
  pawl_free(plot);
}
