/* SPDX-License-Identifier: Apache-2.0 */
/* Deals the units of a launch with a causal mask to the blocks of threads, on the host. */
#ifndef PAWL_SDPA_LISTS_H
#define PAWL_SDPA_LISTS_H

#include "../sdpa_launch.h"
#include "sdpa_stream.cuh"

namespace sdpa {

/* The order of units: the heads come in groups whose keys and values the L2 holds, and in a group
   the units with the most keys come first. The shortest units of all heads come last. They level
   out what the blocks of threads have done until then, and read few keys again. */
struct UnitOrder {
  int heads, blocks, groups, tail;

  UnitOrder(int heads, int blocks, int64_t key_bytes) : heads(heads), blocks(blocks) {
    constexpr int64_t kKeysInL2 = 32 << 20;
    const int64_t wanted = (heads * key_bytes + kKeysInL2 - 1) / kKeysInL2;
    groups = wanted < heads ? static_cast<int>(wanted) : heads;
    tail = groups > 1 ? blocks / 6 : 0;
  }

  /* Calls visit(head, block) for each unit. Every second row of units takes the heads backwards. */
  template <class Visit>
  void each(Visit visit) const {
    const auto rows = [&](int first_head, int end_head, int first_row, int end_row) {
      for (int row = first_row; row < end_row; row++)
        for (int i = 0; i < end_head - first_head; i++)
          visit(row & 1 ? end_head - 1 - i : first_head + i, blocks - 1 - row);
    };
    for (int group = 0; group < groups; group++)
      rows(static_cast<int>(int64_t{heads} * group / groups),
           static_cast<int>(int64_t{heads} * (group + 1) / groups), 0, blocks - tail);
    rows(0, heads, blocks - tail, blocks);
  }
};

/* Gives each unit, in that order, to the block of threads that is free first. A unit takes its
   tiles of keys times a step, which depends on how many of its warpgroups have queries, and two
   steps for its start and end (an H200's, D = 128; other steps change little here). */
inline void deal_units(const UnitOrder &order, int seq_len, int warpgroups, int grid,
                       UnitLists *lists) {
  constexpr int kStepOf[] = {16, 17, 20, 20}, kEnds = 2 * 20;
  static thread_local uint16_t owner[kMostListed];
  int busy_until[kMostGrid] = {}, count[kMostGrid] = {}, units = 0;
  const int tiles = ceil_div(seq_len, kTileRows);
  order.each([&](int, int block) {
    int own = 0;
    for (int i = 1; i < grid; i++)
      if (busy_until[i] < busy_until[own]) own = i;
    const int end = tiles - (order.blocks - 1 - block) * warpgroups;
    busy_until[own] += end * kStepOf[min(end, warpgroups) - 1] + kEnds;
    count[own]++;
    owner[units++] = static_cast<uint16_t>(own);
  });
  lists->begin[0] = 0;
  for (int i = 0; i < grid; i++)
    lists->begin[i + 1] = static_cast<uint16_t>(lists->begin[i] + count[i]);
  int next[kMostGrid], unit = 0;
  for (int i = 0; i < grid; i++) next[i] = lists->begin[i];
  order.each([&](int head, int block) {
    lists->unit[next[owner[unit++]]++] = static_cast<uint16_t>(head * order.blocks + block);
  });
}

/* Whether the units fit in lists and gain by them: where the L2 does not hold all keys, and a head
   has more units than a long one and a short one. */
inline bool can_list(const Sizes &sizes, int64_t key_bytes) {
  constexpr int64_t kKeysInL2 = 60 << 20;
  const int64_t units = int64_t{sizes.blocks} * sizes.heads;
  return sizes.blocks > 2 && sizes.heads * key_bytes > kKeysInL2 && units <= kMostListed &&
         sizes.grid <= kMostGrid;
}

/* The lists of the last eight launches that differ are kept. */
inline const UnitLists &listed(const Sizes &sizes, int warpgroups, int64_t key_bytes) {
  struct Entry {
    int heads, seq_len, grid, warpgroups;
    int64_t key_bytes;
    UnitLists lists;
  };
  constexpr int kEntries = 8;
  static thread_local Entry cache[kEntries];
  static thread_local int oldest = 0;
  for (const Entry &e : cache)
    if (e.heads == sizes.heads && e.seq_len == sizes.seq_len && e.grid == sizes.grid &&
        e.warpgroups == warpgroups && e.key_bytes == key_bytes)
      return e.lists;
  Entry &e = cache[oldest];
  oldest = (oldest + 1) % kEntries;
  e = {sizes.heads, sizes.seq_len, sizes.grid, warpgroups, key_bytes, {}};
  deal_units(UnitOrder(sizes.heads, sizes.blocks, key_bytes), sizes.seq_len, warpgroups, sizes.grid,
             &e.lists);
  return e.lists;
}

} /* namespace sdpa */

#endif
