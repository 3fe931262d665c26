/* The fastest points known of each implementation: where a climb steps from.
 *
 * Of points near each other only the fastest is kept, or all would soon sit on one hill; and each
 * implementation has places of its own, or the first to have a good point would soon have all of
 * them, and the others would never be climbed. One thread at a time; borrows the space. */
#ifndef TUNER_SEARCH_ELITE_H
#define TUNER_SEARCH_ELITE_H

#include "tuner/search/rng.h"
#include "tuner/space/space.h"

struct elite;

tw_status elite_create(struct elite **out, const struct space *space, struct tw_error *error);
void elite_free(struct elite *elite);

/* Takes a point in, if it is among the fastest of its implementation. */
void elite_add(struct elite *elite, size_t point, double seconds);

/* An implementation, the more likely the less its best is behind the best of all. Some point must
 * have been added. */
int elite_draw_implementation(const struct elite *elite, struct rng *rng);
/* A point to step from, the faster the more likely: first an implementation, then one of its
 * points. Some point must have been added. */
size_t elite_draw(const struct elite *elite, struct rng *rng);
/* One of an implementation's points. It must have one. */
size_t elite_draw_of(const struct elite *elite, int implementation, struct rng *rng);

#endif
