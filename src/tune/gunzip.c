/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/gunzip.h"

#include <string.h>
#include <zlib.h>

#define MAGIC "\x1f\x8b"
#define WINDOW (15 + 16) /* the largest window, and the gzip header alone */
#define CHUNK ((size_t)64 << 10)

/* Zeros after a member fill a block of a tape. */
static void skip_padding(z_stream *stream) {
  while (stream->avail_in && !*stream->next_in) {
    stream->next_in++;
    stream->avail_in--;
  }
}

/* Inflates all members one after another. */
static pawl_status inflate_all(z_stream *stream, size_t limit, struct pawl_text *out,
                               const char *name, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) Bytef *chunk = pawl_alloc(CHUNK, 1);
  int code = Z_OK;
  while (code != Z_STREAM_END || stream->avail_in) {
    if (code == Z_STREAM_END && inflateReset(stream) != Z_OK) break;
    stream->next_out = chunk;
    stream->avail_out = CHUNK;
    code = inflate(stream, Z_NO_FLUSH);
    pawl_text_add_bytes(out, chunk, CHUNK - stream->avail_out);
    if (out->length > limit)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' holds more than %zu MiB", name, limit >> 20);
    if (code == Z_STREAM_END) skip_padding(stream);
    if (code != Z_OK && code != Z_STREAM_END)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' is a damaged gzip file: %s", name,
                       stream->msg ? stream->msg : "it ends too early");
  }
  return PAWL_OK;
}

pawl_status pawl_gunzip(struct pawl_text *text, size_t limit, const char *name,
                        struct pawl_error *err) {
  if (text->length < 2 || memcmp(text->data, MAGIC, 2) != 0) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  z_stream stream = {.next_in = (Bytef *)text->data, .avail_in = (uInt)text->length};
  PAWL_ASSERT(text->length <= UINT32_MAX);
  PAWL_ASSERT(inflateInit2(&stream, WINDOW) == Z_OK);
  const enum pawl_status_code status = inflate_all(&stream, limit, &out, name, err);
  inflateEnd(&stream);
  if (status != PAWL_OK) return status;
  const struct pawl_text packed = *text;
  *text = out;
  out = packed;
  return PAWL_OK;
}
