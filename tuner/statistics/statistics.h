/* What is said of a set of times. Nothing here assumes a distribution: times on a shared machine
 * are skewed and have outliers.
 *
 * All functions are pure and may be called from many threads. `sorted` holds `count` >= 1 finite
 * values in ascending order. */
#ifndef TUNER_STATISTICS_STATISTICS_H
#define TUNER_STATISTICS_STATISTICS_H

#include <stddef.h>

#define STATISTICS_CONFIDENCE 0.95

/* Sorts in place, ascending. */
void statistics_sort(double *values, size_t count);

/* The middle value, or the mean of the two in the middle. */
double statistics_median(const double *sorted, size_t count);

/* The distance between the quartiles as a share of the median: 0.01 is 1 %. */
double statistics_spread(const double *sorted, size_t count);

struct statistics_interval {
    double low, high; /* both are among the values */
    double
        confidence; /* that the true median lies within; at least what was asked, unless there are
                       too few values: then low and high are the extremes and this is lower */
};

/* The narrowest symmetric pair of order statistics that holds the true median with `confidence`:
 * the number of values below it is binomial(count, 1/2). Conover, "Practical Nonparametric
 * Statistics", 3rd edition, section 3.2. */
struct statistics_interval statistics_median_interval(const double *sorted, size_t count,
                                                      double confidence);

/* The fewest values whose interval reaches the confidence: 6 for 0.95. */
size_t statistics_least_count(double confidence);

#endif
