/* Candidates whose guesses follow a Gaussian process as it learns. A new sample costs each
 * candidate time in proportion to the samples, and not to their square: what was worked out of the
 * earlier ones is kept. One thread at a time. */
#ifndef TUNER_SEARCH_PANEL_H
#define TUNER_SEARCH_PANEL_H

#include "tuner/search/gaussian.h"

struct panel;

/* Room for `capacity` candidates of `dimensions` coordinates. The caller frees *out. */
tw_status panel_create(struct panel **out, int capacity, int dimensions, struct tw_error *error);
void panel_free(struct panel *panel);

/* Puts a candidate into a place, 0 to capacity - 1, whoever was there before; the places are filled
 * in order. panel_follow works its guess out. */
void panel_put(struct panel *panel, int place, const float *x);
/* Leaves all places empty. */
void panel_clear(struct panel *panel);
/* Brings all guesses up to date with the process, which is fitted and always the same. */
void panel_follow(struct panel *panel, const struct gaussian *gaussian);

double panel_mean(const struct panel *panel, int place);
double panel_deviation(const struct panel *panel, int place);

#endif
