// SPDX-License-Identifier: Apache-2.0
// Fourteen pairs of kernels for the rules that the other files do not plant: with the flaw and
// without it.
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdint>

#include "pairs.h"

namespace {

constexpr int COUNT = 1 << 22;

// The place in the array depends on the data, so that it lies in local memory, or in a column of
// shared memory.
constexpr int BINS = 16, STEPS = 64;
__global__ void local_array_flawed(const int *x, int *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, start = x[i];
  int counts[BINS] = {};
#pragma unroll 1
  for (int step = 0; step < STEPS; step++) counts[(start + step * 7 + i) % BINS] += step;
  int sum = 0;
  for (int bin = 0; bin < BINS; bin++) sum = sum * 3 + counts[bin];
  y[i] = sum;
}
__global__ void local_array_fixed(const int *x, int *y) {
  __shared__ int counts[BINS * 256];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, start = x[i];
  for (int bin = 0; bin < BINS; bin++) counts[bin * 256 + threadIdx.x] = 0;
#pragma unroll 1
  for (int step = 0; step < STEPS; step++)
    counts[(start + step * 7 + i) % BINS * 256 + threadIdx.x] += step;
  int sum = 0;
  for (int bin = 0; bin < BINS; bin++) sum = sum * 3 + counts[bin * 256 + threadIdx.x];
  y[i] = sum;
}

// Neighbouring threads write addresses a row apart.
constexpr int ROWS = 4096, COLUMNS = 4096;
__global__ void uncoalesced_stores_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[(i % ROWS) * COLUMNS + i / ROWS] = x[i] + 1;
}
__global__ void uncoalesced_stores_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1;
}

// A warp writes columns of a tile and reads rows.
template <int PITCH>
__device__ void write_columns(float *y) {
  __shared__ float tile[32 * PITCH];
  const int lane = threadIdx.x % 32;
  float sum = threadIdx.x;
  for (int round = 0; round < 64; round++) {
    for (int k = 0; k < 32; k++) tile[lane * PITCH + ((k + round) & 31)] = sum + k;
    __syncthreads();
    sum += tile[(round & 31) * PITCH + lane];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void shared_stores_flawed(float *y) { write_columns<32>(y); }
__global__ void shared_stores_fixed(float *y) { write_columns<33>(y); }

// All threads of a block add to two words, or each lane to its own two.
__device__ void count_in_shared(const int *x, int *y, int n, int copy, int copies) {
  __shared__ int counts[2 * 32];
  if (threadIdx.x < 64) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[(unsigned(x[i]) + i / 32) % 2 * copies + copy], i);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&y[threadIdx.x], counts[threadIdx.x]);
}
__global__ void shared_atomics_flawed(const int *x, int *y, int n) {
  count_in_shared(x, y, n, 0, 1);
}
__global__ void shared_atomics_fixed(const int *x, int *y, int n) {
  count_in_shared(x, y, n, threadIdx.x % 32, 32);
}

// Asynchronous products of a warpgroup: it waits for each, or for eight at a time.
__device__ uint64_t descriptor(const void *shared) {
  const uint64_t address = __cvta_generic_to_shared(shared);
  return (address >> 4 & 0x3fff) | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}
__device__ void product(float (&c)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
      "%10, %11, %12, %13, %14, "
      "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, "
      "%33, 1, 1, 1, 0, 0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
        "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
      : "l"(a), "l"(b));
}
template <int AT_ONCE>
__device__ void multiply(float *y) {
  __shared__ __align__(128) unsigned char tiles[2 * 2048 * 8];
  for (int i = threadIdx.x; i < int(sizeof tiles); i += blockDim.x) tiles[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  float c[32] = {};
#pragma unroll 1
  for (int step = 0; step < 2048; step += AT_ONCE) {
    asm volatile("wgmma.fence.sync.aligned;");
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      product(c, descriptor(tiles + 4096 * k), descriptor(tiles + 4096 * k + 2048));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
  for (int i = 0; i < 32; i++) sum += c[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void products_in_turn_flawed(float *y) { multiply<1>(y); }
__global__ void products_in_turn_fixed(float *y) { multiply<8>(y); }

// Bulk copies into shared memory: one at a time, or four in flight.
constexpr int COPY = 8192;
__device__ void start_copy(float *to, const float *from, uint64_t *barrier) {
  const unsigned at = __cvta_generic_to_shared(barrier), destination = __cvta_generic_to_shared(to);
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(COPY) : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(destination),
      "l"(from), "r"(COPY), "r"(at)
      : "memory");
}
__device__ void wait_for_copy(uint64_t *barrier, unsigned phase) {
  const unsigned at = __cvta_generic_to_shared(barrier);
  asm volatile(
      "{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra "
      "WAIT;\n}" ::"r"(at),
      "r"(phase)
      : "memory");
}
template <int STAGES>
__device__ void add_copies(const float *x, float *y, int copies) {
  constexpr int FLOATS = COPY / 4;
  __shared__ __align__(128) float ring[STAGES * FLOATS];
  __shared__ __align__(8) uint64_t barriers[STAGES];
  if (threadIdx.x < STAGES) {
    const unsigned at = __cvta_generic_to_shared(&barriers[threadIdx.x]);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  const float *own = x + blockIdx.x * copies * FLOATS;
  if (threadIdx.x == 0)
    for (int stage = 0; stage < STAGES; stage++)
      start_copy(ring + stage * FLOATS, own + stage * FLOATS, &barriers[stage]);
  float sum = 0;
#pragma unroll 1
  for (int copy = 0; copy < copies; copy++) {
    const int stage = copy % STAGES;
    wait_for_copy(&barriers[stage], copy / STAGES % 2);
    for (int i = threadIdx.x; i < FLOATS; i += blockDim.x) sum += ring[stage * FLOATS + i];
    __syncthreads();
    if (threadIdx.x == 0 && copy + STAGES < copies)
      start_copy(ring + stage * FLOATS, own + (copy + STAGES) * FLOATS, &barriers[stage]);
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void copies_in_turn_flawed(const float *x, float *y, int copies) {
  add_copies<1>(x, y, copies);
}
__global__ void copies_in_turn_fixed(const float *x, float *y, int copies) {
  add_copies<4>(x, y, copies);
}

// One warp works, and the others wait for it at the barrier; or all share the work.
__device__ void work_between_barriers(float *y, int steps, bool works) {
  __shared__ float shared[512];
  float value = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 32; round++) {
    if (works)
#pragma unroll 8
      for (int step = 0; step < steps; step++) value = value * 0.5f + round;
    shared[threadIdx.x] = value;
    __syncthreads();
    value += shared[threadIdx.x ^ 32];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void barrier_flawed(float *y, int steps) {
  work_between_barriers(y, steps, threadIdx.x / 32 == blockIdx.x % 16);
}
__global__ void barrier_fixed(float *y, int steps) { work_between_barriers(y, steps / 16, true); }

// The same sum by eight blocks, or by blocks for all multiprocessors.
__device__ void add_up(const float *x, float *y, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void small_launch_flawed(const float *x, float *y, int n) { add_up(x, y, n); }
__global__ void small_launch_fixed(const float *x, float *y, int n) { add_up(x, y, n); }

// Each step needs the one before; or four independent chains.
__device__ unsigned mix(unsigned value) {
  value ^= value << 13;
  value ^= value >> 17;
  return value ^ value << 5;
}
__global__ void hash_chain_flawed(unsigned *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i + 1;
#pragma unroll 8
  for (int step = 0; step < 8192; step++) value = mix(value);
  y[i] = value;
}
__global__ void hash_chain_fixed(unsigned *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned values[4] = {i + 1u, i + 2u, i + 3u, i + 4u};
#pragma unroll 8
  for (int step = 0; step < 8192 / 4; step++)
    for (int k = 0; k < 4; k++) values[k] = mix(values[k]);
  y[i] = values[0] ^ values[1] ^ values[2] ^ values[3];
}

// Digits of a mixed radix: the bases are known at run time only, or the compiler sees them.
__global__ void radix_flawed(const unsigned *x, unsigned *y, unsigned base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i] + i + 1000000000u, sum = 0;
#pragma unroll 1
  for (unsigned digit = 0; digit < 8; digit++) {
    sum += value % (base + digit);
    value /= base + digit;
  }
  y[i] = sum;
}
__global__ void radix_fixed(const unsigned *x, unsigned *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i] + i + 1000000000u, sum = 0;
#pragma unroll
  for (unsigned digit = 0; digit < 8; digit++) {
    sum += value % (10 + digit);
    value /= 10 + digit;
  }
  y[i] = sum;
}

// The coordinates of an element in four dimensions by division, or from the grid.
__global__ void index_division_flawed(const float *x, const float *scale, float *y, int64_t a,
                                      int64_t b, int64_t c) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t w = i % c, h = i / c % b, d = i / (c * b) % a, n = i / (c * b * a);
  y[i] = x[i] * scale[w] + scale[h] * scale[d] + float(n);
}
__global__ void index_division_fixed(const float *x, const float *scale, float *y, int a, int b,
                                     int c) {
  const int w = threadIdx.x, h = blockIdx.x, d = blockIdx.y, n = blockIdx.z,
            i = ((n * a + d) * b + h) * c + w;
  y[i] = x[i] * scale[w] + scale[h] * scale[d] + float(n);
}

// Every thread adds to one word, or one thread of a block does.
__global__ void global_sum_flawed(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(y, x[i]);
}
__global__ void global_sum_fixed(const float *x, float *y, int n) {
  __shared__ float sums[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int lanes = 16; lanes; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  for (int warp = 1; warp < 8; warp++) sum += sums[warp];
  atomicAdd(y, sum);
}

// C = A B of 2048 x 2048 floats; a block has a tile of 64 x 64. The padding avoids bank conflicts.
constexpr int SIDE = 2048, BLOCK = 64, DEPTH = 16, LEFT = DEPTH + 4, RIGHT = BLOCK + 4;
__device__ void load_tiles(const float *a, const float *b, float *left, float *right, int k) {
  for (int i = threadIdx.x; i < BLOCK * DEPTH; i += blockDim.x) {
    left[i / DEPTH * LEFT + i % DEPTH] = a[(blockIdx.y * BLOCK + i / DEPTH) * SIDE + k + i % DEPTH];
    right[i / BLOCK * RIGHT + i % BLOCK] =
        b[(k + i / BLOCK) * SIDE + blockIdx.x * BLOCK + i % BLOCK];
  }
}
__global__ void float_product_flawed(const float *a, const float *b, float *c) {
  __shared__ float left[BLOCK * LEFT], right[DEPTH * RIGHT];
  const int column = threadIdx.x % 16 * 4, row = threadIdx.x / 16 * 4;
  float sums[4][4] = {};
  for (int k = 0; k < SIDE; k += DEPTH) {
    load_tiles(a, b, left, right, k);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
      const float4 y = *reinterpret_cast<float4 *>(&right[d * RIGHT + column]);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float x = left[(row + i) * LEFT + d];
        sums[i][0] += x * y.x, sums[i][1] += x * y.y, sums[i][2] += x * y.z, sums[i][3] += x * y.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[(blockIdx.y * BLOCK + row + i) * SIDE + blockIdx.x * BLOCK + column + j] = sums[i][j];
}
__global__ void float_product_fixed(const float *a, const float *b, float *c) {
  using namespace nvcuda;
  __shared__ float left[BLOCK * LEFT], right[DEPTH * RIGHT];
  const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums[2];
  for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[j], 0.f);
  for (int k = 0; k < SIDE; k += DEPTH) {
    load_tiles(a, b, left, right, k);
    __syncthreads();
    for (int d = 0; d < DEPTH; d += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
      wmma::load_matrix_sync(x, &left[row * LEFT + d], LEFT);
      for (int j = 0; j < 2; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> y;
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

// The exponential of doubles for floats.
__global__ void gauss_flawed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = x[i];
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += exp(-0.5 * (value - k) * (value - k));
  y[i] = sum;
}
__global__ void gauss_fixed(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = x[i];
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += expf(-0.5f * (value - k) * (value - k));
  y[i] = sum;
}

}  // namespace

const pair_kernel more_pairs[] = {
    LAUNCH(local_array_flawed, 4096, 256, 0, as<int>(x), as<int>(y)),
    LAUNCH(local_array_fixed, 4096, 256, 0, as<int>(x), as<int>(y)),
    LAUNCH(uncoalesced_stores_flawed, ROWS *COLUMNS / 256, 256, 0, x, y),
    LAUNCH(uncoalesced_stores_fixed, ROWS *COLUMNS / 256, 256, 0, x, y),
    LAUNCH(shared_stores_flawed, 8 * multiprocessors, 256, 0, y),
    LAUNCH(shared_stores_fixed, 8 * multiprocessors, 256, 0, y),
    LAUNCH(shared_atomics_flawed, 8 * multiprocessors, 256, 0, as<int>(x), as<int>(y), 4 * COUNT),
    LAUNCH(shared_atomics_fixed, 8 * multiprocessors, 256, 0, as<int>(x), as<int>(y), 4 * COUNT),
    LAUNCH(products_in_turn_flawed, multiprocessors, 128, 0, y),
    LAUNCH(products_in_turn_fixed, multiprocessors, 128, 0, y),
    LAUNCH(copies_in_turn_flawed, multiprocessors, 128, 0, x, y, 64),
    LAUNCH(copies_in_turn_fixed, multiprocessors, 128, 0, x, y, 64),
    LAUNCH(barrier_flawed, 2 * multiprocessors, 512, 0, y, 1024),
    LAUNCH(barrier_fixed, 2 * multiprocessors, 512, 0, y, 1024),
    LAUNCH(small_launch_flawed, 8, 256, 0, x, y, COUNT),
    LAUNCH(small_launch_fixed, 8 * multiprocessors, 256, 0, x, y, COUNT),
    LAUNCH(hash_chain_flawed, multiprocessors, 128, 0, as<unsigned>(y)),
    LAUNCH(hash_chain_fixed, multiprocessors, 128, 0, as<unsigned>(y)),
    LAUNCH(radix_flawed, 16384, 256, 0, as<unsigned>(x), as<unsigned>(y), 10),
    LAUNCH(radix_fixed, 16384, 256, 0, as<unsigned>(x), as<unsigned>(y)),
    LAUNCH(index_division_flawed, COUNT / 256, 256, 0, x, x, y, 16, 64, 256),
    LAUNCH(index_division_fixed, dim3(64, 16, COUNT / 262144), 256, 0, x, x, y, 16, 64, 256),
    LAUNCH(global_sum_flawed, 8 * multiprocessors, 256, 0, x, y, COUNT / 4),
    LAUNCH(global_sum_fixed, 8 * multiprocessors, 256, 0, x, y, COUNT / 4),
    LAUNCH(float_product_flawed, dim3(SIDE / BLOCK, SIDE / BLOCK), 256, 0, x, x + SIDE * SIDE, y),
    LAUNCH(float_product_fixed, dim3(SIDE / BLOCK, SIDE / BLOCK), 256, 0, x, x + SIDE * SIDE, y),
    LAUNCH(gauss_flawed, COUNT / 256, 256, 0, x, y),
    LAUNCH(gauss_fixed, COUNT / 256, 256, 0, x, y),
};
const int more_count = sizeof more_pairs / sizeof *more_pairs;
