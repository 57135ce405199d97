/* SPDX-License-Identifier: Apache-2.0 */
/* Row softmax, fast: each row is read once into a buffer that stays in cache, then written once;
   loops over 16 lanes that the compiler turns into the widest vectors of the machine; all threads.
   FP32 arithmetic. The order of every sum is fixed by the row's length, so results do not depend on
   the number of threads. */
#include <pawl/convert.h>
#include <pawl/kernel.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LANES 16
#define CHUNK \
  2048 /* elements summed by themselves first: the rounding of a long sum grows with its length */
#define MAX_THREADS 256
#define ELEMENTS_A_THREAD ((int64_t)1 << 15) /* fewer are not worth starting a thread for */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* e^x for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor series to degree 7
   (remainder 5e-9); 0 where 2^k would not be a normal number. */
ALWAYS_INLINE float exp_f32(float x) {
  const float round =
      0x1.8p23f; /* adding it rounds to an integer, which then stands in the low bits */
  const float rounded = x * 0x1.715476p+0f + round, k = rounded - round;
  const float r = (x - k * 0x1.62ep-1f) -
                  k * 0x1.0bfbe8p-15f; /* ln 2 in two parts, k times the first is exact */
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits = (bits + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof power);
  return x < -87.0f ? 0.0f : p * power;
}

/* In place, n a multiple of LANES; elements past the row's end are -infinity and become 0. */
ALWAYS_INLINE void softmax(float *row, int64_t n) {
  float largest[LANES], sum[LANES] = {0};
  for (int lane = 0; lane < LANES; lane++) largest[lane] = row[lane];
  for (int64_t j = 0; j < n; j += LANES)
    for (int lane = 0; lane < LANES; lane++)
      largest[lane] = row[j + lane] > largest[lane] ? row[j + lane] : largest[lane];
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; lane++)
      largest[lane] = largest[lane + width] > largest[lane] ? largest[lane + width] : largest[lane];
  const float maximum = largest[0];
  for (int64_t chunk = 0; chunk < n; chunk += CHUNK) {
    const int64_t end = chunk + CHUNK < n ? chunk + CHUNK : n;
    float part[LANES] = {0};
    for (int64_t j = chunk; j < end; j += LANES)
      for (int lane = 0; lane < LANES; lane++)
        part[lane] += row[j + lane] = exp_f32(row[j + lane] - maximum);
    for (int lane = 0; lane < LANES; lane++) sum[lane] += part[lane];
  }
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; lane++) sum[lane] += sum[lane + width];
  const float inverse = 1.0f / sum[0];
  for (int64_t j = 0; j < n; j++) row[j] *= inverse;
}

ALWAYS_INLINE void bf16_to_f32(const uint16_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) {
    const uint32_t bits = (uint32_t)in[i] << 16;
    memcpy(&out[i], &bits, sizeof bits);
  }
}

ALWAYS_INLINE void f32_to_bf16(const float *in, int64_t count, uint16_t *out) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &in[i], sizeof bits);
    const uint32_t rounded =
        (bits + 0x7fff + (bits >> 16 & 1)) >> 16; /* to nearest, ties to even */
    out[i] = (uint16_t)(in[i] == in[i] ? rounded : 0x7fc0);
  }
}

static void f16_to_f32(const uint16_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = (float)pawl_small_float_decode(in[i], 5, 10, 0);
}

static void f32_to_f16(const float *in, int64_t count, uint16_t *out) {
  for (int64_t i = 0; i < count; i++)
    out[i] = (uint16_t)pawl_small_float_encode((double)in[i], 5, 10, 0);
}

/* The code that differs between the instruction sets. */
struct isa {
  void (*softmax)(float *row, int64_t n);
  void (*f16_to_f32)(const uint16_t *in, int64_t count, float *out);
  void (*f32_to_f16)(const float *in, int64_t count, uint16_t *out);
};

static void softmax_portable(float *row, int64_t n) { softmax(row, n); }

static const struct isa isa_portable = {softmax_portable, f16_to_f32, f32_to_f16};

#if defined __x86_64__
#include <immintrin.h>

#define TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,f16c")))

static TARGET_AVX2 void softmax_avx2(float *row, int64_t n) { softmax(row, n); }
static TARGET_AVX512 void softmax_avx512(float *row, int64_t n) { softmax(row, n); }

static TARGET_AVX2 void f16_to_f32_f16c(const uint16_t *in, int64_t count, float *out) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
  f16_to_f32(in + i, count - i, out + i);
}

static TARGET_AVX2 void f32_to_f16_f16c(const float *in, int64_t count, uint16_t *out) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        (__m128i *)(void *)(out + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  f32_to_f16(in + i, count - i, out + i);
}

static const struct isa isa_avx2 = {softmax_avx2, f16_to_f32_f16c, f32_to_f16_f16c};
static const struct isa isa_avx512 = {softmax_avx512, f16_to_f32_f16c, f32_to_f16_f16c};
#endif

static const struct isa *best_isa(void) {
#if defined __x86_64__
  __builtin_cpu_init();
  const int avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* F16C came before */
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return &isa_avx512;
  if (avx2) return &isa_avx2;
#endif
  return &isa_portable;
}

struct share {
  const struct isa *isa;
  const struct pawl_tensor *x, *y;
  int64_t first_row, end_row;
  int out_of_memory;
};

static void load_row(const struct share *share, int64_t first, int64_t count, float *out) {
  const char *data =
      (const char *)share->x->data + (size_t)first * pawl_dtype_size(share->x->dtype);
  switch (share->x->dtype) {
    case PAWL_F32: memcpy(out, data, (size_t)count * sizeof *out); break;
    case PAWL_F16: share->isa->f16_to_f32((const uint16_t *)(const void *)data, count, out); break;
    default: bf16_to_f32((const uint16_t *)(const void *)data, count, out);
  }
}

static void store_row(const struct share *share, const float *in, int64_t count, int64_t first) {
  char *data = (char *)share->y->data + (size_t)first * pawl_dtype_size(share->y->dtype);
  switch (share->y->dtype) {
    case PAWL_F32: memcpy(data, in, (size_t)count * sizeof *in); break;
    case PAWL_F16: share->isa->f32_to_f16(in, count, (uint16_t *)(void *)data); break;
    default: f32_to_bf16(in, count, (uint16_t *)(void *)data);
  }
}

static void *work(void *context) {
  struct share *share = context;
  const int64_t cols = share->x->size[1], padded = (cols + LANES - 1) / LANES * LANES;
  float *row = aligned_alloc(64, (size_t)padded * sizeof *row);
  if (!row) {
    share->out_of_memory = 1;
    return NULL;
  }
  for (int64_t i = share->first_row; i < share->end_row; i++) {
    load_row(share, i * cols, cols, row);
    for (int64_t j = cols; j < padded; j++) row[j] = -__builtin_inff();
    share->isa->softmax(row, padded);
    store_row(share, row, cols, i * cols);
  }
  free(row);
  return NULL;
}

enum { OUT_OF_MEMORY = 1 };

static int launch(const struct pawl_launch *launch) {
  const struct pawl_tensor *x = &launch->tensors[0], *y = &launch->tensors[1];
  const int64_t rows = x->size[0];
  int64_t threads = launch->threads < MAX_THREADS ? launch->threads : MAX_THREADS;
  const int64_t useful = rows * x->size[1] / ELEMENTS_A_THREAD;
  if (threads > useful) threads = useful;
  if (threads > rows) threads = rows;
  if (threads < 1) threads = 1;
  struct share shares[MAX_THREADS];
  pthread_t others[MAX_THREADS];
  int started[MAX_THREADS] = {0}, failed = 0;
  const struct isa *isa = best_isa();
  for (int64_t t = 0; t < threads; t++)
    shares[t] = (struct share){isa, x, y, rows * t / threads, rows * (t + 1) / threads, 0};
  for (int64_t t = 1; t < threads; t++)
    started[t] = pthread_create(&others[t], NULL, work, &shares[t]) == 0;
  for (int64_t t = 0; t < threads; t++)
    if (!started[t]) work(&shares[t]); /* ours, and those that no thread could be had for */
  for (int64_t t = 0; t < threads; t++) {
    if (started[t]) pthread_join(others[t], NULL);
    failed |= shares[t].out_of_memory;
  }
  return failed ? OUT_OF_MEMORY : 0;
}

static const char *error(int number) {
  return number == OUT_OF_MEMORY ? "out of memory" : "unknown error";
}

static const char *supports(const struct pawl_shape *shape) {
  return shape->dtype == PAWL_F32 || shape->dtype == PAWL_F16 || shape->dtype == PAWL_BF16
             ? NULL
             : "dtype must be f32, f16 or bf16";
}

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "softmax_cpu_fast",
    .operator_name = "softmax",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
    .error = error,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
