/* How long does a variant take? Device events around batches of calls, each call on the next buffer
 * set.
 *
 * A repeat is one batch, long enough for the events' resolution, and its time is the batch's over
 * the number of calls. With cold caches the sets rotate; where all sets together fit the cache, a
 * fill of twice the cache precedes each batch and no set is used twice in it. What is shorter than
 * a few launches is queued in graphs, where there are such (graphs.h). */
#ifndef TUNER_MEASURE_TIMING_H
#define TUNER_MEASURE_TIMING_H

#include "tuner/measure/workload.h"

enum { TIMING_MAX_REPEATS = 25 };

struct timing {
    int count;
    double times_us[TIMING_MAX_REPEATS]; /* of one call, a repeat each, in the order measured */
    bool screened_out; /* clearly slower than the best, so left off after a few repeats */
};

struct timer;

/* Warms the variant up. How many calls a batch has is chosen at the first repeat, when all that is
 * to be compared should be warmed up: by the fastest on the workload so far. Borrows both; free
 * before either. */
tw_status timer_make(struct timer **out, struct workload *workload,
                     const struct tw_variant *variant, struct tw_error *error);
void timer_free(struct timer *timer);

/* One repeat: microseconds of one call. */
tw_status timer_repeat(struct timer *timer, double *time_us, struct tw_error *error);

/* What repeats come from: a timer, or what a test has planted. */
struct timing_source {
    tw_status (*repeat)(void *context, double *time_us, struct tw_error *error);
    void *context;
    double warm_us; /* of one call, as the warm-up saw it */
};

/* Repeats until the time is settled or the variant has lost to `best_us` (statistics/race.h; 0: no
 * best yet). `enough` is what that may take, in seconds, once there are the least repeats; 0: as
 * long as a search has. Given a time of its own, three repeats are the least. */
tw_status timing_collect(const struct timing_source *source, double best_us, double enough,
                         struct timing *timing, struct tw_error *error);
/* The same with the timer for a source. */
tw_status timer_measure(struct timer *timer, double best_us, double enough, struct timing *timing,
                        struct tw_error *error);

/* The median of what was measured, in microseconds; `count` must be above 0. */
double timing_median(const struct timing *timing);

/* Device-to-device copy of the bytes that the problem moves, on the same device under the same
 * policy: what a kernel that only moves data can hope for. Microseconds of one copy, median of a
 * few.
 */
tw_status timing_copy(const struct workload *workload, double bytes, double *time_us,
                      struct tw_error *error);

#endif
