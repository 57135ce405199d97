/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plugin.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The common beginning of every descriptor. */
struct head {
  uint32_t abi_version, struct_size;
};

/* A struct of an older pawl.h is shorter. The struct of version 1 is the shortest. */
static pawl_status check_head(const char *path, const struct head *head, const char *what,
                              size_t least, struct pawl_error *err) {
  if (!head) return pawl_fail(err, PAWL_CONFIG, "'%s': its entry returned no %s", path, what);
  if (head->abi_version != PAWL_ABI_VERSION)
    return pawl_fail(
        err, PAWL_CONFIG,
        "'%s' has ABI version %u, this pawl has %u; compile it against this pawl's headers", path,
        head->abi_version, PAWL_ABI_VERSION);
  if (head->struct_size < least)
    return pawl_fail(err, PAWL_CONFIG,
                     "'%s': struct_size is %u, but a struct pawl_%s has %zu bytes", path,
                     head->struct_size, what, least);
  return PAWL_OK;
}

static pawl_status load(const char *path, const char *entry, const void *(**function)(void),
                        struct pawl_error *err) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return pawl_fail(err, PAWL_CONFIG, "cannot load the plug-in: %s", dlerror());
  void *symbol = dlsym(library, entry);
  if (!symbol)
    return pawl_fail(err, PAWL_CONFIG, "'%s' exports no '%s'; is it defined and not static?", path,
                     entry);
  memcpy(function, &symbol, sizeof symbol);
  return PAWL_OK;
}

static enum pawl_status_code missing(const char *path, const char *what, struct pawl_error *err) {
  return pawl_fail(err, PAWL_CONFIG, "'%s' has no '%s', which is required", path, what);
}

pawl_status host_load_kernel(const char *path, const struct pawl_kernel **out,
                             struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(path, PAWL_KERNEL_ENTRY, &entry, err));
  const struct pawl_kernel *kernel = entry();
  PAWL_TRY(check_head(path, (const struct head *)kernel, "kernel", sizeof *kernel, err));
  if (!kernel->name || !*kernel->name) return missing(path, "name", err);
  if (!kernel->operator_name || !*kernel->operator_name) return missing(path, "operator_name", err);
  if (!kernel->supports) return missing(path, "supports", err);
  if (!kernel->launch) return missing(path, "launch", err);
  if (kernel->device != PAWL_CPU && kernel->device != PAWL_CUDA)
    return pawl_fail(err, PAWL_CONFIG, "'%s': device is %d, neither PAWL_CPU nor PAWL_CUDA", path,
                     kernel->device);
  *out = kernel;
  return PAWL_OK;
}

pawl_status host_load_operator(const char *path, const struct pawl_operator **out,
                               struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(path, PAWL_OPERATOR_ENTRY, &entry, err));
  const struct pawl_operator *op = entry();
  PAWL_TRY(check_head(path, (const struct head *)op, "operator", sizeof *op, err));
  if (!op->name || !*op->name) return missing(path, "name", err);
  if (!op->tensor) return missing(path, "tensor", err);
  if (!op->flop) return missing(path, "flop", err);
  if (op->param_count > 0 && !op->params) return missing(path, "params", err);
  if (op->distribution_count < 1 || !op->distributions) return missing(path, "distributions", err);
  if (op->tolerance_count < 1 || !op->tolerances) return missing(path, "tolerances", err);
  if (op->param_count < 0 || op->tensor_count < 1 || op->tensor_count > PAWL_MAX_TENSORS)
    return pawl_fail(err, PAWL_CONFIG,
                     "'%s': tensor_count is %d, but an operator has 1 to %d tensors", path,
                     op->tensor_count, PAWL_MAX_TENSORS);
  *out = op;
  return PAWL_OK;
}

pawl_status host_load_gpu_oracle(const char *path, const struct pawl_gpu_oracle **out,
                                 struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(path, PAWL_GPU_ORACLE_ENTRY, &entry, err));
  const struct pawl_gpu_oracle *oracle = entry();
  PAWL_TRY(check_head(path, (const struct head *)oracle, "gpu_oracle", sizeof *oracle, err));
  if (!oracle->operator_name || !*oracle->operator_name) return missing(path, "operator_name", err);
  if (!oracle->compute) return missing(path, "compute", err);
  if (oracle->trial_count < 0 || (oracle->trial_count > 0 && !oracle->trial))
    return missing(path, "trial", err);
  for (int32_t i = 0; i < oracle->trial_count; i++) {
    if (!oracle->trial[i].name) return missing(path, "trial[].name", err);
  }
  *out = oracle;
  return PAWL_OK;
}
