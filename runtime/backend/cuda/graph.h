/* CUDA graphs of launches, as backend.h has them. */
#ifndef TW_BACKEND_CUDA_GRAPH_H
#define TW_BACKEND_CUDA_GRAPH_H

#include "runtime/backend/cuda/device.h"

tw_status tw_cuda_graph_create(struct tw_device *device, const struct tw_launch *launches,
                               size_t count, struct tw_graph **out, struct tw_error *error);
void tw_cuda_graph_destroy(struct tw_device *device, struct tw_graph *graph);
tw_status tw_cuda_graph_queue(struct tw_device *device, const struct tw_graph *graph,
                              struct tw_error *error);
tw_status tw_cuda_graph_time(struct tw_device *device, const struct tw_graph *graph,
                             double *seconds, struct tw_error *error);

#endif
