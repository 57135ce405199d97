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
#include <cuda_fp8.h>
#include <stdint.h>

namespace hopper {

/* The descriptor of a tile at a shared address: bits 0-13 address / 16; 16-29 leading offset / 16: for a transposed
   operand wider than 64, the distance of the next 64 columns; 32-45 stride offset / 16: of the next 8 rows; 62-63 = 1:
   128-byte swizzle. Only the lower word differs between tiles, and it can be added to: this is the lower word. */
__device__ __forceinline__ uint32_t wgmma_descriptor(uint32_t address, uint32_t leading_bytes = 16) {
  return (address >> 4) + (leading_bytes >> 4 << 16);
}

/* A descriptor moved by `bytes` of shared memory, whole. Along a row (the K direction of a K-major operand) a step of
   16 elements is 32 bytes; down the rows (the K direction of a transposed one) it is 16 * 128. Rows of 64 bytes (FP8)
   lie under the 64-byte swizzle, groups of 8 of them 512 bytes apart. */
template <uint32_t kRowBytes = 128>
__device__ __forceinline__ uint64_t wgmma_advance(uint32_t descriptor, uint32_t bytes) {
  static_assert(kRowBytes == 128 || kRowBytes == 64, "a swizzle of 128 or 64 bytes");
  constexpr uint64_t kUpperWord = (kRowBytes == 128 ? 1u << 30 : 2u << 30) | (8 * kRowBytes >> 4);
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

#define PAWL_ACC4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define PAWL_ACC16(d, i) PAWL_ACC4(d, i), PAWL_ACC4(d, i + 4), PAWL_ACC4(d, i + 8), PAWL_ACC4(d, i + 12)
#define PAWL_ACC32(d) PAWL_ACC16(d, 0), PAWL_ACC16(d, 16)
#define PAWL_ACC36(d) PAWL_ACC32(d), PAWL_ACC4(d, 32)
#define PAWL_ACC64(d) PAWL_ACC32(d), PAWL_ACC16(d, 32), PAWL_ACC16(d, 48)
#define PAWL_ACC68(d) PAWL_ACC64(d), PAWL_ACC4(d, 64)
#define PAWL_LIST32                                                                             \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define PAWL_LIST36                                                                             \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35}"
#define PAWL_LIST64                                                                                      \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "          \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, " \
  "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, " \
  "%60, %61, %62, %63}"
#define PAWL_LIST68                                                                                      \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "          \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, " \
  "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, " \
  "%60, %61, %62, %63, %64, %65, %66, %67}"

/* One product. SHAPE: shape and types; P: the number of the operand `accumulate`, 0: d is overwritten; FLAGS: for types
   of two bytes, for each operand in shared memory whether its rows run along M or N (1) or along K (0). */
#define PAWL_WGMMA(SHAPE, LIST, ACC, OPERANDS, P, FLAGS, ...)                                             \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P ", 0;\nwgmma.mma_async.sync.aligned." SHAPE " " LIST \
               ", " OPERANDS ", p, 1, 1" FLAGS ";\n}"                                                     \
               : ACC                                                                                      \
               : __VA_ARGS__)
#define PAWL_FROM_SHARED(a, b, accumulate) "l"(a), "l"(b), "r"(accumulate)
#define PAWL_FROM_REGISTERS(a, b, accumulate) "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate)

/* The products of one element type; the number of accumulators a thread gives picks N: 32 is 64, 36 is 72, 64 is 128,
   68 is 136. `shared`: a and b from shared memory, both K-major. `registers`: a from registers, b K-major.
   `transposed`: a from registers, the rows of b run along N. */
template <class Element>
struct Wgmma;

#define PAWL_WGMMA_SHARED(N, TYPES, COUNT, A, B, P)                                                         \
  static __device__ __forceinline__ void shared(float(&d)[COUNT], uint64_t a, uint64_t b, int accumulate) { \
    PAWL_WGMMA("m64n" #N TYPES, PAWL_LIST##COUNT, PAWL_ACC##COUNT(d), A ", " B, P, ", 0, 0",                \
               PAWL_FROM_SHARED(a, b, accumulate));                                                         \
  }
#define PAWL_WGMMA_REGISTERS(NAME, N, TYPES, COUNT, A, B, P, FLAGS)                                              \
  static __device__ __forceinline__ void NAME(float(&d)[COUNT], const uint32_t *a, uint64_t b, int accumulate) { \
    PAWL_WGMMA("m64n" #N TYPES, PAWL_LIST##COUNT, PAWL_ACC##COUNT(d), A ", " B, P, FLAGS,                        \
               PAWL_FROM_REGISTERS(a, b, accumulate));                                                           \
  }
#define PAWL_WGMMA_TYPE(ELEMENT, TYPES)                                                           \
  template <>                                                                                     \
  struct Wgmma<ELEMENT> {                                                                         \
    PAWL_WGMMA_SHARED(64, TYPES, 32, "%32", "%33", "%34")                                         \
    PAWL_WGMMA_SHARED(128, TYPES, 64, "%64", "%65", "%66")                                        \
    PAWL_WGMMA_REGISTERS(registers, 64, TYPES, 32, "{%32, %33, %34, %35}", "%36", "%37", ", 0")   \
    PAWL_WGMMA_REGISTERS(registers, 128, TYPES, 64, "{%64, %65, %66, %67}", "%68", "%69", ", 0")  \
    PAWL_WGMMA_REGISTERS(transposed, 64, TYPES, 32, "{%32, %33, %34, %35}", "%36", "%37", ", 1")  \
    PAWL_WGMMA_REGISTERS(transposed, 72, TYPES, 36, "{%36, %37, %38, %39}", "%40", "%41", ", 1")  \
    PAWL_WGMMA_REGISTERS(transposed, 128, TYPES, 64, "{%64, %65, %66, %67}", "%68", "%69", ", 1") \
  }

PAWL_WGMMA_TYPE(__half, "k16.f32.f16.f16");
PAWL_WGMMA_TYPE(__nv_bfloat16, "k16.f32.bf16.bf16");

/* FP8: a step is 32 elements long, b is K-major always. */
template <>
struct Wgmma<__nv_fp8_e4m3> {
  PAWL_WGMMA_REGISTERS(registers, 64, "k32.f32.e4m3.e4m3", 32, "{%32, %33, %34, %35}", "%36", "%37", "")
  PAWL_WGMMA_REGISTERS(registers, 72, "k32.f32.e4m3.e4m3", 36, "{%36, %37, %38, %39}", "%40", "%41", "")
  PAWL_WGMMA_REGISTERS(registers, 136, "k32.f32.e4m3.e4m3", 68, "{%68, %69, %70, %71}", "%72", "%73", "")
};

#undef PAWL_WGMMA_TYPE
#undef PAWL_WGMMA_REGISTERS
#undef PAWL_WGMMA_SHARED
#undef PAWL_FROM_REGISTERS
#undef PAWL_FROM_SHARED
#undef PAWL_WGMMA
#undef PAWL_LIST68
#undef PAWL_LIST64
#undef PAWL_LIST36
#undef PAWL_LIST32
#undef PAWL_ACC68
#undef PAWL_ACC64
#undef PAWL_ACC36
#undef PAWL_ACC32
#undef PAWL_ACC16
#undef PAWL_ACC4

} /* namespace hopper */
#endif
