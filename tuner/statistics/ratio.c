#include "tuner/statistics/ratio.h"

#include <math.h>

static struct ratio summary(double *ratios, size_t count) {
    struct ratio ratio = {.rounds = count};
    if (count == 0)
        return ratio;
    statistics_sort(ratios, count);
    ratio.median = statistics_median(ratios, count);
    ratio.interval = statistics_median_interval(ratios, count, STATISTICS_CONFIDENCE);
    return ratio;
}

struct ratio ratio_of(const double *times, const double *others, size_t rounds, double *room) {
    size_t count = 0;
    for (size_t i = 0; i < rounds; i++)
        if (!isnan(times[i]) && !isnan(others[i]))
            room[count++] = times[i] / others[i];
    return summary(room, count);
}

struct ratio ratio_mean(const struct ratio_pair *pairs, size_t count, double *room) {
    size_t rounds = count > 0 ? pairs[0].rounds : 0, kept = 0;
    for (size_t p = 1; p < count; p++)
        rounds = pairs[p].rounds < rounds ? pairs[p].rounds : rounds;
    for (size_t i = 0; i < rounds; i++) {
        double sum = 0;
        for (size_t p = 0; p < count; p++)
            sum += log(pairs[p].times[i] / pairs[p].others[i]);
        if (!isnan(sum))
            room[kept++] = exp(sum / (double)count);
    }
    return summary(room, kept);
}

enum ratio_verdict ratio_verdict(const struct ratio *ratio) {
    const struct statistics_interval *interval = &ratio->interval;
    if (ratio->rounds == 0 || interval->confidence < STATISTICS_CONFIDENCE)
        return RATIO_UNKNOWN;
    if (interval->low >= 1 - RATIO_TIE && interval->high <= 1 + RATIO_TIE)
        return RATIO_EQUAL;
    if (interval->high < 1)
        return RATIO_LESS;
    return interval->low > 1 ? RATIO_MORE : RATIO_UNKNOWN;
}
