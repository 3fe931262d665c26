/* Unseen points at random, without replacement.
 *
 * An implementation is drawn with a chance in proportion to the number of bits that name one of its
 * points, log2(1 + points), and then one of its unseen points uniformly. Were all points alike, an
 * implementation with few points would never be tried beside one with 100000 times as many; were
 * all implementations alike, a short run would spend half its trials on the small one. */
#ifndef TUNER_SEARCH_EXPLORE_H
#define TUNER_SEARCH_EXPLORE_H

#include "tuner/search/chance.h"
#include "tuner/search/strategy.h"

struct explorer;

tw_status explorer_create(struct explorer **out, const struct strategy *strategy, uint64_t seed,
                          struct tw_error *error);
void explorer_free(struct explorer *explorer);

/* An unseen point of the space. There must be one. It may come again until it is seen. */
size_t explorer_draw(struct explorer *explorer);
/* An unseen point of an implementation. There must be one. */
size_t explorer_draw_from(struct explorer *explorer, int implementation);

#endif
