/* SPDX-License-Identifier: Apache-2.0 */
/* The attention kernel for Hopper: its parameters, its shared memory, which block does what, and how K and V come in.
   sdpa_hopper.cu explains the whole. */
#ifndef PAWL_SDPA_STREAM_CUH
#define PAWL_SDPA_STREAM_CUH

#include <type_traits>

#include "mbarrier.cuh"
#include "tma.cuh"

/* Tunable, for each D: warpgroups of a block, each with 64 rows of queries; keys in a tile (64 or 128); slots of the
   ring; Q in registers (1) or read from shared memory at each step (0). */
#ifndef WARPGROUPS_D64
#define WARPGROUPS_D64 4
#endif
#ifndef BLOCK_N_D64
#define BLOCK_N_D64 64
#endif
#ifndef STAGES_D64
#define STAGES_D64 8
#endif
#ifndef QUERIES_IN_REGISTERS_D64
#define QUERIES_IN_REGISTERS_D64 1
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
#ifndef QUERIES_IN_REGISTERS_D128
#define QUERIES_IN_REGISTERS_D128 0
#endif
/* 1: the warpgroups of a block take turns at the tensor cores; 0: they compete. */
#ifndef TURNS_D64
#define TURNS_D64 1
#endif
#ifndef TURNS_D128
#define TURNS_D128 0
#endif

/* Warpgroups that share the loading of the ring without a causal mask; with one, all do. */
#ifndef LOADERS_D64
#define LOADERS_D64 1
#endif
#ifndef LOADERS_D128
#define LOADERS_D128 3
#endif

/* 1: the sums of weights come from the tensor cores, as a product with a column of ones (D = 64); 0: from additions. */
#ifndef SUMS_BY_PRODUCT
#define SUMS_BY_PRODUCT 1
#endif

/* 1: the kernel of operator `grouped_attention`: heads of queries share heads of keys, and each batch row has a length.
   0: the kernel of `attention`. */
#ifndef GROUPED
#define GROUPED 0
#endif

namespace sdpa {

using namespace hopper;

constexpr bool kGrouped = GROUPED;
constexpr int kTileRows = 64; /* the rows of queries that one wgmma takes */
constexpr int kWarpgroupThreads = 128;
constexpr int kSlabBytes = 128; /* one row of a swizzled tile: 64 elements; a tile of D = 128 is two slabs */

/* In which order a launch takes its units: as they lie; see cut_units_last; the same, and the keys of the last round
   are split (sdpa_split.cuh); as the host dealt them (sdpa_lists.h). With a causal mask all orders but kListed are the
   same: the longest units first. */
enum Order { kAsTheyLie, kCutLast, kSplitLast, kListed };

/* A kernel with `kWarpgroups_` warpgroups: the number above, or fewer where a launch has too few rows to give every
   multiprocessor a block. */
template <int kHeadDim_, int kWarpgroups_, Order kOrder_ = kAsTheyLie>
struct Config {
  static constexpr Order kOrder = kOrder_;
  static constexpr bool kSplit = kOrder == kSplitLast;
  static_assert(kHeadDim_ == 64 || kHeadDim_ == 128, "D is 64 or 128");
  static constexpr bool kNarrow = kHeadDim_ == 64;
  static constexpr int kHeadDim = kHeadDim_, kWarpgroups = kWarpgroups_;
  static constexpr int kKeys = kNarrow ? BLOCK_N_D64 : BLOCK_N_D128;
  static constexpr bool kSumsByProduct = kNarrow && SUMS_BY_PRODUCT;
  static constexpr int kOutputs = kHeadDim / 2 + (kSumsByProduct ? 4 : 0); /* accumulators of a thread */
  static constexpr int kStages = kNarrow ? STAGES_D64 : STAGES_D128;
  static constexpr int kMostLoaders = kNarrow ? LOADERS_D64 : LOADERS_D128;
  static constexpr int kLoaders = kMostLoaders < kWarpgroups ? kMostLoaders : kWarpgroups; /* without a causal mask */
  static constexpr bool kQueriesInRegisters = kNarrow ? QUERIES_IN_REGISTERS_D64 : QUERIES_IN_REGISTERS_D128;
  static constexpr bool kTurns = (kNarrow ? TURNS_D64 : TURNS_D128) && kWarpgroups > 1;
};

/* Shared memory, from a 1024-byte boundary: for each warpgroup two buffers of Q (one in use, one on its way; a used one
   then stages O), the ring of K and V tiles, the ones that follow every V tile where sums are products, the barriers.
 */
template <class C>
struct Shared {
  static constexpr int kQueryBytes = kTileRows * C::kHeadDim * 2;
  static constexpr int kKeyBytes = C::kKeys * C::kHeadDim * 2;
  static constexpr int kSlotBytes = 2 * kKeyBytes;
  static constexpr int kRing = 2 * C::kWarpgroups * kQueryBytes;
  static constexpr int kOnes = kRing + C::kStages * kSlotBytes;
  static constexpr int kOnesBytes = C::kSumsByProduct ? C::kKeys * kSlabBytes : 0;
  static constexpr int kBarriers = kOnes + kOnesBytes;
  static constexpr int kBytes = kBarriers + 8 * (2 * C::kStages + 2 * C::kWarpgroups);

  uint32_t base;

  __device__ uint32_t query(uint32_t warpgroup, uint32_t buffer) const {
    return base + (2 * warpgroup + buffer) * kQueryBytes;
  }
  __device__ uint32_t key(uint32_t slot) const { return base + kRing + slot * kSlotBytes; }
  __device__ uint32_t value(uint32_t slot) const { return key(slot) + kKeyBytes; }
  __device__ uint32_t ones() const { return base + kOnes; }
  __device__ uint32_t full(uint32_t slot) const { return base + kBarriers + 8 * slot; }
  __device__ uint32_t empty(uint32_t slot) const { return full(C::kStages + slot); }
  __device__ uint32_t query_full(uint32_t warpgroup, uint32_t buffer) const {
    return full(2 * C::kStages + 2 * warpgroup + buffer);
  }
};

/* The tensors as the copy engine sees them: boxes of 64 rows of Q and O, of kKeys rows of K and V. */
struct Maps {
  CUtensorMap q, k, v, o;
};

/* The units of the last round, where their keys are split: from rank `first` on, `units` of them, in `parts` parts. */
struct LastRound {
  int first, units, parts;
  float4 *partials; /* the results of the parts, on the device */
};

/* The numbers of a launch. */
struct Sizes {
  int seq_len, heads, heads_in_batch; /* heads: of all batches */
  int blocks;                         /* units in a head */
  int grid;                           /* blocks of threads */
  int grid_heads, grid_blocks;        /* that many units: whole heads, and blocks over */
  float scale;                        /* the scale of the scores, times log2(e) */
  LastRound last;                     /* C::kSplit */
  int before;                         /* rows of the first unit that lie before the first query, with a causal mask */
  int heads_of_key;                   /* kGrouped: heads of queries that one head of keys serves */
  const int32_t *lengths;             /* kGrouped: each batch row has its length, on the device */
};

/* The units of block b of threads, in their order, are unit[begin[b]] to unit[begin[b + 1] - 1]. Each is head * blocks
   + block. */
constexpr int kMostListed = 4096, kMostGrid = 160;
struct UnitLists {
  uint16_t begin[kMostGrid + 1];
  uint16_t unit[kMostListed];
};

struct NoLists {};

/* A parameter of its own: a kernel that takes `Sizes` by address (__grid_constant__) is up to 4 % slower. */
template <class C>
using ListsOf = std::conditional_t<C::kOrder == kListed, UnitLists, NoLists>;

/* The units of a block: every grid-th unit in the order of `Place::rank`, or its list. Units are sorted, the longest
   first, where they differ: with a causal mask by their last row, with kCutLast the units that a head's end cuts short
   come last. With a causal mask a head's end cuts no unit short. The last unit ends with the last row, and the first
   unit, which has the fewest keys, begins before the first row. Every second row of units takes the heads backwards,
   and finds the keys of the last ones still in the L2. Unsorted units are walked without a division: all warps of a
   block do that between two units. With C::kSplit the ranks of the last round are parts of units: first part 0 of each
   unit, then part 1 of each, and so on. */
template <class C, bool kCausal>
struct Schedule {
  static constexpr int kRows = C::kWarpgroups * kTileRows;
  static constexpr bool kSorted = kCausal || C::kOrder != kAsTheyLie;
  static constexpr bool kLists = C::kOrder == kListed;
  static_assert(kCausal || !kLists, "without a mask nothing is gained");
  static_assert(!C::kSplit || (kSorted && !kCausal), "the rounds of split launches are dealt back and forth");
  const Sizes &sizes;
  const ListsOf<C> &lists;

  struct Place {
    int rank, head, block; /* block: the index of its kRows queries in the head. With a mask only unit() finds both */
  };
  struct Unit {
    Plane head;     /* and batch */
    int row, tiles; /* first query row; tiles of keys that the unit streams */
    int keys;       /* the keys of its batch row */
    int first;      /* the first of those tiles, with C::kSplit; otherwise it is tile 0 */
  };

  __device__ bool has(const Place &place) const {
    if constexpr (kLists) return place.rank < lists.begin[blockIdx.x + 1];
    if (C::kSplit) return place.rank < sizes.last.first + sizes.last.units * sizes.last.parts;
    return place.rank < sizes.blocks * sizes.heads;
  }
  /* The index among the parts of the last round; negative: a whole unit. */
  __device__ int partial(const Place &place) const { return place.rank - sizes.last.first; }
  __device__ Place first() const {
    if constexpr (kLists) return at(lists.begin[blockIdx.x]);
    return at(static_cast<int>(blockIdx.x));
  }
  /* The place after the block's i-th. Every second round of sorted units is dealt backwards, so that each block gets
     long and short ones. That takes registers that kGrouped does not have. */
  __device__ Place after(const Place &place, int i) const {
    const int own = static_cast<int>(blockIdx.x);
    if (kLists) return at(place.rank + 1);
    if (kSorted && kGrouped) return at(place.rank + sizes.grid);
    if (kSorted) return at(place.rank + (i & 1 ? 2 * own + 1 : 2 * (sizes.grid - own) - 1));
    Place next = {place.rank + sizes.grid, place.head + sizes.grid_heads, place.block + sizes.grid_blocks};
    if (next.block >= sizes.blocks) next.block -= sizes.blocks, next.head++;
    return next;
  }
  __device__ Unit unit(Place place) const {
    Unit u;
    if (kCausal) place = unit_at(place.rank);
    u.head = {place.head, 0};
    if (sizes.heads_in_batch != sizes.heads)
      u.head = {place.head % sizes.heads_in_batch, place.head / sizes.heads_in_batch};
    u.row = place.block * kRows - (kCausal ? sizes.before : 0);
    u.keys = sizes.seq_len;
    if (kGrouped) /* not before wait_for_grids_ahead(), as __ldg() can be */
      asm volatile("ld.global.b32 %0, [%1];" : "=r"(u.keys) : "l"(sizes.lengths + u.head.w) : "memory");
    u.tiles = kGrouped && u.row >= u.keys ? 0 : tiles(kCausal ? min(u.row + kRows, u.keys) : u.keys);
    u.first = 0;
    if (C::kSplit && partial(place) >= 0) {
      const int part = partial(place) / sizes.last.units, all = u.tiles;
      u.first = part * all / sizes.last.parts;
      u.tiles = (part + 1) * all / sizes.last.parts - u.first;
    }
    return u;
  }
  /* Tiles that hold the keys before `end`. */
  __device__ int tiles(int end) const { return (end + C::kKeys - 1) / C::kKeys; }

  /* The place of that rank. */
  __device__ Place at(int rank) const {
    if (kCausal) return {rank, 0, 0};
    if (C::kSplit && rank >= sizes.last.first) {
      Place place = unit_at(sizes.last.first + (rank - sizes.last.first) % sizes.last.units);
      place.rank = rank;
      return place;
    }
    return unit_at(rank);
  }

 private:
  __device__ Place unit_at(int rank) const {
    if constexpr (kLists) {
      const int unit = rank < lists.begin[blockIdx.x + 1] ? lists.unit[rank] : 0;
      return {rank, unit / sizes.blocks, unit % sizes.blocks};
    }
    if (kCausal) {
      const int row = rank / sizes.heads, place = rank - row * sizes.heads;
      return {rank, row & 1 ? sizes.heads - 1 - place : place, sizes.blocks - 1 - row};
    }
    if (kSorted) {
      const int whole = sizes.blocks - 1, cut = rank - whole * sizes.heads;
      if (cut >= 0) return {rank, sizes.heads - 1 - cut, whole};
      return {rank, rank / whole, rank % whole};
    }
    return {rank, rank / sizes.blocks, rank % sizes.blocks};
  }
};

/* Refills the ring. The first warps of kLoaders warpgroups share the work: each loads every kLoaders-th tile. */
template <class C, bool kCausal>
struct Loader {
  using S = Shared<C>;
  static constexpr int kLoaders = kCausal ? C::kWarpgroups : C::kLoaders;
  static constexpr int kAhead = C::kStages - C::kStages / 2; /* tiles that are loaded before they are used */
  static_assert(kAhead <= C::kStages - 2, "the loader must not wait for a slot that its own warpgroup still reads");

  const Maps &maps;
  const Schedule<C, kCausal> &schedule;
  const S &shared;
  uint32_t step;                              /* the tiles of the stream before the next load */
  int tile, tiles = 0;                        /* its place in its unit, the unit's tiles */
  int first = 0;                              /* the first of the unit's tiles, with C::kSplit */
  Plane head = {0, 0};                        /* the head and batch of that unit */
  int begun = 0;                              /* units */
  typename Schedule<C, kCausal>::Place place; /* the place of the first unit that has not begun */

  /* loader: 0 .. kLoaders - 1. */
  __device__ Loader(const Maps &maps, const Schedule<C, kCausal> &schedule, const S &shared, uint32_t loader)
      : maps(maps),
        schedule(schedule),
        shared(shared),
        step(loader),
        tile(static_cast<int>(loader)),
        place(schedule.first()) {}

  /* Called by all threads of the warp. */
  __device__ __forceinline__ void load_next() {
    while (tile >= tiles) {
      if (!schedule.has(place)) {
        step += kLoaders;
        return;
      }
      const auto unit = schedule.unit(place);
      place = schedule.after(place, begun++);
      tile -= tiles;
      head = unit.head, tiles = unit.tiles, first = unit.first;
      if (kGrouped) head.z /= schedule.sizes.heads_of_key;
    }
    const uint32_t slot = step % C::kStages;
    mbarrier_wait(shared.empty(slot), (step / C::kStages & 1) ^ 1);
    if (elect_one()) {
      mbarrier_arrive_expect(shared.full(slot), S::kSlotBytes);
#pragma unroll
      for (int slab = 0; slab < C::kHeadDim / 64; slab++) {
        const uint32_t offset = slab * C::kKeys * kSlabBytes;
        tma_load(shared.key(slot) + offset, &maps.k, slab * 64, (first + tile) * C::kKeys, head, shared.full(slot));
        tma_load(shared.value(slot) + offset, &maps.v, slab * 64, (first + tile) * C::kKeys, head, shared.full(slot));
      }
    }
    __syncwarp();
    step += kLoaders;
    tile += kLoaders;
  }
};

} /* namespace sdpa */
#endif
