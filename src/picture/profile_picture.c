/* SPDX-License-Identifier: Apache-2.0 */
#include "picture/profile_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/draw_profile.h"
#include "profile/ceilings.h"
#include "profile/finding.h"
#include "profile/quantity.h"

#define WIDTH 980.0
#define MARGIN 28.0
#define HEAD 150.0
#define UPPER 360.0 /* the height of roofline and units */
#define LOWER 250.0 /* the height of stalls and memory */
#define MAX_CHANGES 6
#define CHANGE_ROW 26.0
#define ROOFLINE_HEIGHT 480.0

struct picture {
  const struct pawl_profile *profile;
  const struct pawl_profile_change *change; /* NULL: none */
  const struct pawl_profile_kernel *kernel;
};

/* --- lines --- */

/* Returns the number of bytes of `text` that fit, up to the last space, or all. */
static size_t fitting(cairo_t *cr, const char *text, double width) {
  size_t fits = 0, offset = 0;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  for (; text[offset]; offset += strspn(text + offset, " ")) {
    offset += strcspn(text + offset, " ");
    pawl_text_clear(&line);
    pawl_text_add_bytes(&line, text, offset);
    if (fits && pawl_text_width(cr, line.data) > width) return fits;
    fits = offset;
  }
  return fits;
}

/* Draws words in lines of at most `width`, with y at the middle of the first line. Draws at most
   `max` lines and shortens the last. Returns the height. */
static double draw_lines(cairo_t *cr, double x, double y, double width, int max, const char *text) {
  cairo_font_extents_t font;
  cairo_font_extents(cr, &font);
  const double step = font.height + 2;
  int line = 0;
  for (; line < max && *text; line++) {
    const size_t length = line + 1 == max ? strlen(text) : fitting(cr, text, width);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
    pawl_text_add_bytes(&words, text, length);
    pawl_draw_text(cr, x, y + line * step, width, PAWL_ALIGN_LEFT, pawl_text_string(&words));
    text += length;
    text += strspn(text, " ");
  }
  return line * step;
}

/* --- the parts of the page --- */

static void draw_head(cairo_t *cr, const struct pawl_theme *theme, const struct picture *picture) {
  const double width = WIDTH - 2 * MARGIN;
  struct pawl_finding *findings = pawl_alloc(pawl_rule_count, sizeof *findings);
  const size_t count = pawl_findings(picture->kernel, findings);
  char facts[160], time[PAWL_QUANTITY], clock[PAWL_QUANTITY], more[48] = "";
  pawl_quantity_text(picture->kernel->values[PAWL_COUNTER_DURATION], PAWL_UNIT_SECONDS, time);
  pawl_quantity_text(picture->kernel->values[PAWL_COUNTER_SM_CLOCK], PAWL_UNIT_HERTZ, clock);
  if (picture->profile->count > 1)
    snprintf(more, sizeof more, ", the longest of %zu kernels", picture->profile->count);
  snprintf(facts, sizeof facts, "%s%s%.60s, SMs at %s%s", time, picture->profile->gpu ? " on " : "",
           picture->profile->gpu ? picture->profile->gpu : "", clock, more);
  double y = MARGIN + 10;
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 17, true);
  pawl_draw_text(cr, MARGIN, y, width, PAWL_ALIGN_LEFT,
                 count ? findings->rule->title : "No rule holds");
  pawl_font(cr, 13, false);
  y += 26;
  if (count) y += draw_lines(cr, MARGIN, y, width, 2, findings->evidence);
  if (count) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text remedy = {0};
    pawl_text_printf(&remedy, "Try: %s", findings->remedy);
    y += draw_lines(cr, MARGIN, y, width, 2, remedy.data);
  }
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 12, false);
  pawl_draw_text(cr, MARGIN, y + 2, 0, PAWL_ALIGN_LEFT, facts);
  pawl_draw_text(cr, MARGIN, y + 20, width, PAWL_ALIGN_LEFT, picture->kernel->name);
  pawl_free(findings);
}

static size_t shown_changes(const struct picture *picture) {
  const struct pawl_kernel_change *row =
      picture->change && picture->change->count ? &picture->change->kernels[0] : NULL;
  size_t count = 0;
  while (row && count < row->count && count < MAX_CHANGES &&
         row->changes[count].kind != PAWL_CHANGE_FACT)
    count++;
  return count;
}

/* Draws the largest changes of the most changed kernel. A bar shows the share of the time that each
   can explain. */
static void draw_changes(cairo_t *cr, const struct pawl_theme *theme, const struct picture *picture,
                         double y) {
  const struct pawl_profile_change *change = picture->change;
  const struct pawl_box box = {MARGIN, y, WIDTH - 2 * MARGIN, 0};
  const bool reproduced = pawl_profile_reproduces(change);
  char note[160], what[64], before[PAWL_QUANTITY], after[PAWL_QUANTITY];
  if (reproduced)
    snprintf(what, sizeof what, "; each bar is the most that it can explain");
  else
    snprintf(what, sizeof what, ", not the %+.1f %% of the pairs: no share is known",
             change->paired.estimate * 100);
  snprintf(note, sizeof note, "%s -> %s (%+.1f %%)%s",
           pawl_quantity_text(change->base_seconds, PAWL_UNIT_SECONDS, before),
           pawl_quantity_text(change->candidate_seconds, PAWL_UNIT_SECONDS, after),
           (change->candidate_seconds / change->base_seconds - 1) * 100, what);
  pawl_draw_title(cr, theme, box, "What changed", note);
  const struct pawl_kernel_change *row = change->count ? &change->kernels[0] : NULL;
  const double total = row ? row->candidate_seconds - row->base_seconds : NAN;
  for (size_t i = 0; i < shown_changes(picture); i++) {
    const double middle = y + 42 + (double)i * CHANGE_ROW, share = row->changes[i].seconds / total;
    pawl_set_color(cr, theme->grid, 1);
    cairo_rectangle(cr, MARGIN, middle - 7, 96, 14), cairo_fill(cr);
    pawl_set_color(cr, total > 0 ? theme->bad : theme->good, 1);
    cairo_rectangle(cr, MARGIN, middle - 7, reproduced ? 96 * fmin(fmax(share, 0), 1) : 0, 14),
        cairo_fill(cr);
    pawl_set_color(cr, theme->ink, 1);
    pawl_font(cr, 12, false);
    pawl_draw_text(cr, MARGIN + 106, middle, box.width - 106, PAWL_ALIGN_LEFT,
                   row->changes[i].text);
  }
  if (shown_changes(picture)) return;
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 12, false);
  pawl_draw_text(cr, MARGIN, y + 42, box.width, PAWL_ALIGN_LEFT,
                 "no counter changed by more than its noise");
}

/* --- the pictures --- */

static double page_height(const struct picture *picture) {
  const size_t rows = shown_changes(picture);
  const double changes = picture->change ? 54 + CHANGE_ROW * (double)(rows ? rows : 1) : 0;
  return MARGIN + HEAD + UPPER + LOWER + changes + MARGIN;
}

static void draw_page(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct picture *picture = subject;
  const double width = WIDTH - 2 * MARGIN, upper = MARGIN + HEAD, lower = upper + UPPER;
  const double roofline = 560, stalls = 450;
  draw_head(cr, theme, picture);
  pawl_draw_ceilings(cr, theme, picture->kernel,
                     (struct pawl_box){MARGIN, upper, roofline, UPPER - 20});
  pawl_draw_units(
      cr, theme, picture->kernel,
      (struct pawl_box){MARGIN + roofline + 24, upper, width - roofline - 24, UPPER - 20});
  pawl_draw_stalls(cr, theme, picture->kernel, (struct pawl_box){MARGIN, lower, stalls, LOWER});
  pawl_draw_memory(cr, theme, picture->kernel,
                   (struct pawl_box){MARGIN + stalls + 24, lower, width - stalls - 24, LOWER});
  if (picture->change) draw_changes(cr, theme, picture, lower + LOWER);
}

static void draw_roofline_alone(cairo_t *cr, const struct pawl_theme *theme, const void *subject) {
  const struct picture *picture = subject;
  pawl_draw_ceilings(
      cr, theme, picture->kernel,
      (struct pawl_box){MARGIN, MARGIN, WIDTH - 2 * MARGIN, ROOFLINE_HEIGHT - 2 * MARGIN});
}

/* Writes FOLDER/NAME.png and FOLDER/NAME.svg in the light theme, and with "-dark" after the name in
   the dark theme. */
static pawl_status write_sheets(const char *folder, const char *name, double height,
                                void (*draw)(cairo_t *, const struct pawl_theme *, const void *),
                                const struct picture *picture, struct pawl_error *err) {
  for (int i = 0; i < 4; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
    const struct pawl_sheet sheet = {WIDTH, height, i / 2 ? &pawl_theme_dark : &pawl_theme_light,
                                     draw, picture};
    pawl_text_printf(&path, "%s/%s%s.%s", folder, name, i / 2 ? "-dark" : "",
                     i % 2 ? "svg" : "png");
    PAWL_TRY(pawl_sheet_write(&sheet, path.data, err));
  }
  return PAWL_OK;
}

pawl_status pawl_profile_pictures(const struct pawl_profile *profile,
                                  const struct pawl_profile_change *change, const char *folder,
                                  struct pawl_error *err) {
  struct pawl_ceilings ceilings;
  if (!profile->count || !isnan(profile->kernels[0].values[PAWL_COUNTER_CPU_TIME])) return PAWL_OK;
  const struct picture picture = {profile, change, pawl_profile_longest(profile)};
  PAWL_TRY(write_sheets(folder, "profile", page_height(&picture), draw_page, &picture, err));
  if (!pawl_profile_ceilings(picture.kernel, &ceilings)) return PAWL_OK;
  return write_sheets(folder, "roofline", ROOFLINE_HEIGHT, draw_roofline_alone, &picture, err);
}
