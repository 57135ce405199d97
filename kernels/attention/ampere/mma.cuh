/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of tensor-core kernels, sm_80 and later: asynchronous 16-byte copies, ldmatrix, mma.sync. PTX ISA 7.0,
   "Warp Level Matrix Multiply-Accumulate Instructions". 32-bit addresses name shared memory. */
#ifndef PAWL_AMPERE_MMA_CUH
#define PAWL_AMPERE_MMA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace ampere {

/* Copies 16 bytes to shared memory in the background; when not `valid`, writes zeros and reads nothing. */
__device__ __forceinline__ void copy_async(uint32_t destination, const void *source, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source), "r"(valid ? 16 : 0)
               : "memory");
}

/* Closes a group of copies. */
__device__ __forceinline__ void copy_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Returns when at most `kPending` of this thread's latest groups are under way. */
template <int kPending>
__device__ __forceinline__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/* Four 8 x 8 matrices of two-byte elements; lane l gives the address of row l % 8 of matrix l / 8, and gets elements
   2 (l % 4) + 0 .. 1 of row l / 4 of each. */
__device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/* The same, each matrix transposed. */
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/* d[16 x 8] += a[16 x 16] b[16 x 8]. Lane l holds d[0 .. 1] = row l / 4, columns 2 (l % 4) + 0 .. 1, and d[2 .. 3] =
   the same columns 8 rows below. */
#define PAWL_MMA(ELEMENT, TYPE)                                                                         \
  __device__ __forceinline__ void mma(float *d, const uint32_t *a, uint32_t b0, uint32_t b1, ELEMENT) { \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                                          \
        ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                          \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                \
  }
PAWL_MMA(__half, "f16")
PAWL_MMA(__nv_bfloat16, "bf16")
#undef PAWL_MMA

} /* namespace ampere */
#endif
