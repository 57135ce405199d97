/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS for oracles: opened on first use, so that nothing but an oracle that multiplies matrices
 * needs it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct host_blas {
  pthread_mutex_t lock;
  bool tried;
  void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                const double *a, int lda, const double *b, int ldb, double beta, double *c,
                int ldc); /* cblas_dgemm; NULL: not there */
  char failure[256];      /* why it is not there, or cannot do what was asked; "" */
};

void host_blas_init(struct host_blas *blas);
/* C = alpha op(A) op(B) + beta C, row-major, on the calling thread; any thread may call. When it
   cannot be done C is filled with NaN and blas->failure says why. */
void host_blas_dgemm(struct host_blas *blas, bool trans_a, bool trans_b, int64_t m, int64_t n,
                     int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                     int64_t ldb, double beta, double *c, int64_t ldc);
