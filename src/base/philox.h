/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10, a counter-based generator: Salmon, Moraes, Dror, Shaw, "Parallel random numbers:
   as easy as 1, 2, 3", SC'11. It gives any block of any stream without a state. A test compares it
   with Random123's known answers. */
#pragma once

#include <stdint.h>

/* Computes the four words of block `counter` in stream `stream` of `key`. */
static inline void pawl_philox(uint64_t key, uint64_t stream, uint64_t counter, uint32_t out[4]) {
  uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32), c2 = (uint32_t)stream,
           c3 = (uint32_t)(stream >> 32);
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; round++) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c0 = n0, c1 = (uint32_t)p1, c2 = n2, c3 = (uint32_t)p0;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* Draws one number after another from one stream. */
struct pawl_random {
  uint64_t key, stream, counter;
  uint32_t word[4];
  int used; /* number of used words of `word` */
};

static inline struct pawl_random pawl_random_init(uint64_t key, uint64_t stream) {
  struct pawl_random random = {.key = key, .stream = stream, .used = 4};
  return random;
}

static inline uint32_t pawl_random_u32(struct pawl_random *random) {
  if (random->used == 4) {
    pawl_philox(random->key, random->stream, random->counter++, random->word);
    random->used = 0;
  }
  return random->word[random->used++];
}

/* Returns an unbiased uniform number in [0, bound), bound > 0: Lemire, "Fast random integer
   generation in an interval", 2019. */
static inline uint32_t pawl_random_below(struct pawl_random *random, uint32_t bound) {
  uint64_t product = (uint64_t)pawl_random_u32(random) * bound;
  if ((uint32_t)product < bound) {
    const uint32_t threshold = -bound % bound;
    while ((uint32_t)product < threshold) product = (uint64_t)pawl_random_u32(random) * bound;
  }
  return (uint32_t)(product >> 32);
}

/* Returns a uniform number in [0, 1) with 53 bits. */
static inline double pawl_random_double(struct pawl_random *random) {
  const uint64_t high = pawl_random_u32(random), low = pawl_random_u32(random);
  return (double)((high << 32 | low) >> 11) * 0x1p-53;
}

/* Draws one of all orders of 0 ... count - 1 with equal probability: Fisher and Yates' shuffle. */
static inline void pawl_random_order(struct pawl_random *random, int count, int *order) {
  for (int i = 0; i < count; i++) order[i] = i;
  for (int i = 0; i + 1 < count; i++) {
    const int other = i + (int)pawl_random_below(random, (uint32_t)(count - i)),
              item = order[other];
    order[other] = order[i];
    order[i] = item;
  }
}
