/* Scales by blocks of 128 as cuBLASLt wants them: those of A, one for each 128 terms of a row, run
 * along the rows; those of B, one for 128 columns by 128 terms, along the terms as ours do, but
 * each block of columns begins at a multiple of four. */
#ifndef TOOLS_BENCH_BLOCK_SCALES_H
#define TOOLS_BENCH_BLOCK_SCALES_H

#include "tools/bench/data.h"

/* Zeroed: none. */
struct block_scales {
    int count;
    struct block_scales_set {
        void *a, *b; /* in device memory */
    } * sets;        /* as many as the data has */
};

/* Copies those of the data's first set, which all sets hold. Free also after a failure. */
tw_status block_scales_create(struct block_scales *scales, const struct data *data,
                              tw_error *error);
void block_scales_free(struct block_scales *scales, tw_library *library);

#endif
