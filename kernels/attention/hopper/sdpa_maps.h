/* SPDX-License-Identifier: Apache-2.0 */
/* An attention launch passes these to its kernel: the tensor maps, which the host makes and keeps,
 * and the sizes. */
#ifndef PAWL_SDPA_MAPS_H
#define PAWL_SDPA_MAPS_H

#include <string.h>

#include "../sdpa_launch.h"
#include "../softmax.cuh"
#include "sdpa_stream.cuh"
#include "tensor_map.h"

namespace sdpa {

inline bool same_tensors(const Problem &a, const Problem &b) {
  return memcmp(a.view, b.view, sizeof a.view) == 0 && a.batches == b.batches &&
         a.heads == b.heads && a.heads_of_key == b.heads_of_key && a.seq_len == b.seq_len &&
         a.head_dim == b.head_dim && a.dtype == b.dtype;
}

inline cudaError_t make_map(CUtensorMap *map, const Problem &problem, int tensor, int box_rows) {
  const int32_t dtype =
      tensor == kO && problem.dtype == PAWL_E4M3 ? static_cast<int32_t>(PAWL_F16) : problem.dtype;
  const auto type = dtype == PAWL_F16    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                    : dtype == PAWL_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const int heads_of_it = tensor == kK || tensor == kV ? problem.heads_of_key : 1;
  const uint64_t size[4] = {static_cast<uint64_t>(problem.batches),
                            static_cast<uint64_t>(problem.heads / problem.batches / heads_of_it),
                            static_cast<uint64_t>(problem.seq_len),
                            static_cast<uint64_t>(problem.head_dim)};
  const View &view = problem.view[tensor];
  const auto bytes = static_cast<uint32_t>(pawl_dtype_size(dtype));
  const uint32_t row_bytes = static_cast<uint32_t>(problem.head_dim) * bytes;
  return hopper::make_tensor_map(map, view.data, type, bytes, size, view.stride,
                                 static_cast<uint32_t>(box_rows),
                                 row_bytes < 128 ? row_bytes : 128);
}

/* The maps for these tensors, boxes of `box_keys` rows of K and V; those of the last 32 sets of
   tensors are kept. nullptr: `error` says why. */
inline const Maps *find_maps(const Problem &problem, int box_keys, cudaError_t *error) {
  struct Entry {
    Problem problem;
    int box_keys;
    Maps maps;
  };
  constexpr int kEntries = 32;
  static thread_local Entry cache[kEntries];
  static thread_local int oldest = 0;
  for (Entry &e : cache)
    if (e.box_keys == box_keys && same_tensors(e.problem, problem)) return &e.maps;
  Entry &e = cache[oldest];
  e.box_keys = 0;
  *error = cudaSuccess;
  const auto make = [&](CUtensorMap *map, int tensor, int rows) {
    if (*error == cudaSuccess) *error = make_map(map, problem, tensor, rows);
  };
  make(&e.maps.q, kQ, kTileRows);
  make(&e.maps.k, kK, box_keys);
  make(&e.maps.v, kV, box_keys);
  make(&e.maps.o, kO, kTileRows);
  if (*error != cudaSuccess) return nullptr;
  e.problem = problem;
  e.box_keys = box_keys;
  oldest = (oldest + 1) % kEntries;
  return &e.maps;
}

/* Whether units that a head's end cuts short should come after all others, without a causal mask:
   the multiprocessors that have done their share of whole units then fill up with short ones. But a
   short unit reads the keys of its head once more. That pays where the L2 still has them (50 MB on
   an H100), or where such units are few. */
inline bool cut_units_last(const Problem &problem, int rows) {
  constexpr int64_t kKeysInL2 = 48 << 20, kFew = 4; /* kFew: one unit in this many */
  const int64_t bytes = static_cast<int64_t>(problem.heads) * problem.seq_len * problem.head_dim *
                        2 * static_cast<int64_t>(pawl_dtype_size(problem.dtype));
  return problem.seq_len % rows != 0 &&
         (bytes <= kKeysInL2 || ceil_div(problem.seq_len, rows) >= kFew);
}

/* For units of `rows` queries and at most that many blocks of threads. */
inline Sizes sizes_of(const Problem &problem, int rows, int most_blocks) {
  const int blocks = ceil_div(problem.seq_len, rows),
            grid = min(blocks * problem.heads, most_blocks);
  const int before = blocks * rows - ceil_div(problem.seq_len, kTileRows) * kTileRows;
  return {problem.seq_len,      problem.heads,  problem.heads / problem.batches, blocks, grid,
          grid / blocks,        grid % blocks,  problem.scale() * kLog2E,        {},     before,
          problem.heads_of_key, problem.lengths};
}

} /* namespace sdpa */

#endif
