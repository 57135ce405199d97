/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a CPU attention kernel with attention built on OpenBLAS, and with the machine's FMA
   peak. usage: main KERNEL.so ROUNDS S...   each round runs the peak, then both arms, in an order
   that alternates main gemm                    GFLOP/s of OpenBLAS sgemm with this
   OPENBLAS_CORETYPE, and of the peak */
#include <dlfcn.h>
#include <math.h>
#include <pawl/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arms.h"

extern char *openblas_get_corename(void);
extern char *openblas_get_config(void);
extern void openblas_set_num_threads(int);

#define D 64
#define MAX_ROUNDS 1000

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *values, int n) {
  double sorted[MAX_ROUNDS];
  memcpy(sorted, values, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, compare);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double smallest(const double *values, int n) {
  double best = values[0];
  for (int i = 1; i < n; i++) best = values[i] < best ? values[i] : best;
  return best;
}

/* Roughly N(0,1): the sum of four uniform numbers, scaled. */
static float *random_floats(int64_t n) {
  static uint64_t state = 42;
  float *out = aligned_alloc(256, ((size_t)n * sizeof *out + 255) / 256 * 256);
  if (!out) abort();
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < 4; j++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += (double)(state >> 11) * 0x1p-53 - 0.5;
    }
    out[i] = (float)(sum * 1.7320508);
  }
  return out;
}

/* Seconds of one run, on the wall and of CPU over all threads. */
struct timing {
  double wall, cpu;
};

static struct timing run_kernel(const struct pawl_kernel *kernel, const struct problem *p, float *o,
                                int threads) {
  const struct pawl_dim dims[] = {
      {"B", 1}, {"H", p->heads}, {"S", p->s}, {"D", p->d}, {"causal", 0}};
  const struct pawl_shape shape = {dims, 5, PAWL_F32};
  struct pawl_tensor tensors[4];
  float *const data[4] = {(float *)(uintptr_t)p->q, (float *)(uintptr_t)p->k,
                          (float *)(uintptr_t)p->v, o};
  for (int i = 0; i < 4; i++)
    tensors[i] = (struct pawl_tensor){.data = data[i],
                                      .dtype = PAWL_F32,
                                      .role = i < 3 ? PAWL_IN : PAWL_OUT,
                                      .ndim = 4,
                                      .size = {1, p->heads, p->s, p->d},
                                      .stride = {p->heads * p->s * p->d, p->s * p->d, p->d, 1}};
  const struct pawl_launch launch = {.struct_size = sizeof launch,
                                     .threads = threads,
                                     .shape = &shape,
                                     .tensors = tensors,
                                     .tensor_count = 4};
  const double start = now(), cpu_start = cpu_time();
  if (kernel->launch(&launch) != 0) abort();
  return (struct timing){now() - start, cpu_time() - cpu_start};
}

static struct timing run_blas(const struct problem *p, int threads, int64_t block) {
  const double start = now(), cpu_start = cpu_time();
  blas_attention(p, threads, block);
  return (struct timing){now() - start, cpu_time() - cpu_start};
}

/* The block of query rows with which the peer is fastest at this size. */
static int64_t best_block(const struct problem *p, int threads) {
  static const int64_t blocks[] = {64, 128, 256, 512, 1024};
  int64_t best = 0;
  double best_seconds = INFINITY;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks && blocks[i] <= p->s; i++) {
    double seconds[5];
    for (int j = 0; j < 5; j++) seconds[j] = run_blas(p, threads, blocks[i]).cpu;
    const double least = smallest(seconds, 5);
    if (least < best_seconds) best_seconds = least, best = blocks[i];
  }
  return best;
}

static void bench(const struct pawl_kernel *kernel, int64_t s, int threads, int rounds) {
  int64_t heads = 16384 / s;
  heads = (heads + threads - 1) / threads * threads; /* no thread of the peer is left idle */
  const int64_t n = heads * s * D;
  float *q = random_floats(n), *k = random_floats(n), *v = random_floats(n);
  float *o = random_floats(n), *expected = random_floats(n);
  const struct problem p = {heads, s, D, q, k, v, expected};
  const double flop = 4.0 * (double)(heads * s) * (double)(s * D);
  const int64_t block = best_block(&p, threads);
  double ours[MAX_ROUNDS], theirs[MAX_ROUNDS], wall_ratio[MAX_ROUNDS], cpu_ratio[MAX_ROUNDS],
      share[MAX_ROUNDS], best_peak = 0;
  run_kernel(kernel, &p, o, threads);
  for (int r = 0; r < rounds; r++) {
    struct timing kernel_time, blas_time;
    const struct peak peak = fma_peak(threads, 0.02);
    if (r % 2) kernel_time = run_kernel(kernel, &p, o, threads);
    blas_time = run_blas(&p, threads, block);
    if (r % 2 == 0) kernel_time = run_kernel(kernel, &p, o, threads);
    ours[r] = kernel_time.wall;
    theirs[r] = blas_time.wall;
    wall_ratio[r] = blas_time.wall / kernel_time.wall;
    cpu_ratio[r] = blas_time.cpu / kernel_time.cpu;
    share[r] = flop / kernel_time.cpu / peak.cpu;
    best_peak = fmax(best_peak, peak.wall);
  }
  double worst = 0;
  for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)o[i] - (double)expected[i]));
  if (!(worst < 1e-4)) fprintf(stderr, "the arms disagree by %g\n", worst), exit(1);
  const double us = smallest(ours, rounds), them = smallest(theirs, rounds);
  printf(
      "| %lld | %lld | %.2f / %.2f | %.2f / %.2f (%lld) | **%.2f** | %.2f | %.2f | %.1f / %.1f | "
      "**%.1f %%** | %.1f %% "
      "|\n",
      (long long)s, (long long)heads, median(ours, rounds) * 1e3, us * 1e3,
      median(theirs, rounds) * 1e3, them * 1e3, (long long)block, median(wall_ratio, rounds),
      median(cpu_ratio, rounds), them / us, flop / us * 1e-9, best_peak * 1e-9,
      100 * median(share, rounds), 100 * flop / us / best_peak);
  fflush(stdout);
  free(q), free(k), free(v), free(o), free(expected);
}

/* Prints the core type, its sgemm rate and its share of the peak, each the best of several runs. */
static int bench_gemm(int threads) {
  double rate = 0, peak = 0;
  for (int r = 0; r < 10; r++) {
    rate = fmax(rate, gemm_rate(threads));
    peak = fmax(peak, fma_peak(threads, 0.02).wall);
  }
  printf("%s %.1f %.1f\n", openblas_get_corename(), rate * 1e-9, 100 * rate / peak);
  return 0;
}

int main(int argc, char **argv) {
  const int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  openblas_set_num_threads(1); /* each thread of ours calls it for itself */
  if (argc == 2 && strcmp(argv[1], "gemm") == 0) return bench_gemm(threads);
  const int rounds = argc > 3 ? atoi(argv[2]) : 0;
  if (rounds < 1 || rounds > MAX_ROUNDS)
    return fprintf(stderr, "usage: %s KERNEL.so ROUNDS S... | gemm\n", argv[0]), 64;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 66;
  const struct pawl_kernel *(*entry)(void) =
      (const struct pawl_kernel *(*)(void))dlsym(library, PAWL_KERNEL_ENTRY);
  if (!entry) return fprintf(stderr, "%s has no %s\n", argv[1], PAWL_KERNEL_ENTRY), 65;
  printf("%s against %s, core type %s; %d threads, D %d, f32, %d rounds\n\n", entry()->name,
         openblas_get_config(), openblas_get_corename(), threads, D, rounds);
  puts(
      "Times are median / best. A speedup is OpenBLAS's time over the kernel's: the median over "
      "the rounds, on the "
      "wall and "
      "in CPU time, and of the best times. The share of the FMA peak is the median of the rounds "
      "in CPU time, and of "
      "the best times on the wall.\n");
  puts(
      "| S | heads | kernel ms | OpenBLAS ms (rows a block) | speedup | in CPU time | of the best "
      "| GFLOP/s of kernel "
      "/ "
      "FMA peak, best | share of FMA peak | of the best |\n"
      "|---|---|---|---|---|---|---|---|---|---|");
  for (int i = 3; i < argc; i++) bench(entry(), atoll(argv[i]), threads, rounds);
  return 0;
}
