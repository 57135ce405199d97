/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/plot.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

static size_t plot_row_of(struct pawl_plot *plot, const char *name) {
  for (size_t i = 0; i < plot->row_count; i++)
    if (pawl_text_equal(plot->rows[i], name)) return i;
  if (plot->row_count == PAWL_PLOT_ROWS) return PAWL_PLOT_ROWS;
  snprintf(plot->rows[plot->row_count], sizeof plot->rows[0], "%s", name);
  return plot->row_count++;
}

static size_t plot_series_of(struct pawl_plot *plot, const char *name) {
  for (size_t i = 0; i < plot->series_count; i++)
    if (pawl_text_equal(plot->series[i], name)) return i;
  if (plot->series_count == PAWL_PLOT_SERIES) return PAWL_PLOT_SERIES;
  snprintf(plot->series[plot->series_count], sizeof plot->series[0], "%s", name);
  return plot->series_count++;
}

struct pawl_plot_dot *pawl_plot_add(struct pawl_plot *plot, const char *case_name,
                                    const char *series, double value, double low, double high) {
  if (!(value > 0)) return NULL;
  const size_t row = plot_row_of(plot, case_name), colour = plot_series_of(plot, series);
  if (row == PAWL_PLOT_ROWS || colour == PAWL_PLOT_SERIES || plot->dot_count == PAWL_PLOT_DOTS) {
    plot->left_out++;
    return NULL;
  }
  struct pawl_plot_dot *dot = &plot->dots[plot->dot_count++];
  *dot = (struct pawl_plot_dot){
      .row = row, .series = colour, .value = value, .low = low, .high = high};
  const double least = low > 0 ? low : value, most = high > 0 ? high : value;
  plot->low = plot->dot_count == 1 ? least : fmin(plot->low, least);
  plot->high = plot->dot_count == 1 ? most : fmax(plot->high, most);
  return dot;
}

void pawl_plot_draw_head(cairo_t *cr, const struct pawl_theme *theme,
                         const struct pawl_plot *plot) {
  const struct pawl_box box = {PAWL_PLOT_MARGIN, 14, PAWL_PLOT_WIDTH - 2 * PAWL_PLOT_MARGIN, 40};
  char note[160];
  snprintf(note, sizeof note, "%s%s", plot->note,
           plot->left_out ? "; further rows and series stand in the tables" : "");
  pawl_draw_title(cr, theme, box, plot->title, note);
}

void pawl_plot_draw_legend(cairo_t *cr, const struct pawl_theme *theme,
                           const struct pawl_plot *plot) {
  double x = PAWL_PLOT_MARGIN;
  pawl_font(cr, 11, false);
  for (size_t i = 0; i < plot->series_count; i++) {
    pawl_set_color(cr, theme->series[i], 1);
    cairo_arc(cr, x + 4, 56, 4, 0, 6.2832);
    cairo_fill(cr);
    pawl_set_color(cr, theme->ink, 1);
    x += 30 + pawl_draw_text(cr, x + 13, 56, 0, PAWL_ALIGN_LEFT, plot->series[i]);
  }
}
