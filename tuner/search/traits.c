#include "tuner/search/traits.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/search/rng.h"

enum { SAMPLE = 400 /* points of an implementation */ };

struct range {
    double least, most;
};

struct traits {
    const struct space *space;
    const struct strategy_expectation *expectation;
    int count;                                  /* of those that are told of a point */
    struct range ranges[][STRATEGY_MAX_TRAITS]; /* by implementation */
};

static void look(struct traits *traits, int implementation) {
    struct rng rng = {(uint64_t)implementation};
    struct space_range points = space_range(traits->space, implementation);
    struct range *ranges = traits->ranges[implementation];
    for (int i = 0; i < traits->count; i++)
        ranges[i] = (struct range){INFINITY, -INFINITY};
    for (size_t k = 0; k < points.count && k < SAMPLE; k++) {
        bool all = points.count <= SAMPLE;
        double values[STRATEGY_MAX_TRAITS];
        traits->expectation->traits(traits->expectation->context,
                                    points.first + (all ? k : rng_below(&rng, points.count)),
                                    values);
        for (int i = 0; i < traits->count; i++) {
            ranges[i].least = fmin(ranges[i].least, values[i]);
            ranges[i].most = fmax(ranges[i].most, values[i]);
        }
    }
}

tw_status traits_create(struct traits **out, const struct space *space,
                        const struct strategy_expectation *expectation, struct tw_error *error) {
    size_t implementations = (size_t)space_implementations(space);
    struct traits *traits = calloc(1, sizeof *traits + implementations * sizeof traits->ranges[0]);
    *out = traits;
    if (traits == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    traits->space = space;
    traits->expectation = expectation;
    traits->count = expectation != NULL ? expectation->trait_count : 0;
    for (size_t i = 0; i < implementations && traits->count > 0; i++)
        look(traits, (int)i);
    return TW_OK;
}

void traits_free(struct traits *traits) {
    free(traits);
}

int traits_count(const struct traits *traits, int implementation) {
    const struct range *ranges = traits->ranges[implementation];
    int count = 0;
    for (int i = 0; i < traits->count; i++)
        count += ranges[i].most > ranges[i].least;
    return count;
}

void traits_of(const struct traits *traits, size_t point, float *x) {
    const struct range *ranges = traits->ranges[space_implementation(traits->space, point)];
    double values[STRATEGY_MAX_TRAITS];
    int count = 0;
    if (traits->count == 0)
        return;
    traits->expectation->traits(traits->expectation->context, point, values);
    for (int i = 0; i < traits->count; i++) {
        double span = ranges[i].most - ranges[i].least;
        if (span > 0)
            x[count++] = (float)fmin(fmax((values[i] - ranges[i].least) / span, -0.5), 1.5);
    }
}
