/* Steps from point to point, as strategies take them. */
#ifndef TUNER_SEARCH_STEP_H
#define TUNER_SEARCH_STEP_H

#include "tuner/search/elite.h"

/* Changes a rank: to the one above or below it, or with a chance to any. */
unsigned char step_rank(const struct space_axis *axis, unsigned char rank, struct rng *rng);
/* The point with one to three changes, and `extra` more, of one of the elite, perhaps crossed with
 * another, where a change may be of two numbers whose product stays; SPACE_NONE when it is not in
 * the space. The elite is not empty. */
size_t step_from_elite(const struct elite *elite, const struct space *space, struct rng *rng,
                       int extra);
/* The point with `changes` parameters changed by step_rank, or two numbers traded; SPACE_NONE when
 * it is not in the space. */
size_t step_random(const struct space *space, size_t point, int changes, struct rng *rng);
/* Whether two points differ in one parameter at most. */
bool step_near(const struct space *space, size_t a, size_t b);
/* Hands over every point that differs from `point` in one parameter, or in two numbers of which one
 * is doubled or quadrupled and the other divided by as much. */
void step_neighbours(const struct space *space, size_t point, void (*take)(void *, size_t),
                     void *context);

#endif
