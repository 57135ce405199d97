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

void pawl_pack_json(const json_t *value, struct pawl_text *out) {
  if (!value) return;
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  PAWL_ASSERT(text);
  const size_t length = strlen(text);
  PAWL_ASSERT(length < UNPACKED_LIMIT);
  uLongf room = compressBound(length);
  PAWL_CLEANUP(pawl_free_pointer) Bytef *packed = pawl_alloc(room, 1);
  PAWL_ASSERT(compress2(packed, &room, (const Bytef *)text, length, 6) == Z_OK);
  free(text);
  const struct pack_header header = {(uint32_t)length};
  pawl_text_add_bytes(out, &header, sizeof header);
  pawl_text_add_bytes(out, packed, room);
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
