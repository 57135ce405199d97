/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the CUDA driver API that pawl calls, with pawl's own declarations. pawl opens it at
 * run time, so it builds without CUDA headers and runs without a driver. Numbers and prototypes are
 * those of the CUDA Driver API reference; tests/contract/test_cuda_declarations.c compares them
 * with cuda.h if it is there. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int pawl_cu_result;
typedef int pawl_cu_device;
typedef uint64_t pawl_cu_pointer; /* CUdeviceptr */
typedef struct pawl_cu_context_object *pawl_cu_context;
typedef struct pawl_cu_stream_object *pawl_cu_stream;
typedef struct pawl_cu_event_object *pawl_cu_event;
typedef struct pawl_cu_graph_object *pawl_cu_graph;
typedef struct pawl_cu_graph_exec_object *pawl_cu_graph_exec;
typedef struct pawl_cu_module_object *pawl_cu_module;
typedef struct pawl_cu_function_object *pawl_cu_function;
struct pawl_cu_uuid {
  unsigned char bytes[16];
};

enum {
  PAWL_CU_SUCCESS = 0,
  PAWL_CU_OUT_OF_MEMORY = 2,
  PAWL_CU_NO_DEVICE = 100,
  PAWL_CU_NOT_READY = 600,
  PAWL_CU_NOT_SUPPORTED = 801,
  /* cuDeviceGetAttribute */
  PAWL_CU_CLOCK_RATE = 13, /* kHz */
  PAWL_CU_MULTIPROCESSORS = 16,
  PAWL_CU_ECC_ENABLED = 32,
  PAWL_CU_MEMORY_CLOCK_RATE = 36, /* kHz */
  PAWL_CU_MEMORY_BUS_WIDTH = 37,  /* bits */
  PAWL_CU_L2_CACHE_SIZE = 38,
  PAWL_CU_THREADS_OF_MULTIPROCESSOR = 39,
  PAWL_CU_CAPABILITY_MAJOR = 75,
  PAWL_CU_CAPABILITY_MINOR = 76,
  PAWL_CU_SHARED_OF_MULTIPROCESSOR = 81, /* bytes */
  PAWL_CU_REGISTERS_OF_MULTIPROCESSOR = 82,
  PAWL_CU_BLOCKS_OF_MULTIPROCESSOR = 106,
  PAWL_CU_SHARED_RESERVED = 111, /* bytes of each block that the driver takes */
  /* cuFuncGetAttribute */
  PAWL_CU_FUNCTION_SHARED = 1,    /* bytes that the code declares */
  PAWL_CU_FUNCTION_REGISTERS = 4, /* per thread */
  /* flags */
  PAWL_CU_EVENT_RECORD_EXTERNAL = 1,
  PAWL_CU_CAPTURE_RELAXED = 2,
  PAWL_CU_EVENT_DISABLE_TIMING = 2,
  PAWL_CU_HOST_PORTABLE = 1
};

/* The legacy default stream: it waits for all streams that were not made non-blocking. */
#define PAWL_CU_STREAM_LEGACY ((pawl_cu_stream)(uintptr_t)1)

/* The functions: member, symbol, an older symbol with the same prototype (or NULL), and
 * parameters. */
#define PAWL_CU_FUNCTIONS(F)                                                                \
  F(init, "cuInit", NULL, (unsigned flags))                                                 \
  F(driver_version, "cuDriverGetVersion", NULL, (int *version))                             \
  F(error_name, "cuGetErrorName", NULL, (pawl_cu_result error, const char **text))          \
  F(error_string, "cuGetErrorString", NULL, (pawl_cu_result error, const char **text))      \
  F(device_count, "cuDeviceGetCount", NULL, (int *count))                                   \
  F(device_get, "cuDeviceGet", NULL, (pawl_cu_device * device, int index))                  \
  F(device_name, "cuDeviceGetName", NULL, (char *name, int size, pawl_cu_device device))    \
  F(device_uuid, "cuDeviceGetUuid_v2", "cuDeviceGetUuid",                                   \
    (struct pawl_cu_uuid * uuid, pawl_cu_device device))                                    \
  F(device_attribute, "cuDeviceGetAttribute", NULL,                                         \
    (int *value, int attribute, pawl_cu_device device))                                     \
  F(device_memory, "cuDeviceTotalMem_v2", NULL, (size_t * bytes, pawl_cu_device device))    \
  F(device_pci, "cuDeviceGetPCIBusId", NULL, (char *id, int size, pawl_cu_device device))   \
  F(primary_retain, "cuDevicePrimaryCtxRetain", NULL,                                       \
    (pawl_cu_context * context, pawl_cu_device device))                                     \
  F(primary_release, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease",           \
    (pawl_cu_device device))                                                                \
  F(set_current, "cuCtxSetCurrent", NULL, (pawl_cu_context context))                        \
  F(synchronize, "cuCtxSynchronize", NULL, (void))                                          \
  F(reset_persisting, "cuCtxResetPersistingL2Cache", NULL, (void))                          \
  F(alloc, "cuMemAlloc_v2", NULL, (pawl_cu_pointer * out, size_t bytes))                    \
  F(memory_info, "cuMemGetInfo_v2", NULL, (size_t * free_bytes, size_t * total_bytes))      \
  F(free, "cuMemFree_v2", NULL, (pawl_cu_pointer memory))                                   \
  F(host_alloc, "cuMemHostAlloc", NULL, (void **out, size_t bytes, unsigned flags))         \
  F(host_free, "cuMemFreeHost", NULL, (void *memory))                                       \
  F(host_register, "cuMemHostRegister_v2", "cuMemHostRegister",                             \
    (void *memory, size_t bytes, unsigned flags))                                           \
  F(host_unregister, "cuMemHostUnregister", NULL, (void *memory))                           \
  F(upload, "cuMemcpyHtoD_v2", NULL, (pawl_cu_pointer to, const void *from, size_t bytes))  \
  F(download, "cuMemcpyDtoH_v2", NULL, (void *to, pawl_cu_pointer from, size_t bytes))      \
  F(fill_async, "cuMemsetD8Async", NULL,                                                    \
    (pawl_cu_pointer to, unsigned char value, size_t bytes, pawl_cu_stream stream))         \
  F(stream_create, "cuStreamCreate", NULL, (pawl_cu_stream * out, unsigned flags))          \
  F(stream_destroy, "cuStreamDestroy_v2", NULL, (pawl_cu_stream stream))                    \
  F(stream_synchronize, "cuStreamSynchronize", NULL, (pawl_cu_stream stream))               \
  F(event_create, "cuEventCreate", NULL, (pawl_cu_event * out, unsigned flags))             \
  F(event_destroy, "cuEventDestroy_v2", NULL, (pawl_cu_event event))                        \
  F(event_query, "cuEventQuery", NULL, (pawl_cu_event event))                               \
  F(event_record, "cuEventRecord", NULL, (pawl_cu_event event, pawl_cu_stream stream))      \
  F(event_record_flags, "cuEventRecordWithFlags", NULL,                                     \
    (pawl_cu_event event, pawl_cu_stream stream, unsigned flags))                           \
  F(event_elapsed, "cuEventElapsedTime_v2", "cuEventElapsedTime",                           \
    (float *milliseconds, pawl_cu_event start, pawl_cu_event end))                          \
  F(capture_begin, "cuStreamBeginCapture_v2", NULL, (pawl_cu_stream stream, int mode))      \
  F(capture_end, "cuStreamEndCapture", NULL, (pawl_cu_stream stream, pawl_cu_graph * out))  \
  F(graph_instantiate, "cuGraphInstantiateWithFlags", NULL,                                 \
    (pawl_cu_graph_exec * out, pawl_cu_graph graph, unsigned long long flags))              \
  F(graph_upload, "cuGraphUpload", NULL, (pawl_cu_graph_exec graph, pawl_cu_stream stream)) \
  F(graph_launch, "cuGraphLaunch", NULL, (pawl_cu_graph_exec graph, pawl_cu_stream stream)) \
  F(graph_destroy, "cuGraphDestroy", NULL, (pawl_cu_graph graph))                           \
  F(graph_exec_destroy, "cuGraphExecDestroy", NULL, (pawl_cu_graph_exec graph))             \
  F(profiler_start, "cuProfilerStart", NULL, (void))                                        \
  F(profiler_stop, "cuProfilerStop", NULL, (void))                                          \
  F(module_load, "cuModuleLoadData", NULL, (pawl_cu_module * out, const void *image))       \
  F(module_unload, "cuModuleUnload", NULL, (pawl_cu_module module))                         \
  F(module_function, "cuModuleGetFunction", NULL,                                           \
    (pawl_cu_function * out, pawl_cu_module module, const char *name))                      \
  F(function_attribute, "cuFuncGetAttribute", NULL,                                         \
    (int *value, int attribute, pawl_cu_function function))                                 \
  F(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", NULL,                         \
    (int *blocks, pawl_cu_function function, int threads, size_t shared_bytes))             \
  F(launch, "cuLaunchKernel", NULL,                                                         \
    (pawl_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,           \
     pawl_cu_stream stream, void **parameters, void **extra))

#define PAWL_CU_MEMBER(NAME, SYMBOL, OLDER, PARAMETERS) pawl_cu_result(*NAME) PARAMETERS;
struct pawl_cuda_driver {
  void *library; /* never closed: the driver does not survive it */
  PAWL_CU_FUNCTIONS(PAWL_CU_MEMBER)
};
#undef PAWL_CU_MEMBER

/* Opens the driver and starts it (cuInit). If `library` is NULL, it opens $PAWL_CUDA_LIBRARY, else
 * libcuda.so.1. PAWL_UNAVAILABLE gives the reason: no driver, a driver that lacks a function (older
 * than CUDA 11.4), no GPU, or a GPU that does not start. */
pawl_status pawl_cuda_driver_open(const char *library, struct pawl_cuda_driver *out,
                                  struct pawl_error *err);

/* Returns PAWL_OK for 0, PAWL_NO_MEMORY if the device lacks memory, else PAWL_FAILED. The message
 * is "what: the driver's words (CUDA_ERROR_...)". */
pawl_status pawl_cuda_check(const struct pawl_cuda_driver *driver, pawl_cu_result result,
                            const char *what, struct pawl_error *err);
