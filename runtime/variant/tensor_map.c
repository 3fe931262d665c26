#include "runtime/variant/tensor_map.h"

#include <inttypes.h>

static tw_status evaluate(const struct tw_tensor_map_description *map, const char *what,
                          const struct tw_expression *expression, const int64_t *values,
                          int64_t least, int64_t most, int64_t *number, struct tw_error *error) {
    enum tw_evaluation outcome = tw_expression_evaluate(expression, values, number);
    if (outcome != TW_EVALUATED)
        return tw_fail(error, TW_INVALID, "tensor map %s: %s, \"%s\", %s", map->name, what,
                       tw_expression_text(expression), tw_evaluation_text(outcome));
    if (*number < least || *number > most)
        return tw_fail(error, TW_RESOURCE,
                       "tensor map %s: %s, \"%s\", is %" PRId64 "; it may be %" PRId64
                       " to %" PRId64,
                       map->name, what, tw_expression_text(expression), *number, least, most);
    return TW_OK;
}

/* The stride of the dimension `at`. */
static tw_status stride_of(const struct tw_tensor_map_description *map,
                           const struct tw_expression *expression, const int64_t *values,
                           size_t bytes, int at, struct tw_tensor *tensor, struct tw_error *error) {
    int64_t stride = 0;
    tw_status status = evaluate(map, "a stride", expression, values, 1,
                                (INT64_C(1) << 40) / (int64_t)bytes - 1, &stride, error);
    tensor->strides[at - 1] = (uint64_t)stride * bytes;
    if (status == TW_OK && tensor->strides[at - 1] % 16 != 0)
        status = tw_fail(error, TW_RESOURCE,
                         "tensor map %s: a stride, \"%s\", is %" PRIu64 " bytes, no multiple of 16",
                         map->name, tw_expression_text(expression), tensor->strides[at - 1]);
    return status;
}

static tw_status sizes_of(const struct tw_tensor_map_description *map, const int64_t *values,
                          size_t bytes, struct tw_tensor *tensor, struct tw_error *error) {
    tw_status status = TW_OK;
    for (int i = 0; i < map->rank && status == TW_OK; i++) {
        int64_t dim = 0, box = 0;
        status =
            evaluate(map, "a dimension", map->dims[i], values, 1, INT64_C(1) << 32, &dim, error);
        if (status == TW_OK && map->box[i] != NULL)
            status = evaluate(map, "a box", map->box[i], values, 1,
                              map->im2col && i == 1 ? 1024 : 256, &box, error);
        tensor->dims[i] = (uint64_t)dim;
        tensor->box[i] = (uint32_t)box;
        if (status == TW_OK && i > 0)
            status = stride_of(map, map->strides[i - 1], values, bytes, i, tensor, error);
    }
    return status;
}

/* A window's corners have the fewer bits the more dimensions there are. */
static tw_status window_of(const struct tw_tensor_map_description *map, const int64_t *values,
                           struct tw_tensor *tensor, struct tw_error *error) {
    const int64_t most = map->rank == 3 ? 32767 : map->rank == 4 ? 127 : 15;
    tw_status status = TW_OK;
    tensor->im2col = map->im2col;
    for (int i = 0; map->im2col && i < map->rank - 2 && status == TW_OK; i++) {
        int64_t lower = 0, upper = 0, step = 0;
        status = evaluate(map, "a window's lower corner", map->lower[i], values, -most - 1, most,
                          &lower, error);
        if (status == TW_OK)
            status = evaluate(map, "a window's upper corner", map->upper[i], values, -most - 1,
                              most, &upper, error);
        if (status == TW_OK)
            status = evaluate(map, "a window's step", map->steps[i], values, 1, 8, &step, error);
        tensor->lower[i] = (int32_t)lower;
        tensor->upper[i] = (int32_t)upper;
        tensor->steps[i] = (uint32_t)step;
    }
    return status;
}

/* Several layers are one more dimension, of which a box has one. */
static tw_status layers_of(const struct tw_tensor_map_description *map, const int64_t *values,
                           size_t bytes, struct tw_tensor *tensor, struct tw_error *error) {
    int64_t layers = 1;
    if (map->layers == NULL)
        return TW_OK;
    tw_status status =
        evaluate(map, "layers", map->layers, values, 1, INT64_C(1) << 32, &layers, error);
    if (status != TW_OK || layers == 1)
        return status;
    tensor->dims[map->rank] = (uint64_t)layers;
    tensor->box[map->rank] = 1;
    tensor->rank = map->rank + 1;
    return stride_of(map, map->layer_stride, values, bytes, map->rank, tensor, error);
}

static tw_status tensor_of(const struct tw_problem *problem,
                           const struct tw_tensor_map_description *map, const int64_t *values,
                           struct tw_tensor *tensor, struct tw_error *error) {
    int64_t swizzle = 0, offset = 0;
    *tensor = (struct tw_tensor){.rank = map->rank};
    tensor->type = map->type >= 0 ? (enum tw_tensor_type)map->type
                                  : tw_tensor_type_of(tw_problem_type(problem, map->buffer));
    const size_t bytes = tw_tensor_type_bytes(tensor->type);
    tw_status status = sizes_of(map, values, bytes, tensor, error);
    if (status == TW_OK)
        status = layers_of(map, values, bytes, tensor, error);
    if (status == TW_OK)
        status = window_of(map, values, tensor, error);
    if (status == TW_OK && map->swizzle != NULL)
        status = evaluate(map, "the swizzle", map->swizzle, values, 0, 128, &swizzle, error);
    if (status == TW_OK && map->offset != NULL)
        status = evaluate(map, "the offset", map->offset, values, 0, INT64_MAX, &offset, error);
    if (status != TW_OK)
        return status;
    tensor->swizzle = (int)swizzle;
    tensor->offset = (uint64_t)offset;
    const uint64_t row = tensor->box[0] * bytes;
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
        return tw_fail(error, TW_RESOURCE,
                       "tensor map %s: the swizzle is %" PRId64 "; there are 0, 32, 64 and 128",
                       map->name, swizzle);
    if (row % 16 != 0 || (swizzle > 0 && row > (uint64_t)swizzle))
        return tw_fail(error, TW_RESOURCE,
                       "tensor map %s: a box's rows have %" PRIu64
                       " bytes, no multiple of 16 or more than the swizzle's %" PRId64,
                       map->name, row, swizzle);
    return TW_OK;
}

tw_status tw_tensor_maps_of(const struct tw_problem *problem,
                            const struct tw_launch_description *launch, const int64_t *values,
                            struct tw_tensor tensors[], struct tw_error *error) {
    tw_status status = TW_OK;
    for (int i = 0; i < launch->tensor_map_count && status == TW_OK; i++)
        status = tensor_of(problem, &launch->tensor_maps[i], values, &tensors[i], error);
    return status;
}
