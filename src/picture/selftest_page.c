/* SPDX-License-Identifier: Apache-2.0 */
#include "picture/selftest_page.h"

#include <cairo.h>
#include <stdio.h>

#include "base/count.h"
#include "base/file.h"
#include "picture/draw.h"

#define WIDTH 760.0
#define HEIGHT 420.0
#define LEFT 70.0
#define RIGHT 24.0
#define TOP 74.0
#define BOTTOM 72.0
#define BAR 0.56 /* the width of a bar as a share of its column */

/* the parts of a bar from the bottom up */
static const enum pawl_decision order[] = {PAWL_DECISION_REGRESSION, PAWL_DECISION_INCONCLUSIVE,
                                           PAWL_DECISION_MAINTAINED, PAWL_DECISION_IMPROVEMENT};
#define ANSWERS PAWL_COUNT(order)

static struct pawl_color selftest_page_color_of(const struct pawl_theme *theme,
                                                enum pawl_decision decision) {
  switch (decision) {
    case PAWL_DECISION_REGRESSION: return theme->bad;
    case PAWL_DECISION_IMPROVEMENT: return theme->good;
    case PAWL_DECISION_MAINTAINED: return theme->plain;
    case PAWL_DECISION_INCONCLUSIVE:
    case PAWL_DECISION_CONTINUE: break;
  }
  return theme->doubt;
}

static double selftest_page_height_of(double share) { return share * (HEIGHT - TOP - BOTTOM); }

static void draw_axes(cairo_t *cr, const struct pawl_theme *theme) {
  pawl_font(cr, 11, false);
  cairo_set_line_width(cr, 1);
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = HEIGHT - BOTTOM - selftest_page_height_of(percent / 100.0);
    char label[16];
    snprintf(label, sizeof label, "%d %%", percent);
    pawl_set_color(cr, theme->grid, 1);
    pawl_draw_line(cr, LEFT, y, WIDTH - RIGHT, y);
    pawl_set_color(cr, theme->dim, 1);
    pawl_draw_text(cr, LEFT - 8, y, 0, PAWL_ALIGN_RIGHT, label);
  }
  pawl_draw_text(cr, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, 0, PAWL_ALIGN_CENTER,
                 "injected slow-down; whiskers: 95 % limits of the share of verdicts of change");
}

/* Draws the share of trials in which the gate reported a change, with its limits. */
static void draw_whisker(cairo_t *cr, const struct pawl_theme *theme, double x,
                         const struct pawl_selftest_tally *tally) {
  const double bottom = HEIGHT - BOTTOM, low = bottom - selftest_page_height_of(tally->low),
               high = bottom - selftest_page_height_of(tally->high);
  pawl_set_color(cr, theme->ink, 1);
  cairo_set_line_width(cr, 1.5);
  pawl_draw_line(cr, x, low, x, high);
  pawl_draw_line(cr, x - 5, low, x + 5, low);
  pawl_draw_line(cr, x - 5, high, x + 5, high);
  cairo_arc(cr, x, bottom - selftest_page_height_of(tally->rate), 3, 0, 6.2832);
  cairo_fill(cr);
}

/* Draws column `column` of `columns`. */
static void draw_column(cairo_t *cr, const struct pawl_theme *theme, int column, int columns,
                        const struct pawl_selftest_tally *tally) {
  const double step = (WIDTH - LEFT - RIGHT) / columns, middle = LEFT + (column + 0.5) * step;
  double y = HEIGHT - BOTTOM;
  char label[64];
  for (size_t i = 0; i < ANSWERS; i++) {
    const double height =
        selftest_page_height_of((double)tally->decisions[order[i]] / tally->trials);
    pawl_set_color(cr, selftest_page_color_of(theme, order[i]), 0.8);
    cairo_rectangle(cr, middle - step * BAR / 2, y - height, step * BAR, height);
    cairo_fill(cr);
    y -= height;
  }
  draw_whisker(cr, theme, middle + step * (BAR / 2 + 0.1), tally);
  if (tally->change > 0)
    snprintf(label, sizeof label, "+%.0f %%", tally->change * 100);
  else
    snprintf(label, sizeof label, "0 (A/A)");
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 12, true);
  pawl_draw_text(cr, middle, HEIGHT - BOTTOM + 16, 0, PAWL_ALIGN_CENTER, label);
  snprintf(label, sizeof label, "%d trials", tally->trials);
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 10, false);
  pawl_draw_text(cr, middle, HEIGHT - BOTTOM + 32, 0, PAWL_ALIGN_CENTER, label);
}

static void draw_heading(cairo_t *cr, const struct pawl_theme *theme,
                         const struct pawl_selftest *selftest) {
  char title[512];
  snprintf(title, sizeof title, "The gate on %s: %s, %s",
           selftest->hardware_name ? selftest->hardware_name : "this machine",
           selftest->kernel_name, selftest->case_name);
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 15, true);
  pawl_draw_text(cr, LEFT, 24, WIDTH - LEFT - RIGHT, PAWL_ALIGN_LEFT, title);
  pawl_font(cr, 11, false);
  double x = LEFT;
  for (size_t i = 0; i < ANSWERS; i++) {
    pawl_set_color(cr, selftest_page_color_of(theme, order[i]), 0.8);
    cairo_rectangle(cr, x, 43, 11, 11);
    cairo_fill(cr);
    pawl_set_color(cr, theme->dim, 1);
    x += 28 + pawl_draw_text(cr, x + 16, 49, 0, PAWL_ALIGN_LEFT, pawl_decision_name(order[i]));
  }
}

static void draw_selftest(cairo_t *cr, const struct pawl_theme *theme, const void *selftest) {
  draw_heading(cr, theme, selftest);
  draw_axes(cr, theme);
  struct pawl_selftest_tally tried[PAWL_SELFTEST_CHANGES];
  int columns = 0;
  for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++) {
    pawl_selftest_tally(selftest, pawl_selftest_changes[i], &tried[columns]);
    if (tried[columns].trials) columns++;
  }
  for (int i = 0; i < columns; i++) draw_column(cr, theme, i, columns, &tried[i]);
}

pawl_status pawl_selftest_picture(const struct pawl_selftest *selftest, const char *path,
                                  struct pawl_error *err) {
  if (!selftest->count)
    return pawl_fail(err, PAWL_BAD_DATA, "cannot draw '%s': the selftest has no trials", path);
  const struct pawl_sheet sheet = {WIDTH, HEIGHT, &pawl_theme_light, draw_selftest, selftest};
  return pawl_sheet_write(&sheet, path, err);
}
