/* The baseline and the budget of Willemsen, Schoonhoven, Filipovic, Torring, van Nieuwpoort and van
 * Werkhoven, "A methodology for comparing optimization algorithms for auto-tuning" (2024). */
#include "tuner/replay/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/statistics/statistics.h"

static const double CUTOFF = 0.95;

/* The mean best after `trials` draws, of those draws in which any worked. absent[i] is the chance
 * that none of the i fastest was drawn. */
static double mean_best(const double *sorted, size_t ok, const double *absent) {
    double sum = 0;
    for (size_t i = 0; i < ok; i++)
        sum += sorted[i] * (absent[i] - absent[i + 1]);
    return sum / (1 - absent[ok]);
}

static void draw(double *absent, size_t ok, size_t points, size_t drawn) {
    for (size_t i = 0; i <= ok; i++)
        absent[i] *=
            drawn + i < points ? (double)(points - drawn - i) / (double)(points - drawn) : 0;
}

/* curve[k]: the mean best after k + 1 trials. How many of them until the cutoff. */
static size_t follow(const double *sorted, size_t ok, size_t points, double *absent,
                     double *curve) {
    double best = sorted[0], median = statistics_median(sorted, ok);
    double cutoff = median - CUTOFF * (median - best);
    size_t trials = 0;
    for (size_t i = 0; i <= ok; i++)
        absent[i] = 1;
    do {
        draw(absent, ok, points, trials);
        curve[trials++] = mean_best(sorted, ok, absent);
    } while (trials < points && curve[trials - 1] > cutoff);
    return trials;
}

/* The curve between its trials. */
static double at(const double *curve, size_t trials, double trial) {
    if (trial <= 1)
        return curve[0];
    size_t below = (size_t)trial;
    if (below >= trials)
        return curve[trials - 1];
    return curve[below - 1] + (trial - (double)below) * (curve[below] - curve[below - 1]);
}

tw_status baseline_of(struct baseline *baseline, const struct recording *recording,
                      struct tw_error *error) {
    size_t points = space_size(recording->space), ok = 0;
    double *sorted = malloc(points * sizeof *sorted),
           *absent = malloc((points + 1) * sizeof *absent);
    double *curve = malloc(points * sizeof *curve), cost = 0;
    tw_status status = TW_OK;
    if (sorted == NULL || absent == NULL || curve == NULL) {
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    } else {
        for (size_t i = 0; i < points; i++) {
            cost += recording->points[i].compiling + recording->points[i].running;
            if (recording->points[i].ok)
                sorted[ok++] = recording->points[i].seconds;
        }
        statistics_sort(sorted, ok);
        size_t trials = follow(sorted, ok, points, absent, curve);
        baseline->trial_seconds = cost > 0 ? cost / (double)points : 1;
        baseline->budget = (double)trials * baseline->trial_seconds;
        for (int i = 0; i < BASELINE_MOMENTS; i++)
            baseline->best[i] = at(curve, trials, (double)trials * (i + 1) / BASELINE_MOMENTS);
    }
    free(sorted);
    free(absent);
    free(curve);
    return status;
}

double baseline_reaches(size_t points, size_t good, double share) {
    double absent = 1;
    for (size_t trial = 0; trial + good < points; trial++) {
        absent *= (double)(points - good - trial) / (double)(points - trial);
        if (absent <= 1 - share)
            return (double)(trial + 1);
    }
    return good > 0 ? (double)(points - good + 1) : INFINITY;
}
