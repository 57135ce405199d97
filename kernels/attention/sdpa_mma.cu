/* SPDX-License-Identifier: Apache-2.0 */
/* Attention forward with mma.sync, for every GPU from sm_80 on. FP16 and BF16, D = 64 and 128, causal or not, any S.

   A block owns BLOCK_M queries of one head, a warp BLOCK_M / NUM_WARPS of them (32 rows, so that what is read of K and
   V serves two products). Q stays in registers for D = 64, in shared memory for D = 128, where they do not suffice. K
   and V come in tiles of BLOCK_N keys through NUM_STAGES slots of shared memory, by 16-byte asynchronous copies: while
   a tile is computed, the next NUM_STAGES - 1 are on their way. For D = 128 a tile is computed in parts of 32 keys,
   whose scores fit into the registers beside O. Rows are 16-byte chunks; chunk c of row r lies at chunk c ^ (r % 8), so
   that ldmatrix meets no bank conflict. The softmax is the one of softmax.cuh. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ampere/mma.cuh"
#include "sdpa_launch.h"
#include "softmax.cuh"

/* Tunable for each D: what pays for D = 64 is slow for D = 128. */
#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 64
#endif
#ifndef NUM_STAGES
#define NUM_STAGES 2
#endif
#ifndef NUM_WARPS
#define NUM_WARPS 4
#endif
#ifndef BLOCK_M_D128
#define BLOCK_M_D128 128
#endif
#ifndef BLOCK_N_D128
#define BLOCK_N_D128 32
#endif
#ifndef NUM_STAGES_D128
#define NUM_STAGES_D128 2
#endif
#ifndef NUM_WARPS_D128
#define NUM_WARPS_D128 4
#endif

namespace {

using namespace ampere;
using namespace sdpa;

template <int kHeadDim_>
struct Config {
  static constexpr bool kNarrow = kHeadDim_ == 64;
  static constexpr int kQueries = kNarrow ? BLOCK_M : BLOCK_M_D128, kKeys = kNarrow ? BLOCK_N : BLOCK_N_D128;
  static constexpr int kStages = kNarrow ? NUM_STAGES : NUM_STAGES_D128, kWarps = kNarrow ? NUM_WARPS : NUM_WARPS_D128;
  static constexpr int kHeadDim = kHeadDim_, kThreads = kWarps * 32;
  static constexpr bool kQueriesInRegisters = kNarrow; /* else read again for each tile of keys */
  static constexpr int kRows = kQueries / kWarps;      /* the rows of a warp */
  static constexpr int kBlocks = kRows / 16;           /* blocks of 16 rows in a warp */
  static constexpr int kPart = kHeadDim == 128 && kKeys % 32 == 0 ? 32 : kKeys; /* keys of a tile at a time */
  static constexpr unsigned kRowBytes = kHeadDim * 2;
  static constexpr unsigned kQueryBytes = kQueries * kRowBytes, kKeyBytes = kKeys * kRowBytes;
  static constexpr unsigned kSharedBytes = kQueryBytes + kStages * 2 * kKeyBytes;
  static_assert(kRows % 16 == 0 && kRows > 0, "BLOCK_M must be a multiple of 16 * NUM_WARPS");
  static_assert(kKeys % 16 == 0 && kStages >= 2, "BLOCK_N must be a multiple of 16, NUM_STAGES at least 2");
};

/* The shared address of 16-byte chunk `chunk` of row `row`. */
template <unsigned kRowBytes>
__device__ __forceinline__ uint32_t swizzled(uint32_t tile, unsigned row, unsigned chunk) {
  return tile + row * kRowBytes + (chunk ^ (row % 8)) * 16;
}

/* Starts copying rows [first, first + kTileRows) of a head's [seq_len, D]; rows past the end become zeros. A thread
   copies the same chunk of every kStep-th row. */
template <class C, int kTileRows>
__device__ __forceinline__ void copy_tile(uint32_t tile, const char *head, int first, int seq_len) {
  constexpr unsigned kChunks = C::kRowBytes / 16, kStep = C::kThreads / kChunks;
  static_assert(kStep % 8 == 0 && kTileRows % kStep == 0, "NUM_WARPS does not divide BLOCK_M or BLOCK_N evenly");
  const unsigned row = threadIdx.x / kChunks, chunk = threadIdx.x % kChunks;
  const uint32_t destination = swizzled<C::kRowBytes>(tile, row, chunk);
  const char *source = head + static_cast<int64_t>(first + row) * C::kRowBytes + chunk * 16;
#pragma unroll
  for (unsigned i = 0; i < kTileRows; i += kStep)
    copy_async(destination + i * C::kRowBytes, source + i * C::kRowBytes, static_cast<int>(first + row + i) < seq_len);
}

template <class Element, class C, bool kCausal>
struct Worker {
  static constexpr int kScores = C::kPart / 2; /* the scores of a thread in 16 rows */

  static constexpr int kQueryBlocks = C::kQueriesInRegisters ? C::kHeadDim / 16 : 1; /* each has 16 columns */
  uint32_t q[C::kBlocks][kQueryBlocks][4];
  float o[C::kBlocks][C::kHeadDim / 2];
  Softmax<Element, kScores> softmax[C::kBlocks];
  int first_row; /* the first row of the warp */
  int seq_len;
  unsigned lane;
  uint32_t query_tile; /* shared memory; the warp's rows begin at warp_row */
  unsigned warp_row;

  __device__ __forceinline__ void load_queries(uint32_t (&fragment)[4], int b, int i) const {
    load_matrices(fragment, swizzled<C::kRowBytes>(query_tile, warp_row + b * 16 + lane % 16, 2 * i + lane / 16));
  }

  __device__ __forceinline__ void begin(float scale) {
#pragma unroll
    for (int b = 0; b < C::kBlocks; b++) {
      softmax[b].scale = scale;
#pragma unroll
      for (int i = 0; i < (C::kQueriesInRegisters ? kQueryBlocks : 0); i++) load_queries(q[b][i], b, i);
#pragma unroll
      for (int i = 0; i < C::kHeadDim / 2; i++) o[b][i] = 0.0f;
    }
  }

  __device__ __forceinline__ void scores(float (&s)[C::kBlocks][kScores], uint32_t key_tile) {
#pragma unroll
    for (int b = 0; b < C::kBlocks; b++)
#pragma unroll
      for (int i = 0; i < kScores; i++) s[b][i] = 0.0f;
#pragma unroll
    for (int step = 0; step < C::kHeadDim / 16; step++) {
      const int held = C::kQueriesInRegisters ? step : 0;
#pragma unroll
      for (int b = 0; b < (C::kQueriesInRegisters ? 0 : C::kBlocks); b++) load_queries(q[b][0], b, step);
#pragma unroll
      for (int n = 0; n < C::kPart / 16; n++) {
        uint32_t k[4];
        load_matrices(k, swizzled<C::kRowBytes>(key_tile, n * 16 + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
        for (int b = 0; b < C::kBlocks; b++) {
          mma(&s[b][8 * n], q[b][held], k[0], k[1], Element());
          mma(&s[b][8 * n + 4], q[b][held], k[2], k[3], Element());
        }
      }
    }
  }

  __device__ __forceinline__ void add_values(const uint32_t (&p)[C::kBlocks][kScores / 2], uint32_t value_tile) {
#pragma unroll
    for (int step = 0; step < C::kPart / 16; step++)
#pragma unroll
      for (int n = 0; n < C::kHeadDim / 16; n++) {
        uint32_t v[4];
        load_matrices_transposed(v, swizzled<C::kRowBytes>(value_tile, step * 16 + lane % 16, 2 * n + lane / 16));
#pragma unroll
        for (int b = 0; b < C::kBlocks; b++) {
          mma(&o[b][8 * n], &p[b][4 * step], v[0], v[1], Element());
          mma(&o[b][8 * n + 4], &p[b][4 * step], v[2], v[3], Element());
        }
      }
  }

  __device__ __forceinline__ void step(int first_key, uint32_t key_tile, uint32_t value_tile) {
    float s[C::kBlocks][kScores];
    uint32_t p[C::kBlocks][kScores / 2];
    scores(s, key_tile);
#pragma unroll
    for (int b = 0; b < C::kBlocks; b++) {
      const int row = first_row + b * 16, last = seq_len - 1;
      if (first_key + C::kPart > (kCausal ? min(row + 1, seq_len) : seq_len)) {
        const int upper = row + static_cast<int>(lane) / 4;
        mask(s[b], (kCausal ? min(upper, last) : last) - first_key,
             (kCausal ? min(upper + 8, last) : last) - first_key);
      }
      float correction[2];
      if (first_key == 0) {
        softmax[b].first(s[b], p[b]);
      } else if (softmax[b].next(s[b], p[b], correction)) {
#pragma unroll
        for (int i = 0; i < C::kHeadDim / 2; i++) o[b][i] *= correction[i >> 1 & 1];
      }
    }
    add_values(p, value_tile);
  }

  /* O through the warp's own rows of the query tile, so that it leaves in 16-byte pieces. */
  __device__ __forceinline__ void finish(char *head) {
    constexpr unsigned kChunks = C::kRowBytes / 16;
#pragma unroll
    for (int b = 0; b < C::kBlocks; b++) {
      const float factor[2] = {1.0f / row_sum(softmax[b].sum[0]), 1.0f / row_sum(softmax[b].sum[1])};
#pragma unroll
      for (int i = 0; i < C::kHeadDim / 4; i++) {
        const uint32_t word = pack(o[b][2 * i] * factor[i & 1], o[b][2 * i + 1] * factor[i & 1], Element());
        const unsigned row = warp_row + b * 16 + (i & 1) * 8 + lane / 4;
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(swizzled<C::kRowBytes>(query_tile, row, i / 2) + lane % 4 * 4),
                     "r"(word)
                     : "memory");
      }
    }
    __syncwarp();
#pragma unroll
    for (unsigned i = lane; i < C::kRows * kChunks; i += 32) {
      const unsigned row = i / kChunks, chunk = i % kChunks;
      if (static_cast<int>(first_row + row) >= seq_len) continue;
      uint4 words;
      asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                   : "r"(swizzled<C::kRowBytes>(query_tile, warp_row + row, chunk)));
      *reinterpret_cast<uint4 *>(head + static_cast<int64_t>(first_row + row) * C::kRowBytes + chunk * 16) = words;
    }
  }
};

template <class Element, class C, bool kCausal>
__global__ void __launch_bounds__(C::kThreads)
    sdpa_mma(const char *q, const char *k, const char *v, char *o, int seq_len, int blocks, float scale) {
  extern __shared__ __align__(128) char dynamic_shared[];
  const uint32_t query_tile = static_cast<uint32_t>(__cvta_generic_to_shared(dynamic_shared));
  const auto key_tile = [&](int j) {
    return query_tile + C::kQueryBytes + static_cast<unsigned>(j) % C::kStages * 2 * C::kKeyBytes;
  };
  const int64_t head = blockIdx.x / blocks * static_cast<int64_t>(seq_len) * C::kRowBytes;
  /* The last queries of a causal head have the most keys: they go first. */
  const int block = kCausal ? blocks - 1 - blockIdx.x % blocks : blockIdx.x % blocks;
  const int first_query = block * C::kQueries, warp_row = static_cast<int>(threadIdx.x) / 32 * C::kRows;
  const int keys = kCausal ? min(first_query + C::kQueries, seq_len) : seq_len;
  const int tiles = (keys + C::kKeys - 1) / C::kKeys;
  const auto copy_keys = [&](int j) {
    if (j < tiles) {
      copy_tile<C, C::kKeys>(key_tile(j), k + head, j * C::kKeys, seq_len);
      copy_tile<C, C::kKeys>(key_tile(j) + C::kKeyBytes, v + head, j * C::kKeys, seq_len);
    }
    copy_commit(); /* an empty group too: the waits below count groups */
  };

  Worker<Element, C, kCausal> worker;
  worker.first_row = first_query + warp_row;
  worker.lane = threadIdx.x % 32;
  worker.seq_len = seq_len;
  worker.query_tile = query_tile;
  worker.warp_row = warp_row;

  copy_tile<C, C::kQueries>(query_tile, q + head, first_query, seq_len);
  copy_commit();
#pragma unroll
  for (int j = 0; j < C::kStages - 1; j++) copy_keys(j);
  copy_wait<C::kStages - 1>();
  __syncthreads();
  worker.begin(scale);

  for (int j = 0; j < tiles; j++) {
    copy_wait<C::kStages - 2>();
    __syncthreads(); /* tile j is here for all, and all are done with the slot of tile j - 1 */
    copy_keys(j + C::kStages - 1);
#pragma unroll 1
    for (int i = 0; i < C::kKeys; i += C::kPart) {
      const uint32_t part = key_tile(j) + i * C::kRowBytes;
      worker.step(j * C::kKeys + i, part, part + C::kKeyBytes);
    }
  }
  worker.finish(o + head);
}

const char *supports(const pawl_shape *shape) {
  if (shape->dtype != PAWL_F16 && shape->dtype != PAWL_BF16) return "dtype must be f16 or bf16";
  const int64_t head_dim = pawl_shape_get(shape, "D");
  if (head_dim != 64 && head_dim != 128) return "D must be 64 or 128";
  return unsupported_size(shape);
}

template <class Element, int kHeadDim, bool kCausal>
cudaError_t start(const Problem &problem) {
  using C = Config<kHeadDim>;
  const auto kernel = sdpa_mma<Element, C, kCausal>;
  const cudaError_t error = allow_shared_memory(kernel, C::kSharedBytes);
  if (error != cudaSuccess) return error;
  const int blocks = ceil_div(problem.seq_len, C::kQueries);
  kernel<<<blocks * problem.heads, C::kThreads, C::kSharedBytes, problem.stream>>>(
      static_cast<const char *>(problem.q), static_cast<const char *>(problem.k), static_cast<const char *>(problem.v),
      static_cast<char *>(problem.o), problem.seq_len, blocks, problem.scale() * kLog2E);
  return cudaGetLastError();
}

template <class Element>
cudaError_t dispatch(const Problem &problem) {
  if (problem.head_dim == 64)
    return problem.causal ? start<Element, 64, true>(problem) : start<Element, 64, false>(problem);
  return problem.causal ? start<Element, 128, true>(problem) : start<Element, 128, false>(problem);
}

int launch(const pawl_launch *launch) {
  Problem problem;
  const int error = read_problem(launch, &problem);
  if (error) return error;
  return problem.dtype == PAWL_F16 ? dispatch<__half>(problem) : dispatch<__nv_bfloat16>(problem);
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel),
                                     "sdpa_mma",       "attention",
                                     PAWL_CUDA,        PAWL_KERNEL_DETERMINISTIC,
                                     supports,         launch,
                                     nullptr,          error_text};
  return &kernel;
}
