#include "tuner/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_copy(const double *values, size_t count, double *sorted) {
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, ascending);
}

static double middle(const double *sorted, size_t count) {
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double statistics_median(const double *values, size_t count) {
    double sorted[STATISTICS_MOST];
    sort_copy(values, count, sorted);
    return middle(sorted, count);
}

bool statistics_median_interval(const double *values, size_t count, double confidence,
                                struct statistics_interval *interval) {
    double sorted[STATISTICS_MOST];
    sort_copy(values, count, sorted);
    /* Leave out as many values at each end as the binomial's tails allow. */
    double allowed = (1 - confidence) / 2, tail = 0;
    double probability = pow(0.5, (double)count); /* that none is below the median */
    size_t left_out = 0;
    while (left_out < count / 2 && tail + probability <= allowed) {
        tail += probability;
        probability *= (double)(count - left_out) / (double)(left_out + 1);
        left_out++;
    }
    size_t first = left_out > 0 ? left_out - 1 : 0;
    *interval = (struct statistics_interval){sorted[first], sorted[count - 1 - first]};
    return left_out > 0;
}
