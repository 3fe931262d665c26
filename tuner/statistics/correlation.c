#include "tuner/statistics/correlation.h"

#include <math.h>
#include <string.h>

#include "tuner/statistics/statistics.h"

/* How many of the sorted values are less than one, or with `equal` no more than it. */
static size_t below(const double *sorted, size_t count, double value, int equal) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value || (equal && sorted[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Ranks, the mean of those that equal values have, less the mean of all. */
static void rank(const double *values, size_t count, double *sorted, double *ranks) {
    memcpy(sorted, values, count * sizeof *sorted);
    statistics_sort(sorted, count);
    for (size_t i = 0; i < count; i++) {
        size_t less = below(sorted, count, values[i], 0);
        size_t not_more = below(sorted, count, values[i], 1);
        ranks[i] = (double)(less + not_more) / 2 - (double)count / 2;
    }
}

double correlation_ranks(const double *x, const double *y, size_t count, double *room) {
    double *of_x = room, *of_y = room + count, xy = 0, xx = 0, yy = 0;
    if (count < 2)
        return 0;
    rank(x, count, room + 2 * count, of_x);
    rank(y, count, room + 2 * count, of_y);
    for (size_t i = 0; i < count; i++) {
        xy += of_x[i] * of_y[i];
        xx += of_x[i] * of_x[i];
        yy += of_y[i] * of_y[i];
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
