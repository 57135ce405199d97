/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by a warpgroup (wgmma): 4 warps, the first at a warp index divisible by 4. PTX ISA 8.0,
   "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".

   d[64 x N] (+)= a[64 x 16] b[16 x N], FP32 accumulators in registers. Thread t of the warpgroup (warp w = t / 32, lane
   l = t % 32) holds of d: d[4i + 0 .. 1] = row 16 w + l / 4, columns 8 i + 2 (l % 4) + 0 .. 1; d[4i + 2 .. 3] = the
   same columns 8 rows below. A 64 x 16 operand a in registers is laid out alike: with two elements packed in each
   register, the accumulators of columns 16 k .. 16 k + 15, packed in order, are the operand a of step k.

   Operands in shared memory are tiles of rows of 128 bytes (64 two-byte elements) under the 128-byte swizzle, as the
   copy engine writes them: groups of 8 rows are 1024 bytes apart, the tile starts at a multiple of 1024 bytes. */
#ifndef PAWL_HOPPER_WGMMA_CUH
#define PAWL_HOPPER_WGMMA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace hopper {

/* The descriptor of a tile at a shared address: bits 0-13 address / 16; 16-29 leading offset / 16: for a transposed
   operand wider than 64, the distance of the next 64 columns; 32-45 stride offset / 16: of the next 8 rows; 62-63 = 1:
   128-byte swizzle. Only the lower word differs between tiles, and it can be added to: this is the lower word. */
__device__ __forceinline__ uint32_t wgmma_descriptor(uint32_t address, uint32_t leading_bytes = 16) {
  return (address >> 4) + (leading_bytes >> 4 << 16);
}

/* A descriptor moved by `bytes` of shared memory, whole. Along a row (the K direction of a K-major operand) a step of
   16 elements is 32 bytes; down the rows (the K direction of a transposed one) it is 16 * 128. */
__device__ __forceinline__ uint64_t wgmma_advance(uint32_t descriptor, uint32_t bytes) {
  constexpr uint64_t kUpperWord = (1u << 30) | (1024 >> 4);
  return kUpperWord << 32 | (descriptor + (bytes >> 4));
}

/* Before the first product after ordinary code wrote its registers. */
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Closes a group of products. */
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Returns when at most `kPending` of the latest groups are under way. */
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

#define PAWL_ACC8(d, i)                                                                                       \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define PAWL_ACC32(d) PAWL_ACC8(d, 0), PAWL_ACC8(d, 8), PAWL_ACC8(d, 16), PAWL_ACC8(d, 24)
#define PAWL_ACC64(d) PAWL_ACC32(d), PAWL_ACC8(d, 32), PAWL_ACC8(d, 40), PAWL_ACC8(d, 48), PAWL_ACC8(d, 56)
#define PAWL_LIST32                                                                             \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define PAWL_LIST64                                                                             \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "  \
  "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "  \
  "%56, %57, %58, %59, %60, %61, %62, %63}"

/* a and b from shared memory, both K-major. accumulate 0: d is overwritten. */
#define PAWL_WGMMA_SHARED(TYPE, N, LIST, ACC, A, B, P)                                                \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P                                                  \
               ", 0;\n"                                                                               \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " " LIST ", " A ", " B \
               ", p, 1, 1, 0, 0;\n}"                                                                  \
               : ACC                                                                                  \
               : "l"(a), "l"(b), "r"(accumulate))

/* a from registers, b from shared memory; TRANSPOSED 1: b's rows run along N, 0: along K. */
#define PAWL_WGMMA_REGISTERS(TYPE, N, LIST, ACC, A, B, P, TRANSPOSED)                                 \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P                                                  \
               ", 0;\n"                                                                               \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " " LIST ", " A ", " B \
               ", p, 1, 1, " #TRANSPOSED ";\n}"                                                       \
               : ACC                                                                                  \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate))

/* The products of one element type. The number of accumulators a thread gives picks N: 32 is 64, 64 is 128. */
#define PAWL_WGMMA_TYPE(ELEMENT, TYPE)                                                                                \
  template <>                                                                                                         \
  struct Wgmma<ELEMENT> {                                                                                             \
    static __device__ __forceinline__ void shared(float (&d)[32], uint64_t a, uint64_t b, int accumulate) {           \
      PAWL_WGMMA_SHARED(TYPE, 64, PAWL_LIST32, PAWL_ACC32(d), "%32", "%33", "%34");                                   \
    }                                                                                                                 \
    static __device__ __forceinline__ void shared(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {           \
      PAWL_WGMMA_SHARED(TYPE, 128, PAWL_LIST64, PAWL_ACC64(d), "%64", "%65", "%66");                                  \
    }                                                                                                                 \
    template <bool kTransposed>                                                                                       \
    static __device__ __forceinline__ void registers(float (&d)[32], const uint32_t *a, uint64_t b, int accumulate) { \
      if (kTransposed)                                                                                                \
        PAWL_WGMMA_REGISTERS(TYPE, 64, PAWL_LIST32, PAWL_ACC32(d), "{%32, %33, %34, %35}", "%36", "%37", 1);          \
      else                                                                                                            \
        PAWL_WGMMA_REGISTERS(TYPE, 64, PAWL_LIST32, PAWL_ACC32(d), "{%32, %33, %34, %35}", "%36", "%37", 0);          \
    }                                                                                                                 \
    template <bool kTransposed>                                                                                       \
    static __device__ __forceinline__ void registers(float (&d)[64], const uint32_t *a, uint64_t b, int accumulate) { \
      if (kTransposed)                                                                                                \
        PAWL_WGMMA_REGISTERS(TYPE, 128, PAWL_LIST64, PAWL_ACC64(d), "{%64, %65, %66, %67}", "%68", "%69", 1);         \
      else                                                                                                            \
        PAWL_WGMMA_REGISTERS(TYPE, 128, PAWL_LIST64, PAWL_ACC64(d), "{%64, %65, %66, %67}", "%68", "%69", 0);         \
    }                                                                                                                 \
  }

template <class Element>
struct Wgmma;
PAWL_WGMMA_TYPE(__half, "f16");
PAWL_WGMMA_TYPE(__nv_bfloat16, "bf16");

#undef PAWL_WGMMA_TYPE
#undef PAWL_WGMMA_REGISTERS
#undef PAWL_WGMMA_SHARED
#undef PAWL_LIST64
#undef PAWL_LIST32
#undef PAWL_ACC64
#undef PAWL_ACC32
#undef PAWL_ACC8

} /* namespace hopper */
#endif
