// SPDX-License-Identifier: Apache-2.0
// The softmax of each of ROWS rows of COLUMNS values. `method`: 0 keeps a row in registers, 1 reads it three
// times, 2 reads it twice, with the maximum and the sum in one pass. block_size_x threads share a row; it is a
// multiple of a warp. CHANGED: the logarithm of the softmax, over those values alone that the mask shows; it shows
// some of each row.
#define VECTORS (COLUMNS / vector)
#define KEPT ((VECTORS + block_size_x - 1) / block_size_x)
#define WARPS (block_size_x / 32)

constexpr int UNROLL = unroll_factor;  // no macro: the pragma does not expand them

struct alignas(4 * vector) vec {
  float at[vector];
};

#define LOWEST -3e38f

#if CHANGED
struct alignas(vector) flags {
  unsigned char at[vector];
};

// A row of which the mask hides values: they become the lowest of all, and stay that.
struct masked {
  const vec *values;
  const flags *mask;
  __device__ __forceinline__ vec operator[](int i) const {
    vec out = values[i];
    const flags shown = mask[i];
#pragma unroll
    for (int v = 0; v < vector; v++) out.at[v] = shown.at[v] ? out.at[v] : LOWEST;
    return out;
  }
};
#endif

static __device__ __forceinline__ float power_of_e(float x) {
#if fast_exp
  return __expf(x);
#else
  return expf(x);
#endif
}

struct add {
  static __device__ __forceinline__ float of(float a, float b) { return a + b; }
};
struct most {
  static __device__ __forceinline__ float of(float a, float b) { return fmaxf(a, b); }
};

template <class Operator>
static __device__ __forceinline__ float reduce(float value) {
#if shuffle
#pragma unroll
  for (int lane = 16; lane; lane /= 2) value = Operator::of(value, __shfl_xor_sync(0xffffffffu, value, lane));
#if WARPS > 1
  __shared__ float of_warp[block_size_y][WARPS];
  __syncthreads();  // the values of the reduction before this one were read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.y][threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[threadIdx.y][0];
#pragma unroll
  for (int i = 1; i < WARPS; i++) value = Operator::of(value, of_warp[threadIdx.y][i]);
#endif
  return value;
#else
  __shared__ float all[block_size_y][block_size_x];
  float *row = all[threadIdx.y];
  __syncthreads();
  row[threadIdx.x] = value;
  __syncthreads();
  for (int count = block_size_x; count > 1;) {
    const int half = (count + 1) / 2;  // of an odd count the middle one stays
    if (threadIdx.x < count / 2) row[threadIdx.x] = Operator::of(row[threadIdx.x], row[threadIdx.x + half]);
    __syncthreads();
    count = half;
  }
  return row[0];
#endif
}

#if CHANGED
extern "C" __global__ void softmax(const float *in, float *out, const unsigned char *mask) {
#else
extern "C" __global__ void softmax(const float *in, float *out) {
#endif
  const long first = ((long)blockIdx.x * block_size_y + threadIdx.y) * COLUMNS;
#if CHANGED
  const masked from = {(const vec *)(in + first), (const flags *)(mask + first)};
#else
  const vec *from = (const vec *)(in + first);
#endif
  vec *to = (vec *)(out + first);
  float top = LOWEST, sum = 0;
#if method == 0
  vec kept[KEPT];
#pragma unroll
  for (int i = 0; i < KEPT; i++) {
    const int at = threadIdx.x + i * block_size_x;
    if (at < VECTORS) kept[i] = from[at];
  }
#pragma unroll
  for (int i = 0; i < KEPT; i++)
    if (threadIdx.x + i * block_size_x < VECTORS)
#pragma unroll
      for (int v = 0; v < vector; v++) top = fmaxf(top, kept[i].at[v]);
  top = reduce<most>(top);
#pragma unroll
  for (int i = 0; i < KEPT; i++)
    if (threadIdx.x + i * block_size_x < VECTORS)
#pragma unroll
#if CHANGED
      for (int v = 0; v < vector; v++) sum += power_of_e(kept[i].at[v] - top);
  const float shift = top + logf(reduce<add>(sum));
#else
      for (int v = 0; v < vector; v++) sum += kept[i].at[v] = power_of_e(kept[i].at[v] - top);
  const float scale = 1.0f / reduce<add>(sum);
#endif
#pragma unroll
  for (int i = 0; i < KEPT; i++) {
    const int at = threadIdx.x + i * block_size_x;
    if (at >= VECTORS) continue;
#pragma unroll
#if CHANGED
    for (int v = 0; v < vector; v++) kept[i].at[v] -= shift;
#else
    for (int v = 0; v < vector; v++) kept[i].at[v] *= scale;
#endif
    to[at] = kept[i];
  }
#else
#if method == 1
#pragma unroll UNROLL
  for (int at = threadIdx.x; at < VECTORS; at += block_size_x) {
    const vec now = from[at];
#pragma unroll
    for (int v = 0; v < vector; v++) top = fmaxf(top, now.at[v]);
  }
  top = reduce<most>(top);
#pragma unroll UNROLL
  for (int at = threadIdx.x; at < VECTORS; at += block_size_x) {
    const vec now = from[at];
#pragma unroll
    for (int v = 0; v < vector; v++) sum += power_of_e(now.at[v] - top);
  }
#else
#pragma unroll UNROLL
  for (int at = threadIdx.x; at < VECTORS; at += block_size_x) {
    const vec now = from[at];
    float higher = top;
#pragma unroll
    for (int v = 0; v < vector; v++) higher = fmaxf(higher, now.at[v]);
    sum *= power_of_e(top - higher);
    top = higher;
#pragma unroll
    for (int v = 0; v < vector; v++) sum += power_of_e(now.at[v] - top);
  }
  const float mine = top;
  top = reduce<most>(top);
  sum *= power_of_e(mine - top);
#endif
#if CHANGED
  const float shift = top + logf(reduce<add>(sum));
#else
  const float scale = 1.0f / reduce<add>(sum);
#endif
#pragma unroll UNROLL
  for (int at = threadIdx.x; at < VECTORS; at += block_size_x) {
    vec now = from[at];
#pragma unroll
#if CHANGED
    for (int v = 0; v < vector; v++) now.at[v] -= shift;
#else
    for (int v = 0; v < vector; v++) now.at[v] = power_of_e(now.at[v] - top) * scale;
#endif
    to[at] = now;
  }
#endif
}
