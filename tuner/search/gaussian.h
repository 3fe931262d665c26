/* A Gaussian process: a smooth guess at a function, with its uncertainty, from values at a few
 * hundred points (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006:
 * algorithm 2.1, and section 5.4 for the lengths). The covariance is Matern 5/2 with a length for
 * each coordinate, so that coordinates which do not matter are told from those which do.
 *
 * What is not smooth, the nugget, is taken for a property of each place and not for noise: two
 * values measured at one place would agree, and what a new place brings is uncertain by the nugget
 * too, however many of its neighbours are known.
 *
 * Coordinates are meant to lie in [0, 1]. One thread at a time. */
#ifndef TUNER_SEARCH_GAUSSIAN_H
#define TUNER_SEARCH_GAUSSIAN_H

#include <stdbool.h>

#include "runtime/base/error.h"
#include "tuner/search/matern.h"

enum {
    GAUSSIAN_SAMPLES = 320, /* at most: fitting takes time as their cube; whole blocks */
    GAUSSIAN_DIMENSIONS = 80
};

struct gaussian;

/* `dimensions` is at most GAUSSIAN_DIMENSIONS. The caller frees *out. */
tw_status gaussian_create(struct gaussian **out, int dimensions, struct tw_error *error);
void gaussian_free(struct gaussian *gaussian);

/* Forgets the samples but keeps what was tuned. */
void gaussian_clear(struct gaussian *gaussian);
/* At most GAUSSIAN_SAMPLES times after a clear. */
void gaussian_add(struct gaussian *gaussian, const float *x, double y);
/* Another value for sample i. */
void gaussian_correct(struct gaussian *gaussian, int i, double y);
/* Finds lengths and nugget that make an even selection of the samples likely. Optional, and slow.
 */
void gaussian_tune(struct gaussian *gaussian);
/* To be called after adding or correcting and before guessing. Takes time as the square of the
 * samples for each one that was added since the last fit, unless it was tuned or cleared since.
 * False when no guess can be made, as of no samples. */
bool gaussian_fit(struct gaussian *gaussian);

/* The mean, and the standard deviation of what will be measured there. */
double gaussian_guess(const struct gaussian *gaussian, const float *x, double *deviation);

/* ---- For panel.c, which keeps what it works out of them; once it is fitted ---- */

/* Changes whenever what was worked out of earlier samples no longer holds. */
unsigned gaussian_version(const struct gaussian *gaussian);
int gaussian_count(const struct gaussian *gaussian);
double gaussian_center(const struct gaussian *gaussian);
double gaussian_variance(const struct gaussian *gaussian); /* far from all samples */
/* Between sample i and MATERN_BLOCK places, as matern_block takes them. */
void gaussian_covariances(const struct gaussian *gaussian, int i, const float *x, int stride,
                          float *out);
/* Row i of the Cholesky factor of the samples' covariance, i + 1 numbers, and what solving it for
 * their values, less the center, gives. */
const float *gaussian_row(const struct gaussian *gaussian, int i);
double gaussian_whitened(const struct gaussian *gaussian, int i);

#endif
