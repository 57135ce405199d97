/* SPDX-License-Identifier: Apache-2.0 */
/* The attention oracle on a GPU, in FP64 throughout and by the method of oracle.c: all scores of a block of queries by
   one matrix product, a two-pass softmax (true maximum of the row, then exponentials), the weighted sum of the values
   by a second product. Any S, D, strides and dtype of the operator. Each sum is taken in one fixed order, so that the
   same inputs give the same bits. */
#include <cuda_runtime.h>
#include <pawl/gpu_oracle.h>

namespace {

enum { kQ, kK, kV, kO, kTensors };

constexpr int kTile = 64;  /* queries, keys or columns of one block's tile */
constexpr int kDepth = 16; /* the part of the products' inner dimension in shared memory */
constexpr int kSide = 16;  /* a product is computed by kSide x kSide threads, kEach x kEach elements each */
constexpr int kEach = kTile / kSide;
constexpr int kThreads = kSide * kSide;
constexpr int64_t kScratchBytes = int64_t{2} << 30; /* bytes of scores at a time, so that long sequences fill the GPU too */

/* A [B, H, S, D] tensor and the head that is read: elements between neighbours along S and D. */
struct Matrix {
  const void *data;
  int dtype;
  int64_t offset, row_stride, column_stride;
};

struct Tensor {
  const void *data;
  int dtype;
  int64_t stride[4];

  __device__ Matrix head(int64_t index, int64_t heads) const {
    return {data, dtype, index / heads * stride[0] + index % heads * stride[1], stride[2], stride[3]};
  }
};

/* Tiles of kTile queries, numbered through all heads; a launch computes `count` of them from `first`. */
struct Work {
  Tensor q, k, v;
  double *o;             /* dense */
  double *scores, *sums; /* [count, kTile, seq_len], [count, kTile] */
  int64_t heads, tiles;  /* heads of a batch, tiles of a head */
  int64_t first, seq_len, head_dim;
  bool causal;

  __device__ int64_t tile() const { return first + blockIdx.y; }
  __device__ int64_t head() const { return tile() / tiles; }
  __device__ int64_t first_query() const { return tile() % tiles * kTile; }
  /* Keys that any query of the tile sees. */
  __device__ int64_t visible() const {
    const int64_t end = first_query() + kTile;
    return causal && end < seq_len ? end : seq_len;
  }
  __device__ double *scores_of(int row) const { return scores + (blockIdx.y * int64_t{kTile} + row) * seq_len; }
};

/* OCP FP8 E4M3: bias 7, no infinity, one NaN a sign. */
__device__ double from_e4m3(unsigned bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const double magnitude = (bits & 127) == 127 ? nan("")
                           : exponent          ? scalbn(8.0 + mantissa, exponent - 10)
                                               : scalbn(static_cast<double>(mantissa), -9);
  return bits & 128 ? -magnitude : magnitude;
}

__device__ double element(const Matrix &m, int64_t row, int64_t column) {
  const int64_t at = m.offset + row * m.row_stride + column * m.column_stride;
  switch (m.dtype) {
    case PAWL_F32: return static_cast<const float *>(m.data)[at];
    case PAWL_F16: {
      float value;
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<const unsigned short *>(m.data)[at]));
      return value;
    }
    case PAWL_BF16:
      return __uint_as_float(static_cast<unsigned>(static_cast<const unsigned short *>(m.data)[at]) << 16);
    default: return from_e4m3(static_cast<const unsigned char *>(m.data)[at]);
  }
}

/* This thread's elements of a kTile x kTile product: rows ty + kSide i, columns tx + kSide j. left(row, d) and
   right(d, column) are 0 outside. kRightByDepth: neighbours of `right` in memory are neighbours along d. */
template <bool kRightByDepth, class Left, class Right>
__device__ void multiply(int64_t depth, Left left, Right right, double (&sum)[kEach][kEach]) {
  __shared__ double a[kDepth][kTile + 1], b[kDepth][kTile + 1];
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  for (int64_t first = 0; first < depth; first += kDepth) {
    __syncthreads();
    for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
      a[i % kDepth][i / kDepth] = left(i / kDepth, first + i % kDepth);
      const int d = kRightByDepth ? i % kDepth : i / kTile, column = kRightByDepth ? i / kDepth : i % kTile;
      b[d][column] = right(first + d, column);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; d++) {
      double x[kEach], y[kEach];
      for (int i = 0; i < kEach; i++) x[i] = a[d][ty + kSide * i], y[i] = b[d][tx + kSide * i];
      for (int i = 0; i < kEach; i++)
        for (int j = 0; j < kEach; j++) sum[i][j] = fma(x[i], y[j], sum[i][j]);
    }
  }
}

/* blockIdx.x: tile of keys; blockIdx.y: tile of queries. */
__global__ void __launch_bounds__(kThreads) compute_scores(Work work) {
  const int64_t first_query = work.first_query(), first_key = int64_t{blockIdx.x} * kTile, n = work.seq_len;
  if (first_key >= work.visible()) return;
  const Matrix q = work.q.head(work.head(), work.heads), k = work.k.head(work.head(), work.heads);
  double sum[kEach][kEach] = {};
  multiply<true>(
      work.head_dim,
      [&](int row, int64_t d) {
        return first_query + row < n && d < work.head_dim ? element(q, first_query + row, d) : 0.0;
      },
      [&](int64_t d, int column) {
        return first_key + column < n && d < work.head_dim ? element(k, first_key + column, d) : 0.0;
      },
      sum);
  const double scale = 1.0 / sqrt(static_cast<double>(work.head_dim));
  for (int i = 0; i < kEach; i++) {
    for (int j = 0; j < kEach; j++) {
      const int row = threadIdx.x / kSide + kSide * i;
      const int64_t key = first_key + threadIdx.x % kSide + kSide * j;
      if (first_query + row < n && key < n) work.scores_of(row)[key] = sum[i][j] * scale;
    }
  }
}

/* All threads get the result; the order of the operations is always the same. */
template <class Combine>
__device__ double reduce(double value, Combine combine) {
  __shared__ double part[kThreads];
  __syncthreads();
  part[threadIdx.x] = value;
  __syncthreads();
  for (int width = kThreads / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] = combine(part[threadIdx.x], part[threadIdx.x + width]);
    __syncthreads();
  }
  return part[0];
}

/* blockIdx.x: query of the tile. Scores become exponentials, those of keys that the query does not see 0. A NaN score
   is passed over by the maximum; its exponential makes the sum NaN. */
__global__ void __launch_bounds__(kThreads) exponentiate(Work work) {
  const int row = blockIdx.x;
  const int64_t query = work.first_query() + row;
  if (query >= work.seq_len) return;
  const int64_t seen = work.causal ? query + 1 : work.seq_len;
  double *scores = work.scores_of(row), largest = -INFINITY, sum = 0.0;
  for (int64_t j = threadIdx.x; j < seen; j += kThreads) largest = fmax(largest, scores[j]);
  largest = reduce(largest, [](double x, double y) { return fmax(x, y); });
  for (int64_t j = threadIdx.x; j < work.visible(); j += kThreads) {
    scores[j] = j < seen ? exp(scores[j] - largest) : 0.0;
    sum += scores[j];
  }
  sum = reduce(sum, [](double x, double y) { return x + y; });
  if (threadIdx.x == 0) work.sums[blockIdx.y * int64_t{kTile} + row] = sum;
}

/* blockIdx.x: tile of columns. */
__global__ void __launch_bounds__(kThreads) weigh_values(Work work) {
  const int64_t first_query = work.first_query(), first_column = int64_t{blockIdx.x} * kTile;
  const int64_t keys = work.visible(), columns = work.head_dim;
  const Matrix v = work.v.head(work.head(), work.heads);
  double sum[kEach][kEach] = {};
  multiply<false>(
      keys,
      [&](int row, int64_t key) {
        return first_query + row < work.seq_len && key < keys ? work.scores_of(row)[key] : 0.0;
      },
      [&](int64_t key, int column) {
        return key < keys && first_column + column < columns ? element(v, key, first_column + column) : 0.0;
      },
      sum);
  for (int i = 0; i < kEach; i++) {
    for (int j = 0; j < kEach; j++) {
      const int row = threadIdx.x / kSide + kSide * i;
      const int64_t query = first_query + row, column = first_column + threadIdx.x % kSide + kSide * j;
      if (query < work.seq_len && column < columns)
        work.o[(work.head() * work.seq_len + query) * columns + column] =
            sum[i][j] / work.sums[blockIdx.y * int64_t{kTile} + row];
    }
  }
}

int64_t tiles_of(int64_t length) {
  return (length + kTile - 1) / kTile;
}

int64_t bytes_of_a_tile(int64_t seq_len) {
  return kTile * (seq_len + 1) * static_cast<int64_t>(sizeof(double));
}

/* A quarter of the memory that is free, at most kScratchBytes; more only where one tile of queries needs it. */
int64_t scratch_bytes() {
  size_t unused = 0, total = 0;
  if (cudaMemGetInfo(&unused, &total) != cudaSuccess) return 0;
  const int64_t share = static_cast<int64_t>(unused / 4);
  return share < kScratchBytes ? share : kScratchBytes;
}

size_t workspace_bytes(const pawl_shape *shape) {
  const int64_t seq_len = pawl_shape_get(shape, "S"), tile = bytes_of_a_tile(seq_len);
  const int64_t all = pawl_shape_get(shape, "B") * pawl_shape_get(shape, "H") * tiles_of(seq_len);
  int64_t together = scratch_bytes() / tile;
  if (together < 1) together = 1;
  if (together > 65535) together = 65535; /* the most blocks along y */
  return static_cast<size_t>(tile * (all < together ? all : together));
}

Tensor tensor_of(const pawl_tensor &t) {
  return {t.data, t.dtype, {t.stride[0], t.stride[1], t.stride[2], t.stride[3]}};
}

int compute(const pawl_gpu_oracle_call *call) {
  if (call->tensor_count != kTensors) return cudaErrorInvalidValue;
  const pawl_tensor &q = call->tensors[kQ];
  Work work = {tensor_of(q), tensor_of(call->tensors[kK]), tensor_of(call->tensors[kV])};
  work.o = call->expected[kO];
  work.heads = q.size[1];
  work.seq_len = q.size[2];
  work.head_dim = q.size[3];
  work.tiles = tiles_of(work.seq_len);
  work.causal = pawl_shape_get(call->shape, "causal") == 1;
  const int64_t all = q.size[0] * q.size[1] * work.tiles;
  const int64_t together = static_cast<int64_t>(call->workspace_bytes) / bytes_of_a_tile(work.seq_len);
  work.scores = static_cast<double *>(call->workspace);
  work.sums = work.scores + together * kTile * work.seq_len;
  for (; work.first < all; work.first += together) {
    const unsigned count = static_cast<unsigned>(all - work.first < together ? all - work.first : together);
    compute_scores<<<dim3(static_cast<unsigned>(work.tiles), count), kThreads>>>(work);
    exponentiate<<<dim3(kTile, count), kThreads>>>(work);
    weigh_values<<<dim3(static_cast<unsigned>(tiles_of(work.head_dim)), count), kThreads>>>(work);
  }
  return cudaGetLastError();
}

const char *error_text(int number) {
  return cudaGetErrorString(static_cast<cudaError_t>(number));
}

/* Three tiles of queries and keys, the last of them partial; more than one batch and head. D and causal as they are. */
const pawl_dim trial[] = {{"B", 2}, {"H", 3}, {"S", 151}};

} /* namespace */

extern "C" const pawl_gpu_oracle *pawl_gpu_oracle_entry(void) {
  static const pawl_gpu_oracle oracle = {PAWL_ABI_VERSION, sizeof(pawl_gpu_oracle), "attention", trial, 3, 0, compute,
                                         nullptr,          workspace_bytes,         error_text};
  return &oracle;
}
