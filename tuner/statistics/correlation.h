/* How well one order agrees with another. */
#ifndef TUNER_STATISTICS_CORRELATION_H
#define TUNER_STATISTICS_CORRELATION_H

#include <stddef.h>

/* Spearman's rank correlation of pairs: 1 for the same order, -1 for the opposite, near 0 for
 * orders that have nothing to do with each other. Equal values share the mean of their ranks
 * (Conover, "Practical Nonparametric Statistics", 3rd edition, section 5.4). `room` is for
 * 3 * count values. 0 when there are fewer than two pairs, or one side is all the same. Pure. */
double correlation_ranks(const double *x, const double *y, size_t count, double *room);

#endif
