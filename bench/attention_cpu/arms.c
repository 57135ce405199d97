/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with -march=native -O3 -ffast-math: the peer gets the best that the compiler can do for
 * its softmax. */
#include "arms.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 256

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now(void) { return seconds_of(CLOCK_MONOTONIC_RAW); }

double cpu_time(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/* 2^x in FP32 for x <= 0, branch-free so that the loop around it vectorises; degree 5 minimax on
 * |f| <= 1/2. */
static inline float fast_exp2(float x) {
  x = x < -126.0f ? -126.0f : x;
  const float n = rintf(x), f = x - n;
  const float p =
      ((((0x1.5c08e6p-10f * f + 0x1.3d0c52p-7f) * f + 0x1.c6b6e4p-5f) * f + 0x1.ebf918p-3f) * f +
       0x1.62e428p-1f) *
          f +
      1.0f;
  const int32_t exponent = ((int32_t)n + 127) << 23;
  float power;
  memcpy(&power, &exponent, sizeof power);
  return p * power;
}

/* Softmax of one row in place, scores times `scale` being in units of log2. */
static void softmax_row(float *row, int64_t n, float scale) {
  float largest = row[0], sum = 0.0f;
  for (int64_t j = 0; j < n; j++) largest = row[j] > largest ? row[j] : largest;
  for (int64_t j = 0; j < n; j++) sum += row[j] = fast_exp2((row[j] - largest) * scale);
  const float inverse = 1.0f / sum;
  for (int64_t j = 0; j < n; j++) row[j] *= inverse;
}

struct share {
  const struct problem *problem;
  int64_t first, step, block;
};

static void *blas_heads(void *context) {
  const struct share *share = context;
  const struct problem *p = share->problem;
  const int s = (int)p->s, d = (int)p->d;
  const float scale = (float)(1.4426950408889634 / sqrt((double)d));
  float *scores = aligned_alloc(64, (size_t)(share->block * p->s) * sizeof *scores);
  if (!scores) abort();
  for (int64_t head = share->first; head < p->heads; head += share->step) {
    const float *q = p->q + head * s * d, *k = p->k + head * s * d, *v = p->v + head * s * d;
    for (int64_t row = 0; row < s; row += share->block) {
      const int rows = (int)(s - row < share->block ? s - row : share->block);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, s, d, 1.0f, q + row * d, d, k, d,
                  0.0f, scores, s);
      for (int i = 0; i < rows; i++) softmax_row(scores + (int64_t)i * s, s, scale);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, s, 1.0f, scores, s, v, d,
                  0.0f, p->o + (head * s + row) * d, d);
    }
  }
  free(scores);
  return NULL;
}

void blas_attention(const struct problem *problem, int threads, int64_t block) {
  pthread_t others[MAX_THREADS];
  struct share shares[MAX_THREADS];
  for (int t = 0; t < threads; t++) shares[t] = (struct share){problem, t, threads, block};
  for (int t = 1; t < threads; t++)
    if (pthread_create(&others[t], NULL, blas_heads, &shares[t]) != 0) abort();
  blas_heads(&shares[0]);
  for (int t = 1; t < threads; t++) pthread_join(others[t], NULL);
}

#define GEMM_SIZE 1024

static void *gemm_once(void *context) {
  const int n = GEMM_SIZE;
  float *m = context;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, m, n, m + n * n, n, 0.0f,
              m + 2 * n * n, n);
  return NULL;
}

double gemm_rate(int threads) {
  pthread_t thread[MAX_THREADS];
  float *matrices[MAX_THREADS];
  for (int t = 0; t < threads; t++)
    if (!(matrices[t] = calloc(3 * GEMM_SIZE * GEMM_SIZE, sizeof(float)))) abort();
  double best = 0;
  for (int repeat = 0; repeat < 4; repeat++) {
    const double start = now();
    for (int t = 0; t < threads; t++)
      if (pthread_create(&thread[t], NULL, gemm_once, matrices[t]) != 0) abort();
    for (int t = 0; t < threads; t++) pthread_join(thread[t], NULL);
    const double rate = 2.0 * GEMM_SIZE * GEMM_SIZE * GEMM_SIZE * threads / (now() - start);
    best = rate > best ? rate : best;
  }
  for (int t = 0; t < threads; t++) free(matrices[t]);
  return best;
}

/* 16 chains of the widest vectors, enough to cover latency times throughput of the FMA units of any
 * x86. */
#define CHAINS 16
#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
/* The value is in a register here, and the compiler knows no more of it. */
#define KEEP(value) __asm__ volatile("" : "+v"(value))
typedef float vec __attribute__((vector_size(VECTOR_BYTES)));

struct spin {
  double seconds;
  struct peak rate;
  volatile float sink;
};

static void *spin_fma(void *context) {
  struct spin *spin = context;
  vec a[CHAINS], x = {0}, y = {0};
#pragma GCC unroll 16
  for (int i = 0; i < CHAINS; i++) a[i] = x + (float)i;
  x += 0.999f, y += 0.001f;
  const double start = now(), cpu_start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  double flops = 0, elapsed = 0;
  while (elapsed < spin->seconds) {
    for (int repeat = 0; repeat < 4096; repeat++) {
#pragma GCC unroll 16
      for (int i = 0; i < CHAINS; i++) {
        a[i] = a[i] * x + y;
        KEEP(a[i]);
      }
    }
    flops += 4096.0 * CHAINS * VECTOR_BYTES / sizeof(float) * 2;
    elapsed = now() - start;
  }
  vec sum = {0};
#pragma GCC unroll 16
  for (int i = 0; i < CHAINS; i++) sum += a[i];
  spin->sink = sum[0];
  spin->rate =
      (struct peak){flops / elapsed, flops / (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_start)};
  return NULL;
}

struct peak fma_peak(int threads, double seconds) {
  pthread_t thread[MAX_THREADS];
  struct spin spins[MAX_THREADS];
  struct peak total = {0};
  for (int t = 0; t < threads; t++) {
    spins[t] = (struct spin){.seconds = seconds};
    if (pthread_create(&thread[t], NULL, spin_fma, &spins[t]) != 0) abort();
  }
  for (int t = 0; t < threads; t++) {
    pthread_join(thread[t], NULL);
    total.wall += spins[t].rate.wall;
    total.cpu += spins[t].rate.cpu / threads;
  }
  return total;
}
