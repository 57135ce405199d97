/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's exact answer, computed on the GPU: not required of any operator, it saves the time of the oracle on the
   CPU where that is long. It is held against the operator's own oracle before its first answer is used, and never
   instead of it: docs/adr/gpu-oracle.md. docs/plugins.md holds one to copy. */
#ifndef PAWL_GPU_ORACLE_H
#define PAWL_GPU_ORACLE_H

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One answer to compute. tensors[] and expected[] follow the operator's order. */
struct pawl_gpu_oracle_call {
  uint32_t struct_size;
  int32_t tensor_count;
  const struct pawl_shape *shape;
  const struct pawl_tensor *tensors; /* inputs (and inouts, as before the call) in device memory; outputs: data NULL */
  double *const *expected;           /* device memory for the dense output i; NULL for an input */
  void *workspace;                   /* workspace_bytes() bytes of device memory, aligned to 256, contents undefined */
  size_t workspace_bytes;
};

struct pawl_gpu_oracle {
  uint32_t abi_version; /* PAWL_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct pawl_gpu_oracle) */
  const char *operator_name;

  /* The shapes on which it is held against the CPU's oracle: each case with the parameters named here cut down to these
     values where they are larger. The others (what the code depends on: a head's size, a switch) stay as they are. Not
     required: without, cases are compared at their full size, once each. */
  const struct pawl_dim *trial;
  int32_t trial_count;
  int32_t reserved;

  /* Required. Computes in FP64 what each output must hold: enqueues on the default stream of the current context.
     Returns 0, or an error number that error() can put in words. The same inputs must give the same bits. */
  int (*compute)(const struct pawl_gpu_oracle_call *call);

  /* Not required: NULL means every shape. Returns NULL, or why it cannot do this one: the CPU's oracle then does. */
  const char *(*supports)(const struct pawl_shape *shape);

  /* Not required: NULL means none. Bytes of scratch memory the shape needs. */
  size_t (*workspace_bytes)(const struct pawl_shape *shape);

  /* Not required. Words for an error number that compute() returned. */
  const char *(*error)(int number);
};

#define PAWL_GPU_ORACLE_ENTRY "pawl_gpu_oracle_entry"

/* Every GPU oracle defines and exports this. */
PAWL_EXPORT const struct pawl_gpu_oracle *pawl_gpu_oracle_entry(void);

#ifdef __cplusplus
}
#endif
#endif
