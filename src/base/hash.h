/* SPDX-License-Identifier: Apache-2.0 */
/* Fast, non-cryptographic 128-bit hashes (XXH3 of xxHash), for the identity of code, inputs,
   outputs and cache keys. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pawl_hash {
  uint64_t high, low;
};

#define PAWL_HASH_TEXT 33 /* 32 hexadecimal digits and NUL */

struct pawl_hash pawl_hash_bytes(const void *data, size_t length);
bool pawl_hash_equal(struct pawl_hash a, struct pawl_hash b);
void pawl_hash_format(struct pawl_hash hash, char out[PAWL_HASH_TEXT]);
bool pawl_hash_parse(const char *text, struct pawl_hash *out);

/* Hashes several pieces. The length of each piece counts, so ("ab","c") and ("a","bc") differ. */
struct pawl_hasher {
  void *state;
};
void pawl_hasher_init(struct pawl_hasher *hasher);
void pawl_hasher_add(struct pawl_hasher *hasher, const void *data, size_t length);
/* Add a piece in parts: first its length, then its bytes. The hash is the same as by
 * pawl_hasher_add(). */
void pawl_hasher_add_length(struct pawl_hasher *hasher, size_t length);
void pawl_hasher_add_part(struct pawl_hasher *hasher, const void *data, size_t length);
/* Adds a piece of `length` equal bytes. */
void pawl_hasher_add_same(struct pawl_hasher *hasher, unsigned char byte, size_t length);
void pawl_hasher_add_string(struct pawl_hasher *hasher, const char *string);
struct pawl_hash pawl_hasher_finish(struct pawl_hasher *hasher); /* releases the hasher too */
