/* SPDX-License-Identifier: Apache-2.0 */
/* CUTLASS's example 88_hopper_fmha as a reference of the operator `attention`: FP16, D = 64 and 128, its warp-specialised
   ping-pong kernels. It needs the folders `include`, `tools/util/include` and `examples/88_hopper_fmha` of CUTLASS in
   `include_dirs`, and the flag -gencode=arch=compute_90a,code=sm_90a. */
#include "../attention/sdpa_launch.h"

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"

#include "collective/fmha_fusion.hpp"
#include "device/device_universal.hpp"
#include "kernel/fmha_kernel_builder.hpp"

namespace {

using namespace cute;
using cutlass::fmha::collective::CausalFusion;
using cutlass::fmha::collective::DefaultFusion;

template <int kHeadDim, class Fusion>
int start(const sdpa::Problem &problem) {
  using Rows = cute::tuple<int, _1, cute::tuple<int, int>>; /* the strides of S, D and (B, H) */
  using Tile = Shape<_128, Int<kHeadDim>, Int<kHeadDim>>;
  using Kernel = typename cutlass::fmha::kernel::FmhaBuilder<cutlass::half_t, float, float, Tile, Rows, Rows, Rows, Fusion,
                                                             cutlass::gemm::KernelTmaWarpSpecializedPingpong>::Kernel;
  using Operation = cutlass::device::Universal<Kernel>;
  const int length = problem.seq_len, heads = problem.heads / problem.batches;
  const Rows rows = make_stride(kHeadDim, _1{}, make_stride(heads * length * kHeadDim, length * kHeadDim));
  const auto sums = make_stride(_1{}, make_stride(heads * length, length));
  const auto elements = [](const void *data) { return static_cast<cutlass::half_t *>(const_cast<void *>(data)); };
  const typename Operation::Arguments arguments{
      {problem.batches, heads, length, length, kHeadDim},
      {elements(problem.q), rows, elements(problem.k), rows, elements(problem.v), rows},
      {elements(problem.o), rows, static_cast<float *>(problem.workspace), sums},
      {0, sdpa::multiprocessors()}};
  Operation operation;
  if (Operation::can_implement(arguments) != cutlass::Status::kSuccess) return cudaErrorInvalidValue;
  if (operation.initialize(arguments, nullptr, problem.stream) != cutlass::Status::kSuccess) return cudaErrorInvalidValue;
  return operation.run(problem.stream) == cutlass::Status::kSuccess ? cudaGetLastError() : cudaErrorLaunchFailure;
}

const char *supports(const pawl_shape *shape) {
  const int64_t head_dim = pawl_shape_get(shape, "D"), length = pawl_shape_get(shape, "S");
  if (shape->dtype != PAWL_F16) return "dtype must be f16";
  if (head_dim != 64 && head_dim != 128) return "D must be 64 or 128";
  if (length % head_dim) return "S must be a multiple of D, the keys of a tile";
  return pawl_shape_get(shape, "B") * pawl_shape_get(shape, "H") * length * head_dim < (int64_t{1} << 31)
             ? nullptr
             : "a tensor must have fewer than 2^31 elements"; /* its strides are ints */
}

/* A float for each row: the example writes the logarithms of its sums. */
size_t workspace_bytes(const pawl_shape *shape) {
  return sizeof(float) * static_cast<size_t>(pawl_shape_get(shape, "B") * pawl_shape_get(shape, "H") *
                                             pawl_shape_get(shape, "S"));
}

template <int kHeadDim>
int dispatch(const sdpa::Problem &problem) {
  return problem.causal ? start<kHeadDim, CausalFusion>(problem) : start<kHeadDim, DefaultFusion>(problem);
}

int launch(const pawl_launch *launch) {
  sdpa::Problem problem;
  const int error = sdpa::read_problem(launch, &problem);
  if (error) return error;
  return problem.head_dim == 64 ? dispatch<64>(problem) : dispatch<128>(problem);
}

} /* namespace */

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel),       "cutlass_fmha", "attention",
                                     PAWL_CUDA,        PAWL_KERNEL_DETERMINISTIC, supports,       launch,
                                     workspace_bytes,  sdpa::error_text};
  return &kernel;
}
