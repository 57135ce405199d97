/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the parts of a report with cairo: the changes, the distributions of samples, the moves of
   the baseline and the roofline. They fit any surface and a light or a dark theme. */
#pragma once

#include <cairo.h>

#include "report/report.h"

struct pawl_color {
  double red, green, blue;
};

struct pawl_theme {
  struct pawl_color paper, ink, dim, grid, base, plain, good, bad, doubt;
  /* the colours of Okabe and Ito (2008), which colour-blind people can tell apart */
  struct pawl_color series[6];
};
extern const struct pawl_theme pawl_theme_light, pawl_theme_dark;

enum pawl_align { PAWL_ALIGN_LEFT = 0, PAWL_ALIGN_CENTER, PAWL_ALIGN_RIGHT };

struct pawl_box {
  double x, y, width, height;
};

/* Each drawing has a function for its height and a function that draws it into a box. If there is
   nothing to show, the height is 0 and the other function draws nothing. */
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

/* Each kernel and case whose baseline moved at least twice has a row. */
double pawl_moves_height(const struct pawl_run_report *report);
void pawl_draw_moves(cairo_t *cr, const struct pawl_theme *theme,
                     const struct pawl_run_report *report, struct pawl_box box);

/* --- helpers of the drawings --- */

void pawl_set_color(cairo_t *cr, struct pawl_color color, double alpha);
/* Returns white or black, whichever has more contrast on this ground. The contrast is at least
   4.58, and small text needs 4.5 (WCAG 2.2, 1.4.3). */
struct pawl_color pawl_text_color_on(struct pawl_color ground);
/* Draws text and returns its width. Cleans text from outside, and shortens it with an ellipsis to
   the width `room`, unless `room` is 0. y is the middle of the line. */
double pawl_draw_text(cairo_t *cr, double x, double y, double room, enum pawl_align align,
                      const char *text);
/* Draws a large title and a note beside it. */
void pawl_draw_title(cairo_t *cr, const struct pawl_theme *theme, struct pawl_box box,
                     const char *title, const char *note);
double pawl_text_width(cairo_t *cr, const char *text);
void pawl_draw_line(cairo_t *cr, double x0, double y0, double x1, double y1);
/* Returns a step of 1, 2 or 5 times a power of ten that gives at most ten ticks. */
double pawl_tick_step(double range);
void pawl_font(cairo_t *cr, double size, bool bold);

/* A drawing on its own sheet. pawl paints the background first. */
struct pawl_sheet {
  double width, height;
  const struct pawl_theme *theme;
  void (*draw)(cairo_t *cr, const struct pawl_theme *theme, const void *subject);
  const void *subject;
};
/* Appends the sheet as SVG text, or as a PNG file with two pixels for each unit. Fails with PAWL_IO
   if cairo cannot draw. */
pawl_status pawl_sheet_draw(const struct pawl_sheet *sheet, bool svg, struct pawl_text *out,
                            struct pawl_error *err);
/* Returns whether the file shows the sheet: an SVG has the same bytes but for the number of its
   surface, and a PNG the same pixels. To decode a PNG takes less time than to encode one. */
bool pawl_sheet_is(const struct pawl_sheet *sheet, bool svg, const struct pawl_text *file);
/* Writes an SVG if the path ends with ".svg", else a PNG. */
pawl_status pawl_sheet_write(const struct pawl_sheet *sheet, const char *path,
                             struct pawl_error *err);
