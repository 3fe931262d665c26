#include "tools/bench/block_scales.h"

#include <stdlib.h>

enum { BLOCK = 128, MULTIPLE = 4 };

static int64_t blocks(int64_t count) {
    return (count + BLOCK - 1) / BLOCK;
}

/* `to` has `rows` rows of `length` (at least `columns`) or, turned, `columns` of `rows`. */
static void lay_out(float *to, const float *from, int64_t rows, int64_t columns, int64_t length,
                    bool turned) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            to[turned ? c * rows + r : r * length + c] = from[r * columns + c];
}

/* The same matrix of scales for every set, `bytes` each, to where `place` says. */
static tw_status spread(struct block_scales *scales, tw_library *library, const float *values,
                        uint64_t bytes, bool of_a, tw_error *error) {
    tw_status status = TW_OK;
    for (int s = 0; s < scales->count && status == TW_OK; s++) {
        void **place = of_a ? &scales->sets[s].a : &scales->sets[s].b;
        status = tw_allocate(place, library, bytes, error);
        if (status == TW_OK)
            status = tw_write(library, *place, values, bytes, error);
    }
    return status;
}

static tw_status copy(struct block_scales *scales, const struct data *data, int input, bool of_a,
                      tw_error *error) {
    tw_library *library = data->stage->library;
    const int64_t columns = blocks(data->task->k);
    const int64_t rows = of_a ? data->task->m : blocks(data->task->n);
    const int64_t length = of_a ? columns : (columns + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
    const uint64_t read = (uint64_t)(rows * columns) * sizeof(float);
    const uint64_t written = (uint64_t)(rows * length) * sizeof(float);
    float *ours = malloc(read), *theirs = calloc(1, written);
    tw_status status = TW_OK;
    if (ours == NULL || theirs == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = tw_read(library, data->stage->stream, ours, data->sets[0].in[input], read, error);
    if (status == TW_OK) {
        lay_out(theirs, ours, rows, columns, length, of_a);
        status = spread(scales, library, theirs, written, of_a, error);
    }
    free(ours);
    free(theirs);
    return status;
}

tw_status block_scales_create(struct block_scales *scales, const struct data *data,
                              tw_error *error) {
    scales->sets = calloc((size_t)data->set_count, sizeof *scales->sets);
    if (scales->sets == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    scales->count = data->set_count;
    tw_status status = copy(scales, data, data_input(data, "a_scales"), true, error);
    return status == TW_OK ? copy(scales, data, data_input(data, "b_scales"), false, error)
                           : status;
}

void block_scales_free(struct block_scales *scales, tw_library *library) {
    for (int s = 0; s < scales->count; s++) {
        tw_release(library, scales->sets[s].a);
        tw_release(library, scales->sets[s].b);
    }
    free(scales->sets);
    *scales = (struct block_scales){0};
}
