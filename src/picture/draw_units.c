/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "picture/draw_profile.h"
#include "profile/quantity.h"

#define ROW 21.0
#define BUSY 60.0 /* percent, as in profile/gpu_rules.c */
#define SHOWN_STALLS 8

typedef const struct pawl_profile_kernel *profiled;

/* Draws a labelled bar over its full length. share: 0..1. */
static void draw_bar(cairo_t *cr, const struct pawl_theme *theme, struct pawl_box track,
                     double share, struct pawl_color color) {
  pawl_set_color(cr, theme->grid, 1);
  cairo_rectangle(cr, track.x, track.y, track.width, track.height), cairo_fill(cr);
  pawl_set_color(cr, color, 1);
  cairo_rectangle(cr, track.x, track.y, track.width * fmin(fmax(share, 0), 1), track.height),
      cairo_fill(cr);
}

/* --- speed of light --- */

void pawl_draw_units(cairo_t *cr, const struct pawl_theme *theme, profiled kernel,
                     struct pawl_box box) {
  static const enum pawl_counter units[] = {
      PAWL_COUNTER_TENSOR, PAWL_COUNTER_XU,       PAWL_COUNTER_FMA, PAWL_COUNTER_ALU,
      PAWL_COUNTER_FP64,   PAWL_COUNTER_ISSUE,    PAWL_COUNTER_L1,  PAWL_COUNTER_L2,
      PAWL_COUNTER_DRAM,   PAWL_COUNTER_OCCUPANCY};
  char text[PAWL_QUANTITY];
  const double label = 92, number = 48, width = box.width - label - number;
  pawl_draw_title(cr, theme, box, "Units", "percent of the peak");
  for (size_t i = 0; i < PAWL_COUNT(units); i++) {
    const double percent = kernel->values[units[i]], y = box.y + 46 + (double)i * (ROW + 7);
    const bool unit = units[i] != PAWL_COUNTER_OCCUPANCY;
    pawl_set_color(cr, theme->ink, 1);
    pawl_font(cr, 12, false);
    pawl_draw_text(cr, box.x, y, label - 6, PAWL_ALIGN_LEFT, pawl_counter_infos[units[i]].label);
    draw_bar(cr, theme, (struct pawl_box){box.x + label, y - 7, width, 14},
             isnan(percent) ? 0 : percent / 100,
             !unit             ? theme->base
             : percent >= BUSY ? theme->doubt
                               : theme->plain);
    pawl_set_color(cr, theme->ink, 1);
    pawl_draw_text(cr, box.x + box.width, y, number, PAWL_ALIGN_RIGHT,
                   pawl_quantity_text(percent, PAWL_UNIT_PERCENT, text));
  }
  const double x = box.x + label + width * BUSY / 100, count = PAWL_COUNT(units);
  static const double dashes[] = {3, 3};
  pawl_set_color(cr, theme->dim, 1);
  cairo_save(cr);
  cairo_set_line_width(cr, 1);
  cairo_set_dash(cr, dashes, 2, 0);
  cairo_move_to(cr, x, box.y + 34), cairo_line_to(cr, x, box.y + 46 + count * (ROW + 7) - 16),
      cairo_stroke(cr);
  cairo_restore(cr);
}

/* --- stalls --- */

void pawl_draw_stalls(cairo_t *cr, const struct pawl_theme *theme, profiled kernel,
                      struct pawl_box box) {
  struct pawl_stall_share shares[PAWL_STALLS];
  char text[PAWL_QUANTITY];
  pawl_profile_stalls(kernel, shares);
  pawl_draw_title(cr, theme, box, "What a warp waits for", shares[0].share > 0 ? "" : "unknown");
  for (int i = 0; i < SHOWN_STALLS && shares[i].share > 0; i++) {
    const double y = box.y + 42 + i * (ROW + 3);
    const bool works = shares[i].stall == PAWL_STALL_SELECTED;
    draw_bar(cr, theme, (struct pawl_box){box.x, y - 7, 96, 14}, shares[i].share / shares[0].share,
             works ? theme->good : theme->series[1]);
    pawl_set_color(cr, theme->ink, 1);
    pawl_font(cr, 12, false);
    pawl_draw_text(cr, box.x + 138, y, 0, PAWL_ALIGN_RIGHT,
                   pawl_quantity_text(shares[i].share * 100, PAWL_UNIT_PERCENT, text));
    pawl_draw_text(cr, box.x + 148, y, box.width - 148, PAWL_ALIGN_LEFT,
                   pawl_stall_infos[shares[i].stall].wait_for);
  }
}

/* --- memory --- */

/* Draws a level with its name, a fact and its use. */
static void draw_level(cairo_t *cr, const struct pawl_theme *theme, struct pawl_box box,
                       const char *name, const char *fact, double percent) {
  pawl_set_color(cr, theme->grid, 1);
  cairo_rectangle(cr, box.x, box.y, box.width, box.height), cairo_fill(cr);
  if (percent > 0) { /* the fill begins at the bottom */
    const double height = box.height * fmin(percent, 100) / 100;
    pawl_set_color(cr, percent >= BUSY ? theme->doubt : theme->plain, 0.55);
    cairo_rectangle(cr, box.x, box.y + box.height - height, box.width, height), cairo_fill(cr);
  }
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 13, true);
  pawl_draw_text(cr, box.x + box.width / 2, box.y + 20, box.width - 6, PAWL_ALIGN_CENTER, name);
  pawl_font(cr, 11, false);
  pawl_draw_text(cr, box.x + box.width / 2, box.y + 42, box.width - 4, PAWL_ALIGN_CENTER, fact);
  char text[PAWL_QUANTITY];
  if (isnan(percent)) return;
  pawl_draw_text(cr, box.x + box.width / 2, box.y + box.height - 14, box.width - 4,
                 PAWL_ALIGN_CENTER, pawl_quantity_text(percent, PAWL_UNIT_PERCENT, text));
}

/* Draws the bytes that move from right to left, or back. */
static void draw_flow(cairo_t *cr, const struct pawl_theme *theme, double left, double right,
                      double y, bool back, double bytes) {
  char text[PAWL_QUANTITY];
  const double tip = back ? right : left, inwards = back ? -7 : 7;
  pawl_set_color(cr, theme->ink, 1);
  cairo_set_line_width(cr, 1.5);
  cairo_move_to(cr, left, y), cairo_line_to(cr, right, y);
  cairo_move_to(cr, tip + inwards, y - 4), cairo_line_to(cr, tip, y),
      cairo_line_to(cr, tip + inwards, y + 4);
  cairo_stroke(cr);
  pawl_font(cr, 11, false);
  pawl_draw_text(cr, (left + right) / 2, y - 9, 0, PAWL_ALIGN_CENTER,
                 pawl_quantity_text(bytes, PAWL_UNIT_BYTES, text));
}

static const char *hits(profiled kernel, enum pawl_counter counter, char *out, size_t size) {
  char text[PAWL_QUANTITY];
  snprintf(out, size, "%s hit",
           pawl_quantity_text(kernel->values[counter], PAWL_UNIT_PERCENT, text));
  return out;
}

void pawl_draw_memory(cairo_t *cr, const struct pawl_theme *theme, profiled kernel,
                      struct pawl_box box) {
  const double *v = kernel->values, gap = 86, width = (box.width - 2 * gap) / 3, y = box.y + 40,
               height = 120;
  const double l2 = box.x + width + gap, dram = box.x + 2 * (width + gap);
  char text[64], number[PAWL_QUANTITY], more[PAWL_QUANTITY];
  pawl_draw_title(cr, theme, box, "Memory", "bytes that moved, and how busy each level is");
  draw_level(cr, theme, (struct pawl_box){box.x, y, width, height}, "L1, shared",
             hits(kernel, PAWL_COUNTER_L1_HIT, text, sizeof text), v[PAWL_COUNTER_L1]);
  draw_level(cr, theme, (struct pawl_box){l2, y, width, height}, "L2",
             hits(kernel, PAWL_COUNTER_L2_HIT, text, sizeof text), v[PAWL_COUNTER_L2]);
  draw_level(cr, theme, (struct pawl_box){dram, y, width, height}, "DRAM", "",
             v[PAWL_COUNTER_DRAM]);
  draw_flow(cr, theme, box.x + width + 6, l2 - 6, y + 42, false, v[PAWL_COUNTER_L2_TO_L1]);
  draw_flow(cr, theme, box.x + width + 6, l2 - 6, y + 88, true, v[PAWL_COUNTER_L1_TO_L2]);
  draw_flow(cr, theme, l2 + width + 6, dram - 6, y + 42, false, v[PAWL_COUNTER_DRAM_READ]);
  draw_flow(cr, theme, l2 + width + 6, dram - 6, y + 88, true, v[PAWL_COUNTER_DRAM_WRITE]);
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 12, false);
  snprintf(text, sizeof text, "bank conflicts: %s of %s wavefronts",
           pawl_quantity_text(v[PAWL_COUNTER_CONFLICTS], PAWL_UNIT_COUNT, number),
           pawl_quantity_text(v[PAWL_COUNTER_WAVEFRONTS], PAWL_UNIT_COUNT, more));
  pawl_draw_text(cr, box.x, y + height + 18, box.width, PAWL_ALIGN_LEFT, text);
  snprintf(text, sizeof text, "spills: %s requests; registers a thread: %s",
           pawl_quantity_text(v[PAWL_COUNTER_SPILLS], PAWL_UNIT_COUNT, number),
           pawl_quantity_text(v[PAWL_COUNTER_REGISTERS], PAWL_UNIT_COUNT, more));
  pawl_draw_text(cr, box.x, y + height + 38, box.width, PAWL_ALIGN_LEFT, text);
}
