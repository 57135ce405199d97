/* SPDX-License-Identifier: Apache-2.0 */
#include "host/blas.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of cblas.h. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

/* OpenBLAS chooses its kernels by the CPU's model number. It takes unknown models, such as those of
 * virtual machines, for models of 2005, at a sixth of the speed. So pawl asks the CPU for its
 * features. */
static void choose_core_type(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512)
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0); /* 0: what the user has set stays */
  else if (avx2)
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

void host_blas_init(struct host_blas *blas) {
  *blas = (struct host_blas){.lock = PTHREAD_MUTEX_INITIALIZER};
}

static void open_library(struct host_blas *blas) {
  static const char name[] = "libopenblas.so.0";
  choose_core_type();
  setenv("OPENBLAS_NUM_THREADS", "1", 1); /* the oracle has its own threads */
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  void *dgemm = library ? dlsym(library, "cblas_dgemm") : NULL;
  void *set_threads = library ? dlsym(library, "openblas_set_num_threads") : NULL;
  if (!dgemm || !set_threads) {
    snprintf(blas->failure, sizeof blas->failure,
             "cannot use OpenBLAS, which the oracle needs: %.180s", dlerror());
    return;
  }
  void (*set)(int) = NULL;
  memcpy(&set, &set_threads, sizeof set);
  memcpy(&blas->dgemm, &dgemm, sizeof blas->dgemm);
  set(1);
}

static bool fits(int64_t value) { return value >= 0 && value <= INT_MAX; }

/* Returns whether the call is possible. If it is not, notes the reason. */
static bool ready(struct host_blas *blas, bool sizes_fit) {
  pthread_mutex_lock(&blas->lock);
  if (!blas->tried) {
    blas->tried = true;
    open_library(blas);
  }
  const bool usable = blas->dgemm && sizes_fit;
  if (blas->dgemm && !sizes_fit)
    snprintf(blas->failure, sizeof blas->failure,
             "the oracle multiplies matrices of more than 2^31 rows or columns");
  pthread_mutex_unlock(&blas->lock);
  return usable;
}

void host_blas_dgemm(struct host_blas *blas, bool trans_a, bool trans_b, int64_t m, int64_t n,
                     int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                     int64_t ldb, double beta, double *c, int64_t ldc) {
  const bool sizes_fit = fits(m) && fits(n) && fits(k) && fits(lda) && fits(ldb) && fits(ldc);
  if (!ready(blas, sizes_fit)) {
    for (int64_t i = 0; i < m; i++) {
      for (int64_t j = 0; j < n; j++) c[i * ldc + j] = NAN;
    }
    return;
  }
  blas->dgemm(ROW_MAJOR, trans_a ? TRANS : NO_TRANS, trans_b ? TRANS : NO_TRANS, (int)m, (int)n,
              (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}
