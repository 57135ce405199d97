// SPDX-License-Identifier: Apache-2.0
// Pairs of kernels, with a planted flaw (NAME_flawed) and without it (NAME_fixed). Each works on
// two arrays of ELEMENTS floats and a few more.
#pragma once

#include <cuda_runtime.h>

struct pair_kernel {
  const char *name;
  void (*launch)(float *x, float *y, int multiprocessors, cudaStream_t stream);
};
extern const pair_kernel teaching_pairs[], planted_pairs[], more_pairs[];
extern const int teaching_count, planted_count, more_count;

template <class T>
T *as(float *array) {
  return reinterpret_cast<T *>(array);
}

// A row of a table: the kernel, its blocks, threads and bytes of dynamic shared memory, and its
// arguments.
#define LAUNCH(KERNEL, BLOCKS, THREADS, SHARED, ...)                                                    \
  {                                                                                                     \
#KERNEL, [](float *x, float *y, int multiprocessors, cudaStream_t stream) {                           \
      (void)x, (void)multiprocessors;                                                                     \
      if (SHARED) cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);      \
      KERNEL<<<BLOCKS, THREADS, SHARED, stream>>>(__VA_ARGS__);                                           \
    } \
  }
