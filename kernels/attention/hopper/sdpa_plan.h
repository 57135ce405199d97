/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernel of an attention launch, by a model of rounds on the host. */
#ifndef PAWL_SDPA_PLAN_H
#define PAWL_SDPA_PLAN_H

#include "../sdpa_launch.h"
#include "sdpa_stream.cuh"

/* The most parts that the keys of a unit are split into. */
#ifndef MOST_PARTS
#define MOST_PARTS 8
#endif

namespace sdpa {

constexpr int kSplitHeadDim =
    128; /* only launches of this head dimension split their last round; pawl did not try D = 64 */

struct Plan {
  int warpgroups; /* in each block */
  LastRound last; /* parts: 0 where nothing is split */
};

constexpr int most_warpgroups(int head_dim) {
  return head_dim == 64 ? WARPGROUPS_D64 : WARPGROUPS_D128;
}

/* Splits the units that are left after the last full round over all multiprocessors: each of them
   takes part of the keys of one unit. Stream-K (Osama et al. 2023) cuts the last rounds of a matrix
   product like this; here the parts of a unit are equal. No parts: too many units are left. */
inline LastRound split_last_round(int units, int tiles, int count) {
  LastRound last = {units - units % count, units % count, 0, nullptr};
  if (last.units > 0) last.parts = min(min(count / last.units, tiles), MOST_PARTS);
  return last.parts < 2 ? LastRound{} : last;
}

/* Takes what should be fastest: rounds of units over the multiprocessors, times what a step of so
   few warpgroups takes beside a step of all, as measured on an H200. To split costs the start and
   the end of a part, a launch more, and the outputs of all parts in FP32, written and read: as long
   as kSplitSteps steps, and kPartialSteps more where every multiprocessor has a part. */
inline Plan make_plan(int heads, int seq_len, int head_dim, bool causal, int count) {
  constexpr float kSplitSteps = 4.0f, kPartialSteps = 11.0f, kNever = 1e30f;
  const int tiles = ceil_div(seq_len, head_dim == 64 ? BLOCK_N_D64 : BLOCK_N_D128),
            most = most_warpgroups(head_dim);
  const auto units = [&](int warpgroups) {
    return ceil_div(seq_len, warpgroups * kTileRows) * heads;
  };
  const auto rounds = [&](int warpgroups) {
    return static_cast<float>(ceil_div(units(warpgroups), count));
  };
  const float all = rounds(most), two = (head_dim == 64 ? 0.7f : 0.85f) * rounds(2),
              one = (head_dim == 64 ? 0.5f : 0.8f) * rounds(1);
  LastRound last = {};
  float split = kNever;
  if (head_dim == kSplitHeadDim && !causal) last = split_last_round(units(most), tiles, count);
  if (last.parts > 1) {
    const float share = static_cast<float>(last.units * last.parts) / static_cast<float>(count);
    const float steps =
        static_cast<float>(ceil_div(tiles, last.parts)) + kSplitSteps + kPartialSteps * share;
    split = static_cast<float>(last.first / count) + steps / static_cast<float>(tiles);
  }
  if (split < all && split < two && split < one) return {most, last};
  if (one < two && one < all) return {1, {}};
  if (two < all) return {2, {}};
  return {most, {}};
}

} /* namespace sdpa */

#endif
