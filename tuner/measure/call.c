#include "tuner/measure/call.h"

#include <string.h>

#include "runtime/backend/devices.h"

const char *call_kind_name(enum call_kind kind) {
    static const char *const names[] = {[CALL_PADDED] = "padded strides",
                                        [CALL_ODD] = "odd strides",
                                        [CALL_UNALIGNED] = "the least alignment"};
    return names[kind];
}

/* The sizes of elements in buffers: the largest of all, and the smallest of those whose rows or
 * layers are `stride` apart (-1: of all). */
static int element_size(const struct tw_problem *problem, int stride, bool smallest) {
    const struct tw_description *d = problem->description;
    int size = 0;
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        if (a->kind != TW_ARGUMENT_BUFFER ||
            (stride >= 0 && a->stride != stride && a->layer_stride != stride))
            continue;
        int bytes = (int)tw_type_info(tw_problem_type(problem, i))->bytes;
        if (size == 0 || (smallest ? bytes < size : bytes > size))
            size = bytes;
    }
    return size;
}

bool call_of_kind(enum call_kind kind, const struct tw_problem *problem, const int64_t *values,
                  struct call *call) {
    const struct tw_description *d = problem->description;
    bool differs = false;
    int64_t longer[TW_MAX_SYMBOLS];
    memcpy(longer, values, sizeof longer);
    *call = (struct call){0};
    for (int i = 0; i < d->argument_count; i++) {
        int bytes = element_size(problem, i, true);
        /* From a layer to the next it is more where rows are longer. */
        int64_t dense = tw_problem_stride(problem, i, longer);
        if (dense == 0 || bytes == 0)
            continue;
        int64_t width = bytes < TW_FULL_ALIGNMENT ? TW_FULL_ALIGNMENT / bytes : 1;
        /* With a gap in any case. */
        int64_t padded = (dense / width + 1) * width, odd = dense + 1 + dense % 2;
        call->strides[i] = kind == CALL_ODD ? odd : padded;
        /* Rows so long that there is no longer one. */
        if (call->strides[i] > INT32_MAX)
            return false;
        longer[d->arguments[i].slot] = call->strides[i];
        differs = true;
    }
    if (kind != CALL_UNALIGNED)
        return differs;
    call->alignment = element_size(problem, -1, false);
    return call->alignment > 0 && call->alignment < TW_FULL_ALIGNMENT;
}

tw_status call_bind(const struct call *call, const struct tw_device_info *device,
                    struct tw_problem *problem, int64_t values[TW_MAX_SYMBOLS],
                    struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(device, slots);
    problem->alignment = call->alignment;
    return tw_problem_bind(problem, slots, call->strides, values, error);
}
