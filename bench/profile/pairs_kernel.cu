// SPDX-License-Identifier: Apache-2.0
// A plug-in for the operator `softmax` that launches the kernel of a pair: pairs.py. Its
// results are not those of the operator.
#include <pawl/kernel.h>

#include "pairs.h"

extern const pair_kernel plugin_pair;
extern const char *const plugin_name;

namespace {

const char *supports(const pawl_shape *) { return nullptr; }

int launch(const pawl_launch *call) {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  plugin_pair.launch(static_cast<float *>(call->tensors[0].data),
                     static_cast<float *>(call->tensors[1].data), multiprocessors,
                     static_cast<cudaStream_t>(call->stream));
  return cudaGetLastError();
}

}  // namespace

extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static pawl_kernel self = {};
  self.abi_version = PAWL_ABI_VERSION;
  self.struct_size = sizeof(pawl_kernel);
  self.name = plugin_name;
  self.operator_name = "softmax";
  self.device = PAWL_CUDA;
  self.supports = supports;
  self.launch = launch;
  return &self;
}
