/* SPDX-License-Identifier: Apache-2.0 */
/* The dots, rows and series that the pictures of a sweep share. */
#pragma once

#include "picture/draw.h"
#include "sweep/claims.h"

#define PAWL_PLOT_WIDTH 980.0
#define PAWL_PLOT_MARGIN 28.0
#define PAWL_PLOT_HEAD 74.0
#define PAWL_PLOT_SERIES 6 /* the colours of a theme */
#define PAWL_PLOT_ROWS ((size_t)120)
#define PAWL_PLOT_ROOFS 4 /* one for each dtype */
#define PAWL_PLOT_DOTS (PAWL_PLOT_ROWS * PAWL_PLOT_SERIES * 60)

struct pawl_plot_dot {
  size_t row, series;
  double value, low, high; /* NaN: unknown limits */
  bool block;
  enum pawl_sweep_verdict verdict;
};

/* The machine allows the lower of `gflops` and `gb_s` times the intensity. */
struct pawl_plot_roof {
  double gflops, gb_s;
};

struct pawl_plot {
  const char *title, *note;
  double middle; /* a value with a line of its own; NaN: none */
  char rows[PAWL_PLOT_ROWS][192];
  char series[PAWL_PLOT_SERIES][128];
  struct pawl_plot_dot dots[PAWL_PLOT_DOTS];
  struct pawl_plot_roof roofs[PAWL_PLOT_ROOFS];
  size_t row_count, series_count, dot_count, roof_count, left_out;
  double low, high; /* the ends of the axis */
};

/* Returns the dot, or NULL if there is none: the value is not positive, or the plot is full. */
struct pawl_plot_dot *pawl_plot_add(struct pawl_plot *plot, const char *row, const char *series,
                                    double value, double low, double high);
void pawl_plot_draw_head(cairo_t *cr, const struct pawl_theme *theme, const struct pawl_plot *plot);
void pawl_plot_draw_legend(cairo_t *cr, const struct pawl_theme *theme,
                           const struct pawl_plot *plot);

/* The curves: sweep/curve.c. A row is a panel, and the `low` of a dot is its size. */
void pawl_curve_plot(const struct pawl_sweep_claims *claims, struct pawl_plot *plot);
double pawl_curve_height(const struct pawl_plot *plot);
void pawl_curve_draw(cairo_t *cr, const struct pawl_theme *theme, const void *subject);
