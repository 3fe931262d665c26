/* Tensor maps, which kernels take by value. */
#ifndef TW_BACKEND_CUDA_TENSOR_MAP_H
#define TW_BACKEND_CUDA_TENSOR_MAP_H

#include "runtime/backend/backend.h"
#include "runtime/backend/cuda/driver.h"

/* Encodes how the copy engine sees a buffer. From any thread. TW_INVALID when the buffer is not
 * aligned to 16 bytes, TW_UNAVAILABLE when the driver knows no tensor maps. */
tw_status tw_cuda_tensor_map(const struct tw_cuda_driver *cu, const struct tw_tensor *tensor,
                             CUdeviceptr address, CUtensorMap *map, struct tw_error *error);

#endif
