#include "runtime/backend/cuda/graph.h"

#include <stdlib.h>

struct tw_graph {
    CUgraphExec exec;
};

static bool has_graphs(const struct tw_cuda_driver *cu) {
    return cu->capture_begin != NULL && cu->capture_end != NULL && cu->graph_instantiate != NULL &&
           cu->graph_upload != NULL && cu->graph_launch != NULL && cu->graph_destroy != NULL &&
           cu->graph_exec_destroy != NULL;
}

/* Only what this thread does meanwhile is forbidden by the capture. */
static tw_status capture(struct tw_device *device, const struct tw_launch *launches, size_t count,
                         CUgraph *graph, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    TW_CUDA_CHECK(cu->capture_begin(device->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                  "cuStreamBeginCapture");
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = tw_cuda_launch(device, device->stream, &launches[i], error);
    /* Also after a failure, or the stream would stay in the capture. */
    CUresult ended = cu->capture_end(device->stream, graph);
    if (status != TW_OK)
        return status;
    TW_CUDA_CHECK(ended, "cuStreamEndCapture");
    return TW_OK;
}

static tw_status instantiate(struct tw_device *device, const struct tw_launch *launches,
                             size_t count, struct tw_graph *graph, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    CUgraph captured = NULL;
    tw_status status = capture(device, launches, count, &captured, error);
    if (status == TW_OK)
        status = tw_cuda_check(cu->graph_instantiate(&graph->exec, captured, 0),
                               "cuGraphInstantiateWithFlags", error);
    if (captured != NULL)
        cu->graph_destroy(captured);
    if (status != TW_OK)
        return status;
    /* The first launch is not to pay for what it brings to the device. */
    TW_CUDA_CHECK(cu->graph_upload(graph->exec, device->stream), "cuGraphUpload");
    return TW_OK;
}

tw_status tw_cuda_graph_create(struct tw_device *device, const struct tw_launch *launches,
                               size_t count, struct tw_graph **out, struct tw_error *error) {
    *out = NULL;
    if (!has_graphs(device->cu))
        return tw_fail(error, TW_UNAVAILABLE, "the driver knows no graphs of launches");
    struct tw_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = instantiate(device, launches, count, graph, error);
    if (status != TW_OK) {
        tw_cuda_graph_destroy(device, graph);
        /* What is wrong with a launch shows when it is queued by itself. */
        return status == TW_DEVICE_LOST
                   ? status
                   : tw_fail_within(error, TW_UNAVAILABLE, "no graph of these launches");
    }
    *out = graph;
    return TW_OK;
}

void tw_cuda_graph_destroy(struct tw_device *device, struct tw_graph *graph) {
    if (graph == NULL)
        return;
    /* Fails only when the context is lost, and the graph with it. */
    if (graph->exec != NULL)
        device->cu->graph_exec_destroy(graph->exec);
    free(graph);
}

tw_status tw_cuda_graph_queue(struct tw_device *device, const struct tw_graph *graph,
                              struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->graph_launch(graph->exec, device->stream), "cuGraphLaunch");
    return TW_OK;
}

tw_status tw_cuda_graph_time(struct tw_device *device, const struct tw_graph *graph,
                             double *seconds, struct tw_error *error) {
    *seconds = 0;
    TW_CUDA_CHECK(device->cu->event_record(device->start, device->stream), "cuEventRecord");
    tw_status status = tw_cuda_graph_queue(device, graph, error);
    return status == TW_OK ? tw_cuda_stop_timing(device, seconds, error) : status;
}
