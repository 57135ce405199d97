/* SPDX-License-Identifier: Apache-2.0 */
/* The vector operations that sdpa_cpu_fast_tile.h is written in, for each instruction set:
   name_isa(), the vector type vec_isa of LANES_isa floats, and ROWS_isa, the broadcast side of the
   register tile: with up to 3 vectors on the other side, ROWS x 3 accumulators, 3 operands and a
   broadcast fit the register file (32, 16 and 16 registers). */
#ifndef SDPA_CPU_FAST_SIMD_H
#define SDPA_CPU_FAST_SIMD_H

#include <pawl/convert.h>

#define INLINE static inline __attribute__((always_inline))

/* 2^f for a fraction f: minimax polynomials of degree 5 in relative error (7.5e-8, by the Remez
 * exchange). */
#define EXP2_FLOOR_COEFFICIENTS                                                           \
  {                                                                                       \
    0x1.ec320ap-10f, 0x1.26900cp-7f, 0x1.c95446p-5f, 0x1.ebd5a8p-3f, 0x1.62e4f6p-1f, 1.0f \
  } /* 0 <= f < 1 */
#define EXP2_NEAREST_COEFFICIENTS                                                         \
  {                                                                                       \
    0x1.5c08e6p-10f, 0x1.3d0c52p-7f, 0x1.c6b6e4p-5f, 0x1.ebf918p-3f, 0x1.62e428p-1f, 1.0f \
  } /* |f| <= 1/2 */
#define EXP2_DEGREE 5
/* Adding it rounds a float to an integer, which then stands in the low bits of the sum. */
#define EXP2_ROUND 0x1.8p23f
#define EXP2_LOWEST -126.0f /* 2^x is a normal number down to here; below, the result is 0 */

/* ---- any machine: vectors of four floats, which gcc and clang turn into what there is ---- */

typedef float vec_portable __attribute__((vector_size(16)));
typedef int32_t ivec_portable __attribute__((vector_size(16)));
#define LANES_portable 4
#define ROWS_portable 4
#define TARGET_portable

INLINE vec_portable set1_portable(float x) { return (vec_portable){x, x, x, x}; }
INLINE vec_portable load_portable(const float *p) {
  vec_portable v;
  memcpy(&v, p, sizeof v);
  return v;
}
INLINE void store_portable(float *p, vec_portable v) { memcpy(p, &v, sizeof v); }
INLINE vec_portable fma_portable(vec_portable a, vec_portable b, vec_portable c) {
  return a * b + c;
}
INLINE vec_portable select_portable(ivec_portable mask, vec_portable yes, vec_portable no) {
  return (vec_portable)(((ivec_portable)yes & mask) | ((ivec_portable)no & ~mask));
}
INLINE vec_portable max_portable(vec_portable a, vec_portable b) {
  return select_portable(a > b, a, b);
}
INLINE vec_portable exp2_portable(vec_portable x) {
  static const float c[] = EXP2_NEAREST_COEFFICIENTS;
  const vec_portable rounded = x + set1_portable(EXP2_ROUND);
  const vec_portable f = x - (rounded - set1_portable(EXP2_ROUND));
  vec_portable p = set1_portable(c[0]);
  for (int i = 1; i <= EXP2_DEGREE; i++) p = p * f + set1_portable(c[i]);
  const ivec_portable scaled = (ivec_portable)p + ((ivec_portable)rounded << 23);
  return select_portable(x < set1_portable(EXP2_LOWEST), set1_portable(0.0f), (vec_portable)scaled);
}
/* out[c][r] = in[r][c] * factor[c] for 4 x 4 floats; strides between rows in elements; factor may
 * be NULL. */
#define QUAD 4
INLINE void transpose_quads(const float *in, int64_t in_stride, const float *factor, float *out,
                            int64_t out_stride) {
  vec_portable row[QUAD];
  for (int r = 0; r < QUAD; r++) {
    row[r] = load_portable(in + r * in_stride);
    if (factor) row[r] *= load_portable(factor);
  }
  const vec_portable low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const vec_portable low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const vec_portable high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const vec_portable high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  store_portable(out, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  store_portable(out + out_stride, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  store_portable(out + 2 * out_stride, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  store_portable(out + 3 * out_stride, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}
/* value where first_lane + lane >= 0, else -infinity */
INLINE vec_portable mask_lanes_portable(vec_portable value, int first_lane) {
  const ivec_portable lane = {first_lane, first_lane + 1, first_lane + 2, first_lane + 3};
  return select_portable(lane >= (ivec_portable){0, 0, 0, 0}, value,
                         set1_portable(-__builtin_inff()));
}
INLINE void halves_to_floats_portable(const uint16_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = (float)pawl_small_float_decode(in[i], 5, 10, 0);
}
INLINE void floats_to_halves_portable(const float *in, int64_t count, uint16_t *out) {
  for (int64_t i = 0; i < count; i++)
    out[i] = (uint16_t)pawl_small_float_encode((double)in[i], 5, 10, 0);
}

#if defined __x86_64__
#include <immintrin.h>

/* ---- AVX2 with FMA and F16C ---- */

typedef __m256 vec_avx2;
#define LANES_avx2 8
#define ROWS_avx2 4
#define TARGET_avx2 __attribute__((target("avx2,fma,f16c")))

INLINE TARGET_avx2 vec_avx2 set1_avx2(float x) { return _mm256_set1_ps(x); }
INLINE TARGET_avx2 vec_avx2 load_avx2(const float *p) { return _mm256_loadu_ps(p); }
INLINE TARGET_avx2 void store_avx2(float *p, vec_avx2 v) { _mm256_storeu_ps(p, v); }
INLINE TARGET_avx2 vec_avx2 fma_avx2(vec_avx2 a, vec_avx2 b, vec_avx2 c) {
  return _mm256_fmadd_ps(a, b, c);
}
INLINE TARGET_avx2 vec_avx2 max_avx2(vec_avx2 a, vec_avx2 b) { return _mm256_max_ps(a, b); }
INLINE TARGET_avx2 vec_avx2 exp2_avx2(vec_avx2 x) {
  static const float c[] = EXP2_NEAREST_COEFFICIENTS;
  const vec_avx2 rounded = _mm256_add_ps(x, _mm256_set1_ps(EXP2_ROUND));
  const vec_avx2 f = _mm256_sub_ps(x, _mm256_sub_ps(rounded, _mm256_set1_ps(EXP2_ROUND)));
  vec_avx2 p = _mm256_set1_ps(c[0]);
  for (int i = 1; i <= EXP2_DEGREE; i++) p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(c[i]));
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(rounded), 23);
  const vec_avx2 scaled = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
  return _mm256_and_ps(scaled, _mm256_cmp_ps(x, _mm256_set1_ps(EXP2_LOWEST), _CMP_NLT_UQ));
}
INLINE TARGET_avx2 vec_avx2 mask_lanes_avx2(vec_avx2 value, int first_lane) {
  const __m256i lane =
      _mm256_add_epi32(_mm256_set1_epi32(first_lane), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  return _mm256_blendv_ps(value, _mm256_set1_ps(-__builtin_inff()), _mm256_castsi256_ps(lane));
}
/* count: a multiple of 8 */
INLINE TARGET_avx2 void halves_to_floats_avx2(const uint16_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i += 8)
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
}
INLINE TARGET_avx2 void floats_to_halves_avx2(const float *in, int64_t count, uint16_t *out) {
  for (int64_t i = 0; i < count; i += 8)
    _mm_storeu_si128(
        (__m128i *)(void *)(out + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* ---- AVX-512 (F, DQ, VL) ---- */

typedef __m512 vec_avx512;
#define LANES_avx512 16
#define ROWS_avx512 8
#define TARGET_avx512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,f16c")))

INLINE TARGET_avx512 vec_avx512 set1_avx512(float x) { return _mm512_set1_ps(x); }
INLINE TARGET_avx512 vec_avx512 load_avx512(const float *p) { return _mm512_loadu_ps(p); }
INLINE TARGET_avx512 void store_avx512(float *p, vec_avx512 v) { _mm512_storeu_ps(p, v); }
INLINE TARGET_avx512 vec_avx512 fma_avx512(vec_avx512 a, vec_avx512 b, vec_avx512 c) {
  return _mm512_fmadd_ps(a, b, c);
}
INLINE TARGET_avx512 vec_avx512 max_avx512(vec_avx512 a, vec_avx512 b) {
  return _mm512_max_ps(a, b);
}
INLINE TARGET_avx512 vec_avx512 exp2_avx512(vec_avx512 x) {
  static const float c[] = EXP2_FLOOR_COEFFICIENTS;
  const vec_avx512 f =
      _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); /* x - floor(x) */
  vec_avx512 p = _mm512_set1_ps(c[0]);
  for (int i = 1; i <= EXP2_DEGREE; i++) p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(c[i]));
  return _mm512_scalef_ps(p, x); /* p 2^floor(x) */
}
INLINE TARGET_avx512 vec_avx512 mask_lanes_avx512(vec_avx512 value, int first_lane) {
  const __m512i lane =
      _mm512_add_epi32(_mm512_set1_epi32(first_lane),
                       _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  return _mm512_mask_blend_ps(_mm512_movepi32_mask(lane), value, _mm512_set1_ps(-__builtin_inff()));
}
INLINE TARGET_avx512 void halves_to_floats_avx512(const uint16_t *in, int64_t count, float *out) {
  halves_to_floats_avx2(in, count, out);
}
INLINE TARGET_avx512 void floats_to_halves_avx512(const float *in, int64_t count, uint16_t *out) {
  floats_to_halves_avx2(in, count, out);
}
#endif

#endif
