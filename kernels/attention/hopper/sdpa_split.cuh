/* SPDX-License-Identifier: Apache-2.0 */
/* Attention whose last round of units is split along the keys, as Flash-Decoding does (Dao, Haziza, Massa, Sizov 2023,
   "Flash-Decoding for long-context inference"), so that fewer multiprocessors are idle in it. Each part leaves its
   output before the division, its shifts and its sums in the workspace of the launch; a second kernel merges the parts
   of each row, in their order, so that the result is always the same. No counter, no order between blocks: launches on
   other streams have workspaces of their own, and the next launch of the same stream waits for the merge.

   A slot holds what the 128 threads of a warpgroup have of 64 rows: chunk i is accumulators 4 i .. 4 i + 3 of each
   thread, the last chunk (shift, sum) of its two rows. */
#ifndef PAWL_SDPA_SPLIT_CUH
#define PAWL_SDPA_SPLIT_CUH

#include "../sdpa_launch.h"
#include "../softmax.cuh"
#include "overlap.cuh"
#include "sdpa_plan.h"
#include "sdpa_stream.cuh"

namespace sdpa {

template <int kHeadDim>
constexpr int kOutputChunks = kHeadDim / 8;
template <int kHeadDim>
constexpr int kSlotChunks = (kOutputChunks<kHeadDim> + 1) * kWarpgroupThreads; /* in units of 16 bytes */

constexpr int kMergeChunks = 4; /* that a thread of the merge computes */
template <int kHeadDim>
constexpr int kMergeBlocks = kOutputChunks<kHeadDim> / kMergeChunks; /* for 64 rows */

/* The bytes of workspace; 0 if the launch splits nothing. */
template <int kHeadDim>
inline size_t partial_bytes(const LastRound &last, int warpgroups) {
  return static_cast<size_t>(last.units) * static_cast<size_t>(last.parts) * static_cast<size_t>(warpgroups) *
         kSlotChunks<kHeadDim> * sizeof(float4);
}

template <int kHeadDim, int kOutputs>
__device__ __forceinline__ void store_partial(float4 *partials, int slot, const float (&o)[kOutputs],
                                              const float (&shift)[2], float sum_0, float sum_1) {
  float4 *chunk = partials + static_cast<size_t>(slot) * kSlotChunks<kHeadDim> + threadIdx.x % kWarpgroupThreads;
#pragma unroll
  for (int i = 0; i < kOutputChunks<kHeadDim>; i++)
    chunk[i * kWarpgroupThreads] = make_float4(o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]);
  chunk[kOutputChunks<kHeadDim> * kWarpgroupThreads] = make_float4(shift[0], sum_0, shift[1], sum_1);
}

/* A block has kMergeChunks chunks of 64 rows of a split unit. Its bound of one block lets the compiler take the
   registers that keep the loads of four parts under way. */
template <class Element, class C>
__global__ void __launch_bounds__(kWarpgroupThreads, 1) merge_parts(const View out, const Sizes sizes) {
  constexpr int kHeadDim = C::kHeadDim, kBlocks = kMergeBlocks<kHeadDim>;
  const NoLists lists;
  const Schedule<C, false> schedule = {sizes, lists};
  const int slot = static_cast<int>(blockIdx.x) / kBlocks, group = static_cast<int>(blockIdx.x) % kBlocks;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const auto unit = schedule.unit(schedule.at(sizes.last.first + slot / C::kWarpgroups));
  const int row = unit.row + slot % C::kWarpgroups * kTileRows + warp * 16 + lane / 4;
  wait_for_grids_ahead();
  allow_next_grid();
  if (row >= sizes.seq_len) return;

  const int parts = sizes.last.parts;
  const size_t next_part = static_cast<size_t>(sizes.last.units) * C::kWarpgroups * kSlotChunks<kHeadDim>;
  const float4 *chunk = sizes.last.partials + static_cast<size_t>(slot) * kSlotChunks<kHeadDim> + threadIdx.x;
  const float4 *state = chunk + kOutputChunks<kHeadDim> * kWarpgroupThreads;
  chunk += group * kMergeChunks * kWarpgroupThreads;
  float shift_0 = -INFINITY, shift_1 = -INFINITY;
#pragma unroll 4
  for (int part = 0; part < parts; part++) {
    shift_0 = fmaxf(shift_0, state[part * next_part].x);
    shift_1 = fmaxf(shift_1, state[part * next_part].z);
  }
  float sum_0 = 0.0f, sum_1 = 0.0f, o[4 * kMergeChunks] = {};
#pragma unroll 4
  for (int part = 0; part < parts; part++) {
    const float4 s = state[part * next_part];
    const float factor_0 = exp2_approx(s.x - shift_0), factor_1 = exp2_approx(s.z - shift_1);
    sum_0 = fmaf(factor_0, s.y, sum_0);
    sum_1 = fmaf(factor_1, s.w, sum_1);
#pragma unroll
    for (int i = 0; i < kMergeChunks; i++) {
      const float4 c = chunk[part * next_part + i * kWarpgroupThreads];
      o[4 * i] = fmaf(factor_0, c.x, o[4 * i]);
      o[4 * i + 1] = fmaf(factor_0, c.y, o[4 * i + 1]);
      o[4 * i + 2] = fmaf(factor_1, c.z, o[4 * i + 2]);
      o[4 * i + 3] = fmaf(factor_1, c.w, o[4 * i + 3]);
    }
  }
  const float quotient_0 = 1.0f / sum_0, quotient_1 = 1.0f / sum_1;
  uint8_t *upper =
      static_cast<uint8_t *>(out.data) + 2 * (unit.head.w * out.stride[0] + unit.head.z * out.stride[1] +
                                              row * out.stride[2] + group * kMergeChunks * 8 + lane % 4 * 2);
#pragma unroll
  for (int i = 0; i < kMergeChunks; i++) {
    reinterpret_cast<uint32_t *>(upper)[4 * i] = pack(o[4 * i] * quotient_0, o[4 * i + 1] * quotient_0, Element());
    if (row + 8 < sizes.seq_len)
      reinterpret_cast<uint32_t *>(upper + 16 * out.stride[2])[4 * i] =
          pack(o[4 * i + 2] * quotient_1, o[4 * i + 3] * quotient_1, Element());
  }
}

} /* namespace sdpa */
#endif
