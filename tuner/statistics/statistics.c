#include "tuner/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_sort(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
}

/* Between the values around the fractional rank share * (count - 1). */
static double quantile(const double *sorted, size_t count, double share) {
    double rank = share * (double)(count - 1);
    size_t below = (size_t)rank;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (rank - (double)below) * (sorted[above] - sorted[below]);
}

double statistics_median(const double *sorted, size_t count) {
    return quantile(sorted, count, 0.5);
}

double statistics_spread(const double *sorted, size_t count) {
    double distance = quantile(sorted, count, 0.75) - quantile(sorted, count, 0.25);
    return distance / statistics_median(sorted, count);
}

struct statistics_interval statistics_median_interval(const double *sorted, size_t count,
                                                      double confidence) {
    /* The interval from rank k to count-1-k misses the median when at most k of the values lie
     * below it, or at most k above. The logarithm of the binomial's terms does not underflow. */
    double term = -(double)count * log(2), missed = 2 * exp(term);
    struct statistics_interval interval = {sorted[0], sorted[count - 1], fmax(0, 1 - missed)};
    for (size_t k = 1; 2 * k < count; k++) {
        term += log((double)(count - k + 1) / (double)k);
        missed += 2 * exp(term);
        if (1 - missed < confidence)
            break;
        interval = (struct statistics_interval){sorted[k], sorted[count - 1 - k], 1 - missed};
    }
    return interval;
}

size_t statistics_least_count(double confidence) {
    size_t count = 1;
    for (double missed = 1; 1 - missed < confidence; missed /= 2)
        count++;
    return count;
}
