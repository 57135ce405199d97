/* SPDX-License-Identifier: Apache-2.0 */
/* Grids of one stream that overlap at their ends: programmatic dependent launch. PTX ISA 8.0, "griddepcontrol"; CUDA
   Programming Guide, "Programmatic Dependent Launch and Synchronization". A grid launched by launch_overlapping may be
   resident before the grids ahead of it in the stream are done: its blocks set themselves up and then wait. Where the
   grid ahead is of another kind, which does not call allow_next_grid, nothing overlaps and nothing is lost. */
#ifndef PAWL_HOPPER_OVERLAP_CUH
#define PAWL_HOPPER_OVERLAP_CUH

#include <cuda_runtime.h>

namespace hopper {

/* Returns when the grids ahead are done and what they wrote can be read. Before it a kernel must not touch memory of
   the device, other than its parameters. */
__device__ __forceinline__ void wait_for_grids_ahead() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* The next grid may take the multiprocessors that this one leaves. */
__device__ __forceinline__ void allow_next_grid() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

template <class... Parameters, class... Arguments>
cudaError_t launch_overlapping(void (*kernel)(Parameters...), int grid, int threads, int shared_bytes,
                               cudaStream_t stream, const Arguments &...arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(grid));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

} /* namespace hopper */
#endif
