/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings of a report, by cairo: the changes, the distributions of samples, the moves of the
   baseline and the roofline, on any surface, light or dark. */
#pragma once

#include <cairo.h>

#include "report/report.h"

struct pawl_color {
  double red, green, blue;
};

struct pawl_theme {
  struct pawl_color paper, ink, dim, grid, base, plain, good, bad, doubt;
  struct pawl_color
      series[6]; /* These follow Okabe and Ito (2008): colour-blind people can tell them apart. */
};
extern const struct pawl_theme pawl_theme_light, pawl_theme_dark;

enum pawl_align { PAWL_ALIGN_LEFT = 0, PAWL_ALIGN_CENTER, PAWL_ALIGN_RIGHT };

struct pawl_box {
  double x, y, width, height;
};

/* A drawing: a height for a width, and how to draw it there. Both 0 and nothing when there is
 * nothing to show. */
double pawl_roofline_height(const struct pawl_run_report *report);
void pawl_draw_roofline(cairo_t *cr, const struct pawl_theme *theme,
                        const struct pawl_run_report *report, struct pawl_box box);
double pawl_changes_height(const struct pawl_run_report *report);
void pawl_draw_changes(cairo_t *cr, const struct pawl_theme *theme,
                       const struct pawl_run_report *report, struct pawl_box box);
/* A judged run shows the samples of both arms. */
double pawl_samples_height(const struct pawl_run_report *report);
void pawl_draw_samples(cairo_t *cr, const struct pawl_theme *theme,
                       const struct pawl_run_report *report, struct pawl_box box);

/* The moves of the baseline over time, a row a kernel and case that moved at least twice. */
double pawl_moves_height(const struct pawl_run_report *report);
void pawl_draw_moves(cairo_t *cr, const struct pawl_theme *theme,
                     const struct pawl_run_report *report, struct pawl_box box);

/* --- tools of the drawings --- */

void pawl_set_color(cairo_t *cr, struct pawl_color color, double alpha);
/* White or black: which has more contrast on this ground, at least 4.58; small text needs 4.5
 * (WCAG 2.2, 1.4.3). */
struct pawl_color pawl_text_color_on(struct pawl_color ground);
/* Text from outside is made valid and cut with an ellipsis to `room` (0: as it is). y is the middle
   of the line. Returns the width drawn. */
double pawl_draw_text(cairo_t *cr, double x, double y, double room, enum pawl_align align,
                      const char *text);
/* The title of a drawing, large, and a note beside it. */
void pawl_draw_title(cairo_t *cr, const struct pawl_theme *theme, struct pawl_box box,
                     const char *title, const char *note);
double pawl_text_width(cairo_t *cr, const char *text);
/* A step of 1, 2 or 5 times a power of ten that gives at most ten ticks. */
double pawl_tick_step(double range);
void pawl_font(cairo_t *cr, double size, bool bold);

/* A drawing on a sheet of its own. pawl paints the paper first. */
struct pawl_sheet {
  double width, height;
  const struct pawl_theme *theme;
  void (*draw)(cairo_t *cr, const struct pawl_theme *theme, const void *subject);
  const void *subject;
};
/* Appends the sheet as SVG text, or as a PNG file with two pixels for each unit. PAWL_IO: cairo
   cannot draw. */
pawl_status pawl_sheet_draw(const struct pawl_sheet *sheet, bool svg, struct pawl_text *out,
                            struct pawl_error *err);
/* Writes an SVG if the path ends with ".svg", else a PNG. */
pawl_status pawl_sheet_write(const struct pawl_sheet *sheet, const char *path,
                             struct pawl_error *err);
