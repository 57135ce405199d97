/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the operator `rows`. KIND says what takes the time: 0 reads of memory, 1 arithmetic, 2 atomics, 3 a wait of
   each block; n is a power of 2. VERSION changes the machine code alone, MORE_PER_MILLE makes the work longer. */
#include <cuda_runtime.h>

#include "pawl/kernel.h"

namespace {

__global__ void work(const float *x, float *y, long long n, long long units, unsigned *counters) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  float sum = 0;
  if (KIND == 0)
    for (long long i = first; i < units; i += step) sum += __ldcg(x + (i & (n - 1)));
  if (KIND == 1)
    for (long long i = 0; i < units; i++) sum = fmaf(sum, 0.999f, 1e-3f);
  if (KIND == 2)
    for (long long i = 0; i < units; i++) atomicAdd(counters + (threadIdx.x * 37 + i) % 1024, 1u);
  if (KIND == 3) {
    const long long begin = clock64();
    while (clock64() - begin < units) continue;
  }
  for (long long i = first; i < n; i += step) y[i] = sum > 1e30f ? sum : 2 * x[i];
}

__device__ unsigned counters[1024];

/* Work of some microseconds on an H200. */
long long units_of(long long us) {
  const long long each = KIND == 0 ? 1000000 : KIND == 1 ? 250 : KIND == 2 ? 3 : 1900;
  return us * each * (1000 + MORE_PER_MILLE) / 1000;
}

int launch(const pawl_launch *call) {
  unsigned *place = nullptr;
  if (cudaGetSymbolAddress(reinterpret_cast<void **>(&place), counters) != cudaSuccess) return 1;
  work<<<KIND >= 2 ? 132 : 528, 256, 0, static_cast<cudaStream_t>(call->stream)>>>(
      static_cast<const float *>(call->tensors[0].data), static_cast<float *>(call->tensors[1].data),
      call->shape->dims[0].value, units_of(call->shape->dims[1].value), place);
  return cudaGetLastError();
}

const char *supports(const pawl_shape *) { return nullptr; }

} /* namespace */

extern "C" PAWL_EXPORT int version_of_kernel(void) { return VERSION; }

extern "C" PAWL_EXPORT const pawl_kernel *pawl_kernel_entry(void) {
  static pawl_kernel kernel;
  kernel.abi_version = PAWL_ABI_VERSION;
  kernel.struct_size = sizeof kernel;
  kernel.name = "rows_cuda";
  kernel.operator_name = "rows";
  kernel.device = PAWL_CUDA;
  kernel.flags = PAWL_KERNEL_DETERMINISTIC;
  kernel.supports = supports;
  kernel.launch = launch;
  return &kernel;
}
