// SPDX-License-Identifier: Apache-2.0
// nvcc -arch=sm_90 -cubin -o local.cubin local.cu
// An array whose index only a run knows lies in local memory and is no spill; the second function has both.
__device__ void count(float *a, const float *x, long n) {
  for (int k = 0; k < 16; k++) a[k] = x[k];
  for (long k = 0; k < n; k++) a[int(x[k]) & 15] += 1.f;
}
__global__ void array(const float *x, float *y, long n) {
  float a[16];
  count(a, x, n);
  for (int k = 0; k < 16; k++) y[k] = a[k];
}
__global__ void __launch_bounds__(1024) both(float *p, int n, const float *x) {
  float a[16], b[70];
  count(a, x, n);
#pragma unroll
  for (int i = 0; i < 70; i++) b[i] = p[i * n + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < 70; i++) b[i] = b[i] * b[(i * 7 + 3) % 70] + p[k];
  }
#pragma unroll
  for (int i = 0; i < 70; i++) p[i * n + threadIdx.x] = b[i];
  for (int k = 0; k < 16; k++) p[k] = a[k];
}
