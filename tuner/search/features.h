/* A point as coordinates in [0, 1], such that points which run alike are near each other. */
#ifndef TUNER_SEARCH_FEATURES_H
#define TUNER_SEARCH_FEATURES_H

#include "tuner/space/space.h"

enum { FEATURES_MAX = 2 * TW_MAX_PARAMETERS };

/* How many an implementation's points have: for each axis its rank, and for axes of numbers that
 * are not all powers of two how often 2 divides the number as well, for hardware is made of powers
 * of two: of blocks of 32, 48 and 64 threads the first and the last have more in common. */
int features_count(const struct space *space, int implementation);
void features_of(const struct space *space, size_t point, float x[FEATURES_MAX]);

#endif
