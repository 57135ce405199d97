// SPDX-License-Identifier: Apache-2.0
// Twelve pairs of kernels after the kinds of flaws that reviewers planted in an example project:
// with the flaw and without it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include "pairs.h"

namespace {

constexpr int LARGE_SHARED = 160 << 10;

// A record has 16 values, and the kernel reads three of them.
__global__ void features_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[16 * i] + 2 * x[16 * i + 5] + 3 * x[16 * i + 10];
}
__global__ void features_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[i] = x[i] + 2 * x[n + i] + 3 * x[2 * n + i];
}

template <int PITCH>
__device__ void transpose(const float *x, float *y) {
  constexpr int SIDE = 4096, ROWS = 8;
  __shared__ float tile[32 * PITCH];
  const int column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += ROWS)
    tile[i * PITCH + threadIdx.x] = x[(row + i) * SIDE + column + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += ROWS)
    y[(column + i) * SIDE + row + threadIdx.x] = tile[threadIdx.x * PITCH + i];
}
__global__ void transpose_flawed(const float *x, float *y) { transpose<32>(x, y); }
__global__ void transpose_fixed(const float *x, float *y) { transpose<33>(x, y); }

// A filter with 64 states.
__device__ void filter(const float *x, float *y) {
  constexpr int STATES = 64;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float state[STATES];
#pragma unroll
  for (int s = 0; s < STATES; s++) state[s] = x[i + s];
#pragma unroll 1
  for (int step = 0; step < 48; step++) {
    const float input = x[step];
#pragma unroll
    for (int s = 0; s < STATES; s++) state[s] = state[s] * 0.5f + state[(s + 7) % STATES] * input;
  }
  float sum = 0;
#pragma unroll
  for (int s = 0; s < STATES; s++) sum += state[s];
  y[i] = sum;
}
__global__ void __launch_bounds__(1024, 2) recurrence_flawed(const float *x, float *y) {
  filter(x, y);
}
__global__ void __launch_bounds__(256, 1) recurrence_fixed(const float *x, float *y) {
  filter(x, y);
}

// With much shared memory a multiprocessor holds one block.
__device__ void smooth(const float *x, float *y, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2];
}
__global__ void smooth_flawed(const float *x, float *y, int n) {
  extern __shared__ float unused[];
  if (x == nullptr) unused[threadIdx.x] = 0;
  smooth(x, y, n);
}
__global__ void smooth_fixed(const float *x, float *y, int n) { smooth(x, y, n); }

__device__ unsigned hash(unsigned value) {
  value = (value ^ (value >> 16)) * 0x7feb352du;
  value = (value ^ (value >> 15)) * 0x846ca68bu;
  return value ^ (value >> 16);
}

// The steps follow from the data: of each thread, or of a warp.
__device__ void relax_by_data(float *y, unsigned seed) {
  float value = threadIdx.x;
  const int steps = 8 + hash(seed) % 1024;
#pragma unroll 1
  for (int step = 0; step < steps; step++) value = value * 0.5f + step;
  y[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void relax_by_data_flawed(float *y) {
  relax_by_data(y, blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void relax_by_data_fixed(float *y) {
  relax_by_data(y, (blockIdx.x * blockDim.x + threadIdx.x) / 32);
}

// Two blocks a multiprocessor at once; one block more than fits doubles the time.
__device__ void relax(float *y) {
  float values[4] = {float(threadIdx.x), 1, 2, 3};
#pragma unroll 1
  for (int step = 0; step < 2048; step++)
#pragma unroll
    for (int k = 0; k < 4; k++) values[k] = values[k] * 0.5f + step;
  y[blockIdx.x * blockDim.x + threadIdx.x] = values[0] + values[1] + values[2] + values[3];
}
__global__ void __launch_bounds__(1024, 2) relax_flawed(float *y) { relax(y); }
__global__ void __launch_bounds__(1024, 2) relax_fixed(float *y) { relax(y); }

constexpr int LEVELS = 16;
__global__ void levels_flawed(const int *x, int *levels, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&levels[(unsigned(x[i]) + i) % LEVELS], 1);
}
__global__ void levels_fixed(const int *x, int *levels, int n) {
  __shared__ int own[LEVELS * 256];  // a column for each thread
  for (int i = threadIdx.x; i < LEVELS * 256; i += 256) own[i] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    own[(unsigned(x[i]) + i) % LEVELS * 256 + threadIdx.x]++;
  __syncthreads();
  if (threadIdx.x >= LEVELS) return;
  int sum = 0;
  for (int i = 0; i < 256; i++) sum += own[threadIdx.x * 256 + (i + threadIdx.x) % 256];
  atomicAdd(&levels[threadIdx.x], sum);
}

// Horner's chain of fused multiply-adds, or eight chains.
__global__ void polynomial_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float at = x[i];
  float value = 1;
#pragma unroll 32
  for (int degree = 0; degree < 32768; degree++) value = value * at + 0.25f;
  y[i] = value;
}
__global__ void polynomial_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float at = x[i];
  float values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
#pragma unroll 4
  for (int degree = 0; degree < 32768 / 8; degree++)
#pragma unroll
    for (int k = 0; k < 8; k++) values[k] = values[k] * at + 0.25f;
  for (int k = 0; k < 8; k++) sum += values[k];
  y[i] = sum;
}

// Eight blocks read the same tile: one after the other, or after all other tiles.
constexpr int TILE = 8192, TILES = 3072, USES = 8;
__device__ void product_of(const float4 *x, float *y, int tile, int use) {
  float sum = 0;
  for (int i = threadIdx.x; i < TILE / 4; i += blockDim.x) {
    const float4 value = x[tile * (TILE / 4) + i];
    sum += value.x * use + value.y + value.z * use + value.w;
  }
  y[(tile * USES + use) * blockDim.x + threadIdx.x] = sum;
}
__global__ void skinny_product_flawed(const float4 *x, float *y) {
  product_of(x, y, blockIdx.x % TILES, blockIdx.x / TILES);
}
__global__ void skinny_product_fixed(const float4 *x, float *y) {
  product_of(x, y, blockIdx.x / USES, blockIdx.x % USES);
}

// The constants lack the suffix f.
__global__ void decay_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
#pragma unroll 4
  for (int step = 0; step < 32; step++) value = value * 0.999 + 0.001;
  y[i] = value;
}
__global__ void decay_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
#pragma unroll 4
  for (int step = 0; step < 32; step++) value = value * 0.999f + 0.001f;
  y[i] = value;
}

// The base is known at run time only, or when the compiler sees it.
__device__ void digits(const unsigned *x, unsigned *y, unsigned base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i] + i + 1000000000u, sum = 0;
#pragma unroll 1
  for (int digit = 0; digit < 10; digit++) {
    sum += value % base;
    value /= base;
  }
  y[i] = sum;
}
__global__ void digits_flawed(const unsigned *x, unsigned *y, unsigned base) { digits(x, y, base); }
__global__ void digits_fixed(const unsigned *x, unsigned *y) { digits(x, y, 10); }

// C = A B of 2048 x 2048 halves; a block has a tile of 64 x 64. The padding avoids bank conflicts.
constexpr int SIDE = 2048, BLOCK = 64, DEPTH = 32, LEFT = DEPTH + 8, RIGHT = BLOCK + 8;
__device__ void load_tiles(const half *a, const half *b, half *left, half *right, int k) {
  for (int i = threadIdx.x; i < BLOCK * DEPTH / 2; i += blockDim.x) {
    const int row = i * 2 / DEPTH, column = i * 2 % DEPTH;
    *reinterpret_cast<half2 *>(&left[row * LEFT + column]) =
        *reinterpret_cast<const half2 *>(&a[(blockIdx.y * BLOCK + row) * SIDE + k + column]);
    const int r = i * 2 / BLOCK, c = i * 2 % BLOCK;
    *reinterpret_cast<half2 *>(&right[r * RIGHT + c]) =
        *reinterpret_cast<const half2 *>(&b[(k + r) * SIDE + blockIdx.x * BLOCK + c]);
  }
}
__global__ void half_product_flawed(const half *a, const half *b, half *c) {
  __shared__ half left[BLOCK * LEFT], right[DEPTH * RIGHT];
  const int column = threadIdx.x % 16 * 4, row = threadIdx.x / 16 * 4;
  half2 sums[4][2] = {};
  for (int k = 0; k < SIDE; k += DEPTH) {
    load_tiles(a, b, left, right, k);
    __syncthreads();
#pragma unroll 8
    for (int d = 0; d < DEPTH; d++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
          sums[i][j] =
              __hfma2(__half2half2(left[(row + i) * LEFT + d]),
                      *reinterpret_cast<half2 *>(&right[d * RIGHT + column + 2 * j]), sums[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      *reinterpret_cast<half2 *>(
          &c[(blockIdx.y * BLOCK + row + i) * SIDE + blockIdx.x * BLOCK + column + 2 * j]) =
          sums[i][j];
}
__global__ void half_product_fixed(const half *a, const half *b, half *c) {
  using namespace nvcuda;
  __shared__ half left[BLOCK * LEFT], right[DEPTH * RIGHT];
  const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sums[2];
  for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[j], __float2half(0));
  for (int k = 0; k < SIDE; k += DEPTH) {
    load_tiles(a, b, left, right, k);
    __syncthreads();
    for (int d = 0; d < DEPTH; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
      wmma::load_matrix_sync(x, &left[row * LEFT + d], LEFT);
      for (int j = 0; j < 2; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
        wmma::load_matrix_sync(y, &right[d * RIGHT + column + 16 * j], RIGHT);
        wmma::mma_sync(sums[j], x, y, sums[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    wmma::store_matrix_sync(
        &c[(blockIdx.y * BLOCK + row) * SIDE + blockIdx.x * BLOCK + column + 16 * j], sums[j], SIDE,
        wmma::mem_row_major);
}

}  // namespace

const pair_kernel planted_pairs[] = {
    LAUNCH(features_flawed, 8192, 256, 0, x, y),
    LAUNCH(features_fixed, 8192, 256, 0, x, y),
    LAUNCH(transpose_flawed, dim3(128, 128), dim3(32, 8), 0, x, y),
    LAUNCH(transpose_fixed, dim3(128, 128), dim3(32, 8), 0, x, y),
    LAUNCH(recurrence_flawed, 2 * multiprocessors, 1024, 0, x, y),
    LAUNCH(recurrence_fixed, 8 * multiprocessors, 256, 0, x, y),
    LAUNCH(smooth_flawed, multiprocessors, 128, LARGE_SHARED, x, y, 1 << 22),
    LAUNCH(smooth_fixed, 8 * multiprocessors, 256, 0, x, y, 1 << 22),
    LAUNCH(relax_by_data_flawed, 32 * multiprocessors, 256, 0, y),
    LAUNCH(relax_by_data_fixed, 32 * multiprocessors, 256, 0, y),
    LAUNCH(relax_flawed, 2 * multiprocessors + 1, 1024, 0, y),
    LAUNCH(relax_fixed, 2 * multiprocessors, 1024, 0, y),
    LAUNCH(levels_flawed, 8 * multiprocessors, 256, 0, as<int>(x), as<int>(y), 1 << 22),
    LAUNCH(levels_fixed, 8 * multiprocessors, 256, 0, as<int>(x), as<int>(y), 1 << 22),
    LAUNCH(polynomial_flawed, multiprocessors, 128, 0, x, y),
    LAUNCH(polynomial_fixed, multiprocessors, 128, 0, x, y),
    LAUNCH(skinny_product_flawed, TILES *USES, 256, 0, as<float4>(x), y),
    LAUNCH(skinny_product_fixed, TILES *USES, 256, 0, as<float4>(x), y),
    LAUNCH(decay_flawed, 16384, 256, 0, x, y),
    LAUNCH(decay_fixed, 16384, 256, 0, x, y),
    LAUNCH(digits_flawed, 16384, 256, 0, as<unsigned>(x), as<unsigned>(y), 10),
    LAUNCH(digits_fixed, 16384, 256, 0, as<unsigned>(x), as<unsigned>(y)),
    LAUNCH(half_product_flawed, dim3(SIDE / BLOCK, SIDE / BLOCK), 256, 0, as<half>(x),
           as<half>(x) + SIDE * SIDE, as<half>(y)),
    LAUNCH(half_product_fixed, dim3(SIDE / BLOCK, SIDE / BLOCK), 256, 0, as<half>(x),
           as<half>(x) + SIDE * SIDE, as<half>(y)),
};
const int planted_count = sizeof planted_pairs / sizeof *planted_pairs;
