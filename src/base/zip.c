/* SPDX-License-Identifier: Apache-2.0 */
#include "base/zip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAGIC "\x1f\x8b"
#define WINDOW (15 + 16) /* the largest window, and the gzip header alone */
#define FAST_LEVEL 3     /* between 1 and 9 */
#define CHUNK ((size_t)64 << 10)

/* The length of the text, then zlib's stream. */
struct pack_header {
  uint32_t length;
};

/* The window and the tables fit the text: zlib clears its tables for each stream, which costs more
   than the compression of a short text. Returns the length of the stream. */
static size_t pack_text(const char *text, size_t length, Bytef *out, size_t room) {
  z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)text,
                     .avail_in = (uInt)length,
                     .next_out = out,
                     .avail_out = (uInt)room};
  int bits = 9; /* the smallest window of zlib */
  while (bits < MAX_WBITS && (size_t)1 << bits < length) bits++;
  PAWL_ASSERT(deflateInit2(&stream, 6, Z_DEFLATED, bits, bits - 7, Z_DEFAULT_STRATEGY) == Z_OK);
  PAWL_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

void pawl_pack_json(const json_t *value, struct pawl_text *out) {
  if (!value) return;
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  PAWL_ASSERT(text);
  const size_t length = strlen(text);
  PAWL_ASSERT(length < PAWL_JSON_FILE_LIMIT);
  const size_t room = length + length / 4 + 256; /* above zlib's bound for any window */
  PAWL_CLEANUP(pawl_free_pointer) Bytef *packed = pawl_alloc(room, 1);
  const size_t packed_length = pack_text(text, length, packed, room);
  free(text);
  const struct pack_header header = {(uint32_t)length};
  pawl_text_add_bytes(out, &header, sizeof header);
  pawl_text_add_bytes(out, packed, packed_length);
}

pawl_status pawl_unpack_json(const void *bytes, size_t length, json_t **out,
                             struct pawl_error *err) {
  struct pack_header header = {0};
  if (!length) {
    *out = NULL;
    return PAWL_OK;
  }
  if (length >= sizeof header) memcpy(&header, bytes, sizeof header);
  /* a database from elsewhere must not fill the memory */
  if (length < sizeof header || header.length > PAWL_JSON_FILE_LIMIT)
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged record");
  uLongf room = header.length;
  PAWL_CLEANUP(pawl_free_pointer) Bytef *text = pawl_alloc(room + 1, 1);
  const int code =
      uncompress(text, &room, (const Bytef *)bytes + sizeof header, length - sizeof header);
  if (code != Z_OK || room != header.length)
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged record");
  return pawl_json_parse((const char *)text, room, "the history", false, out, err);
}

void pawl_gzip(const void *bytes, size_t length, struct pawl_text *out) {
  z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes, .avail_in = (uInt)length};
  PAWL_ASSERT(length < PAWL_JSON_FILE_LIMIT);
  PAWL_ASSERT(deflateInit2(&stream, FAST_LEVEL, Z_DEFLATED, WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  const uLong room = deflateBound(&stream, length);
  PAWL_CLEANUP(pawl_free_pointer) Bytef *packed = pawl_alloc(room, 1);
  stream.next_out = packed;
  stream.avail_out = (uInt)room;
  PAWL_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  pawl_text_add_bytes(out, packed, stream.total_out);
  deflateEnd(&stream);
}

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
