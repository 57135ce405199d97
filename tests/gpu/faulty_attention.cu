// SPDX-License-Identifier: Apache-2.0
// A kernel of the operator `attention` that computes nothing but has one fault, for the sanitizer to find:
// FAULT 0: none; 1: a race in shared memory; 2: a write behind o; 3: a read that nothing wrote; 4: a divided barrier.
#include <cuda_runtime.h>

#include "pawl/kernel.h"

#ifndef FAULT
#define FAULT 0
#endif

namespace {

__global__ void faulty(const char *q, char *o, long long bytes, const float *scratch) {
  __shared__ int cell[128];
  const int t = static_cast<int>(threadIdx.x);
  cell[t] = t;
  if (FAULT != 1) __syncthreads();
  if (FAULT == 2 && t == 0) o[bytes] = 1;
  if (FAULT == 4 && t < 16) __syncthreads();
  o[t] = static_cast<char>(q[t] + cell[127 - t] + (FAULT == 3 ? static_cast<int>(scratch[t]) : 0));
}

const char *supports(const pawl_shape *) { return nullptr; }

int launch(const pawl_launch *launch) {
  float *scratch = nullptr;
  const cudaStream_t stream = static_cast<cudaStream_t>(launch->stream);
  cudaMallocAsync(&scratch, 128 * sizeof(float), stream);
  const pawl_tensor &o = launch->tensors[3];
  faulty<<<1, 128, 0, stream>>>(static_cast<const char *>(launch->tensors[0].data), static_cast<char *>(o.data),
                                pawl_tensor_elements(&o) * (o.dtype == PAWL_F32 ? 4 : 2), scratch);
  cudaFreeAsync(scratch, stream);
  return cudaGetLastError();
}

const char *words(int number) { return cudaGetErrorString(static_cast<cudaError_t>(number)); }

const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel), "faulty", "attention", PAWL_CUDA, 0,
                            supports,         launch,              nullptr,  words};

}  // namespace

extern "C" const pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
