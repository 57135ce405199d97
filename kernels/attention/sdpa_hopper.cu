/* SPDX-License-Identifier: Apache-2.0 */
/* Attention forward for Hopper (sm_90a): wgmma, TMA, mbarrier. FP16 and BF16, D = 64 and 128, causal or not, any S.
   docs/results/attention-h200.md tells how it came to be so, and what was tried and dropped.

   The work. A unit is 64 * WARPGROUPS rows of queries of one head. The grid is one block per multiprocessor; block b
   takes units b, b + grid, ... (`Schedule`). A warpgroup owns 64 rows and walks the keys alone, with the online softmax
   of FlashAttention (Dao et al. 2022, algorithm 1). sdpa_plan.h decides how many warpgroups a block has, in which order
   the units come, and whether the keys of the last units are split (sdpa_split.cuh). With a causal mask the host deals
   the units to the blocks (sdpa_lists.h).

   GROUPED=1 makes the kernel of operator `grouped_attention`: heads of queries share heads of keys, and each batch row
   has a length. Rows of K and V behind a length must hold finite numbers.

   The stream. K and V tiles of BLOCK_N keys come through a ring of STAGES slots which all warpgroups of the block read.
   A slot's `full` barrier completes when the copy engine has written it, its `empty` barrier when every warp has let go
   of it. There is no producer warp: the first warps of one or all warpgroups refill the ring in passing (`Loader`). In
   step t, where such a warp would only wait for the tensor cores, it loads tile t + AHEAD into the slot of tile t +
   AHEAD - STAGES, which the others have long left. The registers that a producer would hold go to the accumulators, and
   no block-wide barrier follows the start.

   A step of a warpgroup (S scores, P weights, O output; j counts tiles of keys):

       wait for tile j and for the turn
       tensor cores: S = Q K[j]^T,  O += P V[j-1];  pass the turn on as soon as these are started
       refill the ring;  wait for the products;  let go of tile j-1
       P = softmax of S

   While one warpgroup computes its softmax the others use the tensor cores. Left alone they fall into step, all of them
   at the tensor cores and then all at the exponentials; the turns keep them apart.

   The softmax (`Softmax`). Weights are exp2(score * scale - shift). A softmax does not depend on the shift as long as
   nothing overflows: the shift of a row is the maximum of a few scores of its first tile, and later tiles keep it and
   need no maximum. A thread whose weights pass a guard (or are NaN) sends its warp to the slow path: true maximum,
   weights again from S, and O and the sums rescaled.

   The sums of the weights (D = 64). V is multiplied as a tile of 72 columns: behind its 64 come eight of ones, which
   the descriptor finds at its leading offset, one copy for all slots. The accumulators of these columns are the sums of
   the rounded weights, in every thread that needs them, for no addition at all. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "hopper/mbarrier.cuh"
#include "hopper/overlap.cuh"
#include "hopper/sdpa_fragments.cuh"
#include "hopper/sdpa_lists.h"
#include "hopper/sdpa_maps.h"
#include "hopper/sdpa_plan.h"
#include "hopper/sdpa_split.cuh"
#include "hopper/sdpa_stream.cuh"
#include "hopper/tma.cuh"
#include "hopper/wgmma.cuh"
#include "sdpa_launch.h"
#include "softmax.cuh"

namespace {

using namespace hopper;
using namespace sdpa;

/* Named barriers, one for each warpgroup from these on; 0 is __syncthreads()'s. */
constexpr uint32_t kStoreBarrier = 1, kTurnBarrier = 8;

/* S = Q K^T: Q from registers (q_fragments) or by its descriptor. */
template <class Element, class C, int kScores>
__device__ __forceinline__ void start_scores(float (&s)[kScores], const uint32_t (&q_fragments)[C::kHeadDim / 4],
                                             uint32_t q, uint32_t k) {
#pragma unroll
  for (int step = 0; step < C::kHeadDim / 16; step++) {
    const int slab = step / 4, column = step % 4 * 32;
    const uint64_t k_step = wgmma_advance(k, slab * C::kKeys * kSlabBytes + column);
    if (C::kQueriesInRegisters)
      Wgmma<Element>::registers(s, q_fragments + 4 * step, k_step, step > 0);
    else
      Wgmma<Element>::shared(s, wgmma_advance(q, slab * kTileRows * kSlabBytes + column), k_step, step > 0);
  }
}

/* O += P V, or O = P V. */
template <class Element, int kOutputs, int kWeights>
__device__ __forceinline__ void start_output(float (&o)[kOutputs], const uint32_t (&p)[kWeights], uint32_t v,
                                             bool accumulate) {
#pragma unroll
  for (int step = 0; step < kWeights / 4; step++)
    Wgmma<Element>::transposed(o, p + 4 * step, wgmma_advance(v, step * 16 * kSlabBytes), step > 0 || accumulate);
}

/* A thread's part of its warpgroup's 64 rows of queries. */
template <class Element, class C>
struct Tile {
  static constexpr int kScores = C::kKeys / 2;
  uint32_t q[C::kHeadDim / 4]; /* where queries stay in registers */
  uint32_t q_descriptor;       /* where they do not */
  float s[kScores];
  uint32_t p[kScores / 2];
  float o[C::kOutputs]; /* the last four: sums of weights, where they are products */
  Softmax<Element, kScores, !C::kSumsByProduct> softmax;
  int row;  /* its first query */
  int keys; /* from the first tile of the unit on, C::kSplit or kGrouped */
};

template <class Element, class C, bool kCausal>
__global__ void __launch_bounds__(C::kWarpgroups *kWarpgroupThreads, 1)
    sdpa_hopper(const __grid_constant__ Maps maps, const Sizes sizes, const __grid_constant__ ListsOf<C> lists) {
  using S = Shared<C>;
  constexpr int kHeadDim = C::kHeadDim;
  extern __shared__ __align__(1024) uint8_t dynamic_shared[];
  const S shared = {shared_address(dynamic_shared)};
  const Schedule<C, kCausal> schedule = {sizes, lists};
  const int seq_len = sizes.seq_len;

  const uint32_t warp = uniform(threadIdx.x / 32), warpgroup = warp / 4;
  const bool leads_warpgroup = warp % 4 == 0;
  Loader<C, kCausal> loader(maps, schedule, shared, warpgroup);
  const bool loads = leads_warpgroup && warpgroup < loader.kLoaders;

  for (int i = threadIdx.x; i < S::kOnesBytes / 4; i += C::kWarpgroups * kWarpgroupThreads)
    reinterpret_cast<uint32_t *>(dynamic_shared + S::kOnes)[i] = pack(1.0f, 1.0f, Element());
  if (S::kOnesBytes > 0) fence_async_proxy();
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < C::kStages; slot++) {
      mbarrier_init(shared.full(slot), 1);
      mbarrier_init(shared.empty(slot), C::kWarpgroups * 4);
    }
    for (int i = 0; i < 2 * C::kWarpgroups; i++) mbarrier_init(shared.query_full(i / 2, i % 2), 1);
    mbarrier_init_fence();
  } else if (threadIdx.x == 32) { /* the copy engine's first reads of the maps, meanwhile */
    tma_prefetch_map(&maps.q);
    tma_prefetch_map(&maps.k);
    tma_prefetch_map(&maps.v);
  }
  __syncthreads();
  wait_for_grids_ahead();
  allow_next_grid();

  /* Rows of unit i that this warpgroup owns. Every second causal unit is dealt backwards: the last rows have
     the most keys. */
  const auto first_row = [&](const auto &unit, int i) {
    const int place = kCausal && (i & 1) ? C::kWarpgroups - 1 - static_cast<int>(warpgroup) : warpgroup;
    return unit.row + place * kTileRows;
  };
  const auto load_queries = [&](const auto &unit, int i) {
    if (leads_warpgroup && elect_one()) {
      const uint32_t barrier = shared.query_full(warpgroup, i & 1);
      mbarrier_arrive_expect(barrier, S::kQueryBytes);
#pragma unroll
      for (int slab = 0; slab < kHeadDim / 64; slab++)
        tma_load(shared.query(warpgroup, i & 1) + slab * kTileRows * kSlabBytes, &maps.q, slab * 64, first_row(unit, i),
                 unit.head, barrier);
    }
    __syncwarp();
  };
  /* All multiprocessors start at once, and memory is what they wait for: first what the first products need. */
  auto place = schedule.first();
  if (loads && warpgroup == 0) loader.load_next();
  load_queries(schedule.unit(place), 0);
  if (loads)
    while (loader.step < loader.kAhead) loader.load_next();

  /* Warpgroup w starts its products of a step after warpgroup w - 1 has started its own, round and round. Not with a
     causal mask: the warpgroups then have unequal work, and an order costs more than it brings. */
  constexpr bool kTurns = C::kTurns && !kCausal;
  const uint32_t my_turn = kTurnBarrier + warpgroup;
  const uint32_t next_turn = kTurnBarrier + (warpgroup + 1 == C::kWarpgroups ? 0 : warpgroup + 1);
  const auto take_turn = [&] {
    if (kTurns) named_barrier_sync(my_turn, 2 * kWarpgroupThreads);
  };
  const auto pass_turn = [&] {
    if (kTurns) named_barrier_arrive(next_turn, 2 * kWarpgroupThreads);
  };
  if (warpgroup + 1 == C::kWarpgroups) pass_turn();

  uint32_t step = 0; /* tiles of keys since the start */
  const auto acquire = [&](uint32_t t) { mbarrier_wait(shared.full(t % C::kStages), t / C::kStages & 1); };
  /* Once for each tile acquired, where nothing waits for this warp: the next warpgroup has its turn already. */
  const auto refill = [&](uint32_t t) {
    if (loads && (loader.kLoaders == 1 || loader.step == t + loader.kAhead)) loader.load_next();
  };
  const auto release = [&](uint32_t t) {
    if (elect_one()) mbarrier_arrive(shared.empty(t % C::kStages));
  };
  Tile<Element, C> tile;
  tile.softmax.scale = sizes.scale;
  const auto start_qk = [&](uint32_t t) {
    start_scores<Element, C>(tile.s, tile.q, tile.q_descriptor, wgmma_descriptor(shared.key(t % C::kStages)));
  };
  const auto start_pv = [&](uint32_t t, bool accumulate) {
    const uint32_t value = shared.value(t % C::kStages);
    const uint32_t next_columns = C::kSumsByProduct ? shared.ones() - value : C::kKeys * kSlabBytes;
    start_output<Element>(tile.o, tile.p, wgmma_descriptor(value, next_columns), accumulate);
  };
  /* The softmax of the scores of key tile j. */
  const auto soften = [&](int j) {
    const int first_key = j * C::kKeys, keys = C::kSplit || kGrouped ? tile.keys : seq_len;
    if (first_key + C::kKeys > (kCausal ? min(tile.row + 1, keys) : keys)) {
      const int upper = tile.row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, last = keys - 1;
      mask(tile.s, (kCausal ? min(upper, last) : last) - first_key,
           (kCausal ? min(upper + 8, last) : last) - first_key);
    }
    if (j == 0) {
      tile.softmax.first(tile.s, tile.p);
      return;
    }
    float correction[2];
    if (tile.softmax.next(tile.s, tile.p, correction)) {
#pragma unroll
      for (int n = 0; n < C::kOutputs; n++) tile.o[n] *= correction[n >> 1 & 1];
    }
  };
  for (int i = 0; schedule.has(place); i++) {
    const auto unit = schedule.unit(place);
    const auto next_place = schedule.after(place, i);
    /* The buffer of the next queries staged the output of the unit before: free once the copy engine has read it. */
    const auto load_next_queries = [&] {
      if (leads_warpgroup && elect_one()) tma_store_wait_read();
      if (schedule.has(next_place)) load_queries(schedule.unit(next_place), i + 1);
    };
    const uint32_t queries = shared.query(warpgroup, i & 1);
    tile.row = first_row(unit, i);
    if (C::kSplit || kGrouped) tile.keys = unit.keys - unit.first * C::kKeys;
    const int tiles = (kCausal && tile.row < 0) || tile.row >= unit.keys ? 0
                      : kCausal ? schedule.tiles(min(tile.row + kTileRows, unit.keys))
                                : unit.tiles;
    const auto store_output = [&](float factor_0, float factor_1) {
      stage_output<Element, kHeadDim>(tile.o, factor_0, factor_1, queries);
      fence_async_proxy();
      named_barrier_sync(kStoreBarrier + warpgroup, kWarpgroupThreads);
      if (leads_warpgroup && elect_one()) {
#pragma unroll
        for (int slab = 0; slab < kHeadDim / 64; slab++)
          tma_store(&maps.o, slab * 64, tile.row, unit.head, queries + slab * kTileRows * kSlabBytes);
        tma_store_commit();
      }
    };
    mbarrier_wait(shared.query_full(warpgroup, i & 1), i >> 1 & 1);

    if (tiles == 0) {
      load_next_queries();
      if (kGrouped && tile.row >= 0 && tile.row < seq_len) { /* queries behind the length of their batch row */
#pragma unroll
        for (int n = 0; n < C::kOutputs; n++) tile.o[n] = 0.0f;
        store_output(0.0f, 0.0f);
      }
    } else {
      tile.q_descriptor = wgmma_descriptor(queries);
      if (C::kQueriesInRegisters) load_fragments<kSlabBytes>(tile.q, queries);
      acquire(step);
      take_turn();
      wgmma_fence();
      start_qk(step);
      wgmma_commit();
      pass_turn();
      refill(step);
      wgmma_wait<0>();
      soften(0);
      load_next_queries();
      for (int j = 1; j < tiles; j++) {
        acquire(step + 1);
        take_turn();
        wgmma_fence();
        start_qk(step + 1);
        start_pv(step, j > 1);
        wgmma_commit();
        pass_turn();
        refill(step + 1);
        wgmma_wait<0>();
        release(step++);
        soften(j);
      }
      wgmma_fence();
      start_pv(step, tiles > 1);
      wgmma_commit();
      wgmma_wait<0>();
      release(step++);

      const auto sum = [&](int r) {
        return C::kSumsByProduct ? tile.o[C::kOutputs - 4 + 2 * r] : row_sum(tile.softmax.sum[r]);
      };
      if (!C::kSplit || schedule.partial(place) < 0) {
        const int upper = tile.row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
        const float factor_0 = 1.0f / sum(0), factor_1 = 1.0f / sum(1); /* all threads of the warp take the sums */
        store_output(kGrouped && upper >= tile.keys ? 0.0f : factor_0,
                     kGrouped && upper + 8 >= tile.keys ? 0.0f : factor_1);
      } else {
        store_partial<kHeadDim>(sizes.last.partials, schedule.partial(place) * C::kWarpgroups + warpgroup, tile.o,
                                tile.softmax.shift, sum(0), sum(1));
      }
    }
    for (int j = tiles; j < unit.tiles; j++) { /* keys that other warpgroups of the block need and this one does not */
      acquire(step);
      take_turn();
      pass_turn();
      refill(step);
      release(step++);
    }
    place = next_place;
  }
  if (warpgroup == 0) take_turn();                           /* the last pass */
  if (leads_warpgroup && elect_one()) tma_store_wait_read(); /* the block's shared memory ends with it */
}

const char *supports(const pawl_shape *shape) {
  if (shape->dtype != PAWL_F16 && shape->dtype != PAWL_BF16) return "dtype must be f16 or bf16";
  const int64_t head_dim = pawl_shape_get(shape, "D");
  if (head_dim != 64 && head_dim != 128) return "D must be 64 or 128";
  return sdpa::unsupported_size(shape);
}

template <class Element, class C, bool kCausal>
cudaError_t start(const sdpa::Problem &problem, const Sizes &sizes, const ListsOf<C> &lists = {}) {
  constexpr int kBytes = Shared<C>::kBytes;
  const auto kernel = sdpa_hopper<Element, C, kCausal>;
  cudaError_t error;
  const Maps *maps = find_maps(problem, C::kKeys, &error);
  if (!maps) return error;
  if ((error = allow_shared_memory(kernel, kBytes)) != cudaSuccess) return error;
  return launch_overlapping(kernel, sizes.grid, C::kWarpgroups * kWarpgroupThreads, kBytes, problem.stream, *maps,
                            sizes, lists);
}

template <class Element, class C, bool kCausal = false>
cudaError_t start_whole(const sdpa::Problem &problem, int count) {
  const Sizes sizes = sizes_of(problem, Schedule<C, kCausal>::kRows, count);
  if constexpr (kCausal && C::kWarpgroups == most_warpgroups(C::kHeadDim)) {
    using Listed = Config<C::kHeadDim, C::kWarpgroups, kListed>;
    if (can_list(sizes, problem.key_bytes()))
      return start<Element, Listed, true>(problem, sizes, listed(sizes, C::kWarpgroups, problem.key_bytes()));
  }
  return start<Element, C, kCausal>(problem, sizes);
}

/* The keys of the last round are split: a second kernel merges the parts. */
template <class Element, class C>
cudaError_t start_split(const sdpa::Problem &problem, int count, LastRound last) {
  if (problem.workspace_bytes < partial_bytes<C::kHeadDim>(last, C::kWarpgroups)) return cudaErrorInvalidValue;
  last.partials = static_cast<float4 *>(problem.workspace);
  Sizes sizes = sizes_of(problem, Schedule<C, false>::kRows, count);
  sizes.grid = min(last.first + last.units * last.parts, count);
  sizes.last = last;
  const cudaError_t error = start<Element, C, false>(problem, sizes);
  if (error != cudaSuccess) return error;
  return launch_overlapping(merge_parts<Element, C>, last.units * C::kWarpgroups * kMergeBlocks<C::kHeadDim>,
                            kWarpgroupThreads, 0, problem.stream, problem.view[kO], sizes);
}

template <class Element, int kHeadDim, bool kCausal>
cudaError_t dispatch(const sdpa::Problem &problem) {
  constexpr int kMost = most_warpgroups(kHeadDim);
  constexpr bool kSplits = !kCausal && kHeadDim == kSplitHeadDim && !kGrouped;
  const int count = multiprocessors();
  if (count < 1) return cudaErrorInvalidDevice;
  const Plan plan = make_plan(problem.heads, problem.seq_len, kHeadDim, kCausal || kGrouped, count);
  if constexpr (kSplits) {
    using C = Config<kHeadDim, kMost, kSplitLast>;
    if (plan.last.parts > 1) return start_split<Element, C>(problem, count, plan.last);
  }
  if (plan.warpgroups == 1) return start_whole<Element, Config<kHeadDim, 1>, kCausal>(problem, count);
  if (plan.warpgroups == 2) return start_whole<Element, Config<kHeadDim, 2>, kCausal>(problem, count);
  if constexpr (!kCausal && !kGrouped) { /* causal units are sorted anyway */
    if (cut_units_last(problem, kMost * kTileRows))
      return start_whole<Element, Config<kHeadDim, kMost, kCutLast>>(problem, count);
  }
  return start_whole<Element, Config<kHeadDim, kMost>, kCausal>(problem, count);
}

template <class Element>
cudaError_t dispatch(const sdpa::Problem &problem) {
  if (problem.head_dim == 64)
    return problem.causal ? dispatch<Element, 64, true>(problem) : dispatch<Element, 64, false>(problem);
  return problem.causal ? dispatch<Element, 128, true>(problem) : dispatch<Element, 128, false>(problem);
}

int launch(const pawl_launch *launch) {
  sdpa::Problem problem;
  const int error = sdpa::read_problem(launch, &problem, true, kGrouped);
  if (error) return error;
  return problem.dtype == PAWL_F16 ? dispatch<__half>(problem) : dispatch<__nv_bfloat16>(problem);
}

/* Without a device nothing is known of the last round; the launch then fails anyway. */
size_t workspace_bytes(const pawl_shape *shape) {
  const int count = multiprocessors(), head_dim = static_cast<int>(pawl_shape_get(shape, "D"));
  if (count < 1 || kGrouped) return 0;
  const auto heads = static_cast<int>(pawl_shape_get(shape, "B") * pawl_shape_get(shape, "H"));
  const Plan plan = make_plan(heads, static_cast<int>(pawl_shape_get(shape, "S")), head_dim,
                              pawl_shape_get(shape, "causal") == 1, count);
  return partial_bytes<kSplitHeadDim>(plan.last, plan.warpgroups);
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {PAWL_ABI_VERSION,
                                     sizeof(pawl_kernel),
                                     kGrouped ? "sdpa_hopper_grouped" : "sdpa_hopper",
                                     kGrouped ? "grouped_attention" : "attention",
                                     PAWL_CUDA,
                                     PAWL_KERNEL_DETERMINISTIC,
                                     supports,
                                     launch,
                                     workspace_bytes,
                                     sdpa::error_text};
  return &kernel;
}
