/* What is known of a space before anything of it was measured: the cost model that selection uses
 * (runtime/predict) tells how long each configuration should take. A search begins with those that
 * should be fast, and puts off those that should be hopeless.
 *
 * Predictions are of a model where there is one for the device, or one of its architecture, and of
 * the analytic estimate else. Only their order is used. Deterministic; a prior belongs to one
 * thread at a time and borrows all that it is made of. */
#ifndef TUNER_SEARCH_PRIOR_H
#define TUNER_SEARCH_PRIOR_H

#include "runtime/predict/model.h"
#include "runtime/select/catalogue.h"
#include "tuner/space/space.h"

enum {
    PRIOR_FIRST = 8, /* points that a search begins with */
    PRIOR_TRAITS = 9
};

struct prior;

/* The model of a catalogue for the problem on the device, or of its architecture: *model is NULL
 * when there is none that can be read. `cache` is "cold" or "warm". */
tw_status prior_model(const struct tw_catalogue *catalogue, const struct tw_problem *problem,
                      const struct tw_device_info *device, const char *cache,
                      const struct tw_model **model, struct tw_error *error);

/* `values` are bound for the problem; `model` may be NULL. Looks at the whole space, or at a sample
 * of it; with none it is only good for prior_time_us. The caller frees *out; TW_NO_MEMORY is the
 * only failure. */
tw_status prior_create(struct prior **out, const struct tw_problem *problem, const int64_t *values,
                       const struct tw_device_info *device, const struct space *space,
                       const struct tw_model *model, uint64_t seed, struct tw_error *error);
void prior_free(struct prior *prior);

/* What a configuration should take, in microseconds; infinite when nothing can be said. */
double prior_time_us(struct prior *prior, const struct tw_configuration *configuration);

/* What a configuration comes to, in logarithms, as far as that has to do with how long it takes:
 * its blocks and their threads, how many units hold and have to do, how much of it is for nothing,
 * what the estimate says of its parts. Zeros where that cannot be said. */
void prior_traits(struct prior *prior, const struct tw_configuration *configuration,
                  double traits[PRIOR_TRAITS]);

/* The points that should be the fastest, of those that it has looked at, the fastest first: no two
 * of one implementation for which the same is predicted, as they differ in nothing that it knows
 * of, and at most half of them of one implementation where there are others. Returns how many, at
 * most PRIOR_FIRST. */
int prior_first(const struct prior *prior, size_t points[PRIOR_FIRST]);

/* Whether a point should take several times as long as the best: there is time for it later. */
bool prior_doubts(struct prior *prior, size_t point);

#endif
