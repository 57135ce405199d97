/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes over each tile of elements: a fast pass without branches, which only finds whether
   every element passes, and, where one does not, a careful pass, which says what is wrong. This
   room is never compiled with -ffast-math, which would let the compiler assume that NaN does not
   exist. */
#include "oracle/tensor_errors.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "oracle/decode.h"

#define TILE 512
#define ITEM ((int64_t)64 * TILE) /* elements handed to a thread at a time */
/* Partial sums side by side, so that the order of additions is the same on every machine. */
#define LANES 8

struct tensor_comparison {
  const void *out;
  const struct pawl_expected *expected;
  const struct pawl_tolerance *tolerance;
  int32_t dtype;
  double overflow; /* from here on the dtype rounds to infinity */
  double shift;
  int64_t count;
  struct pawl_tensor_errors *parts; /* one for each item */
};

static double larger(double a, double b) { return a > b ? a : b; }

static double smaller(double a, double b) { return a < b ? a : b; }

static void comparison_init(struct pawl_tensor_errors *c, double shift) {
  *c = (struct pawl_tensor_errors){.first_wrong = -1,
                                   .shift = shift,
                                   .out_min = INFINITY,
                                   .out_max = -INFINITY,
                                   .expected_min = INFINITY,
                                   .expected_max = -INFINITY};
}

static void comparison_add(struct pawl_tensor_errors *a, const struct pawl_tensor_errors *b) {
  a->count += b->count;
  a->wrong += b->wrong, a->not_finite += b->not_finite, a->unwritten += b->unwritten;
  if (a->first_wrong < 0 && b->first_wrong >= 0)
    a->first_wrong = b->first_wrong, a->first_expected = b->first_expected,
    a->first_got = b->first_got;
  a->max_abs = larger(a->max_abs, b->max_abs), a->max_rel = larger(a->max_rel, b->max_rel);
  a->sum_abs += b->sum_abs;
  a->sum_square_error += b->sum_square_error, a->sum_square_expected += b->sum_square_expected;
  a->sum_out += b->sum_out, a->sum_expected += b->sum_expected;
  a->sum_out_out += b->sum_out_out, a->sum_expected_expected += b->sum_expected_expected;
  a->sum_out_expected += b->sum_out_expected;
  a->out_min = smaller(a->out_min, b->out_min), a->out_max = larger(a->out_max, b->out_max);
  a->expected_min = smaller(a->expected_min, b->expected_min);
  a->expected_max = larger(a->expected_max, b->expected_max);
}

/* Sums of one tile in which every element passes, by lane. */
struct lanes {
  double abs[LANES], max_abs[LANES], max_rel[LANES], square_error[LANES], square_expected[LANES];
  double out[LANES], expected[LANES], out_out[LANES], expected_expected[LANES], out_expected[LANES];
  double out_min[LANES], out_max[LANES], expected_min[LANES], expected_max[LANES];
  double passed[LANES];
};

/* Returns false if an element of the tile does not pass; the sums are then undefined. `count` is a
 * multiple of LANES. */
PAWL_ALWAYS_INLINE bool sum_tile(const double *out, const double *expected, int64_t count,
                                 const struct pawl_tolerance *tolerance, double shift,
                                 struct lanes *sums) {
  struct lanes s = {0};
  for (int l = 0; l < LANES; l++) {
    s.out_min[l] = s.out_max[l] = out[l];
    s.expected_min[l] = s.expected_max[l] = expected[l];
  }
  const double atol = tolerance->atol, rtol = tolerance->rtol;
  for (int64_t i = 0; i < count; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double o = out[i + l], e = expected[i + l], size = fabs(e), error = fabs(o - e);
      const double bound = atol + rtol * size;
      /* an infinite bound must not accept an infinite error */
      s.passed[l] += error <= (bound < DBL_MAX ? bound : DBL_MAX) ? 1.0 : 0.0;
      const double relative = size > atol ? error / size : 0.0;
      s.max_rel[l] = relative > s.max_rel[l] ? relative : s.max_rel[l];
      s.max_abs[l] = error > s.max_abs[l] ? error : s.max_abs[l];
      s.abs[l] += error;
      s.square_error[l] += error * error, s.square_expected[l] += e * e;
      const double x = o - shift, y = e - shift;
      s.out[l] += x, s.expected[l] += y;
      s.out_out[l] += x * x, s.expected_expected[l] += y * y, s.out_expected[l] += x * y;
      s.out_min[l] = o < s.out_min[l] ? o : s.out_min[l],
      s.out_max[l] = o > s.out_max[l] ? o : s.out_max[l];
      s.expected_min[l] = e < s.expected_min[l] ? e : s.expected_min[l];
      s.expected_max[l] = e > s.expected_max[l] ? e : s.expected_max[l];
    }
  *sums = s;
  double passed = 0.0;
  for (int l = 0; l < LANES; l++) passed += s.passed[l];
  return passed == (double)count;
}

static void add_lanes(struct pawl_tensor_errors *c, const struct lanes *s, int64_t count) {
  c->count += count;
  for (int l = 0; l < LANES; l++) {
    c->max_abs = larger(c->max_abs, s->max_abs[l]), c->max_rel = larger(c->max_rel, s->max_rel[l]);
    c->sum_abs += s->abs[l];
    c->sum_square_error += s->square_error[l], c->sum_square_expected += s->square_expected[l];
    c->sum_out += s->out[l], c->sum_expected += s->expected[l];
    c->sum_out_out += s->out_out[l], c->sum_expected_expected += s->expected_expected[l];
    c->sum_out_expected += s->out_expected[l];
    c->out_min = smaller(c->out_min, s->out_min[l]), c->out_max = larger(c->out_max, s->out_max[l]);
    c->expected_min = smaller(c->expected_min, s->expected_min[l]);
    c->expected_max = larger(c->expected_max, s->expected_max[l]);
  }
}

static bool is_poison(const struct tensor_comparison *job, int64_t index) {
  const size_t size = pawl_dtype_size(job->dtype);
  const unsigned char *byte = (const unsigned char *)job->out + (size_t)index * size;
  for (size_t i = 0; i < size; i++)
    if (byte[i] != 0xff) return false;
  return true;
}

static void note_wrong(const struct tensor_comparison *job, struct pawl_tensor_errors *c,
                       int64_t index, double out, double expected) {
  if (c->first_wrong < 0) c->first_wrong = index, c->first_expected = expected, c->first_got = out;
  c->wrong++;
  if (!isfinite(out) && !isinf(expected)) c->not_finite++;
  if (is_poison(job, index)) c->unwritten++;
}

static void compare_element(const struct tensor_comparison *job, struct pawl_tensor_errors *c,
                            int64_t index, double out, double expected) {
  c->count++;
  /* the new value first: a comparison with NaN is false and the second one stays */
  c->out_min = smaller(out, c->out_min), c->out_max = larger(out, c->out_max);
  c->expected_min = smaller(expected, c->expected_min),
  c->expected_max = larger(expected, c->expected_max);
  if (fabs(expected) >= job->overflow && isinf(out) && signbit(out) == signbit(expected)) return;
  const double size = fabs(expected), error = fabs(out - expected);
  const double bound = job->tolerance->atol + job->tolerance->rtol * size;
  if (!(error <= bound) || !isfinite(error)) note_wrong(job, c, index, out, expected);
  if (!isfinite(error)) return;
  c->max_abs = larger(c->max_abs, error);
  if (size > job->tolerance->atol) c->max_rel = larger(c->max_rel, error / size);
  c->sum_abs += error;
  c->sum_square_error += error * error, c->sum_square_expected += expected * expected;
  const double x = out - job->shift, y = expected - job->shift;
  c->sum_out += x, c->sum_expected += y;
  c->sum_out_out += x * x, c->sum_expected_expected += y * y, c->sum_out_expected += x * y;
}

PAWL_ALWAYS_INLINE void compare_item(const struct tensor_comparison *job, int64_t item) {
  double out[TILE], expected[TILE];
  struct pawl_tensor_errors *part = &job->parts[item];
  comparison_init(part, job->shift);
  const int64_t end = (item + 1) * ITEM < job->count ? (item + 1) * ITEM : job->count;
  for (int64_t first = item * ITEM; first < end; first += TILE) {
    const int64_t count = end - first < TILE ? end - first : TILE;
    struct lanes sums;
    pawl_decode(job->out, job->dtype, first, count, out);
    pawl_decode(job->expected->data, job->expected->dtype, first, count, expected);
    if (count % LANES == 0 && sum_tile(out, expected, count, job->tolerance, job->shift, &sums))
      add_lanes(part, &sums, count);
    else
      for (int64_t i = 0; i < count; i++)
        compare_element(job, part, first + i, out[i], expected[i]);
  }
}

#if defined __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void compare_item_avx512(void *context,
                                                                                     int64_t item) {
  compare_item(context, item);
}

__attribute__((target("avx2"))) static void compare_item_avx2(void *context, int64_t item) {
  compare_item(context, item);
}
#endif

static void compare_item_any(void *context, int64_t item) { compare_item(context, item); }

static void (*best_compare(void))(void *, int64_t) {
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return compare_item_avx512;
  if (__builtin_cpu_supports("avx2")) return compare_item_avx2;
#endif
  return compare_item_any;
}

/* Returns the smallest magnitude that the dtype rounds to infinity: half a unit above its largest
 * number. */
static double overflow_of(int32_t dtype) {
  switch (dtype) {
    case PAWL_F32: return 0x1.ffffffp127;
    case PAWL_F16: return 0x1.ffep15;
    case PAWL_BF16: return 0x1.ffp127;
    default: return INFINITY;
  }
}

void pawl_tensor_errors_of(const void *out, int32_t dtype, const struct pawl_expected *expected,
                           int64_t count, const struct pawl_tolerance *tolerance, int threads,
                           struct pawl_tensor_errors *result) {
  const int64_t items = (count + ITEM - 1) / ITEM;
  struct tensor_comparison job = {.out = out,
                                  .expected = expected,
                                  .tolerance = tolerance,
                                  .dtype = dtype,
                                  .overflow = overflow_of(dtype),
                                  .count = count};
  if (count > 0) pawl_decode(expected->data, expected->dtype, 0, 1, &job.shift);
  if (!isfinite(job.shift)) job.shift = 0.0;
  job.parts = pawl_alloc((size_t)(items ? items : 1), sizeof *job.parts);
  pawl_parallel_for(threads, items, best_compare(), &job);
  comparison_init(result, job.shift);
  for (int64_t i = 0; i < items; i++) comparison_add(result, &job.parts[i]);
  pawl_free(job.parts);
}

double pawl_tensor_errors_rel_rms(const struct pawl_tensor_errors *c) {
  if (c->not_finite) return NAN;
  if (c->sum_square_error == 0.0) return 0.0;
  return sqrt(c->sum_square_error / c->sum_square_expected);
}

double pawl_tensor_errors_correlation(const struct pawl_tensor_errors *c) {
  const double n = (double)c->count;
  if (c->not_finite || !(c->out_max > c->out_min) || !(c->expected_max > c->expected_min))
    return NAN;
  const double out = c->sum_out_out - c->sum_out * c->sum_out / n;
  const double expected = c->sum_expected_expected - c->sum_expected * c->sum_expected / n;
  const double both = c->sum_out_expected - c->sum_out * c->sum_expected / n;
  if (!(out > 0.0) || !(expected > 0.0)) return NAN;
  return smaller(1.0, larger(-1.0, both / sqrt(out * expected)));
}

double pawl_unit_roundoff(int32_t dtype) {
  switch (dtype) {
    case PAWL_F64: return 0x1p-53;
    case PAWL_F32: return 0x1p-24;
    case PAWL_F16: return 0x1p-11;
    case PAWL_BF16: return 0x1p-8;
    case PAWL_E4M3: return 0x1p-4;
    default: return 0; /* integers: whole units */
  }
}

bool pawl_tensor_errors_is_constant(const struct pawl_tensor_errors *c, int32_t dtype) {
  if (c->count < 2 || c->out_min != c->out_max) return false;
  const double largest = larger(fabs(c->expected_min), fabs(c->expected_max)),
               spread = c->expected_max - c->expected_min;
  const double unit = pawl_unit_roundoff(dtype);
  return spread > (unit == 0 ? 1.0 : 8.0 * largest * unit);
}
