/* SPDX-License-Identifier: Apache-2.0 */
/* PNG files of pictures with large areas of one colour. */
#pragma once

#include <cairo.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the file of a surface of the format CAIRO_FORMAT_RGB24, on which all is drawn. Each line
   has the filter "up", and zlib compresses at level 3. Cairo's own writer tries five filters for
   each line and compresses at level 6: it takes three times as long, for a file of seven tenths. */
pawl_status pawl_png_encode(cairo_surface_t *surface, struct pawl_text *out,
                            struct pawl_error *err);
