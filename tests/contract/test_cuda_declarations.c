/* SPDX-License-Identifier: Apache-2.0 */
/* Our own declarations of the CUDA driver API against cuda.h, at compile time. Where that header is
   not, the test is skipped (exit 77). */
#if __has_include(<cuda.h>)
#include <assert.h>
#include <cuda.h>

#include "device/cuda/cuda_driver.h"

#define SAME(ours, theirs) \
  static_assert((unsigned long long)(ours) == (unsigned long long)(theirs), #theirs)
SAME(PAWL_CU_SUCCESS, CUDA_SUCCESS);
SAME(PAWL_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(PAWL_CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(PAWL_CU_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(PAWL_CU_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(PAWL_CU_ECC_ENABLED, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME(PAWL_CU_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(PAWL_CU_MEMORY_BUS_WIDTH, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(PAWL_CU_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(PAWL_CU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(PAWL_CU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(PAWL_CU_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED);
SAME(PAWL_CU_EVENT_RECORD_EXTERNAL, CU_EVENT_RECORD_EXTERNAL);
SAME(PAWL_CU_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(PAWL_CU_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(PAWL_CU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(PAWL_CU_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(sizeof(struct pawl_cu_uuid), sizeof(CUuuid));
SAME(sizeof(pawl_cu_pointer), sizeof(CUdeviceptr));
SAME(sizeof(pawl_cu_device), sizeof(CUdevice));
SAME(sizeof(pawl_cu_result), sizeof(CUresult));

/* The shape of each prototype: one pointer or integer type for another of the same size is all that
 * may differ. */
#define SAME_TYPE(expression, prototype) \
  static_assert(__builtin_types_compatible_p(__typeof__(expression), prototype), #expression)
SAME_TYPE(&cuMemGetInfo, CUresult (*)(size_t *, size_t *));
SAME_TYPE(&cuMemAlloc, CUresult (*)(CUdeviceptr *, size_t));
SAME_TYPE(&cuMemsetD8Async, CUresult (*)(CUdeviceptr, unsigned char, size_t, CUstream));
SAME_TYPE(&cuMemHostAlloc, CUresult (*)(void **, size_t, unsigned));
SAME_TYPE(&cuMemcpyHtoD, CUresult (*)(CUdeviceptr, const void *, size_t));
SAME_TYPE(&cuMemcpyDtoH, CUresult (*)(void *, CUdeviceptr, size_t));
SAME_TYPE(&cuEventQuery, CUresult (*)(CUevent));
SAME_TYPE(&cuEventRecordWithFlags, CUresult (*)(CUevent, CUstream, unsigned));
SAME_TYPE(&cuEventElapsedTime, CUresult (*)(float *, CUevent, CUevent));
SAME_TYPE(&cuStreamBeginCapture, CUresult (*)(CUstream, CUstreamCaptureMode));
SAME_TYPE(&cuStreamEndCapture, CUresult (*)(CUstream, CUgraph *));
SAME_TYPE(&cuGraphInstantiateWithFlags, CUresult (*)(CUgraphExec *, CUgraph, unsigned long long));
SAME_TYPE(&cuCtxResetPersistingL2Cache, CUresult (*)(void));
SAME_TYPE(&cuGraphUpload, CUresult (*)(CUgraphExec, CUstream));
SAME_TYPE(&cuGraphLaunch, CUresult (*)(CUgraphExec, CUstream));
SAME_TYPE(&cuDevicePrimaryCtxRetain, CUresult (*)(CUcontext *, CUdevice));
SAME_TYPE(&cuDeviceGetPCIBusId, CUresult (*)(char *, int, CUdevice));

int main(void) { return 0; }
#else
int main(void) { return 77; }
#endif
