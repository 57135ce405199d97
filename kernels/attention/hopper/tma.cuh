/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk tensor copies between global and shared memory (TMA). PTX ISA 8.0, "cp.async.bulk.tensor". One thread starts a
   copy; the tensor map says where the tensor lies and how big a box is (tensor_map.h makes it on the host). Elements
   outside the tensor are read as 0 and not written. */
#ifndef PAWL_HOPPER_TMA_CUH
#define PAWL_HOPPER_TMA_CUH

#include <cuda.h>

#include "mbarrier.cuh"

namespace hopper {

__device__ __forceinline__ void tma_prefetch_map(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* The last two coordinates of a box. */
struct Plane {
  int32_t z, w;
};

/* The box at (x, y, plane) into shared memory; its bytes count towards the current phase of `barrier`. */
__device__ __forceinline__ void tma_load(uint32_t destination, const CUtensorMap *map, int32_t x, int32_t y,
                                         Plane plane, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(destination),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(plane.z), "r"(plane.w)
      : "memory");
}

/* Shared memory into the box at (x, y, plane). The writer of that memory fences with fence_async_proxy() first. */
__device__ __forceinline__ void tma_store(const CUtensorMap *map, int32_t x, int32_t y, Plane plane, uint32_t source) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
               "r"(source), "r"(x), "r"(y), "r"(plane.z), "r"(plane.w)
               : "memory");
}

__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* All stores of this thread have read their shared memory: it may be written again. */
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

} /* namespace hopper */
#endif
