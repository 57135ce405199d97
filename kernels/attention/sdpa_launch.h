/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA kernels of attention share this on the host: a launch's arguments, read and checked
 * once. */
#ifndef PAWL_SDPA_LAUNCH_H
#define PAWL_SDPA_LAUNCH_H

#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <pawl/kernel.h>

namespace sdpa {

enum { kQ, kK, kV, kO, kTensors, kLengths = kTensors };

/* Where a tensor lies: elements between neighbours along B, H and S; along D they are neighbours in
 * memory. */
struct View {
  void *data;
  int64_t stride[3];
};

/* o = softmax(q k^T / sqrt(D)) v for `heads` = B * H heads. */
struct Problem {
  View view[kTensors];
  const void *q, *k, *v;
  void *o;
  int batches, heads, seq_len,
      head_dim; /* batches: 1 where a batch follows the other as its heads do */
  bool causal;
  int32_t dtype;          /* the dtype of q, k and v */
  int heads_of_key;       /* heads of queries that one head of keys serves */
  const int32_t *lengths; /* on the device, for each batch row; nullptr: each has seq_len */
  cudaStream_t stream;
  void *workspace;
  size_t workspace_bytes;

  /* The bytes of a head of keys and values, divided by the heads of queries that it serves. */
  int64_t key_bytes() const {
    return 2 * static_cast<int64_t>(pawl_dtype_size(dtype)) * seq_len * head_dim / heads_of_key;
  }
  float scale() const { return 1.0f / sqrtf(static_cast<float>(head_dim)); }
};

inline bool is_dense(const pawl_tensor &t) {
  int64_t expected = 1;
  for (int32_t i = t.ndim - 1; i >= 0; i--) {
    if (t.size[i] > 1 && t.stride[i] != expected) return false;
    expected *= t.size[i];
  }
  return true;
}

/* The copy engine's demands: neighbours along D, everything else at multiples of 16 bytes,
 * forwards, within 2^40. */
inline bool is_copyable(const pawl_tensor &t) {
  const int64_t bytes = static_cast<int64_t>(pawl_dtype_size(t.dtype));
  if (reinterpret_cast<uintptr_t>(t.data) % 16 != 0 || (t.size[3] > 1 && t.stride[3] != 1))
    return false;
  for (int32_t d = 0; d < 3; d++)
    if (t.size[d] > 1 && (t.stride[d] <= 0 || t.stride[d] * bytes % 16 != 0 ||
                          t.stride[d] >= (int64_t{1} << 40) / bytes))
      return false;
  return true;
}

/* A dimension of one element has no stride to speak of: it gets the dense one, which suits
 * everyone. */
inline View view_of(const pawl_tensor &t) {
  View view = {t.data, {}};
  int64_t dense = t.size[3];
  for (int32_t d = 2; d >= 0; d--) {
    view.stride[d] = t.size[d] > 1 ? t.stride[d] : dense;
    dense *= t.size[d];
  }
  return view;
}

/* Takes the lengths and the heads of keys of `grouped_attention`. */
inline int read_groups(const pawl_launch *launch, Problem *problem) {
  const pawl_tensor &q = launch->tensors[kQ], &k = launch->tensors[kK],
                    &lengths = launch->tensors[kLengths];
  const bool fits = k.ndim == 4 && k.size[1] > 0 && q.size[1] % k.size[1] == 0 &&
                    lengths.dtype == PAWL_I32 && lengths.ndim == 1 &&
                    lengths.size[0] == q.size[0] && is_dense(lengths);
  if (!fits) return cudaErrorInvalidValue;
  problem->heads_of_key = static_cast<int>(q.size[1] / k.size[1]);
  problem->lengths = static_cast<const int32_t *>(lengths.data);
  return 0;
}

/* Fills `problem`. Returns 0, or cudaErrorInvalidValue for tensors that are not four [B, H, S, D]
   of a type (o of FP8 is FP16; k and v of a `grouped` launch can have fewer heads), dense or, where
   the kernel is `strided`, such as the copy engine takes. */
inline int read_problem(const pawl_launch *launch, Problem *problem, bool strided = false,
                        bool grouped = false) {
  if (launch->tensor_count != kTensors + grouped) return cudaErrorInvalidValue;
  const pawl_tensor &q = launch->tensors[kQ];
  problem->heads_of_key = 1;
  problem->lengths = nullptr;
  if (grouped && read_groups(launch, problem)) return cudaErrorInvalidValue;
  for (int32_t i = 0; i < kTensors; i++) {
    const pawl_tensor &t = launch->tensors[i];
    const int32_t dtype =
        i == kO && q.dtype == PAWL_E4M3 ? static_cast<int32_t>(PAWL_F16) : q.dtype;
    const bool is_keys = i == kK || i == kV;
    if (t.ndim != 4 || t.dtype != dtype) return cudaErrorInvalidValue;
    for (int32_t d = 0; d < 4; d++)
      if (t.size[d] * (d == 1 && is_keys ? problem->heads_of_key : 1) != q.size[d])
        return cudaErrorInvalidValue;
    if (strided ? !is_copyable(t) : !is_dense(t)) return cudaErrorInvalidValue;
    problem->view[i] = view_of(t);
  }
  problem->q = q.data;
  problem->k = launch->tensors[kK].data;
  problem->v = launch->tensors[kV].data;
  problem->o = launch->tensors[kO].data;
  problem->batches = static_cast<int>(q.size[0]);
  bool evenly = !grouped; /* the heads of all batches lie evenly spaced: as good as one batch */
  for (const View &view : problem->view)
    evenly = evenly && view.stride[0] == q.size[1] * view.stride[1];
  if (evenly) problem->batches = 1;
  problem->heads = static_cast<int>(q.size[0] * q.size[1]);
  problem->seq_len = static_cast<int>(q.size[2]);
  problem->head_dim = static_cast<int>(q.size[3]);
  problem->causal = pawl_shape_get(launch->shape, "causal") == 1;
  problem->dtype = q.dtype;
  problem->stream = static_cast<cudaStream_t>(launch->stream);
  problem->workspace = launch->workspace;
  problem->workspace_bytes = launch->workspace_bytes;
  return 0;
}

/* Bounds that all kernels share: counts that an int holds. */
inline const char *unsupported_size(const pawl_shape *shape) {
  const int64_t heads = pawl_shape_get(shape, "B") * pawl_shape_get(shape, "H");
  if (heads < 1 || heads > INT_MAX / 64) return "B * H must be between 1 and 2^25";
  const int64_t seq_len = pawl_shape_get(shape, "S");
  if (seq_len < 1 || seq_len > (1 << 24)) return "S must be between 1 and 2^24";
  return nullptr;
}

inline const char *error_text(int number) {
  return cudaGetErrorString(static_cast<cudaError_t>(number));
}

/* Lets `kernel` use that much dynamic shared memory. Done once per thread, device and kernel. */
template <class Kernel>
cudaError_t allow_shared_memory(Kernel kernel, int bytes) {
  struct Done {
    Kernel kernel;
    int device;
  };
  constexpr int kEntries = 16;
  static thread_local Done done[kEntries];
  static thread_local int next = 0;
  int device;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  for (const Done &entry : done)
    if (entry.kernel == kernel && entry.device == device) return cudaSuccess;
  const cudaError_t allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (allowed == cudaSuccess) {
    done[next] = {kernel, device};
    next = (next + 1) % kEntries;
  }
  return allowed;
}

/* Streaming multiprocessors of the current device; 0 when it cannot be read. Asked once per thread
 * and device. */
inline int multiprocessors() {
  static thread_local int known_device = -1, count = 0;
  int device;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (device != known_device) {
    if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
      return 0;
    known_device = device;
  }
  return count;
}

inline int ceil_div(int a, int b) { return a / b + (a % b != 0); }

} /* namespace sdpa */

#endif
