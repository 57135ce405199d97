// SPDX-License-Identifier: Apache-2.0
// C = A B in fp32, row-major, SIZE x SIZE. A block computes a tile of C, a thread tile_y x tile_x values of it, in
// groups of `vector` neighbours: so that the threads of a warp read shared memory side by side. CHANGED: a layer of a
// network, C = max(0, A B + D + bias), with the sum of a layer before it, D, and a bias for each column.
#define THREADS (threads_x * threads_y)
#define TILE_M (threads_y * tile_y)
#define TILE_N (threads_x * tile_x)
#define PITCH_M (TILE_M + 4 * padding)
#define PITCH_N (TILE_N + 4 * padding)
#define A_VECTORS (TILE_M * block_k / vector)
#define B_VECTORS (TILE_N * block_k / vector)
#define A_LOADS ((A_VECTORS + THREADS - 1) / THREADS)
#define B_LOADS ((B_VECTORS + THREADS - 1) / THREADS)

constexpr int UNROLL = unroll_k;  // no macro: the pragma does not expand them

struct alignas(4 * vector) vec {
  float at[vector];
};

struct staged {
  vec a[A_LOADS], b[B_LOADS];
};

static __device__ __forceinline__ void fetch(staged &out, const float *a, const float *b, int k0, int thread) {
#pragma unroll
  for (int i = 0; i < A_LOADS; i++) {
    const int at = thread + i * THREADS, row = blockIdx.y * TILE_M + at / (block_k / vector);
    out.a[i] = vec{};
    if (at < A_VECTORS && row < SIZE) out.a[i] = *(const vec *)&a[row * SIZE + k0 + at % (block_k / vector) * vector];
  }
#pragma unroll
  for (int i = 0; i < B_LOADS; i++) {
    const int at = thread + i * THREADS, column = blockIdx.x * TILE_N + at % (TILE_N / vector) * vector;
    out.b[i] = vec{};
    if (at < B_VECTORS && column < SIZE) out.b[i] = *(const vec *)&b[(k0 + at / (TILE_N / vector)) * SIZE + column];
  }
}

// A is transposed on the way: the inner loop then reads both along the same direction.
static __device__ __forceinline__ void store(const staged &in, float *a, float *b, int thread) {
#pragma unroll
  for (int i = 0; i < A_LOADS; i++) {
    const int at = thread + i * THREADS, row = at / (block_k / vector), k = at % (block_k / vector) * vector;
    if (at >= A_VECTORS) continue;
#pragma unroll
    for (int v = 0; v < vector; v++) a[(k + v) * PITCH_M + row] = in.a[i].at[v];
  }
#pragma unroll
  for (int i = 0; i < B_LOADS; i++) {
    const int at = thread + i * THREADS;
    if (at < B_VECTORS) *(vec *)&b[at / (TILE_N / vector) * PITCH_N + at % (TILE_N / vector) * vector] = in.b[i];
  }
}

static __device__ __forceinline__ void multiply(float (&sum)[tile_y][tile_x], const float *a, const float *b) {
#pragma unroll UNROLL
  for (int k = 0; k < block_k; k++) {
    vec left[tile_y / vector], right[tile_x / vector];
#pragma unroll
    for (int j = 0; j < tile_y / vector; j++)
      left[j] = *(const vec *)&a[k * PITCH_M + (threadIdx.y + j * threads_y) * vector];
#pragma unroll
    for (int i = 0; i < tile_x / vector; i++)
      right[i] = *(const vec *)&b[k * PITCH_N + (threadIdx.x + i * threads_x) * vector];
#pragma unroll
    for (int j = 0; j < tile_y; j++)
#pragma unroll
      for (int i = 0; i < tile_x; i++) sum[j][i] += left[j / vector].at[j % vector] * right[i / vector].at[i % vector];
  }
}

extern __shared__ __align__(16) float shared[];

#if CHANGED
extern "C" __global__ void sgemm(const float *a, const float *b, float *c, const float *__restrict__ d,
                                 const float *__restrict__ bias) {
#else
extern "C" __global__ void sgemm(const float *a, const float *b, float *c) {
#endif
  float *shared_a = shared, *shared_b = shared + buffers * block_k * PITCH_M;
  const int thread = threadIdx.y * threads_x + threadIdx.x;
  float sum[tile_y][tile_x] = {};
  staged next;
#if buffers == 2
  // The loads of the next tile are under way while this one is multiplied.
  fetch(next, a, b, 0, thread);
  store(next, shared_a, shared_b, thread);
  __syncthreads();
  int now = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < SIZE; k0 += block_k) {
    const bool more = k0 + block_k < SIZE;
    if (more) fetch(next, a, b, k0 + block_k, thread);
    multiply(sum, shared_a + now * block_k * PITCH_M, shared_b + now * block_k * PITCH_N);
    now ^= 1;
    if (more) store(next, shared_a + now * block_k * PITCH_M, shared_b + now * block_k * PITCH_N, thread);
    __syncthreads();
  }
#else
#pragma unroll 1
  for (int k0 = 0; k0 < SIZE; k0 += block_k) {
    fetch(next, a, b, k0, thread);
    store(next, shared_a, shared_b, thread);
    __syncthreads();
    multiply(sum, shared_a, shared_b);
    __syncthreads();
  }
#endif
#pragma unroll
  for (int j = 0; j < tile_y; j++) {
    const int row = blockIdx.y * TILE_M + (threadIdx.y + j / vector * threads_y) * vector + j % vector;
#pragma unroll
    for (int i = 0; i < tile_x / vector; i++) {
      const int column = blockIdx.x * TILE_N + (threadIdx.x + i * threads_x) * vector;
      vec out;
#pragma unroll
      for (int v = 0; v < vector; v++) out.at[v] = sum[j][i * vector + v];
      if (row < SIZE && column < SIZE) {
#if CHANGED
        const vec more = *(const vec *)&d[row * SIZE + column], shift = *(const vec *)&bias[column];
#pragma unroll
        for (int v = 0; v < vector; v++) out.at[v] = fmaxf(0.0f, out.at[v] + more.at[v] + shift.at[v]);
#endif
        *(vec *)&c[row * SIZE + column] = out;
      }
    }
  }
}
