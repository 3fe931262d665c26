/* The score is that of Willemsen et al. (see baseline.c): at each of the moments of the baseline's
 * budget, how much of the way from the baseline's best to the best of all the mean of the seeds'
 * bests has gone, and of these the mean. A search that has tried all it may keeps its best. */
#include "tuner/replay/assessment.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/statistics/statistics.h"

const double assessment_targets[ASSESSMENT_TARGETS] = {0.1, 0.05, 0.02, 0.01};

/* What each seed came to; an array of all seeds each. */
struct seeds {
    size_t count;
    double *trials[ASSESSMENT_TARGETS], *seconds[ASSESSMENT_TARGETS], *early, *late, *all;
    double moments[BASELINE_MOMENTS]; /* sums of the bests */
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Among the values, so that INFINITY needs no arithmetic. Sorts them. */
static struct quartiles quartiles_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return (struct quartiles){values[(count - 1) / 4], values[(count - 1) / 2],
                              values[count - 1 - (count - 1) / 4]};
}

static double gap_after(const struct replay *replay, size_t trials, double best) {
    size_t count = replay->count < trials ? replay->count : trials;
    return count > 0 ? replay->best[count - 1] / best - 1 : INFINITY;
}

static void add_moments(struct seeds *seeds, const struct replay *replay,
                        const struct baseline *baseline) {
    size_t done = 0;
    bool recorded = replay->count > 0 && replay->spent[replay->count - 1] > 0;
    for (int i = 0; i < BASELINE_MOMENTS; i++) {
        double moment = baseline->budget * (i + 1) / BASELINE_MOMENTS;
        while (done < replay->count &&
               (recorded ? replay->spent[done] : (double)(done + 1)) <= moment)
            done++;
        double best = done > 0 ? replay->best[done - 1] : INFINITY;
        seeds->moments[i] += best < INFINITY ? best : baseline->best[i];
    }
}

static void take(struct seeds *seeds, size_t seed, const struct replay *replay,
                 const struct recording *recording) {
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        size_t trial = replay_reaches(replay, recording->best * (1 + assessment_targets[i]));
        seeds->trials[i][seed] = trial > 0 ? (double)trial : INFINITY;
        seeds->seconds[i][seed] = trial > 0 ? replay->clock[trial - 1] : INFINITY;
    }
    seeds->early[seed] = gap_after(replay, ASSESSMENT_EARLY, recording->best);
    seeds->late[seed] = gap_after(replay, replay->count, recording->best);
    seeds->all[seed] = (double)replay->count;
}

static double score_of(const struct seeds *seeds, const struct recording *recording,
                       const struct baseline *baseline) {
    double sum = 0;
    for (int i = 0; i < BASELINE_MOMENTS; i++) {
        double mean = seeds->moments[i] / (double)seeds->count;
        double room = baseline->best[i] - recording->best;
        sum += room > 0 ? (baseline->best[i] - mean) / room : 1;
    }
    return sum / BASELINE_MOMENTS;
}

static double share_of_finite(const double *values, size_t count) {
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        finite += isfinite(values[i]);
    return (double)finite / (double)count;
}

static void sum_up(struct assessment *out, struct seeds *seeds) {
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        out->trials[i] = quartiles_of(seeds->trials[i], seeds->count);
        out->seconds[i] = quartiles_of(seeds->seconds[i], seeds->count);
        out->near[i] = share_of_finite(seeds->trials[i], seeds->count);
    }
    out->count = quartiles_of(seeds->all, seeds->count);
    out->early = quartiles_of(seeds->early, seeds->count);
    out->late = quartiles_of(seeds->late, seeds->count);
    out->worst = seeds->late[seeds->count - 1];
}

tw_status assess(struct assessment *assessment, const struct recording *recording,
                 const struct baseline *baseline, const struct strategy_choice *choice,
                 size_t count, const struct replay_options *options, struct tw_error *error) {
    enum { ARRAYS = 2 * ASSESSMENT_TARGETS + 3 };
    double *values = malloc(ARRAYS * count * sizeof *values);
    if (values == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct seeds seeds = {.count = count};
    for (size_t i = 0; i < ASSESSMENT_TARGETS; i++) {
        seeds.trials[i] = values + 2 * i * count;
        seeds.seconds[i] = values + (2 * i + 1) * count;
    }
    seeds.early = values + (ARRAYS - 3) * count;
    seeds.late = values + (ARRAYS - 2) * count;
    seeds.all = values + (ARRAYS - 1) * count;
    struct replay replay = {0};
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        status = replay_run(&replay, recording, choice, i + 1, options, error);
        if (status == TW_OK) {
            take(&seeds, i, &replay, recording);
            add_moments(&seeds, &replay, baseline);
        }
    }
    if (status == TW_OK) {
        assessment->score = score_of(&seeds, recording, baseline);
        sum_up(assessment, &seeds);
    }
    replay_free(&replay);
    free(values);
    return status;
}
