/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps, made on the host: how the copy engine sees a tensor. CUDA driver API, "Tensor Map Object Management".
   The encoder is looked up at run time, so that a kernel does not link against libcuda. */
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
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    const bool usable = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(usable ? function : nullptr);
  }();
  return encoder;
}

/* A dense tensor [planes, rows, cols], read or written in boxes of `box_rows` rows by 128 bytes, swizzled so that
   tensor cores read them without bank conflicts. */
inline cudaError_t make_tensor_map(CUtensorMap *map, const void *data, CUtensorMapDataType type, uint32_t element_bytes,
                                   uint64_t planes, uint64_t rows, uint64_t cols, uint32_t box_rows) {
  const auto encode = tensor_map_encoder();
  if (!encode) return cudaErrorNotSupported;
  const cuuint64_t size[3] = {cols, rows, planes};
  const cuuint64_t stride_bytes[2] = {cols * element_bytes, rows * cols * element_bytes};
  const cuuint32_t box[3] = {128 / element_bytes, box_rows, 1};
  const cuuint32_t element_stride[3] = {1, 1, 1};
  const CUresult result = encode(map, type, 3, const_cast<void *>(data), size, stride_bytes, box, element_stride,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

} /* namespace hopper */

#endif
