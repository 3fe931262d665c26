/* A Gaussian process: a smooth guess at a function, with its uncertainty, from noisy values at a
 * few hundred points (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006:
 * algorithm 2.1, and section 5.4 for the lengths). The covariance is Matern 5/2 with a length for
 * each coordinate, so that coordinates which do not matter are told from those which do.
 *
 * Coordinates are meant to lie in [0, 1]. One thread at a time. */
#ifndef TUNER_SEARCH_GAUSSIAN_H
#define TUNER_SEARCH_GAUSSIAN_H

#include <stdbool.h>

#include "runtime/base/error.h"

enum { GAUSSIAN_SAMPLES = 300 /* at most: fitting takes time as their cube */ };

struct gaussian;

/* `dimensions` is at most TW_MAX_PARAMETERS. The caller frees *out. */
tw_status gaussian_create(struct gaussian **out, int dimensions, struct tw_error *error);
void gaussian_free(struct gaussian *gaussian);

/* Forgets the samples but keeps what was tuned. */
void gaussian_clear(struct gaussian *gaussian);
/* At most GAUSSIAN_SAMPLES times after a clear. */
void gaussian_add(struct gaussian *gaussian, const double *x, double y);
/* Finds lengths and noise that make the first samples (up to a hundred) likely. Optional, and slow.
 */
void gaussian_tune(struct gaussian *gaussian);
/* To be called after adding and before guessing. False when no guess can be made, as of no samples.
 */
bool gaussian_fit(struct gaussian *gaussian);

double gaussian_mean(const struct gaussian *gaussian, const double *x);
/* The mean, and the standard deviation of the function there. */
double gaussian_guess(const struct gaussian *gaussian, const double *x, double *deviation);

#endif
