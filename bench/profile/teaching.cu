// SPDX-License-Identifier: Apache-2.0
// Eight kernels with one planted flaw each, and each without it: what `pawl profile` must name.
// planted.cu and more.cu have other pairs.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include "pairs.h"

namespace {

constexpr int ROWS = 8192, COLUMNS = 4096, ELEMENTS = ROWS * COLUMNS;
constexpr int LARGE_SHARED = 200 << 10,
              HALF_SHARED = 120 << 10;  // bytes: one block a multiprocessor

// Neighbouring threads read addresses a row apart.
__global__ void uncoalesced_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[(i % ROWS) * COLUMNS + i / ROWS] + 1;
}
__global__ void uncoalesced_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1;
}

// A warp reads a column of a tile: with rows of 32 words all its words lie in one bank.
template <int PITCH>
__device__ void read_columns(float *y) {
  __shared__ float tile[32 * PITCH];
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 32 * PITCH; i += blockDim.x) tile[i] = i;
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < 64; round++)
    for (int k = 0; k < 32; k++) sum += tile[lane * PITCH + ((k + round) & 31)];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void bank_conflicts_flawed(float *y) { read_columns<32>(y); }
__global__ void bank_conflicts_fixed(float *y) { read_columns<33>(y); }

// 96 values that are alive all the time.
__device__ void keep_alive(const float *x, float *y) {
  constexpr int VALUES = 96;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[VALUES];
#pragma unroll
  for (int v = 0; v < VALUES; v++) values[v] = x[i + v];
#pragma unroll 1
  for (int round = 0; round < 64; round++) {
    const float factor = x[round];
#pragma unroll
    for (int v = 0; v < VALUES; v++) values[v] = values[v] * factor + values[(v + 1) % VALUES];
  }
  float sum = 0;
#pragma unroll
  for (int v = 0; v < VALUES; v++) sum += values[v];
  y[i] = sum;
}
__global__ void __launch_bounds__(1024, 2) spills_flawed(const float *x, float *y) {
  keep_alive(x, y);
}
__global__ void __launch_bounds__(256, 1) spills_fixed(const float *x, float *y) {
  keep_alive(x, y);
}

// One load after another; with much shared memory a multiprocessor holds two warps.
__device__ void add_up(const float *x, float *y) {
  float sum = 0;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ELEMENTS / 2; i += gridDim.x * blockDim.x)
    sum += x[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void low_occupancy_flawed(const float *x, float *y) {
  extern __shared__ float unused[];
  if (x == nullptr) unused[threadIdx.x] = 0;
  add_up(x, y);
}
__global__ void low_occupancy_fixed(const float *x, float *y) { add_up(x, y); }

// One of eight works long: a thread of each eight, or a warp of each eight.
__device__ void work(float *y, bool is_long) {
  float sum = threadIdx.x;
  const int rounds = is_long ? 4096 : 256;
#pragma unroll 1
  for (int i = 0; i < rounds; i++) sum = sum * 0.5f + i;
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void divergence_flawed(float *y) { work(y, threadIdx.x % 8 == 0); }
__global__ void divergence_fixed(float *y) { work(y, threadIdx.x / 32 % 8 == 0); }

// One block a multiprocessor; one block more than multiprocessors doubles the time.
__device__ void compute(float *y) {
  extern __shared__ float unused[];
  if (y == nullptr) unused[threadIdx.x] = 0;
  float sums[4] = {float(threadIdx.x), 1, 2, 3};
  for (int i = 0; i < 8192; i++)
    for (int k = 0; k < 4; k++) sums[k] = sums[k] * 0.5f + i;
  y[blockIdx.x * blockDim.x + threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
__global__ void tail_flawed(float *y) { compute(y); }
__global__ void tail_fixed(float *y) { compute(y); }

__global__ void dram_bound_flawed(const float4 *x, float4 *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 a = x[i], b = y[i];
  y[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__global__ void dram_bound_fixed(const half2 *x, half2 *y) {  // the same elements in half the bytes
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __hadd2(x[i], y[i]);
}

__device__ void multiply(half *y, int rounds) {
  using namespace nvcuda;
  constexpr int PRODUCTS = 4;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[PRODUCTS];
  wmma::fill_fragment(a, __float2half(threadIdx.x));
  wmma::fill_fragment(b, __float2half(1));
  for (int p = 0; p < PRODUCTS; p++) wmma::fill_fragment(c[p], 0);
  for (int i = 0; i < rounds; i++)
    for (int p = 0; p < PRODUCTS; p++) wmma::mma_sync(c[p], a, b, c[p]);
  float sum = 0;
  for (int p = 0; p < PRODUCTS; p++)
    for (int k = 0; k < c[p].num_elements; k++) sum += c[p].x[k];
  y[blockIdx.x * blockDim.x + threadIdx.x] = __float2half(sum);
}
__global__ void tensor_bound_flawed(half *y) { multiply(y, 4096); }
__global__ void tensor_bound_fixed(half *y) { multiply(y, 2048); }  // half the products

}  // namespace

const pair_kernel teaching_pairs[] = {
    LAUNCH(uncoalesced_flawed, ELEMENTS / 256, 256, 0, x, y),
    LAUNCH(uncoalesced_fixed, ELEMENTS / 256, 256, 0, x, y),
    LAUNCH(bank_conflicts_flawed, 8 * multiprocessors, 256, 0, y),
    LAUNCH(bank_conflicts_fixed, 8 * multiprocessors, 256, 0, y),
    LAUNCH(spills_flawed, 2 * multiprocessors, 1024, 0, x, y),
    LAUNCH(spills_fixed, 8 * multiprocessors, 256, 0, x, y),
    LAUNCH(low_occupancy_flawed, multiprocessors, 64, LARGE_SHARED, x, y),
    LAUNCH(low_occupancy_fixed, 8 * multiprocessors, 256, 0, x, y),
    LAUNCH(divergence_flawed, 32 * multiprocessors, 256, 0, y),
    LAUNCH(divergence_fixed, 32 * multiprocessors, 256, 0, y),
    LAUNCH(tail_flawed, multiprocessors + 1, 1024, HALF_SHARED, y),
    LAUNCH(tail_fixed, multiprocessors, 1024, HALF_SHARED, y),
    LAUNCH(dram_bound_flawed, ELEMENTS / 1024, 256, 0, as<float4>(x), as<float4>(y)),
    LAUNCH(dram_bound_fixed, ELEMENTS / 512, 256, 0, as<half2>(x), as<half2>(y)),
    LAUNCH(tensor_bound_flawed, 8 * multiprocessors, 256, 0, as<half>(y)),
    LAUNCH(tensor_bound_fixed, 8 * multiprocessors, 256, 0, as<half>(y)),
};
const int teaching_count = sizeof teaching_pairs / sizeof *teaching_pairs;
