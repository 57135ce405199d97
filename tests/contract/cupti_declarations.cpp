// SPDX-License-Identifier: Apache-2.0
// Our own declarations of CUPTI against its headers, which are C++, at compile time.
#include <cstddef>

#define __CUDA_API_VERSION_INTERNAL // declares the older types that generated_cuda_meta.h names
#define _Noreturn [[noreturn]]
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <generated_cuda_meta.h>

#include "device/cuda/cupti.h"

#define SAME(ours, theirs) static_assert((unsigned long long)(ours) == (unsigned long long)(theirs), #theirs)
#define SAME_BLOCK(ours, last, theirs) SAME(PAWL_CUPTI_SIZE(struct ours, last), theirs##_STRUCT_SIZE)
#define SAME_MEMBER(ours, member, theirs, its) \
  SAME(offsetof(struct ours, member), offsetof(theirs, its));     \
  SAME(sizeof(((struct ours *)0)->member), sizeof(((theirs *)0)->its))

SAME(PAWL_CUPTI_SUCCESS, CUPTI_SUCCESS);
SAME(PAWL_CUPTI_HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY);
SAME(PAWL_CUPTI_NOT_PRIVILEGED, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(PAWL_CUPTI_GUEST_NOT_PRIVILEGED, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(PAWL_CUPTI_RANGE_PROFILER, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
SAME(PAWL_CUPTI_AUTO_RANGE, CUPTI_AutoRange);
SAME(PAWL_CUPTI_USER_REPLAY, CUPTI_UserReplay);
SAME(PAWL_CUPTI_DRIVER_API, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(PAWL_CUPTI_ENTER, CUPTI_API_ENTER);
SAME(PAWL_CUPTI_LAUNCH, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
SAME(PAWL_CUPTI_LAUNCH_PTSZ, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz);
SAME(PAWL_CUPTI_LAUNCH_COOPERATIVE, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel);
SAME(PAWL_CUPTI_LAUNCH_COOPERATIVE_PTSZ, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz);
SAME(PAWL_CUPTI_LAUNCH_EX, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
SAME(PAWL_CUPTI_LAUNCH_EX_PTSZ, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);

SAME_BLOCK(pawl_cupti_empty, reserved, CUpti_Profiler_Initialize_Params);
SAME_BLOCK(pawl_cupti_chip, name, CUpti_Device_GetChipName_Params);
SAME_MEMBER(pawl_cupti_chip, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME_BLOCK(pawl_cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params);
SAME_MEMBER(pawl_cupti_availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
SAME_MEMBER(pawl_cupti_availability, bytes, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize);
SAME_BLOCK(pawl_cupti_host_init, host, CUpti_Profiler_Host_Initialize_Params);
SAME_MEMBER(pawl_cupti_host_init, type, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME_MEMBER(pawl_cupti_host_init, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME_MEMBER(pawl_cupti_host_init, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
SAME_BLOCK(pawl_cupti_host, host, CUpti_Profiler_Host_Deinitialize_Params);
SAME_BLOCK(pawl_cupti_host_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SAME_MEMBER(pawl_cupti_host_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME_BLOCK(pawl_cupti_image_size, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params);
SAME_BLOCK(pawl_cupti_image, image, CUpti_Profiler_Host_GetConfigImage_Params);
SAME_MEMBER(pawl_cupti_image, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME_BLOCK(pawl_cupti_values, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SAME_MEMBER(pawl_cupti_values, counters, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
SAME_MEMBER(pawl_cupti_values, counter_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
SAME_MEMBER(pawl_cupti_values, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME_MEMBER(pawl_cupti_values, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
SAME_MEMBER(pawl_cupti_values, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME_BLOCK(pawl_cupti_enable, ranges, CUpti_RangeProfiler_Enable_Params);
SAME_MEMBER(pawl_cupti_enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
SAME_BLOCK(pawl_cupti_ranges, ranges, CUpti_RangeProfiler_Disable_Params);
SAME_BLOCK(pawl_cupti_ranges, ranges, CUpti_RangeProfiler_Start_Params);
SAME_BLOCK(pawl_cupti_counter_size, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params);
SAME_MEMBER(pawl_cupti_counter_size, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
SAME_MEMBER(pawl_cupti_counter_size, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
SAME_MEMBER(pawl_cupti_counter_size, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
SAME_MEMBER(pawl_cupti_counter_size, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
SAME_BLOCK(pawl_cupti_counter_init, counters, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
SAME_MEMBER(pawl_cupti_counter_init, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize);
SAME_BLOCK(pawl_cupti_config, target_level, CUpti_RangeProfiler_SetConfig_Params);
SAME_MEMBER(pawl_cupti_config, image_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
SAME_MEMBER(pawl_cupti_config, image, CUpti_RangeProfiler_SetConfig_Params, pConfig);
SAME_MEMBER(pawl_cupti_config, counter_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
SAME_MEMBER(pawl_cupti_config, counters, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME_MEMBER(pawl_cupti_config, range, CUpti_RangeProfiler_SetConfig_Params, range);
SAME_MEMBER(pawl_cupti_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME_MEMBER(pawl_cupti_config, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
SAME_MEMBER(pawl_cupti_config, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
SAME_MEMBER(pawl_cupti_config, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME_MEMBER(pawl_cupti_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
SAME_BLOCK(pawl_cupti_stop, all_passes, CUpti_RangeProfiler_Stop_Params);
SAME_MEMBER(pawl_cupti_stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
SAME_BLOCK(pawl_cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params);
SAME_BLOCK(pawl_cupti_info, count, CUpti_RangeProfiler_GetCounterDataInfo_Params);
SAME_MEMBER(pawl_cupti_info, counters, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);

SAME_MEMBER(pawl_cupti_callback_data, site, CUpti_CallbackData, callbackSite);
SAME_MEMBER(pawl_cupti_callback_data, parameters, CUpti_CallbackData, functionParams);
SAME_MEMBER(pawl_cupti_callback_data, symbol, CUpti_CallbackData, symbolName);
SAME_MEMBER(pawl_cupti_geometry, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME(offsetof(struct pawl_cupti_geometry, block), offsetof(CUlaunchConfig, blockDimX));
SAME_MEMBER(pawl_cupti_launch, function, cuLaunchKernel_params, f);
SAME(offsetof(struct pawl_cupti_launch, geometry), offsetof(cuLaunchKernel_params, gridDimX));
SAME(offsetof(struct pawl_cupti_launch, geometry.shared_bytes), offsetof(cuLaunchKernel_params, sharedMemBytes));
SAME(offsetof(struct pawl_cupti_launch, geometry.shared_bytes), offsetof(cuLaunchCooperativeKernel_params, sharedMemBytes));
SAME_MEMBER(pawl_cupti_launch_ex, geometry, cuLaunchKernelEx_params, config);
SAME_MEMBER(pawl_cupti_launch_ex, function, cuLaunchKernelEx_params, f);
