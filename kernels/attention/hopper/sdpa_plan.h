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

/* The work of the busiest multiprocessor, with a causal mask and units in `groups` groups of heads
   that Schedule deals: tiles of keys times 20, and two tiles for the start and the end of
   a unit. */
inline int longest_share(int heads, int seq_len, int warpgroups, int groups, int count) {
  constexpr int kMostProcessors = 512, kStepOf[] = {16, 17, 20, 20};
  int share[kMostProcessors] = {}, longest = 0;
  const int rows = warpgroups * kTileRows, blocks = ceil_div(seq_len, rows),
            in_group = heads / groups;
  if (count > kMostProcessors) return INT_MAX;
  for (int rank = 0; rank < blocks * heads; rank++) {
    const int block = blocks - 1 - rank / in_group % blocks, end = min((block + 1) * rows, seq_len);
    const int busy = ceil_div(end - block * rows, kTileRows), round = rank / count,
              place = rank % count;
    int &own = share[round & 1 ? count - 1 - place : place];
    own += (ceil_div(end, BLOCK_N_D128) * kStepOf[min(busy, 4) - 1]) + 2 * 20;
    longest = max(longest, own);
  }
  return longest;
}

/* Whether the first half of the heads should come before the second, with a causal mask and D =
   128: where the L2 does not hold the keys and values of all heads, and the work stays as evenly
   dealt. */
inline bool two_halves(const Problem &problem, int warpgroups, int count) {
  constexpr int64_t kKeysInL2 = 48 << 20;
  constexpr int kMostUnits = 1 << 14; /* counting more takes the host too long */
  const int heads = problem.heads, seq_len = problem.seq_len;
  const int64_t units = static_cast<int64_t>(heads) * ceil_div(seq_len, warpgroups * kTileRows);
  if (heads % 2 || units > kMostUnits ||
      static_cast<int64_t>(heads) * seq_len * problem.head_dim * 4 <= kKeysInL2)
    return false;
  static thread_local int known_heads = 0, known_len = 0, known_count = 0;
  static thread_local bool known = false;
  if (heads != known_heads || seq_len != known_len || count != known_count) {
    known = longest_share(heads, seq_len, warpgroups, 2, count) <=
            longest_share(heads, seq_len, warpgroups, 1, count);
    known_heads = heads, known_len = seq_len, known_count = count;
  }
  return known;
}

} /* namespace sdpa */

#endif
