// SPDX-License-Identifier: Apache-2.0
// Heat on a SIZE x SIZE grid with a source of power in each cell. A launch does `steps` steps: a block loads its
// tile with a halo of `steps` cells and computes a region that shrinks by a cell each step. No heat passes the
// border of the grid. CHANGED: each cell conducts heat as well as its own conductivity says.
#define TILE_W (block_size_x * tile_size_x)
#define TILE_H (block_size_y * tile_size_y)
#define WIDTH (TILE_W + 2 * steps)
#define HEIGHT (TILE_H + 2 * steps)

constexpr int UNROLL = unroll_factor;  // no macro: the pragma does not expand them

extern __shared__ float shared[];

#if CHANGED
// How much of the difference to its neighbours a cell takes over in a step; a conductivity is from -1 to 1.
static __device__ __forceinline__ float rate_of(float conductivity) {
  return 0.2f * (0.75f + 0.25f * conductivity);
}
#endif

extern "C" __global__ void __launch_bounds__(block_size_x *block_size_y)
#if CHANGED
    hotspot(const float *power, const float *source, float *target, const float *conductivity) {
#else
    hotspot(const float *power, const float *source, float *target) {
#endif
  float *now = shared, *next = shared + HEIGHT * WIDTH;
#if power_in_shared
  float *heat = shared + 2 * HEIGHT * WIDTH;
#if CHANGED
  float *rates = shared + 3 * HEIGHT * WIDTH;
#endif
#endif
  const int x0 = blockIdx.x * TILE_W - steps, y0 = blockIdx.y * TILE_H - steps;
  for (int y = threadIdx.y; y < HEIGHT; y += block_size_y) {
    for (int x = threadIdx.x; x < WIDTH; x += block_size_x) {
      const int gx = x0 + x, gy = y0 + y;
      if (gx < 0 || gy < 0 || gx >= SIZE || gy >= SIZE) continue;  // nothing reads these cells
      now[y * WIDTH + x] = source[gy * SIZE + gx];
#if power_in_shared
      heat[y * WIDTH + x] = power[gy * SIZE + gx];
#if CHANGED
      rates[y * WIDTH + x] = rate_of(conductivity[gy * SIZE + gx]);
#endif
#endif
    }
  }
  __syncthreads();
#if !CHANGED
  const float rate = 0.2f;
#endif
#pragma unroll 1
  for (int step = 1; step <= steps; step++) {
#pragma unroll UNROLL
    for (int y = step + threadIdx.y; y < HEIGHT - step; y += block_size_y) {
      for (int x = step + threadIdx.x; x < WIDTH - step; x += block_size_x) {
        const int gx = x0 + x, gy = y0 + y;
        if (gx < 0 || gy < 0 || gx >= SIZE || gy >= SIZE) continue;
        const float *at = &now[y * WIDTH + x], here = *at;
        const float left = gx ? at[-1] : here, right = gx < SIZE - 1 ? at[1] : here;
        const float up = gy ? at[-WIDTH] : here, down = gy < SIZE - 1 ? at[WIDTH] : here;
#if power_in_shared
        const float more = heat[y * WIDTH + x];
#else
        const float more = power[gy * SIZE + gx];
#endif
#if CHANGED && power_in_shared
        const float rate = rates[y * WIDTH + x];
#elif CHANGED
        const float rate = rate_of(conductivity[gy * SIZE + gx]);
#endif
        const float value = here + rate * (left + right + up + down - 4.0f * here) + 0.01f * more;
        if (step == steps)
          target[gy * SIZE + gx] = value;
        else
          next[y * WIDTH + x] = value;
      }
    }
    __syncthreads();
    float *swap = now;
    now = next;
    next = swap;
  }
}
