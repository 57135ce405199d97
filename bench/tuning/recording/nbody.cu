// SPDX-License-Identifier: Apache-2.0
// The acceleration of each of BODIES bodies by all others. A thread has `bodies` of them, block_size_x apart. The
// input is there in both layouts: x, y, z, mass of each body, and all x, then all y, and so on. CHANGED: the potential
// of each body too.
#define TILE (block_size_x * tile_factor)

constexpr int UNROLL = unroll_factor;  // no macro: the pragma does not expand them

struct body {
  float x, y, z, mass;
};

static __device__ __forceinline__ body read(const float4 *together, const float *apart, int at) {
#if structs
  const float4 it = together[at];
  return {it.x, it.y, it.z, it.w};
#else
  return {apart[at], apart[at + BODIES], apart[at + 2 * BODIES], apart[at + 3 * BODIES]};
#endif
}

#if CHANGED
typedef float4 total;  // the acceleration and the potential
#else
typedef float3 total;
#endif

static __device__ __forceinline__ void pull(total &sum, const body &me, const body &it) {
  const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
  const float square = dx * dx + dy * dy + dz * dz + 0.01f;  // softened
#if inverse_root == 0
  const float inverse = 1.0f / sqrtf(square);
#else
  const float inverse = rsqrtf(square);
#endif
  const float scale = it.mass * inverse * inverse * inverse;
  sum.x += dx * scale;
  sum.y += dy * scale;
  sum.z += dz * scale;
#if CHANGED
  sum.w -= it.mass * inverse;
#endif
}

extern "C" __global__ void nbody(const float4 *together, const float *apart, float4 *out) {
  const int first = blockIdx.x * block_size_x * bodies + threadIdx.x;
  body me[bodies];
  total sum[bodies];
#pragma unroll
  for (int i = 0; i < bodies; i++) {
    const int at = first + i * block_size_x;
    me[i] = read(together, apart, at < BODIES ? at : 0);
#if CHANGED
    sum[i] = float4{0, 0, 0, 10.0f * me[i].mass};  // takes out what it adds to its own: mass / sqrt(0.01)
#else
    sum[i] = float3{0, 0, 0};
#endif
  }
#if tile_factor > 0
  // In shared memory the same layout as outside.
#if structs
  __shared__ float4 tile[TILE];
#else
  __shared__ float tile[4][TILE];
#endif
#pragma unroll 1
  for (int start = 0; start < BODIES; start += TILE) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile_factor; i++) {
      const int to = threadIdx.x + i * block_size_x;
      const body it =
          start + to < BODIES ? read(together, apart, start + to) : body{0, 0, 0, 0};  // without mass: no pull
#if structs
      tile[to] = make_float4(it.x, it.y, it.z, it.mass);
#else
      tile[0][to] = it.x;
      tile[1][to] = it.y;
      tile[2][to] = it.z;
      tile[3][to] = it.mass;
#endif
    }
    __syncthreads();
#pragma unroll UNROLL
    for (int j = 0; j < TILE; j++) {
#if structs
      const body it = {tile[j].x, tile[j].y, tile[j].z, tile[j].w};
#else
      const body it = {tile[0][j], tile[1][j], tile[2][j], tile[3][j]};
#endif
#pragma unroll
      for (int i = 0; i < bodies; i++) pull(sum[i], me[i], it);
    }
  }
#else
#pragma unroll UNROLL
  for (int j = 0; j < BODIES; j++) {
    const body it = read(together, apart, j);
#pragma unroll
    for (int i = 0; i < bodies; i++) pull(sum[i], me[i], it);
  }
#endif
#pragma unroll
  for (int i = 0; i < bodies; i++) {
    const int at = first + i * block_size_x;
#if CHANGED
    if (at < BODIES) out[at] = sum[i];
#else
    if (at < BODIES) out[at] = make_float4(sum[i].x, sum[i].y, sum[i].z, 0);
#endif
  }
}
