// SPDX-License-Identifier: Apache-2.0
// Sums rows of shared memory in a loop. WIDE: by words of 128 bits. `cuobjdump -sass` of CUDA 13.0 printed wide.sass and
// narrow.sass for the cubins of `nvcc -O3 -arch=sm_90a -cubin`, with and without -DWIDE.
__global__ void sum_rows(const float *x, float *y, int rounds) {
  __shared__ float4 rows[32];
  rows[threadIdx.x % 32] = reinterpret_cast<const float4 *>(x)[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; round++) {
#ifdef WIDE
    const float4 v = rows[(threadIdx.x + round) & 31];
    sum += v.x + v.y + v.z + v.w;
#else
    for (int i = 0; i < 4; i++) sum += reinterpret_cast<float *>(rows)[(threadIdx.x * 33 + round * 5 + i * 37) & 127];
#endif
  }
  y[threadIdx.x] = sum;
}
