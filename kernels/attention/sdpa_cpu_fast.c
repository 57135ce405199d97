/* SPDX-License-Identifier: Apache-2.0 */
/* Attention for the CPU, fast: online softmax over blocks of keys, register tiles for both
   products, AVX-512 or AVX2 with FMA as the machine has it (else plain vectors of four), all
   threads. FP32 arithmetic for every dtype. The order of every sum is fixed by the shape, so
   results do not depend on the number of threads.

   BLOCK_M queries share one pass over the keys, BLOCK_N keys at a time. Larger blocks read K and V
   less often from the second-level cache and rescale less often; the scores of a tile, a block of K
   and a block of V should stay in the first-level cache. */
#include <math.h>
#include <pawl/kernel.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef BLOCK_M
#define BLOCK_M 192
#endif
#ifndef BLOCK_N
#define BLOCK_N 64
#endif
#if BLOCK_M < 16 || BLOCK_M > 512 || BLOCK_M % 16 != 0
#error "BLOCK_M must be a multiple of 16, from 16 to 512"
#endif
#if BLOCK_N < 16 || BLOCK_N > 1024 || BLOCK_N % 16 != 0
#error "BLOCK_N must be a multiple of 16, from 16 to 1024"
#endif

/* The widest vectors to use where the machine has them, in bits. */
#ifndef SIMD_BITS
#define SIMD_BITS 512
#endif
#if SIMD_BITS != 128 && SIMD_BITS != 256 && SIMD_BITS != 512
#error "SIMD_BITS must be 128, 256 or 512"
#endif

#define MAX_D 256
#define MAX_VECTORS 3 /* vectors of queries in a tile */
#define MAX_LANES 16  /* queries in a vector, on the widest machine */
#define MAX_ROWS 8    /* rows of keys in a register tile */
#define MAX_THREADS 256

/* Before a loop over the registers of a tile: whole unrolling is what puts them into registers. */
#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* Up to MAX_VECTORS vectors of queries and what their online softmax has gathered so far. */
struct tile {
  int64_t width; /* queries: a multiple of the vector's lanes */
  float *query;  /* [D][width] */
  float *out;    /* [D][width]: not yet divided by sum */
  float *maximum,
      *sum; /* [width]: the maximum of score * log2(e) / sqrt(D), the sum of the weights */
};

struct scratch {
  float *scores;        /* [BLOCK_N][tile width] */
  float *last_keys;     /* [MAX_ROWS][D] */
  float *rows;          /* [4][D]: queries on their way from and to the tensors */
  float *keys, *values; /* [S][D] of the head in work, unless the tensors hold floats */
  float *tiles;         /* room for the tiles of BLOCK_M queries */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

#include "sdpa_cpu_fast_simd.h"

#define ISA portable
#include "sdpa_cpu_fast_tile.h"
#undef ISA
#if defined __x86_64__
#define ISA avx2
#include "sdpa_cpu_fast_tile.h"
#undef ISA
#define ISA avx512
#include "sdpa_cpu_fast_tile.h"
#undef ISA
#endif

/* The functions that sdpa_cpu_fast_tile.h defines for one instruction set. */
struct isa {
  int64_t lanes;
  void (*load_floats)(const struct pawl_tensor *, int64_t first, int64_t count, float *out);
  void (*load_tile)(const struct tile *, const struct scratch *, const struct pawl_tensor *,
                    int64_t first, int64_t rows, int64_t d);
  void (*attend_tile)(const struct tile *, const struct scratch *, const float *k, const float *v,
                      int64_t keys, int64_t visible_from, int64_t d, float scale);
  void (*store_tile)(const struct tile *, const struct scratch *, const struct pawl_tensor *,
                     int64_t first, int64_t rows, int64_t d);
};

#define ISA_ROW(isa) \
  { LANES_##isa, load_floats_##isa, load_tile_##isa, attend_tile_##isa, store_tile_##isa }
static const struct isa isas[] = {
    ISA_ROW(portable),
#if defined __x86_64__
    ISA_ROW(avx2),
    ISA_ROW(avx512),
#endif
};

static const struct isa *best_isa(void) {
#if defined __x86_64__
  __builtin_cpu_init();
  if (SIMD_BITS < 256 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return &isas[0];
  /* F16C came before AVX2 from every maker, so it is not asked for */
  return SIMD_BITS >= 512 && __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512bw")
             ? &isas[2]
             : &isas[1];
#else
  return &isas[0];
#endif
}

struct job {
  const struct isa *isa;
  const struct pawl_tensor *q, *k, *v, *o;
  int64_t heads, s, d;
  int64_t parts, rows_of_part; /* a head is cut into parts, the work items */
  int causal;
  atomic_llong next_item;
};

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/* Cuts `rows` queries into tiles of nearly equal width, 3 vectors at most; returns how many. */
static int cut_tiles(const struct job *job, const struct scratch *scratch, int64_t rows,
                     struct tile *tiles) {
  const int64_t lanes = job->isa->lanes, vectors = (rows + lanes - 1) / lanes;
  const int64_t count = (vectors + MAX_VECTORS - 1) / MAX_VECTORS;
  float *memory = scratch->tiles;
  for (int64_t i = 0; i < count; i++) {
    const int64_t width = (vectors / count + (i < vectors % count)) * lanes;
    tiles[i] = (struct tile){width, memory, memory + width * job->d, memory + 2 * width * job->d,
                             memory + 2 * width * job->d + width};
    memory += width * (2 * job->d + 2);
  }
  return (int)count;
}

#define MAX_TILES \
  (BLOCK_M / 4) /* tiles of one vector on the narrowest machine; cut_tiles makes fewer */

/* Queries first_row .. first_row + rows - 1 of the head whose K and V are given, over all keys that
 * they see. */
static void attend_rows(const struct job *job, const struct scratch *scratch, int64_t head,
                        const float *k, const float *v, int64_t first_row, int64_t rows) {
  const int64_t d = job->d, head_row = head * job->s;
  const float scale =
      (float)(1.4426950408889634 / sqrt((double)d)); /* log2(e): weights are powers of 2 */
  struct tile tiles[MAX_TILES];
  const int count = cut_tiles(job, scratch, rows, tiles);
  int64_t row = first_row;
  for (int i = 0; i < count; row += tiles[i++].width)
    job->isa->load_tile(&tiles[i], scratch, job->q, (head_row + row) * d, first_row + rows - row,
                        d);
  const int64_t seen = job->causal ? first_row + rows : job->s;
  for (int64_t key = 0; key < seen; key += BLOCK_N) {
    const int64_t keys = smaller(BLOCK_N, seen - key);
    row = first_row;
    for (int i = 0; i < count; row += tiles[i++].width) {
      const int64_t visible_from = job->causal ? row - key : keys;
      if (visible_from + tiles[i].width <= 0) continue; /* the whole tile lies before the block */
      job->isa->attend_tile(&tiles[i], scratch, k + key * d, v + key * d, keys, visible_from, d,
                            scale);
    }
  }
  row = first_row;
  for (int i = 0; i < count; row += tiles[i++].width)
    job->isa->store_tile(&tiles[i], scratch, job->o, (head_row + row) * d,
                         smaller(tiles[i].width, first_row + rows - row), d);
}

static void run_item(const struct job *job, const struct scratch *scratch, int64_t item) {
  const int64_t head = item / job->parts, first = head * job->s * job->d;
  const int64_t begin = item % job->parts * job->rows_of_part,
                end = smaller(begin + job->rows_of_part, job->s);
  const float *k, *v;
  if (job->k->dtype == PAWL_F32) {
    k = (const float *)job->k->data + first;
    v = (const float *)job->v->data + first;
  } else {
    job->isa->load_floats(job->k, first, job->s * job->d, scratch->keys);
    job->isa->load_floats(job->v, first, job->s * job->d, scratch->values);
    k = scratch->keys;
    v = scratch->values;
  }
  for (int64_t row = begin; row < end; row += BLOCK_M)
    attend_rows(job, scratch, head, k, v, row, smaller(BLOCK_M, end - row));
}

/* Takes items until none is left. */
static void *work(void *context) {
  struct job *job = context;
  const int64_t d = job->d, converted = job->k->dtype == PAWL_F32 ? 0 : job->s * d;
  const int64_t tiles = (BLOCK_M + MAX_LANES) * (2 * d + 2),
                scores = BLOCK_N * MAX_VECTORS * MAX_LANES;
  float *memory = aligned_alloc(
      64, (size_t)round_up((tiles + scores + (MAX_ROWS + QUAD) * d + 2 * converted) * 4, 64));
  if (!memory) return NULL;
  struct scratch scratch = {.scores = memory, .last_keys = memory + scores};
  scratch.rows = scratch.last_keys + MAX_ROWS * d;
  scratch.keys = scratch.rows + QUAD * d;
  scratch.values = scratch.keys + converted;
  scratch.tiles = scratch.values + converted;
  for (;;) {
    const int64_t item = atomic_fetch_add(&job->next_item, 1);
    if (item >= job->heads * job->parts) break;
    run_item(job, &scratch, item);
  }
  free(memory);
  return NULL;
}

enum { OUT_OF_MEMORY = 1 };

/* At least four items a thread, so that a thread that is held up does not hold up the call, but no
   fewer rows than make it worth reading the head's keys again. */
static void cut_items(struct job *job, int threads) {
  const int64_t blocks = (job->s + BLOCK_M - 1) / BLOCK_M;
  const int64_t wanted = (4 * threads + job->heads - 1) / job->heads;
  const int64_t parts = smaller(wanted, blocks);
  job->rows_of_part = (blocks + parts - 1) / parts * BLOCK_M;
  job->parts = (job->s + job->rows_of_part - 1) / job->rows_of_part;
}

static int launch(const struct pawl_launch *launch) {
  const struct pawl_tensor *t = launch->tensors;
  struct job job = {
      .isa = best_isa(),
      .q = &t[0],
      .k = &t[1],
      .v = &t[2],
      .o = &t[3],
      .heads = t[0].size[0] * t[0].size[1],
      .s = t[0].size[2],
      .d = t[0].size[3],
      .causal = pawl_shape_get(launch->shape, "causal") == 1,
  };
  int threads = launch->threads < 1             ? 1
                : launch->threads > MAX_THREADS ? MAX_THREADS
                                                : launch->threads;
  cut_items(&job, threads);
  if (threads > job.heads * job.parts) threads = (int)(job.heads * job.parts);
  pthread_t others[MAX_THREADS];
  int started = 0; /* fewer than asked for are enough: this thread works too */
  while (started < threads - 1 && pthread_create(&others[started], NULL, work, &job) == 0)
    started++;
  work(&job);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  return atomic_load(&job.next_item) < job.heads * job.parts ? OUT_OF_MEMORY
                                                             : 0; /* nobody had memory to work in */
}

static const char *error(int number) {
  return number == OUT_OF_MEMORY ? "out of memory" : "unknown error";
}

static const char *supports(const struct pawl_shape *shape) {
  const int64_t d = pawl_shape_get(shape, "D");
  if (d < 16 || d > MAX_D || d % 16 != 0) return "D must be a multiple of 16, from 16 to 256";
  if (shape->dtype != PAWL_F32 && shape->dtype != PAWL_F16 && shape->dtype != PAWL_BF16)
    return "dtype must be f32, f16 or bf16";
  return NULL;
}

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "sdpa_cpu_fast",
    .operator_name = "attention",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
    .error = error,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
