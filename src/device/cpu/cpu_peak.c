/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/cpu_peak.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

/* More than latency (4..5) x ports (2) independent chains, and few enough for 16 registers. */
#define CHAINS 12
/* Shorter than a time slice, so that some window has the CPU for itself. */
#define WINDOW_NS 1000000
#define CHAIN_STEPS 4096 /* multiply-adds of each chain between two looks at the clock */

/* CHAINS accumulators, multiply-added CHAIN_STEPS times; the values stay near 1. Returns their sum,
   so that nothing may be left out. The compiler fuses each line into one instruction where TARGET
   has one. */
#define DEFINE_CHAINS(NAME, TARGET, SCALAR, WIDTH)                                           \
  TARGET static double NAME(void) {                                                          \
    typedef SCALAR vector __attribute__((vector_size(WIDTH)));                               \
    const vector f = (vector){0} + (SCALAR)0.999, d = (vector){0} + (SCALAR)0.001;           \
    vector a0 = f, a1 = a0 + f, a2 = a1 + f, a3 = a2 + f, a4 = a3 + f, a5 = a4 + f;          \
    vector a6 = a5 + f, a7 = a6 + f, a8 = a7 + f, a9 = a8 + f, a10 = a9 + f, a11 = a10 + f;  \
    for (int step = 0; step < CHAIN_STEPS; step++) {                                         \
      a0 = a0 * f + d, a1 = a1 * f + d, a2 = a2 * f + d, a3 = a3 * f + d, a4 = a4 * f + d,   \
      a5 = a5 * f + d;                                                                       \
      a6 = a6 * f + d, a7 = a7 * f + d, a8 = a8 * f + d, a9 = a9 * f + d, a10 = a10 * f + d, \
      a11 = a11 * f + d;                                                                     \
    }                                                                                        \
    const vector sum =                                                                       \
        ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + ((a8 + a9) + (a10 + a11));       \
    return (double)sum[0];                                                                   \
  }

#if defined(__x86_64__)
DEFINE_CHAINS(chains_f64_avx512, __attribute__((target("avx512f"))), double, 64)
DEFINE_CHAINS(chains_f32_avx512, __attribute__((target("avx512f"))), float, 64)
DEFINE_CHAINS(chains_f64_avx2, __attribute__((target("avx2,fma"))), double, 32)
DEFINE_CHAINS(chains_f32_avx2, __attribute__((target("avx2,fma"))), float, 32)
#endif
DEFINE_CHAINS(chains_f64_plain, , double, 16)
DEFINE_CHAINS(chains_f32_plain, , float, 16)

struct chains {
  double (*run)(void);
  double flop; /* in one run */
  const char *unit;
};

static struct chains choose_chains(bool f64) {
  double (*run)(void) = f64 ? chains_f64_plain : chains_f32_plain;
  int width = 16;
  const char *unit = "plain C";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    run = f64 ? chains_f64_avx512 : chains_f32_avx512, width = 64, unit = "AVX-512";
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    run = f64 ? chains_f64_avx2 : chains_f32_avx2, width = 32, unit = "AVX2";
  }
#endif
  const double lanes = width / (f64 ? 8.0 : 4.0);
  return (struct chains){run, 2.0 * lanes * CHAINS * CHAIN_STEPS, unit};
}

/* Runs body(context, index) on `threads` threads at once, all started from one barrier. */
struct team {
  void (*body)(void *context, int index);
  void *context;
  pthread_barrier_t barrier;
};
struct member {
  struct team *team;
  pthread_t thread;
  int index;
};

static void *run_member(void *argument) {
  struct member *member = argument;
  pthread_barrier_wait(&member->team->barrier);
  member->team->body(member->team->context, member->index);
  return NULL;
}

static void run_team(int threads, void (*body)(void *context, int index), void *context) {
  struct team team = {.body = body, .context = context};
  PAWL_CLEANUP(pawl_free_pointer)
  struct member *members = pawl_alloc((size_t)threads, sizeof *members);
  int started = 1; /* the caller is one of them */
  PAWL_ASSERT(!pthread_barrier_init(&team.barrier, NULL, (unsigned)threads));
  for (int i = 0; i < threads; i++) members[i] = (struct member){.team = &team, .index = i};
  for (; started < threads; started++)
    PAWL_ASSERT(!pthread_create(&members[started].thread, NULL, run_member, &members[started]));
  run_member(&members[0]);
  for (int i = 1; i < started; i++) pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&team.barrier);
}

struct peak {
  struct chains chains;
  double seconds;
  double *gflops; /* best of each thread */
};

/* The best of short windows: an interruption spoils one of them. */
static void measure_peak(void *context, int index) {
  struct peak *peak = context;
  const int64_t end = pawl_clock_ns() + (int64_t)(peak->seconds * 1e9);
  double best = 0;
  volatile double sink = 0;
  do {
    const int64_t start = pawl_clock_ns();
    int runs = 0;
    do sink = sink + peak->chains.run(), runs++;
    while (pawl_clock_ns() - start < WINDOW_NS);
    const double gflops = peak->chains.flop * runs / (double)(pawl_clock_ns() - start);
    if (gflops > best) best = gflops;
  } while (pawl_clock_ns() < end);
  peak->gflops[index] = best;
}

double pawl_cpu_peak_gflops(bool f64, int threads, double seconds, const char **unit) {
  PAWL_CLEANUP(pawl_free_pointer) double *gflops = pawl_alloc((size_t)threads, sizeof *gflops);
  struct peak peak = {choose_chains(f64), seconds, gflops};
  run_team(threads, measure_peak, &peak);
  double sum = 0;
  for (int i = 0; i < threads; i++) sum += gflops[i];
  *unit = peak.chains.unit;
  return sum;
}

struct triad {
  double *a, *b, *c;
  size_t count; /* elements of each array, a multiple of 2 * threads */
  int threads;
};

static void fill_slice(void *context, int index) {
  const struct triad *triad = context;
  const size_t length = triad->count / (size_t)triad->threads, first = length * (size_t)index;
  for (size_t i = first; i < first + length; i++) triad->a[i] = 0, triad->b[i] = 1, triad->c[i] = 2;
}

static void run_slice(void *context, int index) {
  const struct triad *triad = context;
  const size_t length = triad->count / (size_t)triad->threads, first = length * (size_t)index;
  double *a = triad->a + first;
  const double *b = triad->b + first, *c = triad->c + first;
#if defined(__x86_64__)
  const __m128d factor = _mm_set1_pd(3.0);
  for (size_t i = 0; i < length; i += 2)
    _mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(factor, _mm_load_pd(c + i))));
  _mm_sfence();
#else
  for (size_t i = 0; i < length; i++) a[i] = b[i] + 3.0 * c[i];
#endif
}

double pawl_cpu_bandwidth_gb_s(size_t bytes, int threads, double seconds) {
  const size_t slice = bytes / sizeof(double) / (size_t)threads & ~(size_t)7;
  struct triad triad = {.count = slice * (size_t)threads, .threads = threads};
  const size_t total = 3 * triad.count * sizeof(double);
  double *memory = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || !slice) return 0;
  madvise(memory, total, MADV_HUGEPAGE);
  triad.a = memory, triad.b = memory + triad.count, triad.c = memory + 2 * triad.count;
  run_team(threads, fill_slice, &triad);
  double best = 0;
  const int64_t end = pawl_clock_ns() + (int64_t)(seconds * 1e9);
  for (int i = 0; i < 2 || pawl_clock_ns() < end; i++) {
    const int64_t start = pawl_clock_ns();
    run_team(threads, run_slice, &triad);
    const double rate = (double)total / (double)(pawl_clock_ns() - start);
    if (rate > best) best = rate;
  }
  munmap(memory, total);
  return best;
}
