/* The covariance of a Gaussian process, from one place to many at once, so that the compiler can
 * use vectors: Matern 5/2 with a length for each coordinate (Rasmussen and Williams, "Gaussian
 * Processes for Machine Learning", 2006, equation 4.17). */
#ifndef TUNER_SEARCH_MATERN_H
#define TUNER_SEARCH_MATERN_H

enum { MATERN_BLOCK = 32 };

/* out[c], for MATERN_BLOCK places, is what place c has in common with `at`: 1 where they are the
 * same, falling to 0 with their distance. Coordinate i of place c is x[i * stride + c]; a
 * coordinate counts in proportion to its scale. */
void matern_block(const float *x, int stride, const float *at, const float *scales, int dimensions,
                  float *out);

#endif
