/* The traits of points (strategy.h) as coordinates in [0, 1]. How a kernel runs follows from
 * products and quotients of its parameters more than from any one of them: how many blocks there
 * are, of how many threads, how many a compute unit has room for. A search that is told needs not
 * find it out.
 *
 * One thread at a time; borrows the space and the expectation. */
#ifndef TUNER_SEARCH_TRAITS_H
#define TUNER_SEARCH_TRAITS_H

#include "tuner/search/strategy.h"

struct traits;

/* `expectation` may be NULL: there are none. Looks at a sample of each implementation for how far
 * its points are apart. The caller frees *out; TW_NO_MEMORY is the only failure. */
tw_status traits_create(struct traits **out, const struct space *space,
                        const struct strategy_expectation *expectation, struct tw_error *error);
void traits_free(struct traits *traits);

/* How many an implementation's points have that tell any of them apart. */
int traits_count(const struct traits *traits, int implementation);
/* Of what lies beyond what the sample had, a coordinate may be a little beyond 0 and 1. */
void traits_of(const struct traits *traits, size_t point, float *x);

#endif
