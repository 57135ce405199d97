// SPDX-License-Identifier: Apache-2.0
// The 25-point Laplacian (radius 4) of a SIZE^3 grid that has a halo of 4 cells on each side. A block walks along
// z over `planes` planes; a thread has `vector` neighbours in x. `queue`: the column of a thread along z stays in
// registers. `shared_plane`: the neighbours in x and y come from shared memory. CHANGED: a step of the wave equation,
// 2 in - previous + SPEED Laplacian, in which `previous` is the grid of the step before.
#define RADIUS 4
#define OUTER (SIZE + 2 * RADIUS)
#define PLANE (OUTER * OUTER)
#define SPEED 0.1f
#define TILE_W (block_size_x * vector)
#define PITCH (TILE_W + 2 * RADIUS + 4 * padding)

constexpr int UNROLL = unroll_factor;  // no macro: the pragma does not expand them

struct alignas(4 * vector) vec {
  float at[vector];
};

static __device__ __forceinline__ float weight(int distance) {
  return distance == 0   ? -8.541667f
         : distance == 1 ? 1.6f
         : distance == 2 ? -0.2f
         : distance == 3 ? 0.02539683f
                         : -0.001785714f;
}

#if shared_plane
// The tile with its halo in x and y. Cells outside the grid serve no valid thread.
static __device__ __forceinline__ void load_plane(float *plane, const float *from) {
  for (int y = threadIdx.y; y < block_size_y + 2 * RADIUS; y += block_size_y)
    for (int x = threadIdx.x * vector; x < TILE_W + 2 * RADIUS; x += TILE_W) {
      const int gx = blockIdx.x * TILE_W + x, gy = blockIdx.y * block_size_y + y;
      if (gx < OUTER && gy < OUTER) *(vec *)&plane[y * PITCH + x] = *(const vec *)&from[gy * OUTER + gx];
    }
}
#endif

extern "C" __global__ void __launch_bounds__(block_size_x *block_size_y, min_blocks)
#if CHANGED
    stencil3d(const float *in, float *out, const float *previous) {
#else
    stencil3d(const float *in, float *out) {
#endif
  const int x = blockIdx.x * TILE_W + threadIdx.x * vector, y = blockIdx.y * block_size_y + threadIdx.y;
  const bool valid = x < SIZE && y < SIZE;
  const int z0 = blockIdx.z * planes;
  // Threads outside the grid walk along its first column.
  const int column = valid ? (y + RADIUS) * OUTER + x + RADIUS : RADIUS * OUTER + RADIUS;
#if shared_plane
  __shared__ alignas(16) float plane[(block_size_y + 2 * RADIUS) * PITCH];
#endif
#if queue
  vec cells[2 * RADIUS + 1];
#pragma unroll
  for (int i = 0; i < 2 * RADIUS; i++) cells[i + 1] = *(const vec *)&in[(z0 + i) * PLANE + column];
#endif
#pragma unroll UNROLL
  for (int i = 0; i < planes; i++) {
    const int z = z0 + i + RADIUS;
    if (z >= SIZE + RADIUS) break;  // the same for the whole block
    const float *here = &in[z * PLANE + column];
#if CHANGED
    const vec before = *(const vec *)&previous[z * PLANE + column];
#endif
#if queue
#pragma unroll
    for (int j = 0; j < 2 * RADIUS; j++) cells[j] = cells[j + 1];
    cells[2 * RADIUS] = *(const vec *)&here[RADIUS * PLANE];
#endif
#if shared_plane
    __syncthreads();  // the plane before this one was read
    load_plane(plane, &in[z * PLANE]);
    __syncthreads();
    const float *flat = &plane[(threadIdx.y + RADIUS) * PITCH + threadIdx.x * vector + RADIUS];
    const int pitch = PITCH;
#else
    const float *flat = here;
    const int pitch = OUTER;
#endif
    vec sum;
#if queue
#pragma unroll
    for (int v = 0; v < vector; v++) {
      sum.at[v] = weight(0) * cells[RADIUS].at[v];
#pragma unroll
      for (int d = 1; d <= RADIUS; d++) sum.at[v] += weight(d) * (cells[RADIUS - d].at[v] + cells[RADIUS + d].at[v]);
    }
#else
    const vec middle = *(const vec *)here;
#pragma unroll
    for (int v = 0; v < vector; v++) sum.at[v] = weight(0) * middle.at[v];
#pragma unroll
    for (int d = 1; d <= RADIUS; d++) {
      const vec below = *(const vec *)&here[-d * PLANE], above = *(const vec *)&here[d * PLANE];
#pragma unroll
      for (int v = 0; v < vector; v++) sum.at[v] += weight(d) * (below.at[v] + above.at[v]);
    }
#endif
    // The row with its halo; both are read in whole vectors, because 4 is a multiple of each width.
    float row[vector + 2 * RADIUS];
#pragma unroll
    for (int j = 0; j < vector + 2 * RADIUS; j += vector) {
      const vec part = *(const vec *)&flat[j - RADIUS];
#pragma unroll
      for (int v = 0; v < vector; v++) row[j + v] = part.at[v];
    }
#pragma unroll
    for (int v = 0; v < vector; v++)
#pragma unroll
      for (int d = 1; d <= RADIUS; d++) sum.at[v] += weight(d) * (row[v + RADIUS - d] + row[v + RADIUS + d]);
#pragma unroll
    for (int d = 1; d <= RADIUS; d++) {
      const vec left = *(const vec *)&flat[-d * pitch], right = *(const vec *)&flat[d * pitch];
#pragma unroll
      for (int v = 0; v < vector; v++) sum.at[v] += weight(d) * (left.at[v] + right.at[v]);
    }
#if CHANGED
#pragma unroll
    for (int v = 0; v < vector; v++) sum.at[v] = 2 * row[v + RADIUS] - before.at[v] + SPEED * sum.at[v];
#endif
    if (valid) *(vec *)&out[z * PLANE + column] = sum;
  }
}
