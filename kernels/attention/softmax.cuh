/* SPDX-License-Identifier: Apache-2.0 */
/* The online softmax of a tile of scores, 16 rows a warp, in the registers that wgmma and mma.sync leave it in: a
   thread (lane l) holds two rows, row l / 4 of its warp's 16 (index 0 below) and the one 8 further down (index 1). */
#ifndef PAWL_ATTENTION_SOFTMAX_CUH
#define PAWL_ATTENTION_SOFTMAX_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

/* 1: the maximum of the first tile and a guard. 0: the true running maximum of every tile. */
#ifndef LAZY_MAXIMUM
#define LAZY_MAXIMUM 1
#endif

namespace sdpa {

constexpr float kLog2E = 1.4426950408889634f;
constexpr float kGuard = 16384.0f; /* limits a thread's weights in a tile, or their sum; FP16 ends at 65504 */

__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ uint32_t pack(float low, float high, __half) {
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ __forceinline__ uint32_t pack(float low, float high, __nv_bfloat16) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

__device__ __forceinline__ uint32_t add_pairs(uint32_t a, uint32_t b, __half) {
  const __half2 sum = __hadd2(reinterpret_cast<const __half2 &>(a), reinterpret_cast<const __half2 &>(b));
  return reinterpret_cast<const uint32_t &>(sum);
}
__device__ __forceinline__ uint32_t add_pairs(uint32_t a, uint32_t b, __nv_bfloat16) {
  const __nv_bfloat162 sum =
      __hadd2(reinterpret_cast<const __nv_bfloat162 &>(a), reinterpret_cast<const __nv_bfloat162 &>(b));
  return reinterpret_cast<const uint32_t &>(sum);
}

__device__ __forceinline__ float sum_of_pair(uint32_t pair, __half) {
  const float2 both = __half22float2(reinterpret_cast<const __half2 &>(pair));
  return both.x + both.y;
}
__device__ __forceinline__ float sum_of_pair(uint32_t pair, __nv_bfloat16) {
  const float2 both = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162 &>(pair));
  return both.x + both.y;
}

/* Whether one of two weights reaches kGuard, or is NaN. Weights are not negative: their bits are in the order of their
   values, NaN above all. */
template <class Element>
constexpr uint32_t kGuardBits = 0x7400;
template <>
constexpr uint32_t kGuardBits<__nv_bfloat16> = 0x4680;
template <class Element>
__device__ __forceinline__ bool one_reaches_guard(uint32_t pair) {
  return ((pair + 0x10001u * (0x8000 - kGuardBits<Element>)) & 0x80008000u) != 0;
}

/* Over the four threads that hold a row. */
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

/* The state of the two rows of a thread. kSums false: the caller has the weights summed elsewhere (a column of ones in
   V), and `sum` is not used.

   The largest weight of a row is 1 at least, once there was a tile: FP16's smallest number is 2^-24, and where one key
   outweighs each of thousands of others, what all of them bring is in such weights. */
template <class Element, int kScores, bool kSums = true>
struct Softmax {
  float scale;    /* 1 / sqrt(D) * log2(e): scores to exponents of 2 */
  float shift[2]; /* subtracted from the exponents */
  float sum[2];   /* the sum of the weights of this thread's columns */

  /* Weights of the scores and their sums. It sums the rounded weights, as the product with V takes them, so
     that the rounding of a weight that outweighs all others cancels in the quotient. Two weights are added in their own
     type (where one of them dominates, the sum is still exact), then all in FP32. */
  __device__ __forceinline__ void weigh(const float (&s)[kScores], uint32_t (&p)[kScores / 2],
                                        float (&total)[2]) const {
    total[0] = total[1] = 0.0f;
#pragma unroll
    for (int i = 0; i < kScores / 2; i++) {
      const float low = exp2_approx(fmaf(s[2 * i], scale, -shift[i & 1]));
      const float high = exp2_approx(fmaf(s[2 * i + 1], scale, -shift[i & 1]));
      p[i] = pack(low, high, Element());
      if (kSums && i % 4 >= 2) total[i & 1] += sum_of_pair(add_pairs(p[i - 2], p[i], Element()), Element());
    }
  }

  /* True for NaN too. Without sums the largest weight tells, by integer maxima of three pairs at a time: half as many
     instructions as additions would be. */
  __device__ __forceinline__ bool too_large(const uint32_t (&p)[kScores / 2], const float (&total)[2]) const {
    if (kSums) return !(total[0] + total[1] <= kGuard);
    uint32_t largest = p[0];
#pragma unroll
    for (int i = 1; i < kScores / 2; i += 2) largest = __vimax3_s16x2(largest, p[i], p[min(i + 1, kScores / 2 - 1)]);
    return one_reaches_guard<Element>(largest);
  }

  __device__ __forceinline__ void maxima(const float (&s)[kScores], float (&largest)[2]) const {
    largest[0] = s[0], largest[1] = s[2];
#pragma unroll
    for (int i = 0; i < kScores / 2; i++) largest[i & 1] = fmaxf(largest[i & 1], fmaxf(s[2 * i], s[2 * i + 1]));
    largest[0] = row_max(largest[0]) * scale;
    largest[1] = row_max(largest[1]) * scale;
  }

  __device__ __forceinline__ void first(const float (&s)[kScores], uint32_t (&p)[kScores / 2]) {
    shift[0] = row_max(fmaxf(fmaxf(s[0], s[1]), fmaxf(s[4], s[5]))) * scale;
    shift[1] = row_max(fmaxf(fmaxf(s[2], s[3]), fmaxf(s[6], s[7]))) * scale;
    sum[0] = sum[1] = 0.0f;
    float unused[2];
    next(s, p, unused);
  }

  /* Returns whether O must be multiplied by `correction`. */
  __device__ __forceinline__ bool next(const float (&s)[kScores], uint32_t (&p)[kScores / 2], float (&correction)[2]) {
    float total[2];
    bool corrected = !LAZY_MAXIMUM;
    if (LAZY_MAXIMUM) {
      weigh(s, p, total);
      corrected = __any_sync(~0u, too_large(p, total));
    }
    if (__builtin_expect(corrected, !LAZY_MAXIMUM)) {
      float largest[2];
      maxima(s, largest);
#pragma unroll
      for (int r = 0; r < 2; r++) {
        largest[r] = fmaxf(largest[r], shift[r]);
        correction[r] = exp2_approx(shift[r] - largest[r]);
        sum[r] *= correction[r];
        shift[r] = largest[r];
      }
      weigh(s, p, total);
    }
    sum[0] += total[0];
    sum[1] += total[1];
    return corrected;
  }
};

/* Columns past the thread's two limits become -infinity; column 0 of s is the tile's. */
template <int kScores>
__device__ __forceinline__ void mask(float (&s)[kScores], int limit_0, int limit_1) {
  const int column = static_cast<int>(threadIdx.x % 4 * 2);
#pragma unroll
  for (int i = 0; i < kScores; i++)
    if (column + i / 4 * 8 + (i & 1) > (i & 2 ? limit_1 : limit_0)) s[i] = -INFINITY;
}

} /* namespace sdpa */
#endif
