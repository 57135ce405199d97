/* SPDX-License-Identifier: Apache-2.0 */
/* The device side of pawl's own CUDA kernels, on the memory of fake_cuda.c. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "fake_cuda.h"

/* From base/sum_hash.h's description, not its code. */
struct sum_hash {
  uint64_t data, words, first, sums;
};
static void sum_hash(void *argument) {
  struct sum_hash hash;
  memcpy(&hash, argument, sizeof hash);
  const uint64_t *words = (const uint64_t *)(uintptr_t)(hash.data - FAKE_CUDA_OFFSET);
  uint64_t *sums = (uint64_t *)(uintptr_t)(hash.sums - FAKE_CUDA_OFFSET);
  for (uint64_t i = 0; i < hash.words; i++) {
    uint64_t x = words[i] + (hash.first + i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    sums[0] += x;
    x *= 0xc4ceb9fe1a85ec53u;
    sums[1] += x ^ x >> 33;
  }
}
/* From cuda_exchange.h's description: pairs of elements of each input, drawn anew or known, change
 * places. */
struct exchange {
  uint64_t table, places, seed, mode, inputs;
};
static void exchange(void *argument) {
  struct exchange e;
  memcpy(&e, argument, sizeof e);
  const uint64_t(*table)[3] = (void *)(uintptr_t)(e.table - FAKE_CUDA_OFFSET);
  uint64_t(*place)[2] = (void *)(uintptr_t)(e.places - FAKE_CUDA_OFFSET);
  for (uint64_t i = 0; i < e.inputs; i++) {
    unsigned char *data = (unsigned char *)(uintptr_t)(table[i][0] - FAKE_CUDA_OFFSET);
    const uint64_t elements = table[i][1], size = table[i][2],
                   pairs = elements / 2 < 8 ? elements / 2 : 8;
    for (uint64_t pair = 0; pair < pairs; pair++) {
      uint64_t *places = place[8 * i + pair];
      for (uint64_t side = 0; side < 2 && e.mode != 2; side++)
        places[side] = (2 * pair + side) * (elements / (2 * pairs)) +
                       (e.seed >> side) % (elements / (2 * pairs));
      unsigned char first[8], *one = data + places[0] * size, *two = data + places[1] * size;
      memcpy(first, one, size);
      if (e.mode) memcpy(one, two, size), memcpy(two, first, size);
    }
  }
}
