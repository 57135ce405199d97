/* SPDX-License-Identifier: Apache-2.0 */
/* Dot plots: Cleveland, "The Elements of Graphing Data", 1985. Each shape has a row, each series a
   colour, and a line through a dot is its interval. Small dots are the blocks. The map has a cell
   for each shape and series. */
#include "sweep/picture.h"

#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "sweep/plot.h"

#define FOOT 40.0
#define ROW 24.0
#define NAMES 330.0
#define WIDTH PAWL_PLOT_WIDTH
#define MARGIN PAWL_PLOT_MARGIN
#define HEAD PAWL_PLOT_HEAD

static const double sweep_ticks[] = {1, 2, 5}; /* times a power of ten */

/* --- the data --- */

/* Widens the axis, also to the line in the middle. */
static void sweep_end_plot(struct pawl_plot *plot) {
  if (plot->middle > 0) plot->low = fmin(plot->low, plot->middle / 1.05);
  if (plot->middle > 0) plot->high = fmax(plot->high, plot->middle * 1.05);
  const double margin = fmax(log(plot->high / plot->low) * 0.05, 0.01);
  plot->low *= exp(-margin), plot->high *= exp(margin);
}

static void sweep_plot_claims(const struct pawl_sweep_claims *claims, bool blocks,
                              struct pawl_plot *plot) {
  char series[128];
  plot->middle = 1;
  for (size_t i = 0; i < claims->claim_count; i++) {
    const struct pawl_sweep_claim *claim = &claims->claims[i];
    snprintf(series, sizeof series, "%.50s over %.50s", claim->kernel, claim->reference);
    for (size_t block = 0; blocks && claim->block_ratios && block < claim->blocks; block++) {
      struct pawl_plot_dot *small =
          pawl_plot_add(plot, claim->case_name, series, exp(claim->block_ratios[block]), NAN, NAN);
      if (small) small->block = true;
    }
    struct pawl_plot_dot *dot =
        pawl_plot_add(plot, claim->case_name, series, claim->speedup, claim->low, claim->high);
    if (dot) dot->verdict = claim->verdict;
  }
}

static void sweep_plot_speedups(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  plot->title = "Speed-up";
  plot->note =
      "reference's time over kernel's time, with intervals that hold together; small dots are "
      "blocks";
  sweep_plot_claims(claims, true, plot);
}

static void sweep_plot_wins(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  plot->title = "Wins and losses";
  plot->note = "the speed-up of each shape; without a colour: not decided";
  sweep_plot_claims(claims, false, plot);
}

/* Operators without floating-point operations have GB/s alone. */
static void sweep_plot_rates(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  bool flops = false;
  for (size_t i = 0; i < claims->time_count; i++) flops |= claims->times[i].gflops > 0;
  plot->title = flops ? "GFLOP/s" : "GB/s";
  plot->note = flops ? "by the operator's FLOP" : "by the operator's compulsory bytes";
  plot->middle = NAN;
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    const double rate = flops ? time->gflops : time->gb_s;
    pawl_plot_add(plot, time->case_name, time->arm, rate, rate * time->median_ms / time->high_ms,
                  rate * time->median_ms / time->low_ms);
  }
}

static void sweep_plot_limits(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  plot->title = "Speed of light";
  plot->note = "percent of the limit that binds";
  plot->middle = 100;
  for (size_t i = 0; i < claims->time_count; i++)
    pawl_plot_add(plot, claims->times[i].case_name, claims->times[i].arm,
                  claims->times[i].limit_pct, NAN, NAN);
}

/* --- the drawing --- */

static double sweep_x(const struct pawl_plot *plot, double value) {
  const double left = MARGIN + NAMES, right = WIDTH - MARGIN;
  return left + log(value / plot->low) / log(plot->high / plot->low) * (right - left);
}

static void sweep_draw_tick(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot *plot, double value, double bottom) {
  char label[32];
  const bool middle = fabs(value - plot->middle) < 1e-9;
  const double x = sweep_x(plot, value);
  snprintf(label, sizeof label, "%.4g", value);
  pawl_set_color(cr, middle ? theme->dim : theme->grid, 1);
  cairo_set_line_width(cr, middle ? 1.5 : 1);
  pawl_draw_line(cr, x, HEAD, x, bottom);
  pawl_set_color(cr, theme->dim, 1);
  pawl_draw_text(cr, x, bottom + 14, 0, PAWL_ALIGN_CENTER, label);
}

/* A wide axis has ticks at 1, 2 and 5 times powers of ten; a narrow one at equal steps. */
static void sweep_draw_axis(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot *plot, double bottom) {
  pawl_font(cr, 11, false);
  if (plot->high / plot->low < 4) {
    const double step = pawl_tick_step(plot->high - plot->low);
    for (double tick = ceil(plot->low / step) * step; tick <= plot->high; tick += step)
      sweep_draw_tick(cr, theme, plot, tick, bottom);
    return;
  }
  for (double power = pow(10, floor(log10(plot->low))); power <= plot->high; power *= 10)
    for (size_t i = 0; i < PAWL_COUNT(sweep_ticks); i++)
      if (power * sweep_ticks[i] >= plot->low && power * sweep_ticks[i] <= plot->high)
        sweep_draw_tick(cr, theme, plot, power * sweep_ticks[i], bottom);
}

/* The series of a row stand below each other. */
static double sweep_y(const struct pawl_plot *plot, const struct pawl_plot_dot *dot) {
  const double share = ((double)dot->series + 0.5) / (double)plot->series_count - 0.5;
  return HEAD + ((double)dot->row + 0.5 + share * 0.6) * ROW;
}

/* Draws the blocks of a claim below its interval, which would hide them. Returns their number. One
   path for all keeps the SVG small. */
static size_t sweep_draw_blocks(cairo_t *cr, const struct pawl_theme *theme,
                                const struct pawl_plot *plot, size_t first) {
  const struct pawl_plot_dot *dot = &plot->dots[first];
  const double y = sweep_y(plot, dot) + fmin(5, 0.3 * ROW / (double)plot->series_count);
  size_t count = 0;
  for (; first + count < plot->dot_count && dot[count].block; count++) {
    cairo_move_to(cr, sweep_x(plot, dot[count].value), y);
    cairo_line_to(cr, sweep_x(plot, dot[count].value), y);
  }
  if (!count) return 0;
  pawl_set_color(cr, theme->series[dot->series], 0.35);
  cairo_set_line_width(cr, 3);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_stroke(cr);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
  return count;
}

static void sweep_draw_dots(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot *plot) {
  for (size_t i = 0; i < plot->dot_count; i++) {
    i += sweep_draw_blocks(cr, theme, plot, i);
    if (i == plot->dot_count) break;
    const struct pawl_plot_dot *dot = &plot->dots[i];
    const double y = sweep_y(plot, dot);
    pawl_set_color(cr, theme->series[dot->series], 1);
    cairo_set_line_width(cr, 2);
    if (dot->low > 0 && dot->high > 0)
      pawl_draw_line(cr, sweep_x(plot, dot->low), y, sweep_x(plot, dot->high), y);
    cairo_arc(cr, sweep_x(plot, dot->value), y, 3.5, 0, 6.2832);
    cairo_fill(cr);
  }
}

static void sweep_draw_rows(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot *plot) {
  pawl_font(cr, 12, false);
  pawl_set_color(cr, theme->ink, 1);
  for (size_t i = 0; i < plot->row_count; i++)
    pawl_draw_text(cr, MARGIN, HEAD + ((double)i + 0.5) * ROW, NAMES - 16, PAWL_ALIGN_LEFT,
                   plot->rows[i]);
}

/* --- the map --- */

static void sweep_draw_cell(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot *plot, const struct pawl_plot_dot *dot) {
  const double width = (WIDTH - 2 * MARGIN - NAMES) / (double)plot->series_count;
  const double x = MARGIN + NAMES + (double)dot->series * width, y = HEAD + (double)dot->row * ROW;
  const bool decided = dot->verdict != PAWL_SWEEP_UNDECIDED;
  const struct pawl_color color = dot->verdict == PAWL_SWEEP_FASTER ? theme->good : theme->bad;
  char words[32];
  snprintf(words, sizeof words, "%.2f", dot->value);
  pawl_set_color(cr, decided ? color : theme->grid, 1);
  cairo_rectangle(cr, x + 1, y + 1, width - 2, ROW - 2);
  if (decided)
    cairo_fill(cr);
  else
    cairo_stroke(cr);
  pawl_set_color(cr, decided ? pawl_text_color_on(color) : theme->ink, 1);
  pawl_draw_text(cr, x + width / 2, y + ROW / 2, width - 8, PAWL_ALIGN_CENTER, words);
}

static void sweep_draw_map(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct pawl_plot *plot = subject;
  const double width = (WIDTH - 2 * MARGIN - NAMES) / (double)plot->series_count;
  pawl_plot_draw_head(cr, theme, plot);
  sweep_draw_rows(cr, theme, plot);
  for (size_t i = 0; i < plot->series_count; i++)
    pawl_draw_text(cr, MARGIN + NAMES + ((double)i + 0.5) * width, HEAD - 12, width - 8,
                   PAWL_ALIGN_CENTER, plot->series[i]);
  for (size_t i = 0; i < plot->dot_count; i++) sweep_draw_cell(cr, theme, plot, &plot->dots[i]);
}

static void sweep_draw_plot(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct pawl_plot *plot = subject;
  pawl_plot_draw_head(cr, theme, plot);
  pawl_plot_draw_legend(cr, theme, plot);
  sweep_draw_axis(cr, theme, plot, HEAD + (double)plot->row_count * ROW);
  sweep_draw_rows(cr, theme, plot);
  sweep_draw_dots(cr, theme, plot);
}

/* --- the roofline --- */

#define ROOFLINE 420.0 /* its height */

/* Keeps the roof of the point if no other point had it. */
static void sweep_add_roof(const struct pawl_sweep_point *point, struct pawl_plot *plot) {
  for (size_t i = 0; i < plot->roof_count; i++)
    if (plot->roofs[i].gflops == point->peak_gflops && plot->roofs[i].gb_s == point->peak_gb_s)
      return;
  if (plot->roof_count == PAWL_PLOT_ROOFS || !(point->peak_gflops > 0) || !(point->peak_gb_s > 0))
    return;
  plot->roofs[plot->roof_count++] = (struct pawl_plot_roof){point->peak_gflops, point->peak_gb_s};
}

/* A dot has the intensity as its `low`, and the rate that the roof allows as its `high`. */
static void sweep_plot_roofline(const struct pawl_sweep_claims *claims, struct pawl_plot *plot) {
  plot->title = "Roofline";
  plot->note = "GFLOP/s over FLOP for each compulsory byte; the line is the roof";
  plot->middle = NAN;
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    if (!(time->gflops > 0) || !(time->gb_s > 0) || !(time->limit_pct > 0)) continue;
    pawl_plot_add(plot, time->case_name, time->arm, time->gflops, time->gflops / time->gb_s,
                  time->gflops * 100 / time->limit_pct);
    sweep_add_roof(time->point, plot);
  }
}

struct sweep_scale {
  double low, high, from, to; /* values, and their places */
};

static double sweep_place(const struct sweep_scale *scale, double value) {
  return scale->from +
         log(value / scale->low) / log(scale->high / scale->low) * (scale->to - scale->from);
}

static void sweep_widen(struct sweep_scale *scale, double value) {
  scale->low = scale->low > 0 ? fmin(scale->low, value / 1.2) : value / 1.2;
  scale->high = fmax(scale->high, value * 1.2);
}

static void sweep_draw_mark(cairo_t *cr, const struct pawl_theme *theme,
                            const struct sweep_scale *scale, const struct sweep_scale *other,
                            bool vertical, double value) {
  const double place = sweep_place(scale, value);
  char label[32];
  snprintf(label, sizeof label, "%.7g", value);
  pawl_set_color(cr, theme->grid, 1);
  cairo_set_line_width(cr, 1);
  if (vertical)
    pawl_draw_line(cr, other->from, place, other->to, place);
  else
    pawl_draw_line(cr, place, other->from, place, other->to);
  pawl_set_color(cr, theme->dim, 1);
  pawl_draw_text(cr, vertical ? other->from - 8 : place, vertical ? place : other->from + 14, 0,
                 vertical ? PAWL_ALIGN_RIGHT : PAWL_ALIGN_CENTER, label);
}

/* Draws a grid line at 1, 2 and 5 times each power of ten: a scale goes over a factor of 1.44 at
   least, and mostly has two of them. */
static void sweep_draw_scale(cairo_t *cr, const struct pawl_theme *theme,
                             const struct sweep_scale *scale, const struct sweep_scale *other,
                             bool vertical) {
  for (double power = pow(10, floor(log10(scale->low))); power <= scale->high; power *= 10)
    for (size_t i = 0; i < PAWL_COUNT(sweep_ticks); i++)
      if (power * sweep_ticks[i] >= scale->low && power * sweep_ticks[i] <= scale->high)
        sweep_draw_mark(cr, theme, scale, other, vertical, power * sweep_ticks[i]);
}

/* The memory allows the rate on the slope, and the units that compute allow the flat one. */
static void sweep_draw_roof(cairo_t *cr, const struct pawl_theme *theme,
                            const struct pawl_plot_roof *roof, const struct sweep_scale *x,
                            const struct sweep_scale *y) {
  const double ridge = roof->gflops / roof->gb_s, top = sweep_place(y, roof->gflops);
  const double first = fmax(x->low, y->low / roof->gb_s);
  char words[64];
  pawl_set_color(cr, theme->dim, 1);
  cairo_set_line_width(cr, 2);
  pawl_draw_line(cr, sweep_place(x, first), sweep_place(y, first * roof->gb_s),
                 sweep_place(x, ridge), top);
  pawl_draw_line(cr, sweep_place(x, ridge), top, x->to, top);
  snprintf(words, sizeof words, "%.4g TB/s, %.4g TFLOP/s", roof->gb_s * 1e-3, roof->gflops * 1e-3);
  pawl_draw_text(cr, x->to, top - 10, 0, PAWL_ALIGN_RIGHT, words);
}

static void sweep_draw_roofline(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct pawl_plot *plot = subject;
  struct sweep_scale x = {.from = MARGIN + 60, .to = WIDTH - MARGIN},
                     y = {.from = HEAD + ROOFLINE, .to = HEAD};
  for (size_t i = 0; i < plot->dot_count; i++) {
    sweep_widen(&x, plot->dots[i].low);
    sweep_widen(&y, plot->dots[i].value);
    sweep_widen(&y, plot->dots[i].high);
  }
  for (size_t i = 0; i < plot->roof_count; i++) {
    sweep_widen(&x, plot->roofs[i].gflops / plot->roofs[i].gb_s);
    sweep_widen(&y, plot->roofs[i].gflops);
  }
  pawl_plot_draw_head(cr, theme, plot);
  pawl_plot_draw_legend(cr, theme, plot);
  pawl_font(cr, 11, false);
  sweep_draw_scale(cr, theme, &x, &y, false);
  sweep_draw_scale(cr, theme, &y, &x, true);
  for (size_t i = 0; i < plot->roof_count; i++) sweep_draw_roof(cr, theme, &plot->roofs[i], &x, &y);
  for (size_t i = 0; i < plot->dot_count; i++) {
    const struct pawl_plot_dot *dot = &plot->dots[i];
    pawl_set_color(cr, theme->series[dot->series], 1);
    cairo_arc(cr, sweep_place(&x, dot->low), sweep_place(&y, dot->value), 3.5, 0, 6.2832);
    cairo_fill(cr);
  }
}

/* --- the pictures --- */

static const struct {
  const char *name, *words;
  void (*plot)(const struct pawl_sweep_claims *claims, struct pawl_plot *plot);
  void (*draw)(cairo_t *cr, const struct pawl_theme *theme, const void *subject);
} sweep_pictures[PAWL_SWEEP_PICTURES] = {
    {"speedup", "the speed-up of each kernel over each reference on each shape, with its blocks",
     sweep_plot_speedups, sweep_draw_plot},
    {"wins", "where each kernel is faster or slower than each reference", sweep_plot_wins,
     sweep_draw_map},
    {"rate", "the rate of each kernel and reference on each shape", sweep_plot_rates,
     sweep_draw_plot},
    {"curve", "the rate of each kernel and reference over one size", pawl_curve_plot,
     pawl_curve_draw},
    {"limit", "how near each kernel and reference is to the limit that binds", sweep_plot_limits,
     sweep_draw_plot},
    {"roofline", "the rate of each kernel and reference below its roof", sweep_plot_roofline,
     sweep_draw_roofline},
};

const char *pawl_sweep_picture_name(size_t picture) { return sweep_pictures[picture].name; }
const char *pawl_sweep_picture_words(size_t picture) { return sweep_pictures[picture].words; }

void pawl_sweep_picture_file(size_t picture, bool svg, bool dark,
                             char out[PAWL_SWEEP_PICTURE_FILE]) {
  snprintf(out, PAWL_SWEEP_PICTURE_FILE, "%s-%s.%s", sweep_pictures[picture].name,
           dark ? "dark" : "light", svg ? "svg" : "png");
}

bool pawl_sweep_picture_exists(size_t picture, const struct pawl_sweep_claims *claims) {
  PAWL_CLEANUP(pawl_free_pointer) struct pawl_plot *plot = pawl_alloc(1, sizeof *plot);
  sweep_pictures[picture].plot(claims, plot);
  return plot->dot_count > 0;
}

static struct pawl_sheet sweep_sheet(size_t picture, const struct pawl_sweep_claims *claims,
                                     bool dark, struct pawl_plot *plot) {
  sweep_pictures[picture].plot(claims, plot);
  sweep_end_plot(plot);
  const double height = sweep_pictures[picture].draw == sweep_draw_roofline ? ROOFLINE
                        : sweep_pictures[picture].draw == pawl_curve_draw
                            ? pawl_curve_height(plot)
                            : (double)plot->row_count * ROW;
  return (struct pawl_sheet){WIDTH, HEAD + FOOT + height,
                             dark ? &pawl_theme_dark : &pawl_theme_light,
                             sweep_pictures[picture].draw, plot};
}

pawl_status pawl_sweep_picture_draw(size_t picture, const struct pawl_sweep_claims *claims,
                                    bool svg, bool dark, struct pawl_text *out,
                                    struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) struct pawl_plot *plot = pawl_alloc(1, sizeof *plot);
  const struct pawl_sheet sheet = sweep_sheet(picture, claims, dark, plot);
  return pawl_sheet_draw(&sheet, svg, out, err);
}

bool pawl_sweep_picture_is(size_t picture, const struct pawl_sweep_claims *claims, bool svg,
                           bool dark, const struct pawl_text *file) {
  PAWL_CLEANUP(pawl_free_pointer) struct pawl_plot *plot = pawl_alloc(1, sizeof *plot);
  const struct pawl_sheet sheet = sweep_sheet(picture, claims, dark, plot);
  return pawl_sheet_is(&sheet, svg, file);
}
