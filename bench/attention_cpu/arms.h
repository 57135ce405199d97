/* SPDX-License-Identifier: Apache-2.0 */
/* The peer of the bench, attention by OpenBLAS and a vectorised softmax, and the machine's measured
 * FMA peak. */
#pragma once

#include <stdint.h>

/* q, k, v, o: dense [heads, s, d] floats. */
struct problem {
  int64_t heads, s, d;
  const float *q, *k, *v;
  float *o;
};

/* One thread for each head in turn, head t, t + threads, ...; single-threaded sgemm on `block`
 * query rows at a time. */
void blas_attention(const struct problem *problem, int threads, int64_t block);

/* FP32 FLOP/s of sgemm on 1024 x 1024 matrices, `threads` at a time, one thread each. */
double gemm_rate(int threads);

/* FP32 FLOP/s of `threads` threads that do nothing but independent FMAs on registers, for about
   `seconds`: all together by the clock on the wall, and of one thread by the CPU time it was given,
   which other load hardly moves. */
struct peak {
  double wall, cpu;
};
struct peak fma_peak(int threads, double seconds);

double now(void);      /* seconds on the wall */
double cpu_time(void); /* seconds of CPU that all threads of this process used, ended ones too */
