/* SPDX-License-Identifier: Apache-2.0 */
/* The online softmax of a tile of scores whose weights are E4M3; sdpa_hopper_f8.cu explains the range of the weights.
 */
#ifndef PAWL_SOFTMAX_F8_CUH
#define PAWL_SOFTMAX_F8_CUH

#include <stdint.h>

#include "../softmax.cuh"

namespace sdpa {

constexpr float kFirstExponent = 4.0f;

/* Weights of a tile of 64 keys, in the order of the operand. */
struct SoftmaxF8 {
  float scale;
  float shift[2];

  static __device__ __forceinline__ uint32_t pack4(float a, float b, float c, float d) {
    uint32_t packed;
    asm("{\n.reg .b16 low, high;\n"
        "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
        "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
        "mov.b32 %0, {low, high};\n}"
        : "=r"(packed)
        : "f"(a), "f"(b), "f"(c), "f"(d));
    return packed;
  }

  __device__ __forceinline__ void weigh(const float (&s)[32], uint32_t (&p)[8]) const {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      const float *f = s + i / 2 * 8 + i % 2 * 2; /* columns f[0], f[1] and the same 8 further */
      const float offset = -shift[i % 2];
      p[i] = pack4(exp2_approx(fmaf(f[0], scale, offset)), exp2_approx(fmaf(f[1], scale, offset)),
                   exp2_approx(fmaf(f[4], scale, offset)), exp2_approx(fmaf(f[5], scale, offset)));
    }
  }

  __device__ __forceinline__ void maxima(const float (&s)[32], float (&largest)[2]) const {
    largest[0] = s[0], largest[1] = s[2];
#pragma unroll
    for (int i = 0; i < 16; i++) largest[i & 1] = fmaxf(largest[i & 1], fmaxf(s[2 * i], s[2 * i + 1]));
    largest[0] = row_max(largest[0]) * scale - kFirstExponent;
    largest[1] = row_max(largest[1]) * scale - kFirstExponent;
  }

  __device__ __forceinline__ void first(const float (&s)[32], uint32_t (&p)[8]) {
    maxima(s, shift);
    weigh(s, p);
  }

  /* Returns whether O and the sums must be multiplied by `correction`. */
  __device__ __forceinline__ bool next(const float (&s)[32], uint32_t (&p)[8], float (&correction)[2]) {
    weigh(s, p);
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) bits |= p[i] + 0x02020202u; /* 0x7e and 0x7f reach the sign's bit */
    const bool corrected = __any_sync(~0u, bits & 0x80808080u);
    if (__builtin_expect(corrected, false)) {
      float largest[2];
      maxima(s, largest);
#pragma unroll
      for (int r = 0; r < 2; r++) {
        largest[r] = fmaxf(largest[r], shift[r]);
        correction[r] = exp2_approx(shift[r] - largest[r]);
        shift[r] = largest[r];
      }
      weigh(s, p);
    }
    return corrected;
  }
};

} /* namespace sdpa */
#endif
