/* SPDX-License-Identifier: Apache-2.0 */
/* Combines the drawings, on a sheet for a PNG file or as SVG for a page. */
#include "picture/picture.h"
#include "base/count.h"
#include "picture/draw.h"

#define SHEET_WIDTH 980.0
#define MARGIN 28.0
#define GAP 26.0

/* the drawings from top to bottom */
static const struct {
  double (*height)(const struct pawl_run_report *report);
  void (*draw)(cairo_t *cr, const struct pawl_theme *theme, const struct pawl_run_report *report,
               struct pawl_box box);
} drawings[] = {{pawl_changes_height, pawl_draw_changes},
                {pawl_samples_height, pawl_draw_samples},
                {pawl_moves_height, pawl_draw_moves},
                {pawl_roofline_height, pawl_draw_roofline}};
#define DRAWINGS PAWL_COUNT(drawings)

/* Returns the height of all drawings, or 0 if there is nothing to draw. */
static double sheet_height(const struct pawl_run_report *report) {
  double total = 0;
  for (size_t i = 0; i < DRAWINGS; i++) {
    const double height = drawings[i].height(report);
    if (height > 0) total += height + (total > 0 ? GAP : 2 * MARGIN);
  }
  return total;
}

static void draw_sheet(cairo_t *cr, const struct pawl_theme *theme, const void *report) {
  double y = MARGIN;
  for (size_t i = 0; i < DRAWINGS; i++) {
    const struct pawl_box box = {MARGIN, y, SHEET_WIDTH - 2 * MARGIN, drawings[i].height(report)};
    if (!(box.height > 0)) continue;
    drawings[i].draw(cr, theme, report, box);
    y += box.height + GAP;
  }
}

bool pawl_picture_exists(const struct pawl_run_report *report) { return sheet_height(report) > 0; }

static struct pawl_sheet sheet_of(const struct pawl_run_report *report, bool dark) {
  return (struct pawl_sheet){SHEET_WIDTH, sheet_height(report),
                             dark ? &pawl_theme_dark : &pawl_theme_light, draw_sheet, report};
}

pawl_status pawl_picture_draw(const struct pawl_run_report *report, bool svg, bool dark,
                              struct pawl_text *out, struct pawl_error *err) {
  const struct pawl_sheet sheet = sheet_of(report, dark);
  return sheet.height > 0 ? pawl_sheet_draw(&sheet, svg, out, err) : PAWL_OK;
}

pawl_status pawl_picture_write(const struct pawl_run_report *report, const char *path, bool dark,
                               struct pawl_error *err) {
  const struct pawl_sheet sheet = sheet_of(report, dark);
  if (sheet.height > 0) return pawl_sheet_write(&sheet, path, err);
  return pawl_fail(
      err, PAWL_BAD_DATA,
      "cannot draw '%s': no result has samples or a roofline, and no baseline moved twice", path);
}
