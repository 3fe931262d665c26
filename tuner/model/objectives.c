#include "tuner/model/objectives.h"

#include <math.h>
#include <stdlib.h>

/* ---- Squares ---- */

static void aim_squares(struct objective *objective, const double *said, const bool *used,
                        double *steps, double *weights) {
    const struct squares *squares = (const struct squares *)objective;
    for (int i = 0; i < squares->count; i++) {
        if (used != NULL && !used[i])
            continue;
        steps[i] = squares->wanted[i] - said[i];
        weights[i] = squares->weights[i];
    }
}

void squares_begin(struct squares *squares, int count, const double *wanted,
                   const double *weights) {
    *squares = (struct squares){
        .objective = {aim_squares}, .count = count, .wanted = wanted, .weights = weights};
}

/* ---- Order ---- */

/* A configuration that takes so many times as long, as a logarithm, is e times less likely: about
 * what predictions err by. Of gemm 0.1 to 0.2 choose alike, 0.05 worse (docs/notes). */
static const double SOFTNESS = 0.15;
/* A curvature of none would make a step of any length. */
static const double LEAST_CURVATURE = 1e-4;

/* Of what takes longer, less: in each group they sum up to 1. */
static void find_likelihood(const struct order *order, const double *longer, const bool *used,
                            double *likelihood) {
    for (int g = 0; g < order->group_count; g++) {
        order->most[g] = -INFINITY;
        order->sum[g] = 0;
    }
    for (int i = 0; i < order->count; i++)
        if (used == NULL || used[i])
            order->most[order->groups[i]] = fmax(order->most[order->groups[i]], -longer[i]);
    for (int i = 0; i < order->count; i++) {
        if (used != NULL && !used[i])
            continue;
        const int g = order->groups[i];
        likelihood[i] = exp((-longer[i] - order->most[g]) / SOFTNESS);
        order->sum[g] += likelihood[i];
    }
    for (int i = 0; i < order->count; i++)
        if (used == NULL || used[i])
            likelihood[i] /= order->sum[order->groups[i]];
}

static void aim_order(struct objective *objective, const double *said, const bool *used,
                      double *steps, double *weights) {
    const struct order *order = (const struct order *)objective;
    find_likelihood(order, said, used, order->said);
    for (int i = 0; i < order->count; i++) {
        if (used != NULL && !used[i])
            continue;
        const double by_said = order->said[i];
        const double slope = (order->likelihood[i] - by_said) / SOFTNESS;
        weights[i] = fmax(by_said * (1 - by_said) / (SOFTNESS * SOFTNESS), LEAST_CURVATURE);
        steps[i] = -slope / weights[i];
    }
}

tw_status order_begin(struct order *order, int count, const int *groups, int group_count,
                      const double *longer, struct tw_error *error) {
    *order = (struct order){.objective = {aim_order},
                            .count = count,
                            .group_count = group_count,
                            .groups = groups,
                            .likelihood = calloc((size_t)count + 1, sizeof *order->likelihood),
                            .said = calloc((size_t)count + 1, sizeof *order->said),
                            .most = calloc((size_t)group_count + 1, sizeof *order->most),
                            .sum = calloc((size_t)group_count + 1, sizeof *order->sum)};
    if (order->likelihood == NULL || order->said == NULL || order->most == NULL ||
        order->sum == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    /* Of whole groups are some used or none, so that it is the same whichever are. */
    find_likelihood(order, longer, NULL, order->likelihood);
    return TW_OK;
}

void order_end(struct order *order) {
    free(order->likelihood);
    free(order->said);
    free(order->most);
    free(order->sum);
    *order = (struct order){0};
}
