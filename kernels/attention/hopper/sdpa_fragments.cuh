/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of 64 rows between swizzled shared memory and the fragments of wgmma. */
#ifndef PAWL_SDPA_FRAGMENTS_CUH
#define PAWL_SDPA_FRAGMENTS_CUH

#include <stdint.h>

#include "../softmax.cuh"
#include "sdpa_stream.cuh"

namespace sdpa {

/* Where 16-byte chunk c of row r of a tile lies: rows of 128 bytes under the 128-byte swizzle, rows of 64 under the
   64-byte one. */
template <uint32_t kRowBytes>
__device__ __forceinline__ uint32_t swizzled(uint32_t row, uint32_t chunk) {
  static_assert(kRowBytes == 128 || kRowBytes == 64, "a swizzle of 128 or 64 bytes");
  return row * kRowBytes + (chunk ^ (kRowBytes == 128 ? row % 8 : row / 2 % 4)) * 16;
}

/* Where a thread of a warpgroup addresses, for ldmatrix and stmatrix (four 8 x 8 matrices of two-byte elements), bytes
   32 i .. 32 i + 31 of the rows of a tile. The matrices come in the order of a wgmma fragment: upper and lower 8 rows
   of the left 16 bytes, then of the right. */
template <uint32_t kRowBytes>
__device__ __forceinline__ uint32_t fragment_address(uint32_t tile, uint32_t i) {
  constexpr uint32_t kChunks = kRowBytes / 16;
  const uint32_t lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16, chunk = 2 * i + lane / 16;
  return tile + chunk / kChunks * kTileRows * kRowBytes + swizzled<kRowBytes>(row, chunk % kChunks);
}

template <uint32_t kRowBytes, int kRegisters>
__device__ __forceinline__ void load_fragments(uint32_t (&q)[kRegisters], uint32_t tile) {
#pragma unroll
  for (int i = 0; i < kRegisters / 4; i++)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(q[4 * i]), "=r"(q[4 * i + 1]), "=r"(q[4 * i + 2]), "=r"(q[4 * i + 3])
                 : "r"(fragment_address<kRowBytes>(tile, i))
                 : "memory");
}

/* o times the factors of the thread's two rows, rounded, to a tile of `Element`, two bytes each. */
template <class Element, int kHeadDim>
__device__ __forceinline__ void stage_output(const float *o, float factor_0, float factor_1, uint32_t tile) {
#pragma unroll
  for (int i = 0; i < kHeadDim / 16; i++) {
    const float *f = o + 8 * i;
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(fragment_address<kSlabBytes>(tile, i)),
        "r"(pack(f[0] * factor_0, f[1] * factor_0, Element())), "r"(pack(f[2] * factor_1, f[3] * factor_1, Element())),
        "r"(pack(f[4] * factor_0, f[5] * factor_0, Element())), "r"(pack(f[6] * factor_1, f[7] * factor_1, Element()))
        : "memory");
  }
}

} /* namespace sdpa */
#endif
