/* SPDX-License-Identifier: Apache-2.0 */
/* A fast, non-cryptographic 128-bit hash that is a sum over 64-bit words, so that the words can be
   taken in any order: by the threads of a GPU (src/host/cuda_hash.c) and of a CPU alike, with the
   same result.

   The word w at place i becomes x = w + (i + 1) * 0x9e3779b97f4a7c15, which goes through the
   finalizer of MurmurHash3 (Austin Appleby, fmix64, public domain). Its state after the first
   multiplication is added to the lower half of the sum, the final one to the upper half. Both are
   bijections of w: a change of one word changes both halves. A piece is its length in bytes as one
   word, then its bytes as little-endian words, the last one filled up with zeros. */
#ifndef PAWL_BASE_SUM_HASH_H
#define PAWL_BASE_SUM_HASH_H

#include <stddef.h>

#include "base/hash.h"

#define PAWL_SUM_HASH_STEP \
  0x9e3779b97f4a7c15u /* 2^64 divided by the golden ratio: places far apart */
#define PAWL_SUM_HASH_FIRST 0xff51afd7ed558ccdu
#define PAWL_SUM_HASH_SECOND 0xc4ceb9fe1a85ec53u

struct pawl_sum_hasher {
  struct pawl_hash sum;
  uint64_t words; /* so far: the place of the next */
};

/* Zero is a hasher that has seen nothing. */
void pawl_sum_hash_word(struct pawl_sum_hasher *hasher, uint64_t word);
/* A piece: its length and its bytes, on all CPUs where it is long. */
void pawl_sum_hash_add(struct pawl_sum_hasher *hasher, const void *data, size_t length);
/* A piece of `length` times the same byte. */
void pawl_sum_hash_add_same(struct pawl_sum_hasher *hasher, unsigned char byte, size_t length);
/* `words` words that were summed elsewhere, from the place `hasher->words` on. */
void pawl_sum_hash_add_sum(struct pawl_sum_hasher *hasher, struct pawl_hash sum, uint64_t words);

#endif
