/* Unseen points at random, without replacement.
 *
 * An implementation is drawn with a chance in proportion to the number of bits that name one of its
 * points, log2(1 + points), and then one of its unseen points uniformly. Were all points alike, an
 * implementation with few points would never be tried beside one with 100000 times as many; were
 * all implementations alike, a short run would spend half its trials on the small one. */
#ifndef TUNER_SEARCH_SAMPLER_H
#define TUNER_SEARCH_SAMPLER_H

#include "tuner/search/rng.h"
#include "tuner/search/strategy.h"

struct sampler;

tw_status sampler_create(struct sampler **out, const struct strategy *strategy, uint64_t seed,
                         struct tw_error *error);
void sampler_free(struct sampler *sampler);

/* An unseen point of the space. There must be one. It may come again until it is seen. */
size_t sampler_draw(struct sampler *sampler);
/* An unseen point of an implementation. There must be one. */
size_t sampler_draw_from(struct sampler *sampler, int implementation);

#endif
