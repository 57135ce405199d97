/* SPDX-License-Identifier: Apache-2.0 */
#include "picture/cairo_library.h"

/* clang-format off */
#define CAIRO_FUNCTIONS(F) \
  F(cairo_arc) F(cairo_clip) F(cairo_close_path) F(cairo_create) F(cairo_destroy) F(cairo_fill) \
  F(cairo_fill_preserve) F(cairo_font_extents) F(cairo_image_surface_create) \
  F(cairo_image_surface_create_from_png_stream) F(cairo_image_surface_get_data) \
  F(cairo_image_surface_get_format) F(cairo_image_surface_get_height) \
  F(cairo_image_surface_get_stride) F(cairo_image_surface_get_width) F(cairo_line_to) \
  F(cairo_move_to) F(cairo_new_path) F(cairo_paint) F(cairo_rectangle) F(cairo_rel_line_to) \
  F(cairo_restore) F(cairo_rotate) F(cairo_save) F(cairo_scale) F(cairo_select_font_face) \
  F(cairo_set_dash) F(cairo_set_font_size) F(cairo_set_line_cap) F(cairo_set_line_width) \
  F(cairo_set_source_rgba) F(cairo_show_text) F(cairo_status) F(cairo_status_to_string) \
  F(cairo_stroke) F(cairo_surface_destroy) F(cairo_surface_finish) F(cairo_surface_flush) \
  F(cairo_surface_status) F(cairo_surface_write_to_png_stream) \
  F(cairo_svg_surface_create_for_stream) F(cairo_text_extents) F(cairo_translate)
/* clang-format on */
PAWL_LATE_LIBRARY(pawl_cairo, "libcairo.so.2", "libcairo2", CAIRO_FUNCTIONS);
