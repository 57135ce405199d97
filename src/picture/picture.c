/* SPDX-License-Identifier: Apache-2.0 */
/* The drawings put together: on a sheet for a PNG file, or as SVG for a page. */
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>

#include "base/count.h"
#include "base/file.h"
#include "picture/draw.h"
#include "picture/picture.h"
#include "picture/png.h"

#define SHEET_WIDTH 980.0
#define MARGIN 28.0
#define GAP 26.0
#define SCALE 2.0 /* pixels of a PNG for each unit, so that text stays sharp */

/* From top to bottom. */
static const struct {
  double (*height)(const struct pawl_run_report *report);
  void (*draw)(cairo_t *cr, const struct pawl_theme *theme, const struct pawl_run_report *report,
               struct pawl_box box);
} drawings[] = {{pawl_changes_height, pawl_draw_changes},
                {pawl_samples_height, pawl_draw_samples},
                {pawl_moves_height, pawl_draw_moves},
                {pawl_roofline_height, pawl_draw_roofline}};
#define DRAWINGS PAWL_COUNT(drawings)

/* 0: there is nothing to draw. */
static double sheet_height(const struct pawl_run_report *report) {
  double total = 0;
  for (size_t i = 0; i < DRAWINGS; i++) {
    const double height = drawings[i].height(report);
    if (height > 0) total += height + (total > 0 ? GAP : 2 * MARGIN);
  }
  return total;
}

static void draw_sheet(cairo_t *cr, const struct pawl_theme *theme,
                       const struct pawl_run_report *report) {
  double y = MARGIN;
  pawl_set_color(cr, theme->paper, 1);
  cairo_paint(cr);
  for (size_t i = 0; i < DRAWINGS; i++) {
    const struct pawl_box box = {MARGIN, y, SHEET_WIDTH - 2 * MARGIN, drawings[i].height(report)};
    if (!(box.height > 0)) continue;
    drawings[i].draw(cr, theme, report, box);
    y += box.height + GAP;
  }
}

bool pawl_picture_exists(const struct pawl_run_report *report) {
  return sheet_height(report) > 0;
}

static cairo_status_t picture_append(void *closure, const unsigned char *data, unsigned length) {
  pawl_text_add_bytes(closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static pawl_status picture_finish(cairo_t *cr, cairo_surface_t *surface, struct pawl_error *err) {
  const cairo_status_t status = cairo_status(cr) ? cairo_status(cr) : cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return PAWL_OK;
  return pawl_fail(err, PAWL_IO, "cannot draw the picture: %s", cairo_status_to_string(status));
}

static const struct pawl_theme *theme_of(bool dark) {
  return dark ? &pawl_theme_dark : &pawl_theme_light;
}

pawl_status pawl_picture_png(const struct pawl_run_report *report, bool dark, struct pawl_text *out,
                             struct pawl_error *err) {
  if (!pawl_picture_exists(report)) return PAWL_OK;
  cairo_surface_t *surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, (int)(SHEET_WIDTH * SCALE), (int)ceil(sheet_height(report) * SCALE));
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, SCALE, SCALE);
  draw_sheet(cr, theme_of(dark), report);
  enum pawl_status_code status = picture_finish(cr, surface, err);
  if (status == PAWL_OK) status = pawl_png_encode(surface, out, err);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return status;
}

pawl_status pawl_picture_svg(const struct pawl_run_report *report, bool dark, struct pawl_text *out,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text svg = {0};
  if (!pawl_picture_exists(report)) return PAWL_OK;
  cairo_surface_t *surface =
      cairo_svg_surface_create_for_stream(picture_append, &svg, SHEET_WIDTH, sheet_height(report));
  cairo_t *cr = cairo_create(surface);
  draw_sheet(cr, theme_of(dark), report);
  cairo_surface_finish(surface);
  const enum pawl_status_code status = picture_finish(cr, surface, err);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  PAWL_TRY(status);
  pawl_text_add_bytes(out, svg.data, svg.length);
  return PAWL_OK;
}

pawl_status pawl_picture_write(const struct pawl_run_report *report, const char *path, bool dark,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  if (!pawl_picture_exists(report))
    return pawl_fail(
        err, PAWL_BAD_DATA,
        "cannot draw '%s': no result has samples or a roofline, and no baseline moved twice", path);
  PAWL_TRY((pawl_ends_with(path, ".svg") ? pawl_picture_svg : pawl_picture_png)(report, dark, &file,
                                                                                err));
  return pawl_file_write(path, file.data, file.length, err);
}
