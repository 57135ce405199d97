/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/hex.h"

static struct pawl_hash from_xxh(XXH128_hash_t hash) {
  return (struct pawl_hash){.high = hash.high64, .low = hash.low64};
}

struct pawl_hash pawl_hash_bytes(const void *data, size_t length) {
  return from_xxh(XXH3_128bits(data, length));
}

bool pawl_hash_equal(struct pawl_hash a, struct pawl_hash b) {
  return a.high == b.high && a.low == b.low;
}

void pawl_hash_format(struct pawl_hash hash, char out[PAWL_HASH_TEXT]) {
  const uint64_t words[] = {htobe64(hash.high), htobe64(hash.low)};
  pawl_hex_format((const unsigned char *)words, sizeof words, out);
}

bool pawl_hash_parse(const char *text, struct pawl_hash *out) {
  uint64_t words[2];
  if (!pawl_hex_parse(text, (unsigned char *)words, sizeof words)) return false;
  *out = (struct pawl_hash){.high = be64toh(words[0]), .low = be64toh(words[1])};
  return true;
}

void pawl_hasher_init(struct pawl_hasher *hasher) {
  XXH3_state_t *state = XXH3_createState();
  PAWL_ASSERT(state);
  XXH3_128bits_reset(state);
  hasher->state = state;
}

void pawl_hasher_add_length(struct pawl_hasher *hasher, size_t length) {
  const uint64_t size = length;
  XXH3_128bits_update(hasher->state, &size, sizeof size);
}

void pawl_hasher_add_part(struct pawl_hasher *hasher, const void *data, size_t length) {
  XXH3_128bits_update(hasher->state, data, length);
}

void pawl_hasher_add(struct pawl_hasher *hasher, const void *data, size_t length) {
  pawl_hasher_add_length(hasher, length);
  pawl_hasher_add_part(hasher, data, length);
}

void pawl_hasher_add_same(struct pawl_hasher *hasher, unsigned char byte, size_t length) {
  unsigned char bytes[4096];
  memset(bytes, byte, sizeof bytes);
  pawl_hasher_add_length(hasher, length);
  for (size_t piece; length; length -= piece) {
    piece = length < sizeof bytes ? length : sizeof bytes;
    pawl_hasher_add_part(hasher, bytes, piece);
  }
}

void pawl_hasher_add_string(struct pawl_hasher *hasher, const char *string) {
  pawl_hasher_add(hasher, string ? string : "", string ? strlen(string) : 0);
}

struct pawl_hash pawl_hasher_finish(struct pawl_hasher *hasher) {
  const struct pawl_hash hash = from_xxh(XXH3_128bits_digest(hasher->state));
  XXH3_freeState(hasher->state);
  hasher->state = NULL;
  return hash;
}
