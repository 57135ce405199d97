/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory barriers (mbarrier) and the small synchronisation instructions beside them. PTX ISA 8.0, "Parallel
   Synchronization and Communication Instructions: mbarrier". Objects in shared memory are named by their 32-bit address
   in the shared window, as the instructions want it. */
#ifndef PAWL_HOPPER_MBARRIER_CUH
#define PAWL_HOPPER_MBARRIER_CUH

#include <stdint.h>

namespace hopper {

__device__ __forceinline__ uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/* A value that all threads of the warp share, told to the compiler: it goes to a uniform register, where addresses and
   descriptors of wgmma and TMA must be. */
__device__ __forceinline__ uint32_t uniform(uint32_t value) {
  return __reduce_min_sync(~0u, value);
}

/* True in one thread of the warp, always the same; all of its threads execute it. */
__device__ __forceinline__ bool elect_one() {
  uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

/* The phase of `barrier` (8 bytes) completes after `arrivals` arrivals and after all bytes expected in it came. */
__device__ __forceinline__ void mbarrier_init(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Makes initialised barriers visible to the copy engine; a __syncthreads() must follow for the other threads. */
__device__ __forceinline__ void mbarrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives, and makes the phase wait for `bytes` more from the copy engine. */
__device__ __forceinline__ void mbarrier_arrive_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/* Whether the phase of that parity is over: 0 asks for the first phase, 1 for the second; on a fresh barrier 1 is over.
 */
__device__ __forceinline__ bool mbarrier_over(uint32_t barrier, uint32_t parity) {
  uint32_t over;
  asm volatile(
      "{\n"
      ".reg .pred over;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
      "selp.u32 %0, 1, 0, over;\n"
      "}"
      : "=r"(over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return over != 0;
}

/* Returns once it is. */
__device__ __forceinline__ void mbarrier_wait(uint32_t barrier, uint32_t parity) {
  while (!mbarrier_over(barrier, parity)) {
  }
}

/* Orders this thread's ordinary accesses to shared memory before later ones of the copy engine and tensor cores. */
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A barrier of the block among `threads` threads; id 0 is __syncthreads()'s. */
__device__ __forceinline__ void named_barrier_sync(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Counts towards that barrier without waiting. */
__device__ __forceinline__ void named_barrier_arrive(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

} /* namespace hopper */
#endif
