/* SPDX-License-Identifier: Apache-2.0 */
/* Attention forward for Hopper (sm_90a): wgmma, TMA, mbarrier. FP16 and BF16, D = 64 and 128, causal or not, any S.

   The work. A unit is BLOCK_M = 64 * WARPGROUPS rows of queries of one head. The grid is one block per multiprocessor;
   block b takes units b, b + grid, ... (kernel `Schedule`). Within a unit each warpgroup owns 64 rows and walks the keys
   alone, with the online softmax of FlashAttention (Dao et al. 2022, algorithm 1).

   The stream. K and V tiles of BLOCK_N keys come through a ring of STAGES slots which all warpgroups of the block read.
   A slot's `full` barrier completes when the copy engine has written it, its `empty` barrier when every warp has let go
   of it. Nothing else ties the warpgroups together: there is no block-wide barrier after the start, so that one
   warpgroup's softmax runs under another's products, and they may drift apart by up to the ring's depth. There is no
   producer warp either. The block's first thread refills the ring in passing: at step t it loads tile t + STAGES - LAG
   into the slot of tile t - LAG, which the others have long left; registers that a producer would hold go to the
   accumulators.

   One step of a warpgroup (tile j; S = scores, P = weights, O = output):

       start  S = Q K[j]^T          the tensor cores take both, in order, while
       start  O += P[j-1] V[j-1]    this warp goes on
       wait for S;  P[j] = exp2(S * scale - shift), row sums
       wait for O;  release slot j-1

   The softmax. The shift of a row is the true maximum of its first tile. Later tiles keep it and need no maximum at all:
   a softmax does not depend on the shift, as long as nothing overflows. A thread whose sum of a tile's weights passes
   GUARD (or is NaN) sends its warp to the slow path: true maximum, weights again from S, and O and the sums rescaled. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "hopper/mbarrier.cuh"
#include "hopper/tensor_map.h"
#include "hopper/tma.cuh"
#include "hopper/wgmma.cuh"
#include "sdpa_launch.h"

/* Tunable, for each D: warpgroups of 64 query rows, keys in a tile (64 or 128), slots of the ring. */
#ifndef WARPGROUPS_D64
#define WARPGROUPS_D64 4
#endif
#ifndef BLOCK_N_D64
#define BLOCK_N_D64 64
#endif
#ifndef STAGES_D64
#define STAGES_D64 8
#endif
#ifndef WARPGROUPS_D128
#define WARPGROUPS_D128 3
#endif
#ifndef BLOCK_N_D128
#define BLOCK_N_D128 64
#endif
#ifndef STAGES_D128
#define STAGES_D128 4
#endif
#ifndef OVERLAP_D64
#define OVERLAP_D64 0
#endif
#ifndef OVERLAP_D128
#define OVERLAP_D128 0
#endif
/* 1: Q stays in registers; 0: the tensor cores read it from shared memory at each step. */
#ifndef QUERIES_IN_REGISTERS_D64
#define QUERIES_IN_REGISTERS_D64 1
#endif
#ifndef QUERIES_IN_REGISTERS_D128
#define QUERIES_IN_REGISTERS_D128 0
#endif
/* 1: warpgroups take turns at the tensor cores; 0: they compete; 2: they compete after a staggered start. */
#ifndef TURNS
#define TURNS 1
#endif
/* 1: the maximum of the first tile and a guard, as above. 0: the true running maximum of every tile. */
#ifndef LAZY_MAXIMUM
#define LAZY_MAXIMUM 1
#endif

namespace {

using namespace hopper;

constexpr int kRowsPerWarpgroup = 64;
constexpr int kThreadsPerWarpgroup = 128;
constexpr int kSlabBytes = 128; /* one row of a swizzled tile: 64 elements; a tile of D = 128 is two slabs */
constexpr float kLog2E = 1.4426950408889634f;
/* Named barriers, one for each warpgroup from these on; 0 is __syncthreads()'s. */
constexpr uint32_t kStoreBarrier = 1, kTurnBarrier = 8;
constexpr float kGuard = 16384.0f; /* the sum of a thread's weights in a tile; FP16 ends at 65504 */

template <int kHeadDim>
struct Config;
template <>
struct Config<64> {
  static constexpr int kWarpgroups = WARPGROUPS_D64, kKeys = BLOCK_N_D64, kStages = STAGES_D64;
  static constexpr bool kOverlap = OVERLAP_D64, kQueriesInRegisters = QUERIES_IN_REGISTERS_D64;
};
template <>
struct Config<128> {
  static constexpr int kWarpgroups = WARPGROUPS_D128, kKeys = BLOCK_N_D128, kStages = STAGES_D128;
  static constexpr bool kOverlap = OVERLAP_D128, kQueriesInRegisters = QUERIES_IN_REGISTERS_D128;
};

/* Shared memory, from a 1024-byte boundary: for each warpgroup two tiles of Q (one in use, one on its way; a used one
   then stages O), the ring of K and V tiles, the barriers. */
template <int kHeadDim>
struct Shared {
  using C = Config<kHeadDim>;
  static constexpr int kQueryBytes = kRowsPerWarpgroup * kHeadDim * 2;
  static constexpr int kKeyBytes = C::kKeys * kHeadDim * 2;
  static constexpr int kSlotBytes = 2 * kKeyBytes;
  static constexpr int kRing = 2 * C::kWarpgroups * kQueryBytes;
  static constexpr int kBarriers = kRing + C::kStages * kSlotBytes;
  static constexpr int kBytes = kBarriers + 8 * (2 * C::kStages + 2 * C::kWarpgroups);

  uint32_t base;

  __device__ uint32_t query(uint32_t warpgroup, uint32_t buffer) const { return base + (2 * warpgroup + buffer) * kQueryBytes; }
  __device__ uint32_t key(uint32_t slot) const { return base + kRing + slot * kSlotBytes; }
  __device__ uint32_t value(uint32_t slot) const { return key(slot) + kKeyBytes; }
  __device__ uint32_t full(uint32_t slot) const { return base + kBarriers + 8 * slot; }
  __device__ uint32_t empty(uint32_t slot) const { return full(C::kStages + slot); }
  __device__ uint32_t query_full(uint32_t warpgroup, uint32_t buffer) const {
    return full(2 * C::kStages + 2 * warpgroup + buffer);
  }
};

struct Maps {
  CUtensorMap q, k, v, o;
};

/* Which units a block works on. */
template <int kHeadDim, bool kCausal>
struct Schedule {
  using C = Config<kHeadDim>;
  static constexpr int kRows = C::kWarpgroups * kRowsPerWarpgroup;
  int seq_len, heads, blocks; /* blocks of kRows queries in a head */

  struct Unit {
    int head, row, tiles; /* first query row; tiles of keys that the unit streams */
  };

  __device__ Schedule(int seq_len_, int heads_)
      : seq_len(seq_len_), heads(heads_), blocks((seq_len_ + kRows - 1) / kRows) {}

  /* The index among all units of this block's unit i. Causal units are sorted, the longest first; every second round is
     dealt backwards, so that each block gets long and short ones. */
  __device__ int rank(int i) const {
    const int place = kCausal && (i & 1) ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    return i * gridDim.x + place;
  }
  __device__ bool has(int i) const { return rank(i) < blocks * heads; }
  __device__ Unit unit(int i) const {
    const int r = rank(i);
    Unit u;
    if (kCausal) {
      u.head = r % heads;
      u.row = (blocks - 1 - r / heads) * kRows;
      u.tiles = tiles(u.row + kRows);
    } else {
      u.head = r / blocks;
      u.row = r % blocks * kRows;
      u.tiles = tiles(seq_len);
    }
    return u;
  }
  /* Tiles that hold the keys before `end`. */
  __device__ int tiles(int end) const { return (min(end, seq_len) + C::kKeys - 1) / C::kKeys; }
};

/* Refills the ring; runs in the block's first warp. */
template <int kHeadDim, bool kCausal>
struct Loader {
  using C = Config<kHeadDim>;
  using S = Shared<kHeadDim>;
  static constexpr int kLag = C::kStages / 2;
  static_assert(kLag >= 2, "the loader must not wait for a slot that its own warpgroup still reads");

  const Maps &maps;
  const Schedule<kHeadDim, kCausal> &schedule;
  const S &shared;
  int index = 0, tile = 0, tiles = 0, head = 0; /* of the next load: unit, tile of its `tiles`, head */
  uint32_t step = 0;                            /* tiles loaded */

  /* Called by all threads of the warp. */
  __device__ __forceinline__ void load_next() {
    if (tile == tiles) {
      if (!schedule.has(index)) return;
      const auto unit = schedule.unit(index++);
      head = unit.head, tiles = unit.tiles, tile = 0;
    }
    const uint32_t slot = step % C::kStages;
    mbarrier_wait(shared.empty(slot), (step / C::kStages & 1) ^ 1);
    if (elect_one()) {
      mbarrier_arrive_expect(shared.full(slot), S::kSlotBytes);
#pragma unroll
      for (int slab = 0; slab < kHeadDim / 64; slab++) {
        const uint32_t offset = slab * C::kKeys * kSlabBytes;
        tma_load(shared.key(slot) + offset, &maps.k, slab * 64, tile * C::kKeys, head, shared.full(slot));
        tma_load(shared.value(slot) + offset, &maps.v, slab * 64, tile * C::kKeys, head, shared.full(slot));
      }
    }
    __syncwarp();
    step++;
    tile++;
  }
};

__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ uint32_t pack(float low, float high, __half) {
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ __forceinline__ uint32_t pack(float low, float high, __nv_bfloat16) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

/* Over the four threads that hold a row. */
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

/* The online softmax of the two rows of a thread: element [0] is row l / 4 of the warp's 16, [1] the one 8 below. */
template <class Element, int kScores>
struct Softmax {
  float scale;    /* 1 / sqrt(D) * log2(e): scores to exponents of 2 */
  float shift[2]; /* subtracted from the exponents */
  float sum[2];   /* of the weights of this thread's columns */

  /* Weights of the scores and their sums. */
  __device__ __forceinline__ void weigh(const float (&s)[kScores], uint32_t (&p)[kScores / 2], float (&total)[2]) const {
    total[0] = total[1] = 0.0f;
#pragma unroll
    for (int i = 0; i < kScores / 2; i++) {
      const float low = exp2_approx(fmaf(s[2 * i], scale, -shift[i & 1]));
      const float high = exp2_approx(fmaf(s[2 * i + 1], scale, -shift[i & 1]));
      total[i & 1] += low + high;
      p[i] = pack(low, high, Element());
    }
  }

  __device__ __forceinline__ void maxima(const float (&s)[kScores], float (&largest)[2]) const {
    largest[0] = s[0], largest[1] = s[2];
#pragma unroll
    for (int i = 0; i < kScores / 2; i++) largest[i & 1] = fmaxf(largest[i & 1], fmaxf(s[2 * i], s[2 * i + 1]));
    largest[0] = row_max(largest[0]) * scale;
    largest[1] = row_max(largest[1]) * scale;
  }

  __device__ __forceinline__ void first(const float (&s)[kScores], uint32_t (&p)[kScores / 2]) {
    maxima(s, shift);
    weigh(s, p, sum);
  }

  /* Returns whether O must be multiplied by `correction`. */
  __device__ __forceinline__ bool next(const float (&s)[kScores], uint32_t (&p)[kScores / 2], float (&correction)[2]) {
    float total[2];
    bool corrected = !LAZY_MAXIMUM;
    if (LAZY_MAXIMUM) {
      weigh(s, p, total);
      corrected = __any_sync(~0u, !(total[0] + total[1] <= kGuard));
    }
    if (corrected) {
      float largest[2];
      maxima(s, largest);
#pragma unroll
      for (int r = 0; r < 2; r++) {
        largest[r] = fmaxf(largest[r], shift[r]);
        correction[r] = exp2_approx(shift[r] - largest[r]);
        sum[r] *= correction[r];
        shift[r] = largest[r];
      }
      weigh(s, p, total);
    }
    sum[0] += total[0];
    sum[1] += total[1];
    return corrected;
  }
};

/* Columns past the thread's two limits become -infinity; column 0 of s is the tile's. */
template <int kScores>
__device__ __forceinline__ void mask(float (&s)[kScores], int limit_0, int limit_1) {
  const int column = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < kScores; i++)
    if (column + i / 4 * 8 + (i & 1) > (i & 2 ? limit_1 : limit_0)) s[i] = -INFINITY;
}

/* S = Q K^T: Q from registers (q_fragments) or by its descriptor. */
template <class Element, int kHeadDim, int kScores>
__device__ __forceinline__ void start_scores(float (&s)[kScores], const uint32_t (&q_fragments)[kHeadDim / 4], uint64_t q,
                                             uint64_t k) {
  constexpr int kKeys = Config<kHeadDim>::kKeys;
#pragma unroll
  for (int step = 0; step < kHeadDim / 16; step++) {
    const int slab = step / 4, column = step % 4 * 32;
    const uint64_t k_step = wgmma_advance(k, slab * kKeys * kSlabBytes + column);
    if (Config<kHeadDim>::kQueriesInRegisters)
      Wgmma<Element>::template registers<false>(s, q_fragments + 4 * step, k_step, step > 0);
    else
      Wgmma<Element>::shared(s, wgmma_advance(q, slab * kRowsPerWarpgroup * kSlabBytes + column), k_step, step > 0);
  }
}

/* O += P V, or O = P V. */
template <class Element, int kHeadDim, int kWeights>
__device__ __forceinline__ void start_output(float (&o)[kHeadDim / 2], const uint32_t (&p)[kWeights], uint64_t v,
                                             bool accumulate) {
#pragma unroll
  for (int step = 0; step < kWeights / 4; step++)
    Wgmma<Element>::template registers<true>(o, p + 4 * step, wgmma_advance(v, step * 16 * kSlabBytes), step > 0 || accumulate);
}

/* Where a thread of a warpgroup addresses, for ldmatrix and stmatrix (four 8 x 8 matrices), the rows of columns 16 i ..
   16 i + 15 of a swizzled tile of 64 rows: 16-byte chunk c of row r lies at chunk c ^ (r % 8). The matrices come in the
   order of a wgmma fragment: upper and lower 8 rows of the left 8 columns, then of the right. */
__device__ __forceinline__ uint32_t fragment_address(uint32_t tile, int i) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16, chunk = 2 * i + lane / 16;
  return tile + chunk / 8 * kRowsPerWarpgroup * kSlabBytes + row * kSlabBytes + ((chunk % 8) ^ (row % 8)) * 16;
}

template <int kHeadDim>
__device__ __forceinline__ void load_fragments(uint32_t (&q)[kHeadDim / 4], uint32_t tile) {
#pragma unroll
  for (int i = 0; i < kHeadDim / 16; i++)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(q[4 * i]), "=r"(q[4 * i + 1]), "=r"(q[4 * i + 2]), "=r"(q[4 * i + 3])
                 : "r"(fragment_address(tile, i))
                 : "memory");
}

template <class Element, int kHeadDim>
__device__ __forceinline__ void stage_output(const float (&o)[kHeadDim / 2], float factor_0, float factor_1,
                                             uint32_t tile) {
#pragma unroll
  for (int i = 0; i < kHeadDim / 16; i++) {
    const float *f = o + 8 * i;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(fragment_address(tile, i)),
                 "r"(pack(f[0] * factor_0, f[1] * factor_0, Element())),
                 "r"(pack(f[2] * factor_1, f[3] * factor_1, Element())),
                 "r"(pack(f[4] * factor_0, f[5] * factor_0, Element())),
                 "r"(pack(f[6] * factor_1, f[7] * factor_1, Element()))
                 : "memory");
  }
}

template <class Element, int kHeadDim, bool kCausal>
__global__ void __launch_bounds__(Config<kHeadDim>::kWarpgroups *kThreadsPerWarpgroup, 1)
    sdpa_hopper(const __grid_constant__ Maps maps, int seq_len, int heads, float scale) {
  using C = Config<kHeadDim>;
  using S = Shared<kHeadDim>;
  constexpr int kScores = C::kKeys / 2; /* of a thread, in a tile */
  extern __shared__ __align__(1024) uint8_t dynamic_shared[];
  const S shared = {shared_address(dynamic_shared)};
  const Schedule<kHeadDim, kCausal> schedule(seq_len, heads);

  const uint32_t warp = uniform(threadIdx.x / 32), warpgroup = warp / 4;
  const bool loads = warp == 0, leads_warpgroup = warp % 4 == 0;
  Loader<kHeadDim, kCausal> loader = {maps, schedule, shared};

  if (threadIdx.x == 0) {
    for (int slot = 0; slot < C::kStages; slot++) {
      mbarrier_init(shared.full(slot), 1);
      mbarrier_init(shared.empty(slot), C::kWarpgroups * 4);
    }
    for (int i = 0; i < 2 * C::kWarpgroups; i++) mbarrier_init(shared.query_full(i / 2, i % 2), 1);
    mbarrier_init_fence();
  }
  __syncthreads();

  /* Rows of unit i that this warpgroup owns. Of causal units every second one is dealt backwards: the last rows have
     the most keys. */
  const auto first_row = [&](const auto &unit, int i) {
    const int place = kCausal && (i & 1) ? C::kWarpgroups - 1 - static_cast<int>(warpgroup) : warpgroup;
    return unit.row + place * kRowsPerWarpgroup;
  };
  const auto load_queries = [&](int i) {
    if (!leads_warpgroup || !schedule.has(i)) return;
    const auto unit = schedule.unit(i);
    if (elect_one()) {
      const uint32_t barrier = shared.query_full(warpgroup, i & 1);
      mbarrier_arrive_expect(barrier, S::kQueryBytes);
      for (int slab = 0; slab < kHeadDim / 64; slab++)
        tma_load(shared.query(warpgroup, i & 1) + slab * kRowsPerWarpgroup * kSlabBytes, &maps.q, slab * 64,
                 first_row(unit, i), unit.head, barrier);
    }
    __syncwarp();
  };
  /* The other buffer staged the output of unit i - 1: it is free once the copy engine has read it. */
  const auto load_queries_after = [&](int i) {
    if (i == 0) return;
    if (leads_warpgroup && elect_one()) tma_store_wait_read();
    load_queries(i + 1);
  };
  load_queries(0);
  if (loads) loader.load_next();
  load_queries(1);
  if (loads)
    for (int n = 1; n < C::kStages - loader.kLag; n++) loader.load_next();

  uint32_t step = 0; /* tiles since the start */
  const auto acquire = [&](uint32_t t) {
    if (loads) loader.load_next();
    mbarrier_wait(shared.full(t % C::kStages), t / C::kStages & 1);
  };
  /* Warpgroup w starts its products of a step after warpgroup w - 1 has started its own, round and round. */
  const auto take_turn = [&] {
    if (TURNS == 1) named_barrier_sync(kTurnBarrier + warpgroup, 2 * kThreadsPerWarpgroup);
  };
  const auto pass_turn = [&] {
    const uint32_t next = warpgroup + 1 == C::kWarpgroups ? 0 : warpgroup + 1;
    if (TURNS == 1) named_barrier_arrive(kTurnBarrier + next, 2 * kThreadsPerWarpgroup);
  };
  if (warpgroup + 1 == C::kWarpgroups) pass_turn();
  if (TURNS == 2) __nanosleep(150 * warpgroup);
  const auto release = [&](uint32_t t) {
    if (elect_one()) mbarrier_arrive(shared.empty(t % C::kStages));
  };

  for (int i = 0; schedule.has(i); i++) {
    const auto unit = schedule.unit(i);
    const int row = first_row(unit, i);
    const uint32_t buffer = i & 1;
    const int tiles = row >= seq_len ? 0 : kCausal ? schedule.tiles(row + kRowsPerWarpgroup) : unit.tiles;
    mbarrier_wait(shared.query_full(warpgroup, buffer), i >> 1 & 1);

    if (tiles > 0) {
      float s[kScores], o[kHeadDim / 2];
      uint32_t p[kScores / 2], p_other[kScores / 2];
      Softmax<Element, kScores> softmax;
      softmax.scale = scale;
      const uint64_t q = wgmma_descriptor(shared.query(warpgroup, buffer));
      uint32_t q_fragments[kHeadDim / 4];
      if (C::kQueriesInRegisters) load_fragments<kHeadDim>(q_fragments, shared.query(warpgroup, buffer));
      const auto start_qk = [&](uint32_t t) {
        start_scores<Element, kHeadDim>(s, q_fragments, q, wgmma_descriptor(shared.key(t % C::kStages)));
        wgmma_commit();
      };
      const auto mask_tile = [&](int j) {
        const int first_key = j * C::kKeys;
        if (first_key + C::kKeys > (kCausal ? min(row + 1, seq_len) : seq_len)) {
          const int upper = row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, last = seq_len - 1;
          mask(s, (kCausal ? min(upper, last) : last) - first_key, (kCausal ? min(upper + 8, last) : last) - first_key);
        }
      };

      acquire(step);
      take_turn();
      wgmma_fence();
      start_qk(step);
      pass_turn();
      wgmma_wait<0>();
      mask_tile(0);
      softmax.first(s, p);
      load_queries_after(i);
      const auto start_pv = [&](const uint32_t(&p)[kScores / 2], uint32_t t, bool accumulate) {
        start_output<Element, kHeadDim>(
            o, p, wgmma_descriptor(shared.value(t % C::kStages), C::kKeys * kSlabBytes), accumulate);
        wgmma_commit();
      };
      /* From tile j - 1, whose weights are in p, to tile j, whose weights go to p_next. */
      const auto advance = [&](const uint32_t(&p)[kScores / 2], uint32_t(&p_next)[kScores / 2], int j) {
        float correction[2];
        acquire(step + 1);
        take_turn();
        wgmma_fence();
        start_qk(step + 1);
        start_pv(p, step, j > 1);
        pass_turn();
        wgmma_wait<C::kOverlap ? 1 : 0>();
        if (!C::kOverlap) release(step);
        mask_tile(j);
        const bool corrected = softmax.next(s, p_next, correction);
        if (C::kOverlap) {
          wgmma_wait<0>();
          release(step);
        }
        step++;
        if (corrected) {
#pragma unroll
          for (int n = 0; n < kHeadDim / 2; n++) o[n] *= correction[n >> 1 & 1];
        }
      };
      /* Two register sets take turns: the tensor cores still read one while the other is written. */
      int j = 1;
      if (C::kOverlap) {
        for (; j + 1 < tiles; j += 2) {
          advance(p, p_other, j);
          advance(p_other, p, j + 1);
        }
      } else {
        for (; j < tiles; j++) advance(p, p, j);
      }
      if (C::kOverlap && j < tiles) {
        advance(p, p_other, j);
        wgmma_fence();
        start_pv(p_other, step, true);
      } else {
        wgmma_fence();
        start_pv(p, step, tiles > 1);
      }
      const float factor_0 = 1.0f / row_sum(softmax.sum[0]), factor_1 = 1.0f / row_sum(softmax.sum[1]);
      wgmma_wait<0>();
      release(step++);

      stage_output<Element, kHeadDim>(o, factor_0, factor_1, shared.query(warpgroup, buffer));
      fence_async_proxy();
      named_barrier_sync(kStoreBarrier + warpgroup, kThreadsPerWarpgroup);
      if (leads_warpgroup && elect_one()) {
        for (int slab = 0; slab < kHeadDim / 64; slab++)
          tma_store(&maps.o, slab * 64, row, unit.head,
                    shared.query(warpgroup, buffer) + slab * kRowsPerWarpgroup * kSlabBytes);
        tma_store_commit();
      }
    } else {
      load_queries_after(i);
    }
    for (int j = tiles; j < unit.tiles; j++) { /* keys that other warpgroups of the block need and this one does not */
      acquire(step);
      take_turn();
      pass_turn();
      release(step++);
    }
  }
  if (warpgroup == 0) take_turn(); /* the last pass */
  if (leads_warpgroup && elect_one()) tma_store_wait();
}

const char *supports(const pawl_shape *shape) {
  if (shape->dtype != PAWL_F16 && shape->dtype != PAWL_BF16) return "dtype must be f16 or bf16";
  const int64_t head_dim = pawl_shape_get(shape, "D");
  if (head_dim != 64 && head_dim != 128) return "D must be 64 or 128";
  return sdpa::unsupported_size(shape);
}

/* The tensor maps of a launch, kept for the next launch with the same tensors. */
const Maps *find_maps(const sdpa::Problem &problem, int box_keys, cudaError_t *error) {
  struct Entry {
    sdpa::Problem problem;
    Maps maps;
  };
  constexpr int kEntries = 32;
  static thread_local Entry cache[kEntries];
  static thread_local int oldest = 0;
  for (Entry &e : cache)
    if (e.problem.q == problem.q && e.problem.k == problem.k && e.problem.v == problem.v && e.problem.o == problem.o &&
        e.problem.heads == problem.heads && e.problem.seq_len == problem.seq_len &&
        e.problem.head_dim == problem.head_dim && e.problem.dtype == problem.dtype)
      return &e.maps;
  Entry &e = cache[oldest];
  e.problem = {};
  const auto type = problem.dtype == PAWL_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const auto make = [&](CUtensorMap *map, const void *data, int rows) {
    if (*error == cudaSuccess)
      *error = make_tensor_map(map, data, type, 2, problem.heads, problem.seq_len, problem.head_dim, rows);
  };
  *error = cudaSuccess;
  make(&e.maps.q, problem.q, kRowsPerWarpgroup);
  make(&e.maps.k, problem.k, box_keys);
  make(&e.maps.v, problem.v, box_keys);
  make(&e.maps.o, problem.o, kRowsPerWarpgroup);
  if (*error != cudaSuccess) return nullptr;
  e.problem = problem;
  oldest = (oldest + 1) % kEntries;
  return &e.maps;
}

template <class Element, int kHeadDim, bool kCausal>
cudaError_t start(const sdpa::Problem &problem) {
  using C = Config<kHeadDim>;
  constexpr int kBytes = Shared<kHeadDim>::kBytes;
  const auto kernel = sdpa_hopper<Element, kHeadDim, kCausal>;
  cudaError_t error;
  const Maps *maps = find_maps(problem, C::kKeys, &error);
  if (!maps) return error;
  static thread_local int prepared_device = -1;
  int device;
  if ((error = cudaGetDevice(&device)) != cudaSuccess) return error;
  if (device != prepared_device) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    if (error != cudaSuccess) return error;
    prepared_device = device;
  }
  const int units = sdpa::ceil_div(problem.seq_len, Schedule<kHeadDim, kCausal>::kRows) * problem.heads;
  const int grid = min(units, sdpa::multiprocessors());
  if (grid < 1) return cudaErrorInvalidDevice;
  kernel<<<grid, C::kWarpgroups * kThreadsPerWarpgroup, kBytes, problem.stream>>>(
      *maps, problem.seq_len, problem.heads, problem.scale() * kLog2E);
  return cudaGetLastError();
}

template <class Element>
cudaError_t dispatch(const sdpa::Problem &problem) {
  if (problem.head_dim == 64) return problem.causal ? start<Element, 64, true>(problem) : start<Element, 64, false>(problem);
  return problem.causal ? start<Element, 128, true>(problem) : start<Element, 128, false>(problem);
}

int launch(const pawl_launch *launch) {
  sdpa::Problem problem;
  const int error = sdpa::read_problem(launch, &problem);
  if (error) return error;
  return problem.dtype == PAWL_F16 ? dispatch<__half>(problem) : dispatch<__nv_bfloat16>(problem);
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {
      PAWL_ABI_VERSION,   sizeof(pawl_kernel), "sdpa_hopper", "attention", PAWL_CUDA, PAWL_KERNEL_DETERMINISTIC, supports,
      launch,             nullptr,             sdpa::error_text};
  return &kernel;
}
