/* SPDX-License-Identifier: Apache-2.0 */
#include "picture/draw.h"

#include <cairo-svg.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "picture/cairo_library.h"
#include "report/escape.h"

#define SCALE 2.0 /* pixels of a PNG for each unit, so that text stays sharp */
/* bytes of a PNG file: its signature and the chunk IHDR, in which the width precedes the height */
#define PNG_HEADER 33
#define PNG_WIDTH 16

#define RGB(hex) \
  { ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0 }

const struct pawl_theme pawl_theme_light = {
    .paper = RGB(0xffffff),
    .ink = RGB(0x1f2328),
    .dim = RGB(0x656d76),
    .grid = RGB(0xe4e7eb),
    .base = RGB(0x8c959f),
    .plain = RGB(0x0969da),
    .good = RGB(0x1a7f37),
    .bad = RGB(0xcf222e),
    .doubt = RGB(0x9a6700),
    .series = {RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7), RGB(0xb58900),
               RGB(0x56b4e9)},
};
const struct pawl_theme pawl_theme_dark = {
    .paper = RGB(0x0d1117),
    .ink = RGB(0xe6edf3),
    .dim = RGB(0x9198a1),
    .grid = RGB(0x2b313a),
    .base = RGB(0x8b949e),
    .plain = RGB(0x58a6ff),
    .good = RGB(0x3fb950),
    .bad = RGB(0xff7b72),
    .doubt = RGB(0xd29922),
    .series = {RGB(0x56b4e9), RGB(0xff8c42), RGB(0x2fc59b), RGB(0xe59ac5), RGB(0xe0b84c),
               RGB(0x4d8fd1)},
};

void pawl_set_color(cairo_t *cr, struct pawl_color color, double alpha) {
  cairo_set_source_rgba(cr, color.red, color.green, color.blue, alpha);
}

static double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4);
}

/* https://www.w3.org/TR/WCAG22/#dfn-relative-luminance and #dfn-contrast-ratio */
static double luminance(struct pawl_color color) {
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

struct pawl_color pawl_text_color_on(struct pawl_color ground) {
  const double of_white = 1.05 / (luminance(ground) + 0.05),
               of_black = (luminance(ground) + 0.05) / 0.05;
  return of_white > of_black ? (struct pawl_color)RGB(0xffffff) : (struct pawl_color)RGB(0x000000);
}

void pawl_font(cairo_t *cr, double size, bool bold) {
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

double pawl_tick_step(double range) {
  const double power = pow(10, floor(log10(range / 10)));
  const double factors[] = {1, 2, 5, 10};
  for (int i = 0; i < 4; i++)
    if (range / (factors[i] * power) <= 10) return factors[i] * power;
  return 20 * power;
}

static double width_of(cairo_t *cr, const char *text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cr, text, &extents);
  return extents.x_advance;
}

double pawl_text_width(cairo_t *cr, const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(text, false, &clean);
  return width_of(cr, pawl_text_string(&clean));
}

/* Removes whole characters from the end until text and ellipsis fit. */
static void fit(cairo_t *cr, struct pawl_text *text, double room) {
  static const char ellipsis[] = "\xe2\x80\xa6";
  if (room <= 0 || width_of(cr, pawl_text_string(text)) <= room) return;
  size_t length = text->length;
  struct pawl_text cut = {0};
  do {
    while (length > 0 && ((unsigned char)text->data[--length] & 0xc0) == 0x80) continue;
    pawl_text_clear(&cut);
    pawl_text_add_bytes(&cut, text->data, length);
    pawl_text_add(&cut, ellipsis);
  } while (length > 0 && width_of(cr, cut.data) > room);
  pawl_text_clear(text);
  *text = cut;
}

double pawl_draw_text(cairo_t *cr, double x, double y, double room, enum pawl_align align,
                      const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(text, false, &clean);
  if (clean.length > 400)
    clean.data[400] = '\0',
    clean.length = 400; /* no label is longer, and the limit keeps fitting cheap */
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text valid = {0};
  pawl_clean_text(pawl_text_string(&clean), false, &valid);
  fit(cr, &valid, room);
  cairo_font_extents_t font;
  cairo_font_extents(cr, &font);
  const double width = width_of(cr, pawl_text_string(&valid));
  const double left = align == PAWL_ALIGN_LEFT     ? x
                      : align == PAWL_ALIGN_CENTER ? x - width / 2
                                                   : x - width;
  cairo_move_to(cr, left, y + (font.ascent - font.descent) / 2);
  cairo_show_text(cr, pawl_text_string(&valid));
  cairo_new_path(cr); /* otherwise the next curve would begin at the end of the text */
  return width;
}

void pawl_draw_title(cairo_t *cr, const struct pawl_theme *theme, struct pawl_box box,
                     const char *title, const char *note) {
  pawl_set_color(cr, theme->ink, 1);
  pawl_font(cr, 16, true);
  const double width = pawl_draw_text(cr, box.x, box.y + 12, 0, PAWL_ALIGN_LEFT, title);
  pawl_set_color(cr, theme->dim, 1);
  pawl_font(cr, 12, false);
  pawl_draw_text(cr, box.x + width + 14, box.y + 13, 0, PAWL_ALIGN_LEFT, note);
}

static cairo_status_t append(void *out, const unsigned char *data, unsigned length) {
  pawl_text_add_bytes(out, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Creates the surface of the sheet; an SVG goes to `svg`, and NULL is an image. */
static cairo_surface_t *sheet_surface(const struct pawl_sheet *sheet, struct pawl_text *svg) {
  return svg ? cairo_svg_surface_create_for_stream(append, svg, sheet->width, sheet->height)
             : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(sheet->width * SCALE),
                                          (int)ceil(sheet->height * SCALE));
}

static cairo_status_t sheet_paint(const struct pawl_sheet *sheet, double scale,
                                  cairo_surface_t *surface) {
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, scale, scale);
  pawl_set_color(cr, sheet->theme->paper, 1);
  cairo_paint(cr);
  sheet->draw(cr, sheet->theme, sheet->subject);
  const cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  return status;
}

pawl_status pawl_sheet_draw(const struct pawl_sheet *sheet, bool svg, struct pawl_text *out,
                            struct pawl_error *err) {
  PAWL_TRY(pawl_late_library_open(&pawl_cairo, err));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  cairo_surface_t *surface = sheet_surface(sheet, svg ? &file : NULL);
  cairo_status_t status = sheet_paint(sheet, svg ? 1 : SCALE, surface);
  if (!status && !svg) status = cairo_surface_write_to_png_stream(surface, append, &file);
  cairo_surface_finish(surface);
  if (!status) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status)
    return pawl_fail(err, PAWL_IO, "cannot draw the picture: %s", cairo_status_to_string(status));
  pawl_text_add_bytes(out, file.data, file.length);
  return PAWL_OK;
}

/* --- a sheet and a file --- */

struct sheet_reader {
  const struct pawl_text *file;
  size_t at;
};

static cairo_status_t sheet_read(void *context, unsigned char *data, unsigned length) {
  struct sheet_reader *reader = context;
  if (reader->file->length - reader->at < length) return CAIRO_STATUS_READ_ERROR;
  memcpy(data, reader->file->data + reader->at, length);
  reader->at += length;
  return CAIRO_STATUS_SUCCESS;
}

/* Returns the number of four bytes of a PNG file. */
static uint32_t sheet_read_size(const struct pawl_text *png, size_t at) {
  const unsigned char *byte = (const unsigned char *)png->data + at;
  return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* The size comes first, so that a file from elsewhere does not fill the memory. */
static bool sheet_has_size(const struct pawl_sheet *sheet, const struct pawl_text *png) {
  return png->length >= PNG_HEADER &&
         sheet_read_size(png, PNG_WIDTH) == (uint32_t)(sheet->width * SCALE) &&
         sheet_read_size(png, PNG_WIDTH + 4) == (uint32_t)ceil(sheet->height * SCALE);
}

/* The fourth byte of a pixel means nothing. */
static bool sheet_same_pixels(cairo_surface_t *a, cairo_surface_t *b) {
  const int width = cairo_image_surface_get_width(a), height = cairo_image_surface_get_height(a);
  if (cairo_image_surface_get_format(b) != CAIRO_FORMAT_RGB24) return false;
  for (int y = 0; y < height; y++) {
    const unsigned char *left =
                            cairo_image_surface_get_data(a) + y * cairo_image_surface_get_stride(a),
                        *right =
                            cairo_image_surface_get_data(b) + y * cairo_image_surface_get_stride(b);
    for (int x = 0; x < width; x++) {
      uint32_t one, other;
      memcpy(&one, left + 4 * x, sizeof one);
      memcpy(&other, right + 4 * x, sizeof other);
      if ((one ^ other) & 0xffffff) return false;
    }
  }
  return true;
}

static bool sheet_is_png(const struct pawl_sheet *sheet, const struct pawl_text *file) {
  struct sheet_reader reader = {file, 0};
  if (!sheet_has_size(sheet, file)) return false;
  cairo_surface_t *there = cairo_image_surface_create_from_png_stream(sheet_read, &reader),
                  *drawn = sheet_surface(sheet, NULL);
  const bool painted = !sheet_paint(sheet, SCALE, drawn);
  cairo_surface_flush(drawn);
  const bool same = painted && !cairo_surface_status(there) && !cairo_surface_status(drawn) &&
                    reader.at == file->length && sheet_same_pixels(drawn, there);
  cairo_surface_destroy(there);
  cairo_surface_destroy(drawn);
  return same;
}

/* Returns the bytes up to the number of the surface, which counts all surfaces that the process has
   drawn; *after: the bytes behind it. */
static size_t sheet_split(const struct pawl_text *svg, size_t *after) {
  static const char mark[] = "<g id=\"surface";
  const char *text = pawl_text_string(svg),
             *found = memmem(text, svg->length, mark, sizeof mark - 1);
  const size_t at = found ? (size_t)(found - text) + sizeof mark - 1 : svg->length;
  *after = svg->length - at - strspn(text + at, "0123456789");
  return at;
}

static bool sheet_same_svg(const struct pawl_text *a, const struct pawl_text *b) {
  size_t a_after, b_after;
  const size_t at = sheet_split(a, &a_after);
  return at == sheet_split(b, &b_after) && a_after == b_after &&
         !memcmp(pawl_text_string(a), pawl_text_string(b), at) &&
         !memcmp(pawl_text_string(a) + a->length - a_after,
                 pawl_text_string(b) + b->length - b_after, a_after);
}

bool pawl_sheet_is(const struct pawl_sheet *sheet, bool svg, const struct pawl_text *file) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text drawn = {0};
  struct pawl_error ignored;
  if (pawl_late_library_open(&pawl_cairo, &ignored) != PAWL_OK) return false;
  if (!svg) return sheet_is_png(sheet, file);
  return pawl_sheet_draw(sheet, true, &drawn, &ignored) == PAWL_OK && sheet_same_svg(&drawn, file);
}

pawl_status pawl_sheet_write(const struct pawl_sheet *sheet, const char *path,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  PAWL_TRY(pawl_sheet_draw(sheet, pawl_ends_with(path, ".svg"), &file, err));
  return pawl_file_write(path, file.data, file.length, err);
}

void pawl_draw_line(cairo_t *cr, double x0, double y0, double x1, double y1) {
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
  cairo_stroke(cr);
}
