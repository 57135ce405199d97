// SPDX-License-Identifier: Apache-2.0
// Adds the histogram of COUNT bytes to 256 counters. Each block has `copies` histograms in shared memory, which
// its warps share; a thread takes `items` groups of `vector` bytes at a time. `merge`: 0 counts each byte; 1
// counts equal neighbours of a group at once; 2 counts equal bytes of a warp at once. CHANGED: a byte counts as often
// as its weight says, another byte (for that, `merge` 2 needs compute capability 8.0).
#define BINS 256
#define PITCH (BINS + padding)
#define GROUPS (COUNT / vector)
#define AT_ONCE (block_size_x * items)

struct alignas(vector) group {
  unsigned char at[vector];
};

struct taken {
  group bytes;
#if CHANGED
  group weights;
  __device__ __forceinline__ unsigned weight(int v) const {
    return weights.at[v];
  }
#else
  __device__ __forceinline__ unsigned weight(int) const {
    return 1;
  }
#endif
};

#if merge == 2
static __device__ __forceinline__ void count_warp(unsigned *mine, unsigned bin, unsigned weight) {
  const unsigned same = __match_any_sync(0xffffffffu, bin);
#if CHANGED
  weight = __reduce_add_sync(same, weight);
#endif
  if (bin < BINS && (threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&mine[bin], CHANGED ? weight : __popc(same));
}
#endif

static __device__ __forceinline__ void count(unsigned *mine, const taken &it, bool valid) {
#if merge == 2
#pragma unroll
  for (int v = 0; v < vector; v++) count_warp(mine, valid ? it.bytes.at[v] : BINS, it.weight(v));
#else
  if (!valid) return;
#if merge == 1
  unsigned bin = it.bytes.at[0], run = it.weight(0);
#pragma unroll
  for (int v = 1; v < vector; v++) {
    if (it.bytes.at[v] != bin) {
      atomicAdd(&mine[bin], run);
      bin = it.bytes.at[v];
      run = 0;
    }
    run += it.weight(v);
  }
  atomicAdd(&mine[bin], run);
#else
#pragma unroll
  for (int v = 0; v < vector; v++) atomicAdd(&mine[it.bytes.at[v]], it.weight(v));
#endif
#endif
}

#if CHANGED
extern "C" __global__ void histogram(const group *in, unsigned *out, const group *weights) {
#else
extern "C" __global__ void histogram(const group *in, unsigned *out) {
#endif
  __shared__ unsigned counts[copies * PITCH];
  for (int i = threadIdx.x; i < copies * PITCH; i += block_size_x) counts[i] = 0;
  __syncthreads();
  unsigned *mine = &counts[threadIdx.x / 32 % copies * PITCH];
  // The bounds are those of the block: a warp stays together.
  for (int start = blockIdx.x * AT_ONCE; start < GROUPS; start += gridDim.x * AT_ONCE) {
    taken all[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      const int at = start + threadIdx.x + i * block_size_x;
      if (at >= GROUPS) continue;
      all[i].bytes = in[at];
#if CHANGED
      all[i].weights = weights[at];
#endif
    }
#pragma unroll
    for (int i = 0; i < items; i++) count(mine, all[i], start + threadIdx.x + i * block_size_x < GROUPS);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += block_size_x) {
    unsigned sum = 0;
    for (int copy = 0; copy < copies; copy++) sum += counts[copy * PITCH + bin];
    if (sum) atomicAdd(&out[bin], sum);
  }
}
