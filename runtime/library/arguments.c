/* What a request's arguments are, for callers that know the kernel by its description alone. */
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/library/request.h"
#include "runtime/library/sized.h"

static const char *const kinds[] = {[TW_ARGUMENT_BUFFER] = "buffer",
                                    [TW_ARGUMENT_STRIDE] = "stride",
                                    [TW_ARGUMENT_SCALAR] = "scalar"};
static const char *const accesses[] = {
    [TW_ACCESS_IN] = "in", [TW_ACCESS_OUT] = "out", [TW_ACCESS_INOUT] = "inout"};

/* Where an argument is among a request's strides; -1: it is none, or there is no room for it. */
static int stride_index(const struct tw_description *d, int argument) {
    int index = 0;
    for (int i = 0; i < argument; i++)
        index += d->arguments[i].kind == TW_ARGUMENT_STRIDE;
    return argument < 0 || index >= TW_REQUEST_STRIDES ? -1 : index;
}

static tw_status describe_buffer(const struct tw_problem *problem, int argument,
                                 const int64_t *values, tw_argument_info *out, tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    struct tw_extent extent;
    out->access = accesses[a->access];
    out->stride_index = stride_index(problem->description, a->stride);
    out->layer_stride_index = stride_index(problem->description, a->layer_stride);
    out->present = tw_problem_has(problem, argument, values);
    if (!out->present)
        return TW_OK;
    tw_status status = tw_problem_extent(problem, argument, values, &extent, error);
    if (status != TW_OK)
        return status;
    out->layers = extent.layers;
    out->rows = extent.rows;
    out->columns = extent.columns;
    out->stride = extent.stride;
    out->layer_stride = extent.layer_stride;
    out->bytes = extent.bytes;
    return TW_OK;
}

static tw_status describe(const struct tw_problem *problem, int argument, const int64_t *values,
                          tw_argument_info *out, tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    *out = (tw_argument_info){.size = sizeof *out,
                              .name = a->name,
                              .kind = kinds[a->kind],
                              .stride_index = -1,
                              .layer_stride_index = -1};
    if (a->kind == TW_ARGUMENT_STRIDE) {
        out->stride_index = stride_index(problem->description, argument);
        out->present = tw_problem_stride(problem, argument, values) != 0;
        out->stride = out->present ? values[a->slot] : 0;
        return TW_OK;
    }
    out->type = tw_type_info(tw_problem_type(problem, argument))->word;
    out->present = true;
    return a->kind == TW_ARGUMENT_BUFFER ? describe_buffer(problem, argument, values, out, error)
                                         : TW_OK;
}

tw_status tw_request_argument(tw_argument_info *out, tw_library *library, const tw_request *request,
                              size_t index, tw_error *error) {
    struct tw_canonical read;
    int64_t device[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_argument_info info;
    if (out == NULL)
        return tw_fail(error, TW_INVALID, "tw_request_argument: where it is to go is NULL");
    size_t size = out->size != 0 ? out->size : tw_sized_argument.first_size;
    if (size < tw_sized_argument.first_size || size > sizeof info)
        return tw_fail(error, TW_INVALID,
                       "the size of %s is %zu; set it to sizeof(%s), or all of it to zero first",
                       tw_sized_argument.name, size, tw_sized_argument.name);
    tw_status status = tw_library_given(library, error);
    if (status == TW_OK)
        status = tw_request_read(library, request, &read, error);
    if (status != TW_OK)
        return status;
    if (index >= (size_t)read.problem.description->argument_count)
        return tw_fail(error, TW_NOT_FOUND, "%s has %d arguments", read.request.kernel,
                       read.problem.description->argument_count);
    tw_device_values(&library->info, device);
    status = tw_problem_bind(&read.problem, device, read.strides, values, error);
    if (status == TW_OK)
        status = describe(&read.problem, (int)index, values, &info, error);
    if (status != TW_OK)
        return status;
    info.size = size;
    memcpy(out, &info, size);
    return TW_OK;
}
