/* SPDX-License-Identifier: Apache-2.0 */
/* The format: W3C, Portable Network Graphics Specification, third edition. */
#include "picture/png.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

/* On these pictures zlib's level 3 is no slower than level 1, and its files are 2 % smaller. */
#define LEVEL 3
#define FILTER_UP 2
#define HEADER_BYTES 13 /* The format fixes the size of the chunk IHDR. */
#define CHANNELS 3

static void put_u32(unsigned char *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* `type`: four letters. */
static void add_chunk(struct pawl_text *out, const char *type, const unsigned char *data,
                      size_t length) {
  unsigned char number[4];
  put_u32(number, (uint32_t)length);
  pawl_text_add_bytes(out, number, sizeof number);
  pawl_text_add_bytes(out, type, 4);
  if (length) pawl_text_add_bytes(out, data, length);
  const uLong crc = crc32(0, (const Bytef *)type, 4);
  put_u32(number, (uint32_t)(length ? crc32(crc, data, (uInt)length) : crc));
  pawl_text_add_bytes(out, number, sizeof number);
}

/* Cairo keeps a pixel in 32 bits of the machine's own byte order; the upper eight mean nothing. The
   file stores how each line differs from the line above: most pixels do not, and zlib packs these
   zeros well. */
static void png_put_line(const unsigned char *from, const unsigned char *above, int width,
                         unsigned char *to) {
  *to++ = FILTER_UP;
  for (int x = 0; x < width; x++, to += CHANNELS) {
    uint32_t pixel, other = 0;
    memcpy(&pixel, from + 4 * (size_t)x, sizeof pixel);
    if (above) memcpy(&other, above + 4 * (size_t)x, sizeof other);
    for (int i = 0; i < CHANNELS; i++) {
      const int shift = 16 - 8 * i;
      to[i] = (unsigned char)((pixel >> shift) - (other >> shift));
    }
  }
}

static void add_header(struct pawl_text *out, int width, int height) {
  static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  unsigned char header[HEADER_BYTES] = {0};
  pawl_text_add_bytes(out, signature, sizeof signature);
  put_u32(header, (uint32_t)width);
  put_u32(header + 4, (uint32_t)height);
  header[8] = 8; /* bits of each channel */
  header[9] = 2; /* red, green, blue; then deflate, the five filters, not interlaced */
  add_chunk(out, "IHDR", header, sizeof header);
}

pawl_status pawl_png_encode(cairo_surface_t *surface, struct pawl_text *out,
                            struct pawl_error *err) {
  PAWL_ASSERT(cairo_image_surface_get_format(surface) == CAIRO_FORMAT_RGB24);
  const int width = cairo_image_surface_get_width(surface),
            height = cairo_image_surface_get_height(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  const size_t line = 1 + (size_t)width * CHANNELS;
  cairo_surface_flush(surface);
  const unsigned char *pixels = cairo_image_surface_get_data(surface);
  PAWL_CLEANUP(pawl_free_pointer) unsigned char *lines = pawl_alloc((size_t)height, line);
  for (int y = 0; y < height; y++) {
    const unsigned char *from = pixels + (size_t)y * (size_t)stride;
    png_put_line(from, y ? from - stride : NULL, width, lines + (size_t)y * line);
  }
  uLongf length = compressBound((uLong)((size_t)height * line));
  PAWL_CLEANUP(pawl_free_pointer) unsigned char *packed = pawl_alloc(length, 1);
  const int result = compress2(packed, &length, lines, (uLong)((size_t)height * line), LEVEL);
  if (result != Z_OK)
    return pawl_fail(err, PAWL_IO, "cannot encode the picture as PNG: zlib returns %d", result);
  add_header(out, width, height);
  add_chunk(out, "IDAT", packed, length);
  add_chunk(out, "IEND", NULL, 0);
  return PAWL_OK;
}
