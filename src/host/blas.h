/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS for oracles. The first multiplication opens it, so an oracle that multiplies no matrices
   does not need it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct host_blas {
  pthread_mutex_t lock;
  bool tried;
  /* cblas_dgemm, or NULL if OpenBLAS is unavailable */
  void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                const double *a, int lda, const double *b, int ldb, double beta, double *c,
                int ldc);
  /* why OpenBLAS is unavailable or cannot multiply these matrices; "" if it can */
  char failure[256];
};

void host_blas_init(struct host_blas *blas);
/* Computes C = alpha op(A) op(B) + beta C, row-major, on the calling thread. Any thread may call
   it. If it cannot multiply, it fills C with NaN, and blas->failure says why. */
void host_blas_dgemm(struct host_blas *blas, bool trans_a, bool trans_b, int64_t m, int64_t n,
                     int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                     int64_t ldb, double beta, double *c, int64_t ldc);
