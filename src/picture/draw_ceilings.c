/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the roofline of counters: the measured bytes and work, under the ceilings of the memory and
   of each unit. */
#include <math.h>
#include <stdio.h>

#include "picture/draw_profile.h"
#include "profile/ceilings.h"
#include "profile/quantity.h"

#define DECADES_BELOW 0.7
#define DECADES_ABOVE 0.15
#define LABEL 17.0   /* between two names */
#define ROUNDING 0.1 /* a name that moved down by LABEL is far enough, despite rounding */

/* Both axes are logarithms to the base of ten: FLOP per byte and FLOP per second. */
struct axes {
  cairo_t *cr;
  const struct pawl_theme *theme;
  struct pawl_box box;
  double x_low, x_high, y_low, y_high;
};

static double to_x(const struct axes *axes, double intensity) {
  return axes->box.x +
         (log10(intensity) - axes->x_low) / (axes->x_high - axes->x_low) * axes->box.width;
}

static double to_y(const struct axes *axes, double rate) {
  return axes->box.y + axes->box.height -
         (log10(rate) - axes->y_low) / (axes->y_high - axes->y_low) * axes->box.height;
}

static void draw_ceilings_widen(double value, double *low, double *high) {
  if (!(value > 0) || !isfinite(value)) return;
  *low = fmin(*low, log10(value));
  *high = fmax(*high, log10(value));
}

static void find_ranges(struct axes *axes, const struct pawl_ceilings *c) {
  axes->x_low = axes->y_low = INFINITY, axes->x_high = axes->y_high = -INFINITY;
  draw_ceilings_widen(c->flop_s / c->dram_s, &axes->x_low, &axes->x_high);
  draw_ceilings_widen(c->flop_s / c->l2_s, &axes->x_low, &axes->x_high);
  draw_ceilings_widen(c->flop_s, &axes->y_low, &axes->y_high);
  for (size_t i = 0; i < c->count; i++) {
    draw_ceilings_widen(c->rows[i].flop_s, &axes->y_low, &axes->y_high);
    draw_ceilings_widen(c->rows[i].flop_s / c->dram_peak, &axes->x_low, &axes->x_high);
  }
  axes->x_low -= 0.5, axes->x_high += 0.5;
  axes->y_low -= DECADES_BELOW, axes->y_high += DECADES_ABOVE;
}

/* Draws the decades of both axes, with labels such as "1 T" and "500 G". */
static void draw_decades(const struct axes *axes) {
  const struct pawl_box *box = &axes->box;
  char text[PAWL_QUANTITY];
  pawl_font(axes->cr, 11, false);
  cairo_set_line_width(axes->cr, 1);
  for (double power = ceil(axes->x_low); power <= axes->x_high; power++) {
    const double x = to_x(axes, pow(10, power));
    pawl_set_color(axes->cr, axes->theme->grid, 1);
    cairo_move_to(axes->cr, x, box->y), cairo_line_to(axes->cr, x, box->y + box->height),
        cairo_stroke(axes->cr);
    pawl_set_color(axes->cr, axes->theme->dim, 1);
    snprintf(text, sizeof text, "%.10g", pow(10, power));
    pawl_draw_text(axes->cr, x, box->y + box->height + 13, 0, PAWL_ALIGN_CENTER, text);
  }
  for (double power = ceil(axes->y_low); power <= axes->y_high; power++) {
    const double y = to_y(axes, pow(10, power));
    pawl_set_color(axes->cr, axes->theme->grid, 1);
    cairo_move_to(axes->cr, box->x, y), cairo_line_to(axes->cr, box->x + box->width, y),
        cairo_stroke(axes->cr);
    pawl_set_color(axes->cr, axes->theme->dim, 1);
    pawl_draw_text(axes->cr, box->x - 7, y, 0, PAWL_ALIGN_RIGHT,
                   pawl_quantity_text(pow(10, power), PAWL_UNIT_COUNT, text));
  }
  cairo_move_to(axes->cr, box->x, box->y);
  cairo_line_to(axes->cr, box->x, box->y + box->height);
  cairo_line_to(axes->cr, box->x + box->width, box->y + box->height);
  cairo_stroke(axes->cr);
  pawl_draw_text(axes->cr, box->x + box->width / 2, box->y + box->height + 31, 0, PAWL_ALIGN_CENTER,
                 "FLOP for each byte that moved");
  pawl_draw_text(axes->cr, box->x - 50, box->y - 12, 0, PAWL_ALIGN_LEFT, "FLOP a second");
}

static double highest(const struct pawl_ceilings *c) {
  double rate = c->flop_s;
  for (size_t i = 0; i < c->count; i++) rate = fmax(rate, c->rows[i].flop_s);
  return rate;
}

/* Draws a bandwidth as a slope up to the highest ceiling, with its name along the slope. */
static void draw_slope(const struct axes *axes, double bandwidth, double top, const char *name,
                       struct pawl_color color) {
  if (!(bandwidth > 0) || !isfinite(bandwidth)) return;
  const double left = pow(10, axes->x_low), x = to_x(axes, left), y = to_y(axes, left * bandwidth);
  const double end_x = to_x(axes, top / bandwidth), end_y = to_y(axes, top);
  char text[64], rate[PAWL_QUANTITY];
  snprintf(text, sizeof text, "%s %s/s", name,
           pawl_quantity_text(bandwidth, PAWL_UNIT_BYTES, rate));
  cairo_save(axes->cr);
  cairo_rectangle(axes->cr, axes->box.x, axes->box.y, axes->box.width, axes->box.height);
  cairo_clip(axes->cr);
  pawl_set_color(axes->cr, color, 1);
  cairo_set_line_width(axes->cr, 2);
  cairo_move_to(axes->cr, x, y), cairo_line_to(axes->cr, end_x, end_y), cairo_stroke(axes->cr);
  cairo_translate(axes->cr, (x + end_x) / 2, (y + end_y) / 2);
  cairo_rotate(axes->cr, atan2(end_y - y, end_x - x));
  pawl_font(axes->cr, 12, true);
  pawl_draw_text(axes->cr, 0, -10, 0, PAWL_ALIGN_CENTER, text);
  cairo_restore(axes->cr);
}

/* Draws a unit's ceiling, from the point where the memory can feed it to the right. Its name is
   above it, at a place without another name. */
static void draw_ceiling(const struct axes *axes, const struct pawl_ceilings *c, size_t i,
                         double *labels) {
  const struct pawl_ceiling *row = &c->rows[i];
  const double y = to_y(axes, row->flop_s), right = axes->box.x + axes->box.width;
  const double ridge =
      row->flop_s / (c->l2_peak > 0 ? fmax(c->l2_peak, c->dram_peak) : c->dram_peak);
  const double left = isfinite(ridge) ? fmax(axes->box.x, to_x(axes, ridge)) : axes->box.x;
  char text[96], rate[PAWL_QUANTITY];
  pawl_set_color(axes->cr, axes->theme->series[(i + 2) % 6], 1);
  cairo_set_line_width(axes->cr, 1.6);
  cairo_move_to(axes->cr, left, y), cairo_line_to(axes->cr, right, y), cairo_stroke(axes->cr);
  snprintf(text, sizeof text, "%s %sFLOP/s", row->name,
           pawl_quantity_text(row->flop_s, PAWL_UNIT_COUNT, rate));
  pawl_font(axes->cr, 11, false);
  labels[i] = y - 8;
  for (size_t j = 0; j < i;) { /* starts again from the first name after each move down */
    const bool taken = fabs(labels[j] - labels[i]) < LABEL - ROUNDING;
    if (taken) labels[i] = labels[j] + LABEL;
    j = taken ? 0 : j + 1;
  }
  pawl_draw_text(axes->cr, right, labels[i], right - left, PAWL_ALIGN_RIGHT, text);
}

/* Draws the kernel over the bytes of one level. */
static void draw_point(const struct axes *axes, double flop_s, double bytes_s, bool above,
                       const char *name, struct pawl_color color) {
  if (!(bytes_s > 0) || !isfinite(bytes_s)) return;
  const double x = to_x(axes, flop_s / bytes_s), y = to_y(axes, flop_s);
  pawl_set_color(axes->cr, axes->theme->paper, 1);
  cairo_arc(axes->cr, x, y, 8, 0, 2 * M_PI), cairo_fill(axes->cr);
  pawl_set_color(axes->cr, color, 1);
  cairo_arc(axes->cr, x, y, 6, 0, 2 * M_PI), cairo_fill(axes->cr);
  pawl_font(axes->cr, 12, true);
  pawl_draw_text(axes->cr, x, y + (above ? -17 : 17), 0, PAWL_ALIGN_CENTER, name);
}

void pawl_draw_ceilings(cairo_t *cr, const struct pawl_theme *theme,
                        const struct pawl_profile_kernel *kernel, struct pawl_box box) {
  struct pawl_ceilings c;
  if (!pawl_profile_ceilings(kernel, &c)) {
    pawl_draw_title(cr, theme, box, "Roofline", "no floating-point work was counted");
    return;
  }
  struct axes axes = {.cr = cr, .theme = theme};
  char note[64], rate[PAWL_QUANTITY];
  double labels[PAWL_CEILINGS]; /* the heights of the names */
  axes.box = (struct pawl_box){box.x + 56, box.y + 52, box.width - 68, box.height - 92};
  snprintf(note, sizeof note, "the kernel: %sFLOP/s",
           pawl_quantity_text(c.flop_s, PAWL_UNIT_COUNT, rate));
  pawl_draw_title(cr, theme, box, "Roofline", note);
  find_ranges(&axes, &c);
  draw_decades(&axes);
  draw_slope(&axes, c.dram_peak, highest(&c), "DRAM", theme->series[0]);
  draw_slope(&axes, c.l2_peak, highest(&c), "L2", theme->series[1]);
  for (size_t i = 0; i < c.count; i++) draw_ceiling(&axes, &c, i, labels);
  draw_point(&axes, c.flop_s, c.l2_s, true, "L2", theme->series[1]);
  draw_point(&axes, c.flop_s, c.dram_s, false, "DRAM", theme->series[0]);
}
