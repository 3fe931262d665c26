/* What boosted trees are grown to come nearer to: of each sample, by what the trees so far say of
 * it, the step that is wanted next and how much it counts. Such steps are Newton's: a loss's slope
 * over its curvature, and the curvature. */
#ifndef TUNER_MODEL_OBJECTIVES_H
#define TUNER_MODEL_OBJECTIVES_H

#include <stdbool.h>

#include "runtime/base/error.h"

struct objective {
    /* Works out `steps` and `weights` of the samples that are `used` (NULL: of all) from what is
     * `said` of them. */
    void (*aim)(struct objective *objective, const double *said, const bool *used, double *steps,
                double *weights);
};

/* The least weighted sum of squares. Borrows both, which have an entry a sample. */
struct squares {
    struct objective objective;
    int count;
    const double *wanted, *weights;
};
void squares_begin(struct squares *squares, int count, const double *wanted, const double *weights);

/* The order of the configurations of a problem. What is said of a sample is the logarithm of how
 * many times as long it takes as others of its problem do, and to each problem may be added what
 * one likes. By that a configuration is chosen with a likelihood, which is to be what the measured
 * times make of it: nearly all goes to what is near the best, and what is known to be far away
 * teaches nothing more. It is the loss of ListNet (Cao, Qin, Liu, Tsai and Li, "Learning to rank:
 * from pairwise approach to listwise approach", ICML 2007), with logarithms of times as scores. */
struct order {
    struct objective objective;
    int count, group_count;
    const int *groups;  /* of each sample: its problem */
    double *likelihood; /* of each sample: what the measured times make it */
    double *said;       /* the same by what is said */
    double *most, *sum; /* a group */
};
/* `longer` has the logarithm of how many times as long as the best a sample takes. Borrows
 * `groups`. TW_NO_MEMORY is the only failure; order_end in every case. */
tw_status order_begin(struct order *order, int count, const int *groups, int group_count,
                      const double *longer, struct tw_error *error);
void order_end(struct order *order);

#endif
