/* What cublasSsyrk leaves to its caller: the lower triangle of a square matrix, copied over the
 * upper one. CUDA only. */
#ifndef TOOLS_BENCH_MIRROR_H
#define TOOLS_BENCH_MIRROR_H

#include "tools/bench/stage.h"

/* For float matrices. Free with the backend's unload. */
tw_status mirror_create(struct tw_module **out, const struct stage *stage, tw_error *error);

/* Queues it on the stage's stream for a row-major n x n matrix. */
tw_status mirror_queue(const struct tw_module *module, const struct stage *stage, void *matrix,
                       int64_t n, int64_t ld, tw_error *error);

#endif
