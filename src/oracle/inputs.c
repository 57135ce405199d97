/* SPDX-License-Identifier: Apache-2.0 */
/* Only additions, multiplications, divisions and square roots of IEEE 754 are used on the way from
   the generator's words to the values, each rounded on its own: this room is compiled with
   -ffp-contract=off. No call of libm, whose results differ between versions. */
#include "oracle/inputs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/philox.h"

#define BLOCKS 128                   /* Philox blocks of one tile */
#define TILE (4 * BLOCKS)            /* variates of one tile */
#define TILES_PER_ITEM ((int64_t)64) /* tiles handed to a thread at a time */
/* The places of the pool where a stretch of a tile begins. The pool has 1 MiB, so that it stays in
   the cache of a core. */
#define POOL_PLACES (1u << 18)
#define POOL_STREAM ((uint64_t)1 << 32) /* it gives places and angles */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

ALWAYS_INLINE double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ln x of a normal positive x: x = 2^k m with sqrt(1/2) <= m < sqrt(2), ln m = 2 artanh((m - 1) /
   (m + 1)) by its series to degree 21 (remainder below 1e-17). */
ALWAYS_INLINE double natural_log(double x) {
  const uint64_t shifted = bits_of(x) - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
  const uint64_t exponent = (shifted >> 52) ^ 0x800;         /* k + 2048, both ways of sign */
  const double m = from_bits((shifted & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
  /* An integer below 2^52 in the mantissa of 2^52: the conversion that every vector unit has. */
  const double k = from_bits(0x4330000000000000u | (exponent & 0xfff)) - (0x1p52 + 2048.0);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return k * 0x1.62e42fefa39efp-1 + 2.0 * s * p;
}

/* Cosine and sine of an angle of `turn` * 2^-32 turns: the nearest quarter turn, and Taylor series
   (to degree 16 and 17, remainder below 1e-15) on the rest, at most an eighth of a turn. */
ALWAYS_INLINE void cos_sin(uint32_t turn, double *cosine, double *sine) {
  const uint32_t quarter = (turn + 0x20000000u) >> 30;
  const int32_t rest = (int32_t)(turn - (quarter << 30));
  const double x = (double)rest * (0x1.921fb54442d18p+2 * 0x1p-32), z = x * x;
  double c = 1.0 / 20922789888000;
  c = c * z - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 1.0 / 2;
  c = c * z + 1.0;
  double s = 1.0 / 355687428096000;
  s = s * z - 1.0 / 1307674368000;
  s = s * z + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = s * z + 1.0;
  s *= x;
  /* quarters 0..3: (c, s) (-s, c) (-c, -s) (s, -c) */
  const uint64_t swap = -(uint64_t)(quarter & 1), cb = bits_of(c), sb = bits_of(s);
  const uint64_t cos_sign = (uint64_t)((quarter + 1) >> 1 & 1) << 63,
                 sin_sign = (uint64_t)(quarter >> 1) << 63;
  *cosine = from_bits(((cb & ~swap) | (sb & swap)) ^ cos_sign);
  *sine = from_bits(((sb & ~swap) | (cb & swap)) ^ sin_sign);
}

/* The words of blocks [block, block + BLOCKS), by word: word[w][b] is word w of block b. */
ALWAYS_INLINE void philox_tile(const struct pawl_draw *draw, uint64_t block,
                               uint32_t word[4][BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++) {
    uint32_t out[4];
    pawl_philox(draw->seed, draw->stream, block + (uint64_t)b, out);
    for (int w = 0; w < 4; w++) word[w][b] = out[w];
  }
}

ALWAYS_INLINE void normal_pair(const uint32_t *radius, const uint32_t *angle, double scale,
                               double *first, double *second) {
  for (int b = 0; b < BLOCKS; b++) {
    /* the middle of one of 2^32 steps of (0, 1); the conversion is exact */
    const double u = from_bits(0x4330000000000000u | ((uint64_t)radius[b] << 1 | 1)) - 0x1p52;
    const double r = sqrt(-2.0 * natural_log(u * 0x1p-33)) * scale;
    double c, s;
    cos_sin(angle[b], &c, &s);
    first[b] = r * c, second[b] = r * s;
  }
}

ALWAYS_INLINE void variate_tile(const struct pawl_draw *draw, uint64_t block, double *out) {
  uint32_t word[4][BLOCKS];
  double value[4][BLOCKS];
  philox_tile(draw, block, word);
  switch (draw->fill) {
    case PAWL_FILL_UNIFORM:
      for (int w = 0; w < 4; w++)
        for (int b = 0; b < BLOCKS; b++)
          value[w][b] = (double)(int32_t)(word[w][b] ^ 0x80000000u) * 0x1p-31 * draw->scale;
      break;
    case PAWL_FILL_ZERO_ONE:
      for (int w = 0; w < 4; w++)
        for (int b = 0; b < BLOCKS; b++) value[w][b] = (double)(word[w][b] >> 31) * draw->scale;
      break;
    default:
      normal_pair(word[0], word[1], draw->scale, value[0], value[1]);
      normal_pair(word[2], word[3], draw->scale, value[2], value[3]);
  }
  for (int b = 0; b < BLOCKS; b++)
    for (int w = 0; w < 4; w++) out[4 * b + w] = value[w][b];
}

/* Rounds a finite value to a float of the given widths, to nearest even, without a branch: adding a
   power of two whose last mantissa bit is the result's leaves the rounded integer in the low bits
   of the sum. As pawl_small_float_encode.
 */
ALWAYS_INLINE uint32_t encode(double value, int exponent_bits, int mantissa_bits,
                              uint32_t overflow) {
  const int64_t bias = (1 << (exponent_bits - 1)) - 1, smallest = 1 - bias + 1023;
  const uint64_t bits = bits_of(value), magnitude = bits & 0x7fffffffffffffffu;
  const int64_t exponent = (int64_t)(magnitude >> 52),
                scale = exponent > smallest ? exponent : smallest;
  const uint64_t anchor = (uint64_t)(scale + 52 - mantissa_bits) << 52;
  const uint64_t units = bits_of(from_bits(magnitude) + from_bits(anchor)) - anchor;
  const uint64_t code = ((uint64_t)(scale - smallest) << mantissa_bits) + units;
  const uint32_t sign = (uint32_t)(bits >> 63) << (exponent_bits + mantissa_bits);
  return sign | (code > overflow ? overflow : (uint32_t)code);
}

ALWAYS_INLINE double clamp_round(double value, double low, double high) {
  const double whole = rint(value);
  return whole < low ? low : whole > high ? high : whole;
}

ALWAYS_INLINE void store_tile(const double *value, void *data, int32_t dtype, int64_t first,
                              int64_t count) {
  switch (dtype) {
    case PAWL_F64: memcpy((double *)data + first, value, (size_t)count * sizeof *value); break;
    case PAWL_F32:
      for (int64_t i = 0; i < count; i++) ((float *)data)[first + i] = (float)value[i];
      break;
    case PAWL_F16:
      for (int64_t i = 0; i < count; i++)
        ((uint16_t *)data)[first + i] = (uint16_t)encode(value[i], 5, 10, 0x7c00);
      break;
    case PAWL_BF16:
      for (int64_t i = 0; i < count; i++)
        ((uint16_t *)data)[first + i] = (uint16_t)encode(value[i], 8, 7, 0x7f80);
      break;
    case PAWL_E4M3:
      for (int64_t i = 0; i < count; i++)
        ((uint8_t *)data)[first + i] = (uint8_t)encode(value[i], 4, 3, 0x7f);
      break;
    case PAWL_I32:
      for (int64_t i = 0; i < count; i++)
        ((int32_t *)data)[first + i] = (int32_t)clamp_round(value[i], -0x1p31, 0x1p31 - 1);
      break;
    case PAWL_I64:
      for (int64_t i = 0; i < count; i++)
        ((int64_t *)data)[first + i] = (int64_t)clamp_round(value[i], -0x1p63, 0x1p63 - 1024);
      break;
    default:
      for (int64_t i = 0; i < count; i++)
        ((uint8_t *)data)[first + i] = (uint8_t)clamp_round(value[i], 0, 255);
  }
}

struct tensor_fill {
  const struct pawl_draw *draw;
  const float *pool; /* NULL: each element has a variate of its own */
  void *data;
  int32_t dtype;
  int64_t first, end; /* elements to write */
  int64_t first_tile; /* the tile of variates that `first` needs */
};

ALWAYS_INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

ALWAYS_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Element i takes variate i. */
ALWAYS_INLINE void store_elements(const struct tensor_fill *job, int64_t variate,
                                  const double *value) {
  const int64_t begin = larger(variate, job->first), end = smaller(variate + TILE, job->end);
  store_tile(value + (begin - variate), job->data, job->dtype, begin, end - begin);
}

/* Element i takes variate i / row. */
ALWAYS_INLINE void store_rows(const struct tensor_fill *job, int64_t variate, const double *value) {
  const int64_t row = job->draw->row;
  for (int64_t v = 0; v < TILE && (variate + v) * row < job->end; v++) {
    double same[TILE];
    for (int i = 0; i < TILE; i++) same[i] = value[v];
    const int64_t end = smaller((variate + v + 1) * row, job->end);
    for (int64_t i = larger((variate + v) * row, job->first); i < end; i += TILE)
      store_tile(same, job->data, job->dtype, i, smaller(end - i, TILE));
  }
}

/* Two stretches of the pool that begin at different places, turned by a random angle: a sum of two
   independent normal variates with weights cos and sin has their distribution. */
ALWAYS_INLINE void mixed_tile(const struct tensor_fill *job, uint64_t tile, double *out) {
  uint32_t words[4];
  double cosine, sine;
  pawl_philox(job->draw->seed, job->draw->stream | POOL_STREAM, tile, words);
  const uint32_t place = words[0] % POOL_PLACES, step = 1 + words[1] % (POOL_PLACES - 1);
  const float *first = job->pool + place, *second = job->pool + (place + step) % POOL_PLACES;
  cos_sin(words[2], &cosine, &sine);
  for (int i = 0; i < TILE; i++) out[i] = cosine * (double)first[i] + sine * (double)second[i];
}

ALWAYS_INLINE void draw_item(const struct tensor_fill *job, int64_t item) {
  double value[TILE];
  const bool rows = job->draw->fill == PAWL_FILL_CONSTANT_ROWS;
  for (int64_t t = 0; t < TILES_PER_ITEM; t++) {
    const int64_t variate = (job->first_tile + item * TILES_PER_ITEM + t) * TILE;
    if (variate * (rows ? job->draw->row : 1) >= job->end) return;
    if (job->pool)
      mixed_tile(job, (uint64_t)(variate / TILE), value);
    else
      variate_tile(job->draw, (uint64_t)variate / 4, value);
    if (rows)
      store_rows(job, variate, value);
    else
      store_elements(job, variate, value);
  }
}

#if defined __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) static void draw_item_avx512(
    void *context, int64_t item) {
  draw_item(context, item);
}

__attribute__((target("avx2"))) static void draw_item_avx2(void *context, int64_t item) {
  draw_item(context, item);
}
#endif

static void draw_item_any(void *context, int64_t item) { draw_item(context, item); }

static void (*best_draw(void))(void *, int64_t) {
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return draw_item_avx512;
  if (__builtin_cpu_supports("avx2")) return draw_item_avx2;
#endif
  return draw_item_any;
}

static void draw_elements(const struct pawl_draw *draw, const float *pool, void *data,
                          int32_t dtype, int64_t first, int64_t count, int threads) {
  const int64_t row = draw->fill == PAWL_FILL_CONSTANT_ROWS ? draw->row : 1;
  if (count <= 0) return;
  struct tensor_fill job = {draw, pool, data, dtype, first, first + count, first / row / TILE};
  const int64_t variates = (first + count + row - 1) / row - job.first_tile * TILE;
  const int64_t per_item = TILE * TILES_PER_ITEM;
  pawl_parallel_for(threads, (variates + per_item - 1) / per_item, best_draw(), &job);
}

void pawl_draw_elements(const struct pawl_draw *draw, void *data, int32_t dtype, int64_t first,
                        int64_t count, int threads) {
  draw_elements(draw, NULL, data, dtype, first, count, threads);
}

bool pawl_draw_is_mixed(int32_t fill, int64_t count) {
  return fill == PAWL_FILL_NORMAL && count >= PAWL_DRAW_MIXED_FROM;
}

void pawl_draw_mixed(const struct pawl_draw *draw, void *data, int32_t dtype, int64_t count,
                     int threads) {
  PAWL_CLEANUP(pawl_free_pointer) float *pool = pawl_alloc(POOL_PLACES + TILE, sizeof *pool);
  pawl_draw_elements(draw, pool, PAWL_F32, 0, POOL_PLACES + TILE, threads);
  draw_elements(draw, pool, data, dtype, 0, count, threads);
}
