/* SPDX-License-Identifier: Apache-2.0 */
/* Converts runs of elements to FP64 without branches, so the loops vectorise. The values are those
 * of pawl_load_f64(). */
#pragma once

#include <stdint.h>
#include <string.h>

#include "pawl/tensor.h"

#define PAWL_ALWAYS_INLINE static inline __attribute__((always_inline))

PAWL_ALWAYS_INLINE double pawl_decode_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* finite_only: only the pattern of all ones is special (e4m3). */
PAWL_ALWAYS_INLINE double pawl_decode_small(uint32_t code, int exponent_bits, int mantissa_bits,
                                            int finite_only) {
  const uint64_t bias = (1u << (exponent_bits - 1)) - 1, top = (1u << exponent_bits) - 1;
  const uint64_t ones = (1u << mantissa_bits) - 1;
  const uint64_t exponent = (code >> mantissa_bits) & top, mantissa = code & ones;
  const uint64_t sign = (uint64_t)(code >> (exponent_bits + mantissa_bits) & 1) << 63;
  const uint64_t normal = -(uint64_t)(exponent != 0);
  /* significand: an integer below 2^52 in the mantissa of 2^52, which takes no conversion
   * instruction */
  const uint64_t significand = mantissa | ((1u << mantissa_bits) & normal);
  const uint64_t scale = (exponent | (1 & ~normal)) + 1023 - bias - (uint64_t)mantissa_bits;
  const double value = (pawl_decode_bits(0x4330000000000000u | significand) - 0x1p52) *
                       pawl_decode_bits(scale << 52);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint64_t special = -(uint64_t)(exponent == top && (!finite_only || mantissa == ones));
  const uint64_t named = 0x7ff0000000000000u | mantissa << (52 - mantissa_bits);
  return pawl_decode_bits(((bits & ~special) | (named & special)) | sign);
}

/* Converts the elements [first, first + count) of `data`. */
PAWL_ALWAYS_INLINE void pawl_decode(const void *data, int32_t dtype, int64_t first, int64_t count,
                                    double *out) {
  switch (dtype) {
    case PAWL_F64: memcpy(out, (const double *)data + first, (size_t)count * sizeof *out); break;
    case PAWL_F32:
      for (int64_t i = 0; i < count; i++) out[i] = (double)((const float *)data)[first + i];
      break;
    case PAWL_F16:
      for (int64_t i = 0; i < count; i++)
        out[i] = pawl_decode_small(((const uint16_t *)data)[first + i], 5, 10, 0);
      break;
    case PAWL_BF16:
      for (int64_t i = 0; i < count; i++) {
        const uint32_t wide = (uint32_t)((const uint16_t *)data)[first + i] << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        out[i] = (double)value;
      }
      break;
    case PAWL_E4M3:
      for (int64_t i = 0; i < count; i++)
        out[i] = pawl_decode_small(((const uint8_t *)data)[first + i], 4, 3, 1);
      break;
    case PAWL_I32:
      for (int64_t i = 0; i < count; i++) out[i] = (double)((const int32_t *)data)[first + i];
      break;
    case PAWL_I64:
      for (int64_t i = 0; i < count; i++) out[i] = (double)((const int64_t *)data)[first + i];
      break;
    default:
      for (int64_t i = 0; i < count; i++) out[i] = (double)((const uint8_t *)data)[first + i];
  }
}
