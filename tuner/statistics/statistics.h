/* Medians, and how sure one can be of them. Pure functions, safe from many threads. */
#ifndef TUNER_STATISTICS_STATISTICS_H
#define TUNER_STATISTICS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

enum { STATISTICS_MOST = 1024 }; /* values that these functions take */

/* The median of `count` values (1 .. STATISTICS_MOST), in any order; of an even number, the mean of
 * the middle two. */
double statistics_median(const double *values, size_t count);

struct statistics_interval {
    double low, high;
};

/* A confidence interval of the median from order statistics: it assumes nothing of the distribution
 * but that values are independent (Hahn and Meeker, Statistical Intervals, section 5.2: the number
 * of values below the median is binomial with probability one half). `confidence` as in 0.95. With
 * too few values for that confidence (below 6 for 0.95) returns false, and the interval is from the
 * least to the greatest. */
bool statistics_median_interval(const double *values, size_t count, double confidence,
                                struct statistics_interval *interval);

#endif
