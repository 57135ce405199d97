/* SPDX-License-Identifier: Apache-2.0 */
/* A fast, non-cryptographic 128-bit hash that is a sum over 64-bit words. The order of the words
   does not matter, so the threads of a GPU (src/host/cuda_hash.c) and of a CPU compute the same.

   The word w at index i becomes x = w + (i + 1) * 0x9e3779b97f4a7c15, which goes through the
   finalizer of MurmurHash3 (Austin Appleby, fmix64, public domain). The lower half of the sum adds
   the state after the first multiplication, the upper half the final state. Both are bijections of
   w, so a change of one word changes both halves. A piece is its length in bytes as one word, then
   its bytes as little-endian words. Zeros fill the last word. */
#pragma once

#include <stddef.h>

#include "base/hash.h"

/* 2^64 divided by the golden ratio spreads neighbouring indices. */
#define PAWL_SUM_HASH_STEP 0x9e3779b97f4a7c15u
#define PAWL_SUM_HASH_FIRST 0xff51afd7ed558ccdu
#define PAWL_SUM_HASH_SECOND 0xc4ceb9fe1a85ec53u

struct pawl_sum_hasher {
  struct pawl_hash sum;
  uint64_t words; /* so far: the index of the next word */
};

/* A zeroed hasher has seen nothing. */
void pawl_sum_hash_word(struct pawl_sum_hasher *hasher, uint64_t word);
/* Adds a piece: its length and its bytes. All CPUs hash a long piece. */
void pawl_sum_hash_add(struct pawl_sum_hasher *hasher, const void *data, size_t length);
/* Adds a piece of `length` equal bytes. */
void pawl_sum_hash_add_same(struct pawl_sum_hasher *hasher, unsigned char byte, size_t length);
/* Adds the sum of `words` words from the index `hasher->words` on, which another device
 * computed. */
void pawl_sum_hash_add_sum(struct pawl_sum_hasher *hasher, struct pawl_hash sum, uint64_t words);
