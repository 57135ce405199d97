/* SPDX-License-Identifier: Apache-2.0 */
/* Draws distributions of samples on one axis of time relative to a median. Each kernel and case has
   a row. A judged row has both arms, relative to the median of the base. Another row is relative to
   its own median. Every dot is a sample. The curve is a Gaussian kernel density with Silverman's
   bandwidth ("Density estimation for statistics and data analysis", 1986, 3.31). The bar is the
   median with its 95 % interval over processes, if it is known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/result_interval.h"
#include "picture/draw.h"
#include "record/conclusion.h"
#include "report/figures.h"
#include "report/row_change.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define MAX_ROWS ((size_t)24)
#define MAX_JUDGED ((size_t)12)
#define ROW_HEIGHT 64.0
#define HEAD 50.0
#define FOOT 46.0
#define MAX_DOTS ((size_t)200) /* quantiles replace more samples */
#define STEPS 160
#define FAR_OUT 3.0 /* times the distance of the quartiles */
#define LARGEST 5.0 /* the end of the axis; an arrow shows a median beyond it */
#define NAMES_WIDTH 200.0
#define FIGURES_WIDTH 180.0

struct sample_set {
  double *sorted; /* relative to the row's unit; NULL: no such arm */
  size_t count;
  double median, low, high; /* relative; NaN: unknown */
  double median_ms;
};

struct sample_row {
  const char *kernel_name, *case_name;
  struct sample_set set, base; /* base: only in a judged run */
  double before_ms,
      now_ms; /* as in the table; in a pair they are medians over blocks, not samples */
};

struct sample_plot {
  cairo_t *cr;
  const struct pawl_theme *theme;
  struct pawl_box box; /* the area of the axis and the rows */
  struct sample_row rows[MAX_ROWS];
  size_t count, left_out;
  bool judged;
  double low, high;
};

/* There is less room below the changes. */
static size_t most_rows(bool judged) { return judged ? MAX_JUDGED : MAX_ROWS; }

/* --- the data --- */

/* The measured samples of one arm. */
struct sample_arm {
  const double *samples_ms;
  size_t count;
  double low_ms, high_ms; /* the interval of the median; NaN: unknown */
};

/* Sorts the samples, reduces them to MAX_DOTS quantiles, and divides them by `unit_ms`, or by their
   own median if it is 0. */
static struct sample_set make_set(const struct sample_arm *arm, double unit_ms) {
  double *all = pawl_alloc(arm->count, sizeof *all);
  memcpy(all, arm->samples_ms, arm->count * sizeof *all);
  pawl_sort_doubles(all, arm->count);
  struct sample_set set = {.count = arm->count < MAX_DOTS ? arm->count : MAX_DOTS,
                           .median_ms = pawl_median(all, arm->count)};
  if (!(unit_ms > 0)) unit_ms = set.median_ms;
  set.median = set.median_ms / unit_ms, set.low = arm->low_ms / unit_ms,
  set.high = arm->high_ms / unit_ms;
  set.sorted = pawl_alloc(set.count, sizeof *set.sorted);
  for (size_t i = 0; i < set.count; i++) {
    const double place = (double)i / (double)(set.count - 1);
    const double value = set.count == arm->count ? all[i] : pawl_quantile(all, arm->count, place);
    set.sorted[i] = value / unit_ms;
  }
  pawl_free(all);
  return set;
}

static bool draw_samples_drawable(const struct sample_arm *arm) { return arm->count > 1; }

static struct sample_arm arm_of(const struct pawl_result *result) {
  struct sample_arm arm = {result->performance.samples_ms, result->performance.sample_count, NAN,
                           NAN};
  pawl_result_interval(result, &arm.low_ms, &arm.high_ms);
  return arm;
}

/* Gets both arms of a judged row. Returns false if the samples of one arm are unknown. */
static bool arms_of(const struct pawl_ratchet_row *row, struct sample_arm *base,
                    struct sample_arm *candidate) {
  const struct pawl_paired_test *paired = row->paired;
  if (paired && !paired->identical) {
    *base = (struct sample_arm){paired->base_samples_ms, paired->base_sample_count, NAN, NAN};
    *candidate =
        (struct sample_arm){paired->candidate_samples_ms, paired->candidate_sample_count, NAN, NAN};
  } else if (!paired && row->entry && row->result && row->result->outcome == PAWL_OUTCOME_OK) {
    *base = (struct sample_arm){row->entry->samples_ms, row->entry->sample_count,
                                row->entry->process_ci_95_low, row->entry->process_ci_95_high};
    *candidate = arm_of(row->result);
  } else {
    return false;
  }
  return draw_samples_drawable(base) && draw_samples_drawable(candidate);
}

static bool timed(const struct pawl_result *result) {
  return result && result->outcome == PAWL_OUTCOME_OK && result->performance.sample_count > 1 &&
         result->performance.median_ms > 0;
}

/* Returns the place of the next row, or NULL if there is no room. */
static struct sample_row *draw_samples_next_row(struct sample_plot *plot) {
  if (plot->count < most_rows(plot->judged)) return &plot->rows[plot->count++];
  plot->left_out++;
  return NULL;
}

static void collect_judged(struct sample_plot *plot, const struct pawl_run_report *report) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  for (size_t i = 0; i < count; i++) {
    struct sample_arm base, candidate;
    struct sample_row *row =
        arms_of(rows[i], &base, &candidate) ? draw_samples_next_row(plot) : NULL;
    if (!row) continue;
    row->kernel_name = rows[i]->comparison.kernel_name ? rows[i]->comparison.kernel_name : "?";
    row->case_name = rows[i]->comparison.config.name ? rows[i]->comparison.config.name : "?";
    row->base = make_set(&base, 0);
    row->set = make_set(&candidate, row->base.median_ms);
    const struct pawl_row_times times = pawl_row_times(rows[i]);
    row->before_ms = times.before_ms, row->now_ms = times.now_ms;
  }
}

static void collect_measured(struct sample_plot *plot, const struct pawl_run_report *report) {
  for (size_t i = 0; report->results && i < report->results->count; i++) {
    const struct pawl_result *result = &report->results->items[i];
    struct sample_row *row = timed(result) ? draw_samples_next_row(plot) : NULL;
    if (!row) continue;
    const struct sample_arm arm = arm_of(result);
    row->kernel_name = result->kernel_name ? result->kernel_name : "?";
    row->case_name = result->config.name ? result->config.name : "?";
    row->set = make_set(&arm, 0);
    row->before_ms = NAN, row->now_ms = row->set.median_ms;
  }
}

static void draw_samples_collect(struct sample_plot *plot, const struct pawl_run_report *report) {
  plot->judged = report->ratchet;
  (plot->judged ? collect_judged : collect_measured)(plot, report);
}

static void draw_samples_release(struct sample_plot *plot) {
  for (size_t i = 0; i < plot->count; i++) {
    pawl_free(plot->rows[i].set.sorted);
    pawl_free(plot->rows[i].base.sorted);
  }
}

static void draw_samples_widen(struct sample_plot *plot, const struct sample_set *set) {
  if (!set->sorted) return;
  const double lower = pawl_quantile(set->sorted, set->count, 0.25),
               upper = pawl_quantile(set->sorted, set->count, 0.75);
  const double reach = FAR_OUT * (upper - lower);
  plot->low = fmin(plot->low, fmax(pawl_quantile(set->sorted, set->count, 0.05), lower - reach));
  plot->high = fmax(plot->high, fmin(pawl_quantile(set->sorted, set->count, 0.95), upper + reach));
}

/* Sets the range of the axis to contain the middle 90 % of every set with a margin, and at least 2
   % on each side of 1. A few outliers do not widen it: it ends at FAR_OUT times the distance of
   the quartiles (Tukey, "Exploratory data analysis", 1977, the outer fences). */
static void draw_samples_find_range(struct sample_plot *plot) {
  plot->low = 0.98, plot->high = 1.02;
  for (size_t i = 0; i < plot->count; i++) {
    draw_samples_widen(plot, &plot->rows[i].set);
    draw_samples_widen(plot, &plot->rows[i].base);
  }
  const double margin = 0.15 * (plot->high - plot->low);
  plot->low = fmax(plot->low - margin, 0);
  plot->high = fmin(plot->high + margin, LARGEST);
}

/* --- axis --- */

static double draw_samples_x_of(const struct sample_plot *plot, double relative) {
  return plot->box.x + (relative - plot->low) / (plot->high - plot->low) * plot->box.width;
}

static void draw_samples_draw_axis(const struct sample_plot *plot) {
  const double step = pawl_tick_step(plot->high - plot->low),
               bottom = plot->box.y + plot->box.height;
  pawl_font(plot->cr, 11, false);
  cairo_set_line_width(plot->cr, 1);
  for (double tick = ceil((plot->low - 1) / step) * step; tick <= plot->high - 1 + step * 1e-6;
       tick += step) {
    const bool zero = fabs(tick) < step / 2;
    const double x = draw_samples_x_of(plot, 1 + tick);
    pawl_set_color(plot->cr, zero ? plot->theme->dim : plot->theme->grid, 1);
    cairo_move_to(plot->cr, x, plot->box.y);
    cairo_line_to(plot->cr, x, bottom);
    cairo_stroke(plot->cr);
    char text[PAWL_FIGURE];
    snprintf(text, sizeof text, zero ? "0 %%" : "%+.3g %%", tick * 100);
    pawl_set_color(plot->cr, plot->theme->dim, 1);
    pawl_draw_text(plot->cr, x, bottom + 13, 0, PAWL_ALIGN_CENTER, text);
  }
}

/* --- one set --- */

static double bandwidth_of(const struct sample_set *set) {
  struct pawl_summary summary;
  pawl_summarize_sorted(set->sorted, set->count, &summary);
  const double spread = (pawl_quantile(set->sorted, set->count, 0.75) -
                         pawl_quantile(set->sorted, set->count, 0.25)) /
                        1.34;
  const double width = spread > 0 ? fmin(spread, summary.std) : summary.std;
  return 0.9 * width * pow((double)set->count, -0.2);
}

static double density(const struct sample_set *set, double x, double bandwidth) {
  double sum = 0;
  for (size_t i = 0; i < set->count; i++) {
    const double z = (x - set->sorted[i]) / bandwidth;
    if (fabs(z) < 6) sum += exp(-z * z / 2);
  }
  return sum;
}

/* Draws the density above the line y. Its maximum has the height `height`. */
static void draw_hill(const struct sample_plot *plot, const struct sample_set *set, double y,
                      double height, struct pawl_color color) {
  const double pixel = (plot->high - plot->low) / plot->box.width;
  const double bandwidth =
      fmax(bandwidth_of(set), pixel); /* samples that are all equal are still visible */
  const double from = fmax(plot->low, set->sorted[0] - 3 * bandwidth);
  const double to = fmin(plot->high, set->sorted[set->count - 1] + 3 * bandwidth);
  if (!(from < to)) return;
  double heights[STEPS + 1], top = 0;
  for (int i = 0; i <= STEPS; i++) {
    heights[i] = density(set, from + (to - from) * i / STEPS, bandwidth);
    top = fmax(top, heights[i]);
  }
  if (!(top > 0)) return;
  cairo_move_to(plot->cr, draw_samples_x_of(plot, from), y);
  for (int i = 0; i <= STEPS; i++)
    cairo_line_to(plot->cr, draw_samples_x_of(plot, from + (to - from) * i / STEPS),
                  y - heights[i] / top * height);
  cairo_line_to(plot->cr, draw_samples_x_of(plot, to), y);
  cairo_close_path(plot->cr);
  pawl_set_color(plot->cr, color, 0.28);
  cairo_fill_preserve(plot->cr);
  pawl_set_color(plot->cr, color, 0.9);
  cairo_set_line_width(plot->cr, 1);
  cairo_stroke(plot->cr);
}

/* Draws a strip of dots around the line y. */
static void draw_samples_draw_dots(const struct sample_plot *plot, const struct sample_set *set,
                                   double y, struct pawl_color color) {
  for (size_t i = 0; i < set->count; i++) {
    if (set->sorted[i] < plot->low || set->sorted[i] > plot->high) continue;
    const double jitter =
        (double)(i * 7 % 5) - 2; /* spreads equal samples, which would hide each other */
    cairo_move_to(plot->cr, draw_samples_x_of(plot, set->sorted[i]), y + jitter);
    cairo_rel_line_to(plot->cr, 0, 0);
  }
  cairo_set_line_cap(plot->cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_width(plot->cr, 2.2);
  pawl_set_color(plot->cr, color, 0.55);
  cairo_stroke(plot->cr);
  cairo_set_line_cap(plot->cr, CAIRO_LINE_CAP_BUTT);
}

/* Draws an arrow at the edge of the axis if the median is beyond it. */
static void draw_beyond(const struct sample_plot *plot, bool right, double y,
                        struct pawl_color color) {
  const double edge = plot->box.x + (right ? plot->box.width : 0), back = right ? -8 : 8;
  cairo_move_to(plot->cr, edge, y);
  cairo_line_to(plot->cr, edge + back, y - 5);
  cairo_line_to(plot->cr, edge + back, y + 5);
  cairo_close_path(plot->cr);
  pawl_set_color(plot->cr, color, 1);
  cairo_fill(plot->cr);
}

static void draw_median(const struct sample_plot *plot, const struct sample_set *set, double y,
                        double height, struct pawl_color color) {
  if (set->median < plot->low || set->median > plot->high) {
    draw_beyond(plot, set->median > plot->high, y - 10, color);
    return;
  }
  pawl_set_color(plot->cr, color, 1);
  cairo_set_line_width(plot->cr, 2.5);
  cairo_move_to(plot->cr, draw_samples_x_of(plot, set->median), y - height);
  cairo_line_to(plot->cr, draw_samples_x_of(plot, set->median), y + 7);
  cairo_stroke(plot->cr);
  if (!(isfinite(set->low) && isfinite(set->high))) return;
  cairo_rectangle(plot->cr, draw_samples_x_of(plot, fmax(set->low, plot->low)), y - 1.5,
                  draw_samples_x_of(plot, fmin(set->high, plot->high)) -
                      draw_samples_x_of(plot, fmax(set->low, plot->low)),
                  3);
  cairo_fill(plot->cr);
}

static void draw_set(const struct sample_plot *plot, const struct sample_set *set, double y,
                     double strip, struct pawl_color color) {
  if (!set->sorted) return;
  draw_hill(plot, set, y, 30, color);
  draw_samples_draw_dots(plot, set, y + strip, color);
  draw_median(plot, set, y, 30, color);
}

/* --- one row --- */

static void draw_samples_draw_row(const struct sample_plot *plot, const struct sample_row *row,
                                  size_t index, double left, double right) {
  const double y = plot->box.y + (double)index * ROW_HEIGHT;
  pawl_set_color(plot->cr, plot->theme->grid, 1);
  cairo_set_line_width(plot->cr, 1);
  cairo_move_to(plot->cr, left, y + ROW_HEIGHT);
  cairo_line_to(plot->cr, right, y + ROW_HEIGHT);
  cairo_stroke(plot->cr);
  pawl_set_color(plot->cr, plot->theme->ink, 1);
  pawl_font(plot->cr, 12, true);
  pawl_draw_text(plot->cr, left, y + 22, plot->box.x - left - 16, PAWL_ALIGN_LEFT, row->case_name);
  pawl_set_color(plot->cr, plot->theme->dim, 1);
  pawl_font(plot->cr, 11, false);
  pawl_draw_text(plot->cr, left, y + 40, plot->box.x - left - 16, PAWL_ALIGN_LEFT,
                 row->kernel_name);
  draw_set(plot, &row->base, y + 44, 13, plot->theme->base);
  draw_set(plot, &row->set, y + 44, 5, plot->theme->plain);
  char now[PAWL_FIGURE], before[PAWL_FIGURE], text[2 * PAWL_FIGURE + 8];
  snprintf(text, sizeof text, "%s",
           isfinite(row->now_ms) ? pawl_figure_time(row->now_ms, now) : "");
  if (isfinite(row->before_ms) && isfinite(row->now_ms))
    snprintf(text, sizeof text, "%s \xe2\x86\x92 %s", pawl_figure_time(row->before_ms, before),
             now);
  pawl_set_color(plot->cr, plot->theme->ink, 1);
  pawl_font(plot->cr, 12, false);
  pawl_draw_text(plot->cr, plot->box.x + plot->box.width + 16, y + 22, 0, PAWL_ALIGN_LEFT, text);
}

static size_t drawable_rows(const struct pawl_run_report *report) {
  struct sample_arm base, candidate;
  size_t count = 0;
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++)
    if (arms_of(&report->ratchet->rows[i], &base, &candidate)) count++;
  for (size_t i = 0; !report->ratchet && report->results && i < report->results->count; i++)
    if (timed(&report->results->items[i])) count++;
  return count;
}

double pawl_samples_height(const struct pawl_run_report *report) {
  const size_t count = drawable_rows(report), most = most_rows(report->ratchet);
  return count > 0 ? HEAD + FOOT + ROW_HEIGHT * (double)(count < most ? count : most) : 0;
}

void pawl_draw_samples(cairo_t *cr, const struct pawl_theme *theme,
                       const struct pawl_run_report *report, struct pawl_box box) {
  struct sample_plot *plot = pawl_alloc(1, sizeof *plot);
  plot->cr = cr;
  plot->theme = theme;
  draw_samples_collect(plot, report);
  plot->box =
      (struct pawl_box){box.x + NAMES_WIDTH, box.y + HEAD, box.width - NAMES_WIDTH - FIGURES_WIDTH,
                        ROW_HEIGHT * (double)plot->count};
  draw_samples_find_range(plot);
  char note[120];
  snprintf(note, sizeof note,
           plot->judged
               ? "one dot is one timed call; grey is the base, blue the candidate"
               : "one dot is one timed call; the bar is the interval of the median, by process");
  if (plot->left_out > 0)
    snprintf(note, sizeof note, "%zu of %zu", plot->count, plot->count + plot->left_out);
  pawl_draw_title(cr, theme, box, plot->judged ? "Samples of both arms" : "Samples", note);
  draw_samples_draw_axis(plot);
  for (size_t i = 0; i < plot->count; i++)
    draw_samples_draw_row(plot, &plot->rows[i], i, box.x, box.x + box.width);
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 12, false);
  pawl_draw_text(
      cr, plot->box.x + plot->box.width / 2, plot->box.y + plot->box.height + 33, 0,
      PAWL_ALIGN_CENTER,
      plot->judged ? "time against the base's median" : "time against the case's own median");
  draw_samples_release(plot);
  pawl_free(plot);
}
