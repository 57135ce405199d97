/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps, made on the host: how the copy engine sees a tensor. CUDA driver API, "Tensor Map
   Object Management". The encoder is looked up at run time, so that a kernel does not link against
   libcuda. */
#ifndef PAWL_HOPPER_TENSOR_MAP_H
#define PAWL_HOPPER_TENSOR_MAP_H

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace hopper {

inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
  static const PFN_cuTensorMapEncodeTiled_v12000 encoder = [] {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                               12000, cudaEnableDefault, &found);
    const bool usable = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(usable ? function : nullptr);
  }();
  return encoder;
}

/* A tensor [size[0], size[1], size[2], size[3]] whose rows are contiguous, `stride` elements apart
   along the first three dimensions; read or written in boxes of `box_rows` rows by `box_bytes` (128
   or 64), swizzled by as much, so that tensor cores read them without bank conflicts. */
inline cudaError_t make_tensor_map(CUtensorMap *map, void *data, CUtensorMapDataType type,
                                   uint32_t element_bytes, const uint64_t (&size)[4],
                                   const int64_t (&stride)[3], uint32_t box_rows,
                                   uint32_t box_bytes = 128) {
  const auto encode = tensor_map_encoder();
  if (!encode) return cudaErrorNotSupported;
  const cuuint64_t sizes[4] = {size[3], size[2], size[1], size[0]}; /* innermost first */
  cuuint64_t stride_bytes[3];
  for (int i = 0; i < 3; i++)
    stride_bytes[i] = static_cast<cuuint64_t>(stride[2 - i]) * element_bytes;
  const cuuint32_t box[4] = {box_bytes / element_bytes, box_rows, 1, 1};
  const cuuint32_t element_stride[4] = {1, 1, 1, 1};
  const auto swizzle = box_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B;
  const CUresult result = encode(
      map, type, 4, data, sizes, stride_bytes, box, element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
      swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

} /* namespace hopper */

#endif
