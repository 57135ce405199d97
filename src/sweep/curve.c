/* SPDX-License-Identifier: Apache-2.0 */
/* The rate over one size, as papers show it. A panel has the shapes that differ in that size, and
   in sizes that follow from it: with 16384 rows in all, the batch follows from the length. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "sweep/plot.h"

#define MOST_POINTS ((size_t)256)
#define MOST_DIMS 16
#define PANEL 210.0
#define PANEL_HEAD 46.0 /* its label, and the labels of the axis */

/* The points of one operator on one kind of device. */
struct curve_group {
  const struct pawl_sweep_point *points[MOST_POINTS];
  size_t count;
  int axis;                /* the size that the curves run over */
  bool follows[MOST_DIMS]; /* sizes that may differ within a panel */
};

static int64_t curve_value(const struct pawl_sweep_point *point, int dim) {
  return point->shape.dims[dim].value;
}

static size_t curve_count_values(const struct curve_group *group, int dim) {
  size_t count = 0;
  for (size_t i = 0; i < group->count; i++) {
    size_t first = 0;
    while (curve_value(group->points[first], dim) != curve_value(group->points[i], dim)) first++;
    count += first == i;
  }
  return count;
}

static bool curve_share_panel(const struct curve_group *group, const struct pawl_sweep_point *a,
                              const struct pawl_sweep_point *b) {
  bool same = a->shape.dtype == b->shape.dtype;
  for (int dim = 0; dim < a->shape.count; dim++)
    same &= dim == group->axis || group->follows[dim] || curve_value(a, dim) == curve_value(b, dim);
  return same;
}

/* A curve has one value at each size. */
static bool curve_is_clear(const struct curve_group *group) {
  for (size_t i = 0; i < group->count; i++)
    for (size_t j = 0; j < i; j++)
      if (curve_share_panel(group, group->points[i], group->points[j]) &&
          curve_value(group->points[i], group->axis) == curve_value(group->points[j], group->axis))
        return false;
  return true;
}

static void curve_add_point(struct curve_group *group, const struct pawl_sweep_point *point) {
  for (size_t i = 0; i < group->count; i++)
    if (group->points[i] == point) return;
  if (group->count < MOST_POINTS) group->points[group->count++] = point;
}

/* Finds the axis, which is the size with most values, and the sizes that follow from it. */
static void curve_group_of(const struct pawl_sweep_claims *claims,
                           const struct pawl_sweep_point *first, struct curve_group *group) {
  const int dims = first->shape.count < MOST_DIMS ? first->shape.count : MOST_DIMS;
  size_t most = 0;
  *group = (struct curve_group){0};
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_point *point = claims->times[i].point;
    if (pawl_text_equal(point->operator_name, first->operator_name) &&
        pawl_text_equal(point->device, first->device) && point->shape.count == first->shape.count)
      curve_add_point(group, point);
  }
  for (int dim = 0; dim < dims; dim++) {
    const size_t count = curve_count_values(group, dim);
    if (count >= most) most = count, group->axis = dim;
  }
  for (int dim = 0; dim < dims; dim++) {
    group->follows[dim] = dim != group->axis;
    if (group->follows[dim]) group->follows[dim] = curve_is_clear(group);
  }
}

/* Writes "attention: TFLOP/s over S; H=16, D=128, causal=0": the sizes that its points share.
   Returns the number of these points. */
static size_t curve_panel_of(const struct curve_group *group, const struct pawl_sweep_point *point,
                             const char *unit, char out[160]) {
  size_t count = 0;
  int length = snprintf(out, 160, "%.40s: %s over %.20s", point->operator_name, unit,
                        point->shape.dims[group->axis].name);
  for (size_t i = 0; i < group->count; i++)
    count += curve_share_panel(group, point, group->points[i]);
  for (int dim = 0; dim < point->shape.count && length < 120; dim++) {
    bool same = dim != group->axis;
    for (size_t i = 0; i < group->count; i++)
      same &= !curve_share_panel(group, point, group->points[i]) ||
              curve_value(point, dim) == curve_value(group->points[i], dim);
    if (same)
      length += snprintf(out + length, (size_t)(160 - length), "; %.20s=%lld",
                         point->shape.dims[dim].name, (long long)curve_value(point, dim));
  }
  return count;
}

void pawl_curve_plot(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  PAWL_CLEANUP(pawl_free_pointer) struct curve_group *group = pawl_alloc(1, sizeof *group);
  const struct pawl_sweep_point *first = NULL;
  char label[160];
  double highest = 0;
  bool flops = false;
  for (size_t i = 0; i < claims->time_count; i++) {
    flops |= claims->times[i].gflops > 0;
    highest = fmax(highest, claims->times[i].gflops > 0 ? claims->times[i].gflops : 0);
  }
  const double scale = flops && highest >= 1000 ? 1000 : 1;
  const char *unit = !flops ? "GB/s" : scale > 1 ? "TFLOP/s" : "GFLOP/s";
  plot->title = "Rate over size";
  plot->note = "each panel has shapes that differ in one size, and in those that follow from it";
  plot->middle = NAN;
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    if (time->point->shape.count < 1 || time->point->shape.count > MOST_DIMS) continue;
    if (!first || !pawl_text_equal(first->operator_name, time->point->operator_name) ||
        !pawl_text_equal(first->device, time->point->device))
      curve_group_of(claims, first = time->point, group);
    if (curve_panel_of(group, time->point, unit, label) < 3) continue;
    pawl_plot_add(plot, label, time->arm, (flops ? time->gflops : time->gb_s) / scale,
                  (double)curve_value(time->point, group->axis), NAN);
  }
}

/* --- the drawing --- */

double pawl_curve_height(const struct pawl_plot *plot) {
  return (PANEL + PANEL_HEAD) * (double)((plot->row_count + 1) / 2);
}

struct curve_frame {
  double left, right, top, bottom;
  double least, most, highest; /* the ends of the size, and the largest rate */
};

static struct curve_frame curve_frame_of(const struct pawl_plot *plot, size_t row) {
  const double width = (PAWL_PLOT_WIDTH - 2 * PAWL_PLOT_MARGIN) / 2;
  struct curve_frame frame = {.left = PAWL_PLOT_MARGIN + (double)(row % 2) * width + 44};
  frame.right = frame.left + width - 64;
  frame.top = PAWL_PLOT_HEAD + (double)(row / 2) * (PANEL + PANEL_HEAD) + 22;
  frame.bottom = frame.top + PANEL;
  for (size_t i = 0; i < plot->dot_count; i++) {
    const struct pawl_plot_dot *dot = &plot->dots[i];
    if (dot->row != row) continue;
    frame.least = frame.least > 0 ? fmin(frame.least, dot->low) : dot->low;
    frame.most = fmax(frame.most, dot->low);
    frame.highest = fmax(frame.highest, dot->value * 1.06);
  }
  return frame;
}

static double curve_x(const struct curve_frame *frame, double size) {
  const double range = log(frame->most / frame->least);
  return frame->left + 12 +
         (range > 0 ? log(size / frame->least) / range : 0.5) * (frame->right - frame->left - 24);
}

static double curve_y(const struct curve_frame *frame, double rate) {
  return frame->bottom - rate / frame->highest * (frame->bottom - frame->top);
}

static void curve_draw_grid(cairo_t *cr, const struct pawl_theme *theme,
                            const struct curve_frame *frame) {
  const double step = pawl_tick_step(frame->highest);
  char label[32];
  pawl_font(cr, 11, false);
  cairo_set_line_width(cr, 1);
  for (double rate = 0; rate <= frame->highest; rate += step) {
    pawl_set_color(cr, theme->grid, 1);
    pawl_draw_line(cr, frame->left, curve_y(frame, rate), frame->right, curve_y(frame, rate));
    snprintf(label, sizeof label, "%.4g", rate);
    pawl_set_color(cr, theme->dim, 1);
    pawl_draw_text(cr, frame->left - 6, curve_y(frame, rate), 0, PAWL_ALIGN_RIGHT, label);
  }
}

/* Labels the sizes of the panel, the wide ones in thousands as papers do. */
static void curve_draw_sizes(cairo_t *cr, const struct pawl_theme *theme,
                             const struct pawl_plot *plot, size_t row,
                             const struct curve_frame *frame) {
  double free_from = 0;
  pawl_set_color(cr, theme->dim, 1);
  for (double size = frame->least, next; size > 0; size = next) {
    char label[32];
    next = 0;
    for (size_t i = 0; i < plot->dot_count; i++)
      if (plot->dots[i].row == row && plot->dots[i].low > size &&
          (!(next > 0) || plot->dots[i].low < next))
        next = plot->dots[i].low;
    const bool kibi = size >= 1024 && fmod(size, 1024) == 0;
    snprintf(label, sizeof label, kibi ? "%.6gk" : "%.6g", kibi ? size / 1024 : size);
    const double half = pawl_text_width(cr, label) / 2, x = curve_x(frame, size);
    if (x - half < free_from) continue;
    pawl_draw_text(cr, x, frame->bottom + 12, 0, PAWL_ALIGN_CENTER, label);
    free_from = x + half + 4;
  }
}

/* Draws one series. Its points are in the order of the plan, and the line needs that of the sizes.
 */
static void curve_draw_series(cairo_t *cr, const struct pawl_plot *plot, size_t row, size_t series,
                              const struct curve_frame *frame) {
  double last = 0;
  for (bool more = true; more;) {
    const struct pawl_plot_dot *next = NULL;
    for (size_t i = 0; i < plot->dot_count; i++) {
      const struct pawl_plot_dot *dot = &plot->dots[i];
      if (dot->row == row && dot->series == series && dot->low > last &&
          (!next || dot->low < next->low))
        next = dot;
    }
    more = next != NULL;
    if (!next) continue;
    if (last > 0)
      cairo_line_to(cr, curve_x(frame, next->low), curve_y(frame, next->value));
    else
      cairo_move_to(cr, curve_x(frame, next->low), curve_y(frame, next->value));
    last = next->low;
  }
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
  for (size_t i = 0; i < plot->dot_count; i++) {
    const struct pawl_plot_dot *dot = &plot->dots[i];
    if (dot->row != row || dot->series != series) continue;
    cairo_arc(cr, curve_x(frame, dot->low), curve_y(frame, dot->value), 3, 0, 6.2832);
    cairo_fill(cr);
  }
}

void pawl_curve_draw(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct pawl_plot *plot = subject;
  pawl_plot_draw_head(cr, theme, plot);
  pawl_plot_draw_legend(cr, theme, plot);
  for (size_t row = 0; row < plot->row_count; row++) {
    const struct curve_frame frame = curve_frame_of(plot, row);
    pawl_font(cr, 12, true);
    pawl_set_color(cr, theme->ink, 1);
    pawl_draw_text(cr, frame.left, frame.top - 12, frame.right - frame.left, PAWL_ALIGN_LEFT,
                   plot->rows[row]);
    curve_draw_grid(cr, theme, &frame);
    curve_draw_sizes(cr, theme, plot, row, &frame);
    for (size_t series = 0; series < plot->series_count; series++) {
      pawl_set_color(cr, theme->series[series], 1);
      curve_draw_series(cr, plot, row, series, &frame);
    }
  }
}
