#include "tuner/statistics/race.h"

#include <math.h>

static const double CLEARLY_SLOWER = 1.10, HOPELESS = 2;

/* How often the repeats are looked at, and with which error. */
static const struct {
    size_t count;
    double error;
} looks[] = {{3, 1.0 / 8}, {5, 1.0 / 32}, {8, 1.0 / 64}, {12, 1.0 / 64}};

/* That `above` or more of `count` fair coins show heads. */
static double tail(size_t count, size_t above) {
    double term = exp2(-(double)count), sum = 0;
    for (size_t k = count;; k--) {
        sum += term;
        if (k == above)
            return sum;
        term *= (double)k / (double)(count - k + 1);
    }
}

bool race_is_lost(const double *times, size_t count, double warm, double best) {
    size_t above = 0;
    if (best <= 0)
        return false;
    if (count == 2)
        return warm > best * HOPELESS && fmin(times[0], times[1]) > best * HOPELESS;
    for (size_t i = 0; i < count; i++)
        above += times[i] > best * CLEARLY_SLOWER;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (looks[i].count == count)
            return tail(count, above) <= looks[i].error;
    return false;
}
