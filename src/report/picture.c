/* SPDX-License-Identifier: Apache-2.0 */
/* The drawings put together: on a sheet for a PNG file, or as SVG for a page. */
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "report/draw.h"

#define SHEET_WIDTH 980.0
#define MARGIN 28.0
#define GAP 26.0
#define SCALE 2.0 /* pixels of a PNG for each unit, so that text stays sharp */

/* The upper drawing: what was judged, else what was measured. */
static double upper_height(const struct pawl_run_report *report) {
  const double changes = pawl_changes_height(report);
  return changes > 0 ? changes : pawl_samples_height(report);
}

static double sheet_height(const struct pawl_run_report *report) {
  const double roofline = pawl_roofline_height(report), upper = upper_height(report);
  return roofline + upper + (roofline > 0 && upper > 0 ? GAP : 0) + 2 * MARGIN;
}

static void draw_sheet(cairo_t *cr, const struct pawl_theme *theme, const struct pawl_run_report *report) {
  const double roofline = pawl_roofline_height(report), upper = upper_height(report);
  const double width = SHEET_WIDTH - 2 * MARGIN;
  double y = MARGIN;
  pawl_set_color(cr, theme->paper, 1);
  cairo_paint(cr);
  if (upper > 0) {
    const struct pawl_box box = {MARGIN, y, width, upper};
    (pawl_changes_height(report) > 0 ? pawl_draw_changes : pawl_draw_samples)(cr, theme, report, box);
    y += upper + GAP;
  }
  if (roofline > 0) pawl_draw_roofline(cr, theme, report, (struct pawl_box){MARGIN, y, width, roofline});
}

bool pawl_report_has_picture(const struct pawl_run_report *report) {
  return pawl_roofline_height(report) > 0 || upper_height(report) > 0;
}

static cairo_status_t append(void *closure, const unsigned char *data, unsigned length) {
  pawl_text_add_bytes(closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static pawl_status finish(cairo_t *cr, cairo_surface_t *surface, struct pawl_error *err) {
  const cairo_status_t status = cairo_status(cr) ? cairo_status(cr) : cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return PAWL_OK;
  return pawl_fail(err, PAWL_IO, "cannot draw the picture: %s", cairo_status_to_string(status));
}

pawl_status pawl_report_picture(const struct pawl_run_report *report, const char *path, struct pawl_error *err) {
  if (!pawl_report_has_picture(report))
    return pawl_fail(err, PAWL_BAD_DATA, "cannot draw '%s': no result has samples or a roofline", path);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text png = {0};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(SHEET_WIDTH * SCALE),
                                                        (int)ceil(sheet_height(report) * SCALE));
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, SCALE, SCALE);
  draw_sheet(cr, &pawl_theme_light, report);
  enum pawl_status_code status = finish(cr, surface, err);
  if (status == PAWL_OK && cairo_surface_write_to_png_stream(surface, append, &png) != CAIRO_STATUS_SUCCESS)
    status = pawl_fail(err, PAWL_IO, "cannot encode '%s' as PNG", path);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  PAWL_TRY(status);
  return pawl_file_write(path, png.data, png.length, err);
}

pawl_status pawl_picture_svg(const struct pawl_run_report *report, const struct pawl_theme *theme,
                             struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text svg = {0};
  if (!pawl_report_has_picture(report)) return PAWL_OK;
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream(append, &svg, SHEET_WIDTH, sheet_height(report));
  cairo_t *cr = cairo_create(surface);
  draw_sheet(cr, theme, report);
  cairo_surface_finish(surface);
  const enum pawl_status_code status = finish(cr, surface, err);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  PAWL_TRY(status);
  pawl_text_add_bytes(out, svg.data, svg.length);
  return PAWL_OK;
}
