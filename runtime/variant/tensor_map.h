/* Tensor maps under bound values. */
#ifndef TW_VARIANT_TENSOR_MAP_H
#define TW_VARIANT_TENSOR_MAP_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

/* Works out the tensor maps of a launch, in their order; `tensors` has room for TW_MAX_TENSOR_MAPS.
 * `values` are bound for the configuration. TW_RESOURCE where the copy engine cannot do what is
 * asked (CUDA driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col): strides are multiples
 * of 16 bytes, a box has at most 256 elements a dimension or 1024 pixels, its rows are multiples of
 * 16 bytes and no wider than the swizzle.
 */
tw_status tw_tensor_maps_of(const struct tw_problem *problem,
                            const struct tw_launch_description *launch, const int64_t *values,
                            struct tw_tensor tensors[], struct tw_error *error);

#endif
