/* SPDX-License-Identifier: Apache-2.0 */
/* Attention forward, plain: one warp for each query, one pass over the keys with the online softmax (Milakov and
   Gimelshein 2018). FP32 arithmetic; f32, f16 and bf16; any S and D. The kernel to start from on a GPU. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sdpa_launch.h"

/* Tunable: queries, so warps, of a block. */
#ifndef NUM_WARPS
#define NUM_WARPS 4
#endif

namespace {

using namespace sdpa;

constexpr int kWarps = NUM_WARPS;

__device__ float to_float(float x) {
  return x;
}
__device__ float to_float(__half x) {
  return __half2float(x);
}
__device__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ void store(float *p, float x) {
  *p = x;
}
__device__ void store(__half *p, float x) {
  *p = __float2half_rn(x);
}
__device__ void store(__nv_bfloat16 *p, float x) {
  *p = __float2bfloat16_rn(x);
}

__device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(~0u, x, distance);
  return x;
}

/* Shared memory: for each warp its query and its output, D floats each; lane l owns the elements l, l + 32 and so on. */
template <class Element>
__global__ void sdpa_plain(const Element *q, const Element *k, const Element *v, Element *o, int64_t rows, int seq_len,
                           int head_dim, bool causal, float scale) {
  extern __shared__ float dynamic_shared[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float *query = dynamic_shared + warp * 2 * head_dim, *output = query + head_dim;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + warp; /* among all heads' queries */
  if (row >= rows) return;
  const int64_t head = row / seq_len * seq_len * head_dim;
  const int keys = causal ? static_cast<int>(row % seq_len) + 1 : seq_len;

  for (int d = lane; d < head_dim; d += 32) {
    query[d] = to_float(q[row * head_dim + d]) * scale;
    output[d] = 0.0f;
  }
  float largest = -INFINITY, sum = 0.0f;
  for (int j = 0; j < keys; j++) {
    const Element *key = k + head + static_cast<int64_t>(j) * head_dim;
    const Element *value = v + head + static_cast<int64_t>(j) * head_dim;
    float partial = 0.0f;
    for (int d = lane; d < head_dim; d += 32) partial += query[d] * to_float(key[d]);
    const float score = warp_sum(partial);
    const float shift = fmaxf(largest, score);
    const float correction = expf(largest - shift), weight = expf(score - shift);
    for (int d = lane; d < head_dim; d += 32) output[d] = output[d] * correction + weight * to_float(value[d]);
    sum = sum * correction + weight;
    largest = shift;
  }
  for (int d = lane; d < head_dim; d += 32) store(&o[row * head_dim + d], output[d] / sum);
}

const char *supports(const pawl_shape *shape) {
  if (shape->dtype != PAWL_F32 && shape->dtype != PAWL_F16 && shape->dtype != PAWL_BF16)
    return "dtype must be f32, f16 or bf16";
  const int64_t head_dim = pawl_shape_get(shape, "D");
  if (head_dim < 1 || head_dim * 2 * kWarps * 4 > 48 * 1024) return "D must be between 1 and 1536";
  return unsupported_size(shape);
}

template <class Element>
int start(const Problem &problem) {
  const int64_t rows = static_cast<int64_t>(problem.heads) * problem.seq_len;
  const int64_t blocks = (rows + kWarps - 1) / kWarps;
  if (blocks > INT_MAX) return cudaErrorInvalidValue;
  const size_t shared_bytes = static_cast<size_t>(kWarps) * 2 * problem.head_dim * sizeof(float);
  sdpa_plain<Element><<<static_cast<unsigned>(blocks), kWarps * 32, shared_bytes, problem.stream>>>(
      static_cast<const Element *>(problem.q), static_cast<const Element *>(problem.k),
      static_cast<const Element *>(problem.v), static_cast<Element *>(problem.o), rows, problem.seq_len,
      problem.head_dim, problem.causal, problem.scale());
  return cudaGetLastError();
}

int launch(const pawl_launch *launch) {
  Problem problem;
  const int error = read_problem(launch, &problem);
  if (error) return error;
  switch (problem.dtype) {
    case PAWL_F32: return start<float>(problem);
    case PAWL_F16: return start<__half>(problem);
    default: return start<__nv_bfloat16>(problem);
  }
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel),
                                     "sdpa_cuda",      "attention",
                                     PAWL_CUDA,        PAWL_KERNEL_DETERMINISTIC,
                                     supports,         launch,
                                     nullptr,          error_text};
  return &kernel;
}
