/* SPDX-License-Identifier: Apache-2.0 */
/* Attention forward in FP8 for Hopper (sm_90a): Q, K and V in E4M3, O in FP16. D = 64 and 128, causal or not, any S.
   Work, turns and the idea of the softmax are those of sdpa_hopper.cu; this page says what FP8 changes.

   Scales. One for each tensor, and they are 1: the elements are taken at face value. A caller with scaled tensors
   multiplies the scales of Q and K into the scale of the scores and that of V into O.

   V. wgmma wants both FP8 operands with the direction of summation along the rows of memory: K is stored so, V is not.
   A producer warpgroup turns each tile of V: the copy engine brings it to a raw slot, ldmatrix reads it transposed in
   pairs of bytes, byte permutations part the pairs, stmatrix writes rows of V^T. The other warpgroups get the
   registers that the producers hand back (setmaxnreg).

   The order of keys. Accumulators of S hold, in thread t of a row's four, keys 2t, 2t+1, 2t+8, 2t+9 of 16; as operand
   of the next product these four bytes stand for neighbours 4t .. 4t+3. A sum over keys has no order, so V^T is written
   with its keys in the same order, which the transposition gives anyway, and P is never moved.

   The sums. V^T has eight more rows: their accumulators are the sums of the rounded weights. The tensor cores add FP8
   products with 13 bits below the largest addend and cut off the rest: in a long sum of positive numbers, that is much
   (relative RMS error of O 6.6e-2 at S = 4096 where the rounding of the weights makes 2.6e-2). So each slot of the ring
   has its ones in another of the eight rows, the others are zeros, and eight short sums are added at the end. Sequences
   longer than LONGEST_SHORT_F8 are summed in two levels (kLong): after SHORT_TILES_F8 tiles a thread adds its
   accumulators in FP32 to those that it keeps in the workspace, and the tensor cores begin a new sum.

   The weights. E4M3 ends at 448 and its smallest normal number is 2^-6. The largest weight of a row's first tile is
   2^kFirstExponent, later ones may be larger up to saturation, which the guard sees (byte 0x7e, and NaN 0x7f): then
   the true maximum is taken, as in sdpa_hopper.cu. */
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "hopper/mbarrier.cuh"
#include "hopper/overlap.cuh"
#include "hopper/sdpa_fragments.cuh"
#include "hopper/sdpa_lists.h"
#include "hopper/sdpa_maps.h"
#include "hopper/sdpa_stream.cuh"
#include "hopper/softmax_f8.cuh"
#include "hopper/tma.cuh"
#include "hopper/wgmma.cuh"
#include "sdpa_launch.h"
#include "softmax.cuh"

/* Tunable: slots of the ring, for each D; 1: the warpgroups take turns at the tensor cores. */
#ifndef STAGES_F8_D64
#define STAGES_F8_D64 8
#endif
#ifndef STAGES_F8_D128
#define STAGES_F8_D128 6
#endif
#ifndef TURNS_F8
#define TURNS_F8 0
#endif
/* Longer sequences are summed in two levels, each short sum over that many tiles of 64 keys. */
#ifndef LONGEST_SHORT_F8
#define LONGEST_SHORT_F8 8192
#endif
#ifndef SHORT_TILES_F8
#define SHORT_TILES_F8 64
#endif

namespace {

using namespace hopper;
using namespace sdpa;

using Product = Wgmma<__nv_fp8_e4m3>;

constexpr uint32_t kStoreBarrier = 1, kProducerBarrier = 7, kTurnBarrier = 8;
constexpr uint32_t kFourOnes = 0x38383838u; /* in E4M3 */
constexpr int kTransposedRowBytes = 64;     /* a row of V^T: the keys of a tile */

/* The register counts fill the register file exactly, in steps of 8. */
template <int kHeadDim_, Order kOrder_ = kAsTheyLie, bool kLong_ = false>
struct Config {
  static constexpr Order kOrder = kOrder_;
  static constexpr bool kLong = kLong_;
  static constexpr bool kSplit = false;
  static constexpr int kHeadDim = kHeadDim_, kWarpgroups = kHeadDim == 64 ? 4 : 3, kKeys = 64;
  static constexpr int kStages = kHeadDim == 64 ? STAGES_F8_D64 : STAGES_F8_D128;
  static constexpr int kRawSlots = 3;
  static constexpr int kThreads = (kWarpgroups + 1) * kWarpgroupThreads;
  static constexpr int kRegisters = kHeadDim == 64 ? 112 : 160, kProducerRegisters = 32;
  static constexpr int kOutputs = kHeadDim / 2 + 4;    /* the last four: sums of weights */
  static constexpr int kKeptChunks = kOutputs / 4 + 1; /* 16 bytes each: what a thread keeps of long sums */
  static constexpr bool kTurns = TURNS_F8;
  static_assert(kStages > kRawSlots, "the producers must not wait for a slot that waits for them");
};

/* Shared memory, from a 1024-byte boundary. */
template <class C>
struct Layout {
  static constexpr int kQueryBytes = kTileRows * C::kHeadDim, kOutputBytes = 2 * kQueryBytes;
  static constexpr int kKeyBytes = C::kKeys * C::kHeadDim;
  static constexpr int kValueBytes = (C::kHeadDim + 8) * kTransposedRowBytes;
  static constexpr int kOutput = 2 * C::kWarpgroups * kQueryBytes;
  static constexpr int kKey = kOutput + C::kWarpgroups * kOutputBytes;
  static constexpr int kRaw = kKey + C::kStages * kKeyBytes;
  static constexpr int kValue = kRaw + C::kRawSlots * kKeyBytes;
  static constexpr int kBarriers = kValue + C::kStages * kValueBytes;
  static constexpr int kBytes = kBarriers + 8 * (3 * C::kStages + C::kRawSlots + 2 * C::kWarpgroups);

  uint32_t base;

  __device__ uint32_t query(uint32_t warpgroup, uint32_t buffer) const {
    return base + (2 * warpgroup + buffer) * kQueryBytes;
  }
  __device__ uint32_t output(uint32_t warpgroup) const { return base + kOutput + warpgroup * kOutputBytes; }
  __device__ uint32_t key(uint32_t slot) const { return base + kKey + slot * kKeyBytes; }
  __device__ uint32_t raw(uint32_t slot) const { return base + kRaw + slot * kKeyBytes; }
  __device__ uint32_t value(uint32_t slot) const { return base + kValue + slot * kValueBytes; }
  __device__ uint32_t key_full(uint32_t slot) const { return base + kBarriers + 8 * slot; }
  __device__ uint32_t value_full(uint32_t slot) const { return key_full(C::kStages + slot); }
  __device__ uint32_t empty(uint32_t slot) const { return key_full(2 * C::kStages + slot); }
  __device__ uint32_t raw_full(uint32_t slot) const { return key_full(3 * C::kStages + slot); }
  __device__ uint32_t query_full(uint32_t warpgroup, uint32_t buffer) const {
    return key_full(3 * C::kStages + C::kRawSlots + 2 * warpgroup + buffer);
  }
};

template <class C>
__device__ void init_shared(const Layout<C> &shared, uint8_t *memory) {
  constexpr int kRowWords = kTransposedRowBytes / 4, kWords = 8 * kRowWords; /* the words of the rows for the sums */
  for (int i = threadIdx.x; i < C::kStages * kWords; i += C::kThreads) {
    const int offset = Layout<C>::kValue + i / kWords * Layout<C>::kValueBytes + C::kHeadDim * kTransposedRowBytes;
    const bool is_one = i % kWords / kRowWords == i / kWords % 8;
    reinterpret_cast<uint32_t *>(memory + offset)[i % kWords] = is_one ? kFourOnes : 0;
  }
  fence_async_proxy();
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < C::kStages; slot++) {
      mbarrier_init(shared.key_full(slot), 1);
      mbarrier_init(shared.value_full(slot), 4);
      mbarrier_init(shared.empty(slot), C::kWarpgroups * 4);
    }
    for (int slot = 0; slot < C::kRawSlots; slot++) mbarrier_init(shared.raw_full(slot), 1);
    for (int i = 0; i < 2 * C::kWarpgroups; i++) mbarrier_init(shared.query_full(i / 2, i % 2), 1);
    mbarrier_init_fence();
  }
  __syncthreads();
}

/* The producer warpgroup: its first warp starts the copies, all four turn V. */
template <class C, bool kCausal>
struct Producer {
  using S = Layout<C>;
  const Maps &maps;
  const Schedule<C, kCausal> &schedule;
  const S &shared;
  uint32_t warp;                              /* 0 .. 3 */
  typename Schedule<C, kCausal>::Place place; /* the place of the next unit */
  int begun = 0;                              /* units */
  int tile = 0, tiles = 0;                    /* the next load takes `tile` of the `tiles` of its unit */
  Plane head = {0, 0};
  uint32_t loaded = 0; /* tiles */

  __device__ __forceinline__ void load_next() {
    if (tile == tiles) {
      if (!schedule.has(place)) return;
      const auto unit = schedule.unit(place);
      place = schedule.after(place, begun++);
      head = unit.head, tiles = unit.tiles, tile = 0;
    }
    if (warp == 0) {
      const uint32_t slot = loaded % C::kStages, raw = loaded % C::kRawSlots;
      mbarrier_wait(shared.empty(slot), (loaded / C::kStages & 1) ^ 1);
      if (elect_one()) {
        mbarrier_arrive_expect(shared.key_full(slot), S::kKeyBytes);
        tma_load(shared.key(slot), &maps.k, 0, tile * C::kKeys, head, shared.key_full(slot));
        mbarrier_arrive_expect(shared.raw_full(raw), S::kKeyBytes);
        tma_load(shared.raw(raw), &maps.v, 0, tile * C::kKeys, head, shared.raw_full(raw));
      }
      __syncwarp();
    }
    loaded++;
    tile++;
  }

  /* 32 keys by 16 columns: in, four matrices of 8 keys by 16 bytes; out, 8 even and 8 odd columns by 16 keys, twice. */
  __device__ __forceinline__ void turn_block(uint32_t raw, uint32_t value, uint32_t columns, uint32_t keys) const {
    const uint32_t matrix = threadIdx.x % 32 / 8, row = threadIdx.x % 8;
    uint32_t a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(raw + swizzled<C::kHeadDim>(32 * keys + 8 * matrix + row, columns))
                 : "memory");
    const uint32_t target = swizzled<kTransposedRowBytes>(16 * columns + 2 * row + matrix % 2, 2 * keys + matrix / 2);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(value + target),
                 "r"(__byte_perm(a, b, 0x6420)), "r"(__byte_perm(a, b, 0x7531)), "r"(__byte_perm(c, d, 0x6420)),
                 "r"(__byte_perm(c, d, 0x7531))
                 : "memory");
  }

  __device__ __forceinline__ void turn_value(uint32_t t) const {
    const uint32_t slot = t % C::kStages, raw = t % C::kRawSlots;
    mbarrier_wait(shared.raw_full(raw), t / C::kRawSlots & 1);
#pragma unroll
    for (uint32_t columns = 0; columns < C::kHeadDim / 16; columns += 4)
#pragma unroll
      for (uint32_t keys = 0; keys < C::kKeys / 32; keys++)
        turn_block(shared.raw(raw), shared.value(slot), columns + warp, keys);
    fence_async_proxy();
    __syncwarp();
    if (elect_one()) mbarrier_arrive(shared.value_full(slot));
  }

  /* Copies run kRawSlots - 1 tiles ahead. The slot of V^T that tile t takes is free: the copy of the tile's K, into the
     same slot of its ring, waited for that. */
  __device__ __forceinline__ void run() {
    for (int n = 0; n < C::kRawSlots - 1; n++) load_next();
    for (uint32_t t = 0;; t++) {
      load_next();
      if (t == loaded) return;
      turn_value(t);
      named_barrier_sync(kProducerBarrier, kWarpgroupThreads); /* the raw slot is free, for all */
    }
  }
};

/* A warpgroup of 64 queries. */
template <class C, bool kCausal>
struct Consumer {
  using S = Layout<C>;
  using Place = typename Schedule<C, kCausal>::Place;
  const Maps &maps;
  const Schedule<C, kCausal> &schedule;
  const S &shared;
  uint32_t warpgroup; /* 0 .. kWarpgroups - 1 */
  bool leads;         /* the warp that starts the warpgroup's copies */

  uint32_t q[C::kHeadDim / 8];
  float s[32];
  uint32_t p[8];
  float o[C::kOutputs];
  SoftmaxF8 softmax;
  int row; /* the first query */

  static constexpr bool kTurns = C::kTurns && !kCausal;

  __device__ __forceinline__ void take_turn() const {
    if (kTurns) named_barrier_sync(kTurnBarrier + warpgroup, 2 * kWarpgroupThreads);
  }
  __device__ __forceinline__ void pass_turn() const {
    if (kTurns)
      named_barrier_arrive(kTurnBarrier + (warpgroup + 1 == C::kWarpgroups ? 0 : warpgroup + 1), 2 * kWarpgroupThreads);
  }

  template <class Unit>
  __device__ __forceinline__ int first_row(const Unit &unit, int i) const {
    const int place = kCausal && (i & 1) ? C::kWarpgroups - 1 - static_cast<int>(warpgroup) : warpgroup;
    return unit.row + place * kTileRows;
  }

  __device__ __forceinline__ void load_queries(const Place &place, int i) const {
    if (!leads || !schedule.has(place)) return;
    const auto unit = schedule.unit(place);
    if (elect_one()) {
      const uint32_t barrier = shared.query_full(warpgroup, i & 1);
      mbarrier_arrive_expect(barrier, S::kQueryBytes);
      tma_load(shared.query(warpgroup, i & 1), &maps.q, 0, first_row(unit, i), unit.head, barrier);
    }
    __syncwarp();
  }

  __device__ __forceinline__ void acquire_key(uint32_t t) const {
    mbarrier_wait(shared.key_full(t % C::kStages), t / C::kStages & 1);
  }
  __device__ __forceinline__ void acquire_value(uint32_t t) const {
    mbarrier_wait(shared.value_full(t % C::kStages), t / C::kStages & 1);
  }
  __device__ __forceinline__ void release(uint32_t t) const {
    if (elect_one()) mbarrier_arrive(shared.empty(t % C::kStages));
  }

  __device__ __forceinline__ void start_qk(uint32_t t) {
    const uint32_t k = wgmma_descriptor(shared.key(t % C::kStages));
#pragma unroll
    for (int step = 0; step < C::kHeadDim / 32; step++)
      Product::registers(s, q + 4 * step, wgmma_advance<C::kHeadDim>(k, step * 32), step > 0);
  }
  __device__ __forceinline__ void start_pv(uint32_t t, bool accumulate) {
    const uint32_t v = wgmma_descriptor(shared.value(t % C::kStages));
#pragma unroll
    for (int step = 0; step < C::kKeys / 32; step++)
      Product::registers(o, p + 4 * step, wgmma_advance<kTransposedRowBytes>(v, step * 32), step > 0 || accumulate);
  }

  /* The softmax of the scores of key tile j. */
  __device__ __forceinline__ void soften(int j) {
    const int seq_len = schedule.sizes.seq_len, first_key = j * C::kKeys;
    if (first_key + C::kKeys > (kCausal ? min(row + 1, seq_len) : seq_len)) {
      const int upper = row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, last = seq_len - 1;
      mask(s, (kCausal ? min(upper, last) : last) - first_key, (kCausal ? min(upper + 8, last) : last) - first_key);
    }
    if (j == 0) {
      softmax.first(s, p);
      return;
    }
    float correction[2];
    if (softmax.next(s, p, correction)) {
#pragma unroll
      for (int n = 0; n < C::kOutputs; n++) o[n] *= correction[n >> 1 & 1];
    }
  }

  /* Whether the product of the unit's key tile j is added to what `o` holds. */
  static __device__ __forceinline__ bool continues(int j) { return C::kLong ? j % SHORT_TILES_F8 != 0 : j > 0; }

  /* Where this thread keeps the sums of the keys before: accumulators, and the shifts that they are for. */
  __device__ __forceinline__ float4 *kept() const {
    const uint32_t slot = blockIdx.x * C::kWarpgroups + warpgroup;
    return schedule.sizes.last.partials + slot * C::kKeptChunks * kWarpgroupThreads + threadIdx.x % kWarpgroupThreads;
  }

  /* Multiplies what is kept by the change of the shifts, and adds it to `o`. */
  __device__ __forceinline__ void add_kept() {
    const float4 *chunk = kept(), shifts = __ldcg(chunk + C::kOutputs / 4 * kWarpgroupThreads);
    const float factor_0 = exp2_approx(shifts.x - softmax.shift[0]),
                factor_1 = exp2_approx(shifts.y - softmax.shift[1]);
#pragma unroll
    for (int i = 0; i < C::kOutputs / 4; i++) {
      if (i % 4 == 0) asm volatile("" ::: "memory"); /* there are no registers for more loads at a time */
      const float4 c = __ldcg(chunk + i * kWarpgroupThreads);
      o[4 * i] = fmaf(factor_0, c.x, o[4 * i]);
      o[4 * i + 1] = fmaf(factor_0, c.y, o[4 * i + 1]);
      o[4 * i + 2] = fmaf(factor_1, c.z, o[4 * i + 2]);
      o[4 * i + 3] = fmaf(factor_1, c.w, o[4 * i + 3]);
    }
  }

  __device__ __forceinline__ void keep() const {
    float4 *chunk = kept();
#pragma unroll
    for (int i = 0; i < C::kOutputs / 4; i++)
      chunk[i * kWarpgroupThreads] = make_float4(o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]);
    chunk[C::kOutputs / 4 * kWarpgroupThreads] = make_float4(softmax.shift[0], softmax.shift[1], 0.0f, 0.0f);
  }

  /* Ends a short sum. Where no shift of the warp changed since the one before, memory does the addition. */
  __device__ __forceinline__ void end_short_sum(bool first) {
    float4 *chunk = kept();
    bool moved = first;
    if (!first) {
      const float4 shifts = __ldcg(chunk + C::kOutputs / 4 * kWarpgroupThreads);
      moved = shifts.x != softmax.shift[0] || shifts.y != softmax.shift[1];
    }
    if (__any_sync(~0u, moved)) {
      if (!first) add_kept();
      keep();
      return;
    }
#pragma unroll
    for (int i = 0; i < C::kOutputs / 4; i++)
      asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(chunk + i * kWarpgroupThreads), "f"(o[4 * i]),
                   "f"(o[4 * i + 1]), "f"(o[4 * i + 2]), "f"(o[4 * i + 3])
                   : "memory");
  }

  __device__ __forceinline__ void store_output(Plane head) const {
    const uint32_t tile = shared.output(warpgroup);
    if (leads && elect_one()) tma_store_wait_read(); /* waits for the stores of the unit before */
    named_barrier_sync(kStoreBarrier + warpgroup, kWarpgroupThreads);
    const float *sums = o + C::kHeadDim / 2; /* two of eight columns, in two rows */
    const float factor_0 = 1.0f / row_sum(sums[0] + sums[1]), factor_1 = 1.0f / row_sum(sums[2] + sums[3]);
    stage_output<__half, C::kHeadDim>(o, factor_0, factor_1, tile);
    fence_async_proxy();
    named_barrier_sync(kStoreBarrier + warpgroup, kWarpgroupThreads);
    if (leads && elect_one()) {
#pragma unroll
      for (int slab = 0; slab < C::kHeadDim / 64; slab++)
        tma_store(&maps.o, slab * 64, row, head, tile + slab * kTileRows * kSlabBytes);
      tma_store_commit();
    }
  }

  /* The unit's tiles that this warpgroup has queries for; t counts tiles since the start. */
  __device__ __forceinline__ void attend(int tiles, uint32_t &t) {
    acquire_key(t);
    take_turn();
    wgmma_fence();
    start_qk(t);
    wgmma_commit();
    pass_turn();
    wgmma_wait<0>();
    soften(0);
    for (int j = 1; j < tiles; j++) {
      acquire_key(t + 1);
      acquire_value(t);
      take_turn();
      wgmma_fence();
      start_qk(t + 1);
      start_pv(t, continues(j - 1));
      wgmma_commit();
      pass_turn();
      wgmma_wait<0>();
      release(t++);
      if (C::kLong && j % SHORT_TILES_F8 == 0) end_short_sum(j == SHORT_TILES_F8);
      soften(j);
    }
    acquire_value(t);
    wgmma_fence();
    start_pv(t, continues(tiles - 1));
    wgmma_commit();
    wgmma_wait<0>();
    release(t++);
    if (C::kLong && tiles > SHORT_TILES_F8) add_kept();
  }

  __device__ __forceinline__ void run() {
    auto place = schedule.first(), next_place = schedule.after(place, 0);
    load_queries(place, 0);
    load_queries(next_place, 1);
    if (warpgroup + 1 == C::kWarpgroups) pass_turn();
    uint32_t t = 0;
    for (int i = 0; schedule.has(place); i++) {
      const auto unit = schedule.unit(place);
      place = next_place, next_place = schedule.after(place, i + 1);
      row = first_row(unit, i);
      const int tiles = row < 0 || row >= schedule.sizes.seq_len ? 0
                        : kCausal                                ? schedule.tiles(row + kTileRows)
                                                                 : unit.tiles;
      mbarrier_wait(shared.query_full(warpgroup, i & 1), i >> 1 & 1);
      load_fragments<C::kHeadDim>(q, shared.query(warpgroup, i & 1));
      named_barrier_sync(kStoreBarrier + warpgroup, kWarpgroupThreads); /* the buffer is free */
      load_queries(next_place, i + 2);
      if (tiles > 0) {
        attend(tiles, t);
        store_output(unit.head);
      }
      for (int j = tiles; j < unit.tiles; j++) { /* keys that only other warpgroups of the block need */
        acquire_key(t);
        acquire_value(t);
        take_turn();
        pass_turn();
        release(t++);
      }
    }
    if (warpgroup == 0) take_turn();                 /* the last pass */
    if (leads && elect_one()) tma_store_wait_read(); /* the block's shared memory ends with it */
  }
};

template <class C, bool kCausal>
__device__ __forceinline__ void attend(const Maps &maps, const Sizes &sizes, const ListsOf<C> &lists) {
  extern __shared__ __align__(1024) uint8_t dynamic_shared[];
  const Layout<C> shared = {shared_address(dynamic_shared)};
  const Schedule<C, kCausal> schedule = {sizes, lists};
  init_shared<C>(shared, dynamic_shared);
  wait_for_grids_ahead();
  allow_next_grid();
  const uint32_t warp = uniform(threadIdx.x / 32);
  if (warp >= C::kWarpgroups * 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(C::kProducerRegisters));
    Producer<C, kCausal> producer = {maps, schedule, shared, warp % 4, schedule.first()};
    producer.run();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(C::kRegisters));
    Consumer<C, kCausal> consumer = {maps, schedule, shared, warp / 4, warp % 4 == 0};
    consumer.softmax.scale = sizes.scale;
    consumer.run();
  }
}

template <class C, bool kCausal>
__global__ void __launch_bounds__(C::kThreads, 1)
    sdpa_hopper_f8(const __grid_constant__ Maps maps, const Sizes sizes, const __grid_constant__ ListsOf<C> lists) {
  attend<C, kCausal>(maps, sizes, lists);
}

/* The same with the sizes by address: that costs time, and saves the register that long sums lack at D = 64. */
template <class C, bool kCausal>
__global__ void __launch_bounds__(C::kThreads, 1)
    sdpa_hopper_f8_long(const __grid_constant__ Maps maps, const __grid_constant__ Sizes sizes,
                        const __grid_constant__ ListsOf<C> lists) {
  attend<C, kCausal>(maps, sizes, lists);
}

const char *supports(const pawl_shape *shape) {
  if (shape->dtype != PAWL_E4M3) return "dtype must be e4m3";
  const int64_t head_dim = pawl_shape_get(shape, "D");
  if (head_dim != 64 && head_dim != 128) return "D must be 64 or 128";
  if (pawl_shape_get(shape, "S") > 65536) return "S must be at most 65536: the error of longer sums was not measured";
  return sdpa::unsupported_size(shape);
}

template <class C, bool kCausal>
cudaError_t start(const sdpa::Problem &problem, const Sizes &sizes, const ListsOf<C> &lists = {}) {
  constexpr int kBytes = Layout<C>::kBytes;
  constexpr auto kernel = [] {
    if constexpr (C::kLong)
      return sdpa_hopper_f8_long<C, kCausal>;
    else
      return sdpa_hopper_f8<C, kCausal>;
  }();
  cudaError_t error;
  const Maps *maps = find_maps(problem, C::kKeys, &error);
  if (!maps) return error;
  if ((error = allow_shared_memory(kernel, kBytes)) != cudaSuccess) return error;
  return launch_overlapping(kernel, sizes.grid, C::kThreads, kBytes, problem.stream, *maps, sizes, lists);
}

/* The bytes that long sums keep in the workspace. */
template <int kHeadDim>
size_t kept_bytes(int grid) {
  using C = Config<kHeadDim>;
  return static_cast<size_t>(grid) * C::kWarpgroups * C::kKeptChunks * kWarpgroupThreads * sizeof(float4);
}

template <int kHeadDim, bool kLong>
cudaError_t dispatch(const sdpa::Problem &problem) {
  constexpr int kWarpgroups = Config<kHeadDim>::kWarpgroups, kRows = kWarpgroups * kTileRows;
  const int most_blocks = multiprocessors();
  if (most_blocks < 1) return cudaErrorInvalidDevice;
  Sizes sizes = sizes_of(problem, kRows, most_blocks);
  if (kLong) {
    if (problem.workspace_bytes < kept_bytes<kHeadDim>(sizes.grid)) return cudaErrorInvalidValue;
    sizes.last.partials = static_cast<float4 *>(problem.workspace);
  }
  if (problem.causal) {
    if (can_list(sizes, problem.key_bytes()))
      return start<Config<kHeadDim, kListed, kLong>, true>(problem, sizes,
                                                           listed(sizes, kWarpgroups, problem.key_bytes()));
    return start<Config<kHeadDim, kAsTheyLie, kLong>, true>(problem, sizes);
  }
  if constexpr (kLong) /* at D = 64 the order of cut units would spill a register, and a head has one such unit of 32 */
    return start<Config<kHeadDim, kHeadDim == 64 ? kAsTheyLie : kCutLast, true>, false>(problem, sizes);
  if (cut_units_last(problem, kRows)) return start<Config<kHeadDim, kCutLast>, false>(problem, sizes);
  return start<Config<kHeadDim>, false>(problem, sizes);
}

template <int kHeadDim>
cudaError_t dispatch(const sdpa::Problem &problem) {
  return problem.seq_len > LONGEST_SHORT_F8 ? dispatch<kHeadDim, true>(problem) : dispatch<kHeadDim, false>(problem);
}

int launch(const pawl_launch *launch) {
  sdpa::Problem problem;
  const int error = sdpa::read_problem(launch, &problem, true);
  if (error) return error;
  return problem.head_dim == 64 ? dispatch<64>(problem) : dispatch<128>(problem);
}

size_t workspace_bytes(const pawl_shape *shape) {
  if (pawl_shape_get(shape, "S") <= LONGEST_SHORT_F8) return 0;
  const int count = multiprocessors();
  return pawl_shape_get(shape, "D") == 64 ? kept_bytes<64>(count) : kept_bytes<128>(count);
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel),       "sdpa_hopper_f8", "attention",
                                     PAWL_CUDA,        PAWL_KERNEL_DETERMINISTIC, supports,         launch,
                                     workspace_bytes,  sdpa::error_text};
  return &kernel;
}
