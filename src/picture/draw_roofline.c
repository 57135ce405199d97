/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the roofline: Williams, Waterman, Patterson, "Roofline: an insightful visual performance
   model for multicore architectures", CACM 52, 2009. Each case is a point at its arithmetic
   intensity. A ring below or above the point shows its baseline. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "picture/draw.h"
#include "report/figures.h"

#define HEIGHT 430.0
#define MAX_POINTS 400
#define MAX_ROOFS 4
#define MAX_KERNELS 6

struct point {
  const char *kernel_name, *case_name;
  double intensity, gflops, before; /* before: NaN if it is unknown */
  size_t series;
};

struct roof {
  double gflops, bandwidth;
};

struct chart {
  cairo_t *cr;
  const struct pawl_theme *theme;
  struct pawl_box box; /* the area of the axes */
  struct point points[MAX_POINTS];
  size_t count, left_out;
  struct roof roofs[MAX_ROOFS];
  size_t roof_count;
  bool unbounded; /* some point has no known limit */
  const char *kernels[MAX_KERNELS];
  size_t kernel_count;
  double x_low, x_high, y_low, y_high; /* log10 */
};

/* --- the data --- */

static double environment_number(const struct pawl_result *result, const char *key) {
  const json_t *value = json_object_get(result->environment, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool draw_roofline_drawable(const struct pawl_result *result) {
  return result->outcome == PAWL_OUTCOME_OK && result->roofline.arithmetic_intensity > 0 &&
         isfinite(result->roofline.arithmetic_intensity) &&
         result->performance.throughput_gflops > 0 &&
         isfinite(result->performance.throughput_gflops);
}

static const struct pawl_baseline_entry *entry_of(const struct pawl_run_report *report,
                                                  const struct pawl_result *result) {
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++)
    if (report->ratchet->rows[i].result == result) return report->ratchet->rows[i].entry;
  return NULL;
}

static size_t series_of(struct chart *chart, const char *kernel_name) {
  for (size_t i = 0; i < chart->kernel_count; i++)
    if (strcmp(chart->kernels[i], kernel_name) == 0) return i;
  if (chart->kernel_count < MAX_KERNELS) chart->kernels[chart->kernel_count++] = kernel_name;
  return chart->kernel_count - 1;
}

static void add_roof(struct chart *chart, const struct pawl_result *result) {
  const struct roof roof = {environment_number(result, "peak_gflops"),
                            environment_number(result, "peak_bandwidth_gb_s")};
  if (!(isfinite(roof.gflops) && roof.gflops > 0 && isfinite(roof.bandwidth) && roof.bandwidth > 0))
    return;
  for (size_t i = 0; i < chart->roof_count;
       i++) /* a second measurement of the same peak gives the same roof */
    if (fabs(log(chart->roofs[i].gflops / roof.gflops)) < 0.05 &&
        fabs(log(chart->roofs[i].bandwidth / roof.bandwidth)) < 0.05)
      return;
  if (chart->roof_count < MAX_ROOFS) chart->roofs[chart->roof_count++] = roof;
}

static void draw_roofline_collect(struct chart *chart, const struct pawl_run_report *report) {
  for (size_t i = 0; report->results && i < report->results->count; i++) {
    const struct pawl_result *result = &report->results->items[i];
    if (!draw_roofline_drawable(result)) continue;
    if (chart->count == MAX_POINTS) {
      chart->left_out++;
      continue;
    }
    const struct pawl_baseline_entry *entry = entry_of(report, result);
    const char *kernel = result->kernel_name ? result->kernel_name : "?";
    chart->points[chart->count++] = (struct point){kernel,
                                                   result->config.name ? result->config.name : "?",
                                                   result->roofline.arithmetic_intensity,
                                                   result->performance.throughput_gflops,
                                                   entry ? entry->throughput_gflops : (double)NAN,
                                                   series_of(chart, kernel)};
    add_roof(chart, result);
    if (!result->roofline.bottleneck) chart->unbounded = true;
  }
}

static void draw_roofline_widen(double value, double *low, double *high) {
  if (!(value > 0) || !isfinite(value)) return;
  *low = fmin(*low, log10(value));
  *high = fmax(*high, log10(value));
}

static void draw_roofline_find_range(struct chart *chart) {
  chart->x_low = chart->y_low = INFINITY;
  chart->x_high = chart->y_high = -INFINITY;
  for (size_t i = 0; i < chart->count; i++) {
    draw_roofline_widen(chart->points[i].intensity, &chart->x_low, &chart->x_high);
    draw_roofline_widen(chart->points[i].gflops, &chart->y_low, &chart->y_high);
    draw_roofline_widen(chart->points[i].before, &chart->y_low, &chart->y_high);
  }
  for (size_t i = 0; i < chart->roof_count; i++) {
    draw_roofline_widen(chart->roofs[i].gflops / chart->roofs[i].bandwidth, &chart->x_low,
                        &chart->x_high);
    draw_roofline_widen(chart->roofs[i].gflops, &chart->y_low, &chart->y_high);
  }
  chart->x_low -= 0.6, chart->x_high += 0.6, chart->y_low -= 0.4, chart->y_high += 0.25;
}

/* --- axes --- */

static double at_x(const struct chart *chart, double intensity) {
  return chart->box.x +
         (log10(intensity) - chart->x_low) / (chart->x_high - chart->x_low) * chart->box.width;
}

static double at_y(const struct chart *chart, double gflops) {
  return chart->box.y + chart->box.height -
         (log10(gflops) - chart->y_low) / (chart->y_high - chart->y_low) * chart->box.height;
}

static void grid_line(const struct chart *chart, bool vertical, double value, bool labelled) {
  const struct pawl_box *box = &chart->box;
  const double place = vertical ? at_x(chart, value) : at_y(chart, value);
  pawl_set_color(chart->cr, chart->theme->grid, labelled ? 1 : 0.5);
  cairo_set_line_width(chart->cr, 1);
  cairo_move_to(chart->cr, vertical ? place : box->x, vertical ? box->y : place);
  cairo_line_to(chart->cr, vertical ? place : box->x + box->width,
                vertical ? box->y + box->height : place);
  cairo_stroke(chart->cr);
  if (!labelled) return;
  char text[PAWL_FIGURE];
  snprintf(text, sizeof text, "%.10g", value);
  pawl_set_color(chart->cr, chart->theme->dim, 1);
  if (vertical) {
    pawl_draw_text(chart->cr, place, box->y + box->height + 13, 0, PAWL_ALIGN_CENTER, text);
  } else {
    pawl_draw_text(chart->cr, box->x - 8, place, 0, PAWL_ALIGN_RIGHT, text);
  }
}

/* Draws lines at 1, 2 and 5 of each decade, with labels if there is room, and faint lines at the
   others of 1..9. */
static void draw_grid(const struct chart *chart, bool vertical) {
  const double low = vertical ? chart->x_low : chart->y_low,
               high = vertical ? chart->x_high : chart->y_high;
  const double decade = (vertical ? chart->box.width : chart->box.height) / (high - low);
  const double room = vertical ? 110 : 70; /* the decade has room for labels at 2 and 5 too */
  pawl_font(chart->cr, 11, false);
  for (double power = floor(low); power <= high; power++) {
    for (int digit = 1; digit <= 9; digit++) {
      const double value = digit * pow(10, power);
      if (log10(value) < low || log10(value) > high) continue;
      const bool labelled = digit == 1 || ((digit == 2 || digit == 5) && decade > room);
      if (labelled || decade > room) grid_line(chart, vertical, value, labelled);
    }
  }
}

static void draw_frame(const struct chart *chart) {
  const struct pawl_box *box = &chart->box;
  pawl_set_color(chart->cr, chart->theme->dim, 1);
  pawl_font(chart->cr, 12, false);
  pawl_draw_text(chart->cr, box->x + box->width / 2, box->y + box->height + 34, 0,
                 PAWL_ALIGN_CENTER, "arithmetic intensity, FLOP per compulsory byte");
  cairo_save(chart->cr);
  cairo_translate(chart->cr, box->x - 58, box->y + box->height / 2);
  cairo_rotate(chart->cr, -M_PI / 2);
  pawl_draw_text(chart->cr, 0, 0, 0, PAWL_ALIGN_CENTER, "GFLOP/s");
  cairo_restore(chart->cr);
  cairo_set_line_width(chart->cr, 1);
  pawl_set_color(chart->cr, chart->theme->dim, 1);
  cairo_move_to(chart->cr, box->x, box->y);
  cairo_line_to(chart->cr, box->x, box->y + box->height);
  cairo_line_to(chart->cr, box->x + box->width, box->y + box->height);
  cairo_stroke(chart->cr);
}

/* --- roofs --- */

static void draw_roof(const struct chart *chart, const struct roof *roof) {
  const double left = pow(10, chart->x_low), right = pow(10, chart->x_high);
  const double ridge = roof->gflops / roof->bandwidth, ridge_x = at_x(chart, ridge),
               top = at_y(chart, roof->gflops);
  cairo_save(chart->cr);
  cairo_rectangle(chart->cr, chart->box.x, chart->box.y, chart->box.width, chart->box.height);
  cairo_clip(chart->cr);
  pawl_set_color(chart->cr, chart->theme->ink, 0.9);
  cairo_set_line_width(chart->cr, 2);
  cairo_move_to(chart->cr, at_x(chart, left), at_y(chart, left * roof->bandwidth));
  cairo_line_to(chart->cr, ridge_x, top);
  cairo_line_to(chart->cr, at_x(chart, right), top);
  cairo_stroke(chart->cr);
  cairo_restore(chart->cr);
  char rate[PAWL_FIGURE], text[2 * PAWL_FIGURE];
  pawl_font(chart->cr, 11, true);
  snprintf(text, sizeof text, "%s", pawl_figure_rate(roof->gflops, "FLOP/s", rate));
  pawl_draw_text(chart->cr, chart->box.x + chart->box.width - 6, top - 10, 0, PAWL_ALIGN_RIGHT,
                 text);
  /* the name is along the slope, above its middle */
  const double low_x = fmax(chart->box.x, at_x(chart, pow(10, chart->y_low) / roof->bandwidth));
  const double middle = (low_x + ridge_x) / 2;
  const double slope = (chart->box.height / (chart->y_high - chart->y_low)) /
                       (chart->box.width / (chart->x_high - chart->x_low));
  snprintf(text, sizeof text, "%s", pawl_figure_rate(roof->bandwidth, "B/s", rate));
  if (ridge_x - low_x < pawl_text_width(chart->cr, text)) return; /* the slope has no room */
  cairo_save(chart->cr);
  cairo_translate(chart->cr, middle, top + (ridge_x - middle) * slope);
  cairo_rotate(chart->cr, -atan(slope));
  pawl_draw_text(chart->cr, 0, -10, 0, PAWL_ALIGN_CENTER, text);
  cairo_restore(chart->cr);
}

/* --- points and their labels --- */

static bool overlaps(const struct pawl_box *a, const struct pawl_box *b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

/* Returns whether the line of a roof runs through the label. The line rises from left to right, so
   its two ends decide. */
static bool under_roof(const struct chart *chart, const struct roof *roof,
                       const struct pawl_box *label) {
  double ends[2];
  for (int i = 0; i < 2; i++) {
    const double x = label->x + (i ? label->width : 0) - chart->box.x;
    const double intensity =
        pow(10, chart->x_low + x / chart->box.width * (chart->x_high - chart->x_low));
    ends[i] = at_y(chart, fmin(intensity * roof->bandwidth, roof->gflops));
  }
  return ends[1] < label->y + label->height && ends[0] > label->y;
}

static bool place_free(const struct chart *chart, const struct pawl_box *label,
                       const struct pawl_box *taken, size_t count) {
  if (label->x < chart->box.x || label->x + label->width > chart->box.x + chart->box.width)
    return false;
  if (label->y < chart->box.y || label->y + label->height > chart->box.y + chart->box.height)
    return false;
  for (size_t i = 0; i < count; i++)
    if (overlaps(label, &taken[i])) return false;
  for (size_t i = 0; i < chart->roof_count; i++)
    if (under_roof(chart, &chart->roofs[i], label)) return false;
  return true;
}

static void draw_mark(const struct chart *chart, const struct point *point) {
  const double x = at_x(chart, point->intensity), y = at_y(chart, point->gflops);
  pawl_set_color(chart->cr, chart->theme->series[point->series], 1);
  if (isfinite(point->before) && point->before > 0 &&
      fabs(point->before / point->gflops - 1) > 0.01) {
    const double before = at_y(chart, point->before);
    cairo_set_line_width(chart->cr, 1.5);
    cairo_move_to(chart->cr, x, before);
    cairo_line_to(chart->cr, x, y);
    cairo_stroke(chart->cr);
    cairo_arc(chart->cr, x, before, 4, 0, 2 * M_PI);
    pawl_set_color(chart->cr, chart->theme->paper, 1);
    cairo_fill_preserve(chart->cr);
    pawl_set_color(chart->cr, chart->theme->series[point->series], 1);
    cairo_stroke(chart->cr);
  }
  cairo_arc(chart->cr, x, y, 5, 0, 2 * M_PI);
  cairo_fill(chart->cr);
}

/* Places labels so that they cover neither a point nor another label. Leaves out a label without a
   place. */
static void draw_labels(const struct chart *chart) {
  struct pawl_box *taken = pawl_alloc(3 * chart->count, sizeof *taken);
  size_t count = 0;
  for (size_t i = 0; i < chart->count; i++) {
    const double x = at_x(chart, chart->points[i].intensity);
    taken[count++] = (struct pawl_box){x - 6, at_y(chart, chart->points[i].gflops) - 6, 12, 12};
    if (chart->points[i].before > 0)
      taken[count++] = (struct pawl_box){x - 5, at_y(chart, chart->points[i].before) - 5, 10, 10};
  }
  pawl_font(chart->cr, 11, false);
  for (size_t i = 0; i < chart->count; i++) {
    const struct point *point = &chart->points[i];
    const double x = at_x(chart, point->intensity), y = at_y(chart, point->gflops);
    const double width = fmin(pawl_text_width(chart->cr, point->case_name), 150);
    const struct pawl_box places[] = {
        {x + 9, y - 7, width, 14},         {x - 9 - width, y - 7, width, 14},
        {x - width / 2, y + 8, width, 14}, {x - width / 2, y - 22, width, 14},
        {x + 5, y + 6, width, 14},         {x - 5 - width, y + 6, width, 14},
        {x + 5, y - 20, width, 14},        {x - 5 - width, y - 20, width, 14},
    };
    for (size_t j = 0; j < PAWL_COUNT(places); j++) {
      if (!place_free(chart, &places[j], taken, count)) continue;
      taken[count++] = places[j];
      pawl_set_color(chart->cr, chart->theme->ink, 1);
      pawl_draw_text(chart->cr, places[j].x, places[j].y + 7, 150, PAWL_ALIGN_LEFT,
                     point->case_name);
      break;
    }
  }
  pawl_free(taken);
}

static void draw_legend(const struct chart *chart, double x, double y) {
  pawl_font(chart->cr, 12, false);
  for (size_t i = 0; i < chart->kernel_count; i++) {
    pawl_set_color(chart->cr, chart->theme->series[i], 1);
    cairo_arc(chart->cr, x + 5, y, 5, 0, 2 * M_PI);
    cairo_fill(chart->cr);
    pawl_set_color(chart->cr, chart->theme->ink, 1);
    const bool last = i + 1 == MAX_KERNELS;
    x += 16 +
         pawl_draw_text(chart->cr, x + 15, y, 150, PAWL_ALIGN_LEFT,
                        last ? "others" : chart->kernels[i]) +
         18;
  }
  bool rings = false;
  for (size_t i = 0; i < chart->count; i++) rings = rings || isfinite(chart->points[i].before);
  if (!rings) return;
  pawl_set_color(chart->cr, chart->theme->dim, 1);
  cairo_set_line_width(chart->cr, 1.5);
  cairo_arc(chart->cr, x + 5, y, 4, 0, 2 * M_PI);
  cairo_stroke(chart->cr);
  pawl_draw_text(chart->cr, x + 15, y, 0, PAWL_ALIGN_LEFT, "baseline");
}

double pawl_roofline_height(const struct pawl_run_report *report) {
  for (size_t i = 0; report->results && i < report->results->count; i++)
    if (draw_roofline_drawable(&report->results->items[i])) return HEIGHT;
  return 0;
}

void pawl_draw_roofline(cairo_t *cr, const struct pawl_theme *theme,
                        const struct pawl_run_report *report, struct pawl_box box) {
  struct chart *chart = pawl_alloc(1, sizeof *chart);
  *chart = (struct chart){.cr = cr, .theme = theme};
  chart->box = (struct pawl_box){box.x + 76, box.y + 58, box.width - 92, box.height - 108};
  draw_roofline_collect(chart, report);
  draw_roofline_find_range(chart);
  char note[80] = "";
  if (chart->roof_count == 0) snprintf(note, sizeof note, "the limits of this device are unknown");
  if (chart->roof_count > 0 && chart->unbounded)
    snprintf(note, sizeof note, "the slope is memory's: it does not limit data in a cache");
  if (chart->left_out > 0)
    snprintf(note, sizeof note, "%zu more points are not shown", chart->left_out);
  pawl_draw_title(cr, theme, box, "Roofline", note);
  draw_legend(chart, chart->box.x, box.y + 38);
  draw_grid(chart, true);
  draw_grid(chart, false);
  draw_frame(chart);
  for (size_t i = 0; i < chart->roof_count; i++) draw_roof(chart, &chart->roofs[i]);
  for (size_t i = 0; i < chart->count; i++) draw_mark(chart, &chart->points[i]);
  draw_labels(chart);
  pawl_free(chart);
}
