/* A variant's calls in graphs: what kernels are timed with that are shorter than a launch, which
 * would otherwise be timed with the gaps that the host leaves between them.
 *
 * With cold caches the graphs go through the buffer sets in turn, as single launches do: each has
 * calls on sets of its own, and together they have all, so that between two uses of a set lie the
 * calls on most of the others. Which graph is timed goes round as well, for all that is timed on
 * the workload, and the one before it is
 * queued first, so that the device is busy while the host hands it the one that is timed. Where the
 * sets fit the cache, a fill of twice the cache is queued between the two, and no set is twice in a
 * graph. With warm caches there is one graph, on one set. */
#ifndef TUNER_MEASURE_GRAPHS_H
#define TUNER_MEASURE_GRAPHS_H

#include "tuner/measure/workload.h"

struct graphs;

/* How `calls` a graph are spread: *graph_count graphs, of which number `index` begins with set
 * *first and has *own calls, on one set after the other. `sets` as timing rotates over them: 1 with
 * warm caches. Pure. */
int graphs_count(int calls, int sets);
void graphs_share(int calls, int sets, int index, int *first, int *own);

/* Plans graphs of about `calls` calls, which are made when they are first needed. Borrows workload
 * and variant; free before either. *out is NULL, with TW_OK, where the backend has no graphs. */
tw_status graphs_create(struct graphs **out, struct workload *workload,
                        const struct tw_variant *variant, int calls, struct tw_error *error);
void graphs_free(struct graphs *graphs);

/* Times the next graph: microseconds of one call. TW_UNAVAILABLE when the driver does not take
 * them: then launches are to be queued one by one. */
tw_status graphs_time(struct graphs *graphs, double *time_us, struct tw_error *error);

#endif
