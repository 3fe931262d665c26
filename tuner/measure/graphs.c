#include "tuner/measure/graphs.h"

#include <stdlib.h>

struct graphs {
    struct workload *workload;
    const struct tw_variant *variant;
    int calls, sets, count;
    struct tw_graph *all[];
};

/* Two would leave no more than half of the sets between two uses of one. */
int graphs_count(int calls, int sets) {
    return sets <= 2 * calls ? 1 : (sets + calls - 1) / calls;
}

void graphs_share(int calls, int sets, int index, int *first, int *own) {
    int count = graphs_count(calls, sets);
    *first = (int)((int64_t)sets * index / count);
    *own = (int)((int64_t)sets * (index + 1) / count) - *first;
    /* One graph has room for all sets, perhaps several times. */
    if (count == 1 && calls > sets)
        *own = calls / sets * sets;
}

tw_status graphs_create(struct graphs **out, struct workload *w, const struct tw_variant *variant,
                        int calls, struct tw_error *error) {
    *out = NULL;
    if (w->testbed->backend->graph_create == NULL)
        return TW_OK;
    int sets = w->policy == CACHE_COLD ? w->set_count : 1;
    /* Where the sets fit the cache, none may be twice in a graph. */
    if (w->flush.bytes > 0 && calls > sets)
        calls = sets;
    int count = graphs_count(calls, sets);
    struct graphs *graphs = calloc(1, sizeof *graphs + (size_t)count * sizeof graphs->all[0]);
    if (graphs == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    graphs->workload = w;
    graphs->variant = variant;
    graphs->calls = calls;
    graphs->sets = sets;
    graphs->count = count;
    *out = graphs;
    return TW_OK;
}

void graphs_free(struct graphs *graphs) {
    if (graphs == NULL)
        return;
    const struct testbed *testbed = graphs->workload->testbed;
    for (int i = 0; i < graphs->count; i++)
        testbed->backend->graph_destroy(testbed->device, graphs->all[i]);
    free(graphs);
}

/* The calls of a graph, as launches. */
static tw_status make(struct graphs *graphs, int index, struct tw_error *error) {
    const struct workload *w = graphs->workload;
    const struct testbed *testbed = w->testbed;
    size_t each = (size_t)tw_variant_launch_count(graphs->variant);
    int first, own;
    graphs_share(graphs->calls, graphs->sets, index, &first, &own);
    struct tw_launch *launches = calloc((size_t)own * each, sizeof *launches);
    struct tw_value *values = calloc((size_t)own * each * TW_MAX_PASSED, sizeof *values);
    tw_status status = TW_OK;
    if (launches == NULL || values == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < own && status == TW_OK; i++) {
        struct tw_arguments arguments;
        workload_arguments(w, (first + i) % graphs->sets, 0, &arguments);
        tw_variant_launches(graphs->variant, &arguments, launches + (size_t)i * each,
                            values + (size_t)i * each * TW_MAX_PASSED);
    }
    if (status == TW_OK)
        status = testbed->backend->graph_create(testbed->device, launches, (size_t)own * each,
                                                &graphs->all[index], error);
    free(launches);
    free(values);
    return status;
}

static tw_status get(struct graphs *graphs, int index, struct tw_error *error) {
    return graphs->all[index] != NULL ? TW_OK : make(graphs, index, error);
}

/* The graph that the next set is in. What is left of its sets counts as used too. */
static int choose(struct graphs *graphs) {
    int first, own, next = graphs->workload->rotation.next, index = -1;
    do
        graphs_share(graphs->calls, graphs->sets, ++index, &first, &own);
    while (next >= first + own);
    workload_next(graphs->workload, first + own - next);
    return index;
}

tw_status graphs_time(struct graphs *graphs, double *time_us, struct tw_error *error) {
    const struct workload *w = graphs->workload;
    const struct testbed *testbed = w->testbed;
    int timed = choose(graphs), before = (timed + graphs->count - 1) % graphs->count;
    int first, own;
    double seconds = 0;
    graphs_share(graphs->calls, graphs->sets, timed, &first, &own);
    tw_status status = get(graphs, before, error);
    if (status == TW_OK)
        status = get(graphs, timed, error);
    if (status == TW_OK)
        status = testbed->backend->graph_queue(testbed->device, graphs->all[before], error);
    if (status == TW_OK && w->flush.bytes > 0)
        status = testbed->backend->fill(testbed->device, &w->flush, 0, error);
    if (status == TW_OK)
        status = testbed->backend->graph_time(testbed->device, graphs->all[timed], &seconds, error);
    *time_us = seconds * 1e6 / own;
    return status;
}
