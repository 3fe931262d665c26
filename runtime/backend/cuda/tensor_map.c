#include "runtime/backend/cuda/tensor_map.h"

#include <string.h>

/* Encoding takes some hundred nanoseconds, a tenth of a launch; a thread that launches a plan on
 * the same buffers again finds its maps here. A thread's own, so that there is no lock. */
enum { KEPT = 64 };

struct kept {
    struct tw_tensor tensor;
    CUdeviceptr address;
    CUtensorMap map;
};

static _Thread_local struct kept kept[KEPT];

static CUtensorMapDataType type_of(enum tw_tensor_type type) {
    static const CUtensorMapDataType types[TW_TENSOR_TYPE_COUNT] = {
        [TW_TENSOR_u8] = CU_TENSOR_MAP_DATA_TYPE_UINT8,
        [TW_TENSOR_u16] = CU_TENSOR_MAP_DATA_TYPE_UINT16,
        [TW_TENSOR_f16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        [TW_TENSOR_bf16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        [TW_TENSOR_u32] = CU_TENSOR_MAP_DATA_TYPE_UINT32,
        [TW_TENSOR_i32] = CU_TENSOR_MAP_DATA_TYPE_INT32,
        [TW_TENSOR_f32] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        [TW_TENSOR_tf32] = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        [TW_TENSOR_u64] = CU_TENSOR_MAP_DATA_TYPE_UINT64,
        [TW_TENSOR_i64] = CU_TENSOR_MAP_DATA_TYPE_INT64,
        [TW_TENSOR_f64] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    };
    return types[type];
}

static CUtensorMapSwizzle swizzle_of(int bytes) {
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                         : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/* Drivers up to 13.1 set a bit in the maps of tensors below 128 KiB with which the engine faults;
 * CUTLASS clears it (cute/atom/copy_traits_sm90_tma.hpp). */
enum { LAST_SUCH_DRIVER = 13010, SMALL_TENSOR = 128 << 10, SUCH_WORD = 1, SUCH_BIT = 21 };

static void mend(const struct tw_tensor *tensor, int driver, CUtensorMap *map) {
    uint64_t bytes =
        tensor->dims[tensor->rank - 1] *
        (tensor->rank > 1 ? tensor->strides[tensor->rank - 2] : tw_tensor_type_bytes(tensor->type));
    if (driver <= LAST_SUCH_DRIVER && bytes < SMALL_TENSOR)
        map->opaque[SUCH_WORD] &= ~(UINT64_C(1) << SUCH_BIT);
}

static tw_status encode(const struct tw_cuda_driver *cu, const struct tw_tensor *tensor,
                        CUdeviceptr address, CUtensorMap *map, struct tw_error *error) {
    cuuint64_t dims[TW_MAX_RANK], strides[TW_MAX_RANK - 1];
    cuuint32_t box[TW_MAX_RANK], steps[TW_MAX_RANK];
    const cuuint32_t rank = (cuuint32_t)tensor->rank;
    for (int i = 0; i < tensor->rank; i++) {
        dims[i] = tensor->dims[i];
        box[i] = tensor->box[i];
        steps[i] = tensor->im2col && i > 0 && i < tensor->rank - 1 ? tensor->steps[i - 1] : 1;
        if (i > 0)
            strides[i - 1] = tensor->strides[i - 1];
    }
    if (cu->tensor_map_encode == NULL || cu->im2col_map_encode == NULL)
        return tw_fail(error, TW_UNAVAILABLE,
                       "the driver knows no tensor maps (12.0 and later do)");
    if (address % 16 != 0)
        return tw_fail(error, TW_INVALID,
                       "a buffer that is copied by a tensor map is not aligned to 16 bytes");
    int driver = 0;
    tw_status status = tw_cuda_check(cu->driver_version(&driver), "cuDriverGetVersion", error);
    if (status != TW_OK)
        return status;
    if (tensor->im2col)
        status = tw_cuda_check(
            cu->im2col_map_encode(map, type_of(tensor->type), rank, (void *)address, dims, strides,
                                  tensor->lower, tensor->upper, box[0], box[1], steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(tensor->swizzle),
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeIm2col", error);
    else
        status = tw_cuda_check(
            cu->tensor_map_encode(map, type_of(tensor->type), rank, (void *)address, dims, strides,
                                  box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  swizzle_of(tensor->swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeTiled", error);
    if (status == TW_OK)
        mend(tensor, driver, map);
    return status;
}

tw_status tw_cuda_tensor_map(const struct tw_cuda_driver *cu, const struct tw_tensor *tensor,
                             CUdeviceptr memory, CUtensorMap *map, struct tw_error *error) {
    const CUdeviceptr address = memory + tensor->offset;
    struct kept *place = &kept[(address >> 8 ^ address >> 20 ^ tensor->box[0] ^
                                tensor->box[1] << 2 ^ tensor->dims[0]) %
                               KEPT];
    if (place->address != address || memcmp(&place->tensor, tensor, sizeof *tensor) != 0) {
        place->address = 0;
        tw_status status = encode(cu, tensor, address, &place->map, error);
        if (status != TW_OK)
            return status;
        place->tensor = *tensor;
        place->address = address;
    }
    *map = place->map;
    return TW_OK;
}
