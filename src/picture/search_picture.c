/* SPDX-License-Identifier: Apache-2.0 */
#include "picture/search_picture.h"

#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "base/file.h"
#include "picture/draw.h"

#define WIDTH 980.0
#define HEIGHT 400.0
#define MARGIN 28.0
#define CURVE_WIDTH 470.0
#define HEAD 44.0
#define FOOT 40.0
#define LABELS 56.0
#define CELL_TEXT 34.0 /* the least width of a cell with a figure */
#define FRAME 2.0      /* the line around the current parameters */
#define SLOWEST 10.0   /* the upper edge of the curve, as a multiple of the current time */
#define WIDE 3.0       /* from this range on, the ticks are no equal steps */
/* The palest colour is the slowest candidate, but at least LEAST_WORST and at most MOST_WORST times
   the best time. */
#define LEAST_WORST 2.0
#define MOST_WORST 20.0

static const struct pawl_theme *const theme = &pawl_theme_light;

static void words(cairo_t *cr, struct pawl_color color, double size, double x, double y,
                  enum pawl_align align, const char *text) {
  pawl_set_color(cr, color, 1);
  pawl_font(cr, size, false);
  pawl_draw_text(cr, x, y, 0, align, text);
}

/* --- the curve --- */

/* The range of ratios, on a logarithmic axis: twice as slow is as far as twice as fast. Slower
   candidates appear on the upper edge. */
struct scale {
  struct pawl_box box;
  double low, high;
  size_t above; /* candidates that are slower than `high` */
};

static struct scale scale_of(const struct pawl_tune *tune, struct pawl_box box) {
  struct scale scale = {.box = box, .low = 1, .high = 1};
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    if (!isfinite(ratio)) continue;
    scale.low = fmin(scale.low, ratio);
    scale.high = fmax(scale.high, fmin(ratio, SLOWEST));
    scale.above += ratio > SLOWEST;
  }
  const double margin = exp(0.05 * fmax(log(scale.high / scale.low), 0.02));
  scale.low /= margin;
  scale.high *= margin;
  return scale;
}

static double search_picture_height_of(const struct scale *scale, double ratio) {
  const double share = log(scale->high / fmin(ratio, scale->high)) / log(scale->high / scale->low);
  return scale->box.y + scale->box.height * share;
}

static void draw_tick(cairo_t *cr, const struct scale *scale, double tick, int decimals) {
  const struct pawl_box box = scale->box;
  const double y = search_picture_height_of(scale, tick);
  char text[24];
  snprintf(text, sizeof text, "%.*f", decimals, tick);
  pawl_set_color(cr, theme->grid, 1);
  cairo_set_line_width(cr, 1);
  cairo_move_to(cr, box.x, y), cairo_line_to(cr, box.x + box.width, y), cairo_stroke(cr);
  words(cr, theme->dim, 11, box.x - 8, y, PAWL_ALIGN_RIGHT, text);
}

/* A narrow range has ticks at equal steps, a wide one at 0.1, 0.2, 0.5, 1, 2, 5 and so on. */
static void search_picture_draw_axis(cairo_t *cr, const struct scale *scale) {
  const double low = scale->low, high = scale->high, step = pawl_tick_step(high - low);
  if (high < WIDE * low) {
    const int decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
    for (double tick = ceil(low / step) * step; tick <= high; tick += step)
      draw_tick(cr, scale, tick, decimals);
    return;
  }
  static const double parts[] = {1, 2, 5};
  for (int decade = (int)floor(log10(low)); pow(10, decade) <= high; decade++)
    for (size_t i = 0; i < PAWL_COUNT(parts); i++) {
      const double tick = parts[i] * pow(10, decade);
      if (tick >= low && tick <= high) draw_tick(cr, scale, tick, decade < 0 ? -decade : 0);
    }
}

/* Draws a dot for each candidate, a cross on the edge for a failed candidate, and a line for the
   best candidate that passed the check. */
static void draw_curve(cairo_t *cr, const struct pawl_tune *tune, struct pawl_box sheet) {
  struct pawl_box box = {sheet.x + LABELS, sheet.y + HEAD, sheet.width - LABELS,
                         sheet.height - HEAD - FOOT};
  const struct scale scale = scale_of(tune, box);
  double best = 1;
  pawl_draw_title(cr, theme, sheet, "The search", "time / current time of each candidate");
  search_picture_draw_axis(cr, &scale);
  cairo_new_path(cr);
  cairo_move_to(cr, box.x, search_picture_height_of(&scale, 1));
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    const double x = box.x + box.width * ((double)i + 1) / (double)tune->count;
    cairo_line_to(cr, x, search_picture_height_of(&scale, best));
    if (tune->candidates[i].checked && ratio < best) best = ratio;
    cairo_line_to(cr, x, search_picture_height_of(&scale, best));
  }
  pawl_set_color(cr, theme->good, 1);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    const double x = box.x + box.width * ((double)i + 1) / (double)tune->count;
    if (isfinite(ratio)) {
      pawl_set_color(cr, theme->plain, 0.7);
      cairo_arc(cr, x, search_picture_height_of(&scale, ratio), 2.5, 0, 6.2832);
      cairo_fill(cr);
    } else {
      words(cr, theme->bad, 11, x, box.y - 8, PAWL_ALIGN_CENTER, "x");
    }
  }
  char text[160], above[64] = "";
  if (scale.above)
    snprintf(above, sizeof above, "; %zu over %.0f: on the edge", scale.above, SLOWEST);
  snprintf(text, sizeof text, "%zu candidates in the order of the search%s; x: failed%s",
           tune->count, tune->current_in_space ? ", current: 1" : "", above);
  words(cr, theme->dim, 11, box.x + box.width, box.y + box.height + 20, PAWL_ALIGN_RIGHT, text);
}

/* --- the map --- */

/* The configurations with one value of each of the two parameters. */
struct cell {
  double least; /* the best ratio of the tried ones; infinite: all failed; NaN: none tried */
  bool current; /* it contains the current parameters */
};

static bool search_picture_is_in(const struct pawl_tune *tune, size_t index, size_t across,
                                 size_t down, uint16_t x, uint16_t y) {
  const uint16_t *levels = pawl_space_at(tune->space, index);
  return levels[across] == x && levels[down] == y;
}

static struct cell cell_of(const struct pawl_tune *tune, size_t across, size_t down, uint16_t x,
                           uint16_t y) {
  struct cell cell = {.least = NAN};
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    if (search_picture_is_in(tune, tune->candidates[i].index, across, down, x, y))
      cell.least = fmin(cell.least, isfinite(ratio) ? ratio : INFINITY);
  }
  cell.current =
      tune->current_in_space && search_picture_is_in(tune, tune->current_index, across, down, x, y);
  if (cell.current) cell.least = fmin(cell.least, 1);
  return cell;
}

static double least_of_all(const struct pawl_tune *tune) {
  double least = tune->current_in_space ? 1 : INFINITY;
  for (size_t i = 0; i < tune->count; i++)
    least = fmin(least, pawl_tune_ratio(&tune->candidates[i]));
  return least;
}

/* Returns the ratio of the palest colour, which is that of the slowest candidate. */
static double worst_of(const struct pawl_tune *tune, double best) {
  double worst = LEAST_WORST * best;
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    if (isfinite(ratio)) worst = fmax(worst, fmin(ratio, MOST_WORST * best));
  }
  return worst;
}

static struct pawl_color search_picture_mix(struct pawl_color color, struct pawl_color paper,
                                            double share) {
  return (struct pawl_color){paper.red + share * (color.red - paper.red),
                             paper.green + share * (color.green - paper.green),
                             paper.blue + share * (color.blue - paper.blue)};
}

/* The best candidate has the full colour, on which white is easy to read. */
static struct pawl_color search_picture_color_of(double ratio, double best, double worst) {
  return search_picture_mix(theme->good, theme->paper,
                            0.12 + 0.88 * fmax(0, 1 - log(ratio / best) / log(worst / best)));
}

static void draw_cell(cairo_t *cr, struct pawl_box box, struct cell cell, double best,
                      double worst) {
  const bool works = isfinite(cell.least), failed = isinf(cell.least);
  const struct pawl_color ground = works ? search_picture_color_of(cell.least, best, worst)
                                         : search_picture_mix(theme->grid, theme->paper, 0.5);
  char text[24] = "x";
  cairo_rectangle(cr, box.x + 1, box.y + 1, box.width - 2, box.height - 2);
  pawl_set_color(cr, ground, 1);
  cairo_fill(cr);
  if (cell.current) {
    pawl_set_color(cr, theme->ink, 1);
    cairo_set_line_width(cr, FRAME);
    cairo_rectangle(cr, box.x + 1 + FRAME / 2, box.y + 1 + FRAME / 2, box.width - 2 - FRAME,
                    box.height - 2 - FRAME);
    cairo_stroke(cr);
  }
  if (works) snprintf(text, sizeof text, "%.2f", cell.least);
  if (failed || (works && box.width >= CELL_TEXT))
    words(cr, failed ? theme->bad : pawl_text_color_on(ground), 11, box.x + box.width / 2,
          box.y + box.height / 2, PAWL_ALIGN_CENTER, text);
}

static void draw_map(cairo_t *cr, const struct pawl_tune *tune,
                     const struct pawl_tune_insight *insight, struct pawl_box sheet) {
  const size_t across = insight->effects[0].axis, down = insight->effects[1].axis;
  const struct pawl_tune_axis *x_axis = &tune->space->axes[across],
                              *y_axis = &tune->space->axes[down];
  const struct pawl_box box = {sheet.x + LABELS, sheet.y + HEAD, sheet.width - LABELS,
                               sheet.height - HEAD - FOOT};
  const double width = box.width / (double)x_axis->count,
               height = box.height / (double)y_axis->count;
  const double best = least_of_all(tune), worst = worst_of(tune, best);
  pawl_draw_title(cr, theme, sheet, "The map",
                  "time / current; frame: current; x: failed; grey: untried");
  for (size_t y = 0; y < y_axis->count; y++) {
    const double top = box.y + (double)y * height;
    if (height >= 10 || y % 4 == 0)
      words(cr, theme->dim, 11, box.x - 8, top + height / 2, PAWL_ALIGN_RIGHT,
            y_axis->values[y].word);
    for (size_t x = 0; x < x_axis->count; x++)
      draw_cell(cr, (struct pawl_box){box.x + (double)x * width, top, width, height},
                cell_of(tune, across, down, (uint16_t)x, (uint16_t)y), best, worst);
  }
  for (size_t x = 0; x < x_axis->count; x++)
    if (width >= 22 || x % 4 == 0)
      words(cr, theme->dim, 11, box.x + ((double)x + 0.5) * width, box.y + box.height + 10,
            PAWL_ALIGN_CENTER, x_axis->values[x].word);
  char text[160];
  snprintf(text, sizeof text, "across: %.60s, down: %.60s", x_axis->name, y_axis->name);
  words(cr, theme->dim, 11, box.x + box.width, box.y + box.height + 28, PAWL_ALIGN_RIGHT, text);
}

/* --- the sheet --- */

bool pawl_search_has_picture(const struct pawl_tune *tune) {
  size_t timed = 0;
  for (size_t i = 0; i < tune->count; i++)
    timed += isfinite(pawl_tune_ratio(&tune->candidates[i])) ? 1 : 0;
  return timed >= 2;
}

struct search_sheet {
  const struct pawl_tune *tune;
  const struct pawl_tune_insight *insight;
};

static void draw_search(cairo_t *cr, const struct pawl_theme *light, const void *subject) {
  const struct search_sheet *search = subject;
  const bool map = search->insight->count >= 2;
  const double curve = map ? CURVE_WIDTH : WIDTH - 2 * MARGIN;
  (void)light;
  draw_curve(cr, search->tune, (struct pawl_box){MARGIN, MARGIN, curve, HEIGHT - 2 * MARGIN});
  if (map)
    draw_map(cr, search->tune, search->insight,
             (struct pawl_box){MARGIN + curve + MARGIN, MARGIN, WIDTH - curve - 3 * MARGIN,
                               HEIGHT - 2 * MARGIN});
}

pawl_status pawl_search_picture(const struct pawl_tune *tune,
                                const struct pawl_tune_insight *insight, const char *path,
                                struct pawl_error *err) {
  const struct search_sheet search = {tune, insight};
  return pawl_sheet_write(&(struct pawl_sheet){WIDTH, HEIGHT, theme, draw_search, &search}, path,
                          err);
}
