/* SPDX-License-Identifier: Apache-2.0 */
/* Converts one element of a tensor to and from double, for oracles, input adjustments and plain
   kernels. Header-only. Rounds to nearest, ties to even. Overflow gives infinity, or NaN for E4M3
   (OCP's non-saturating mode). */
#ifndef PAWL_CONVERT_H
#define PAWL_CONVERT_H

#include <string.h>

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Converts a small binary float (1 sign bit, exponent_bits, mantissa_bits) to double. finite_only:
   E4M3, where only the pattern of all ones is NaN and the largest exponent holds numbers. */
static inline double pawl_small_float_decode(uint32_t bits, int exponent_bits, int mantissa_bits,
                                             int finite_only) {
  const uint32_t exponent_max = (1u << exponent_bits) - 1, mantissa_max = (1u << mantissa_bits) - 1;
  const uint32_t exponent = (bits >> mantissa_bits) & exponent_max, mantissa = bits & mantissa_max;
  const uint64_t sign = (uint64_t)((bits >> (exponent_bits + mantissa_bits)) & 1u) << 63;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  uint64_t word;
  double value;
  if (exponent == exponent_max && (!finite_only || mantissa == mantissa_max)) {
    word = sign | 0x7ff0000000000000u | ((uint64_t)mantissa << (52 - mantissa_bits));
  } else if (exponent == 0) {
    /* the value of the last mantissa bit */
    const uint64_t unit = (uint64_t)(1 - bias - mantissa_bits + 1023) << 52;
    memcpy(&value, &unit, sizeof value);
    value *= (double)mantissa;
    return sign ? -value : value;
  } else {
    word = sign | ((uint64_t)((int)exponent - bias + 1023) << 52) |
           ((uint64_t)mantissa << (52 - mantissa_bits));
  }
  memcpy(&value, &word, sizeof value);
  return value;
}

/* Converts a double to a small binary float: see pawl_small_float_decode. */
static inline uint32_t pawl_small_float_encode(double value, int exponent_bits, int mantissa_bits,
                                               int finite_only) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint32_t exponent_max = (1u << exponent_bits) - 1, mantissa_max = (1u << mantissa_bits) - 1;
  const uint32_t infinity =
      finite_only ? exponent_max << mantissa_bits | mantissa_max : exponent_max << mantissa_bits;
  const uint32_t largest = finite_only ? infinity - 1 : infinity - 1;
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  const uint32_t sign = (uint32_t)(word >> 63) << (exponent_bits + mantissa_bits);
  const int exponent64 = (int)(word >> 52 & 0x7ff);
  const uint64_t mantissa64 = word & 0xfffffffffffffu;
  if (exponent64 == 0x7ff) {
    if (!mantissa64) return sign | infinity;
    return sign | exponent_max << mantissa_bits | mantissa_max;
  }
  int exponent = exponent64 - 1023 + bias;
  int drop = 52 - mantissa_bits; /* bits of the significand that do not fit */
  if (exponent < 1) drop += 1 - exponent, exponent = 1;
  if (drop > 54 || exponent64 == 0) return sign;
  const uint64_t significand = mantissa64 | 1ull << 52;
  uint64_t kept = significand >> drop;
  const uint64_t rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
  if (rest > half || (rest == half && (kept & 1))) kept++;
  /* kept holds the implicit bit: adding it to the exponent field minus one carries naturally */
  const uint64_t bits = ((uint64_t)(exponent - 1) << mantissa_bits) + kept;
  return sign | (bits > largest ? infinity : (uint32_t)bits);
}

static inline double pawl_load_f64(const void *data, int32_t dtype, int64_t index) {
  const unsigned char *p = (const unsigned char *)data + (size_t)index * pawl_dtype_size(dtype);
  switch (dtype) {
    case PAWL_F64: {
      double v;
      memcpy(&v, p, 8);
      return v;
    }
    case PAWL_F32: {
      float v;
      memcpy(&v, p, 4);
      return (double)v;
    }
    case PAWL_F16: {
      uint16_t v;
      memcpy(&v, p, 2);
      return pawl_small_float_decode(v, 5, 10, 0);
    }
    case PAWL_BF16: {
      uint16_t v;
      memcpy(&v, p, 2);
      const uint32_t wide = (uint32_t)v << 16;
      float f;
      memcpy(&f, &wide, 4);
      return (double)f;
    }
    case PAWL_E4M3: return pawl_small_float_decode(*p, 4, 3, 1);
    case PAWL_I32: {
      int32_t v;
      memcpy(&v, p, 4);
      return (double)v;
    }
    case PAWL_I64: {
      int64_t v;
      memcpy(&v, p, 8);
      return (double)v;
    }
    case PAWL_U8: return (double)*p;
    default: return 0.0;
  }
}

static inline void pawl_store_f64(void *data, int32_t dtype, int64_t index, double value) {
  unsigned char *p = (unsigned char *)data + (size_t)index * pawl_dtype_size(dtype);
  switch (dtype) {
    case PAWL_F64: memcpy(p, &value, 8); break;
    case PAWL_F32: {
      const float v = (float)value;
      memcpy(p, &v, 4);
      break;
    }
    case PAWL_F16: {
      const uint16_t v = (uint16_t)pawl_small_float_encode(value, 5, 10, 0);
      memcpy(p, &v, 2);
      break;
    }
    case PAWL_BF16: {
      const uint16_t v = (uint16_t)pawl_small_float_encode(value, 8, 7, 0);
      memcpy(p, &v, 2);
      break;
    }
    case PAWL_E4M3: *p = (unsigned char)pawl_small_float_encode(value, 4, 3, 1); break;
    case PAWL_I32: {
      const int32_t v = (int32_t)value;
      memcpy(p, &v, 4);
      break;
    }
    case PAWL_I64: {
      const int64_t v = (int64_t)value;
      memcpy(p, &v, 8);
      break;
    }
    case PAWL_U8: *p = (unsigned char)value; break;
    default: break;
  }
}

#ifdef __cplusplus
}
#endif
#endif
