// SPDX-License-Identifier: Apache-2.0
// Adds the histogram of COUNT bytes to 256 counters. Each block has `copies` histograms in shared memory, which
// its warps share; a thread takes `items` groups of `vector` bytes at a time. `merge`: 0 counts each byte; 1
// counts equal neighbours of a group at once; 2 counts equal bytes of a warp at once.
#define BINS 256
#define PITCH (BINS + padding)
#define GROUPS (COUNT / vector)
#define AT_ONCE (block_size_x * items)

struct alignas(vector) group {
  unsigned char at[vector];
};

#if merge == 2
static __device__ __forceinline__ void count_warp(unsigned *mine, unsigned bin) {
  const unsigned same = __match_any_sync(0xffffffffu, bin);
  if (bin < BINS && (threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&mine[bin], __popc(same));
}
#endif

static __device__ __forceinline__ void count(unsigned *mine, const group &bytes, bool valid) {
#if merge == 2
#pragma unroll
  for (int v = 0; v < vector; v++) count_warp(mine, valid ? bytes.at[v] : BINS);
#else
  if (!valid) return;
#if merge == 1
  unsigned bin = bytes.at[0], run = 1;
#pragma unroll
  for (int v = 1; v < vector; v++) {
    if (bytes.at[v] != bin) {
      atomicAdd(&mine[bin], run);
      bin = bytes.at[v];
      run = 0;
    }
    run++;
  }
  atomicAdd(&mine[bin], run);
#else
#pragma unroll
  for (int v = 0; v < vector; v++) atomicAdd(&mine[bytes.at[v]], 1u);
#endif
#endif
}

extern "C" __global__ void histogram(const group *in, unsigned *out) {
  __shared__ unsigned counts[copies * PITCH];
  for (int i = threadIdx.x; i < copies * PITCH; i += block_size_x) counts[i] = 0;
  __syncthreads();
  unsigned *mine = &counts[threadIdx.x / 32 % copies * PITCH];
  // The bounds are those of the block: a warp stays together.
  for (int start = blockIdx.x * AT_ONCE; start < GROUPS; start += gridDim.x * AT_ONCE) {
    group bytes[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      const int at = start + threadIdx.x + i * block_size_x;
      if (at < GROUPS) bytes[i] = in[at];
    }
#pragma unroll
    for (int i = 0; i < items; i++) count(mine, bytes[i], start + threadIdx.x + i * block_size_x < GROUPS);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += block_size_x) {
    unsigned sum = 0;
    for (int copy = 0; copy < copies; copy++) sum += counts[copy * PITCH + bin];
    if (sum) atomicAdd(&out[bin], sum);
  }
}
