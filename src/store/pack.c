/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define UNPACKED_LIMIT \
  PAWL_JSON_FILE_LIMIT /* bytes: a database from elsewhere must not fill the memory */

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
  PAWL_ASSERT(length < UNPACKED_LIMIT);
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
  struct pack_header header;
  if (!length) {
    *out = NULL;
    return PAWL_OK;
  }
  if (length < sizeof header)
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged record");
  memcpy(&header, bytes, sizeof header);
  if (header.length > UNPACKED_LIMIT)
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged record");
  uLongf room = header.length;
  PAWL_CLEANUP(pawl_free_pointer) Bytef *text = pawl_alloc(room + 1, 1);
  const int code =
      uncompress(text, &room, (const Bytef *)bytes + sizeof header, length - sizeof header);
  if (code != Z_OK || room != header.length)
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged record");
  return pawl_json_parse((const char *)text, room, "the history", false, out, err);
}
