#include "tuner/model/sureness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/doubling.h"

/* A model's uncertainty is that of what is so near to the best. */
static const double NEAR_THE_BEST = 1.5;
/* What of a normal distribution is the standard deviation over the mean distance: a few trials that
 * are far off are not to say all. */
static const double OVER_MEAN_DISTANCE = 1.2533;

/* An implementation's own is joined by so many trials that err as an earlier model says of it, or
 * as all do: of a few of its own little can be said. */
static const double TRIALS_BEFORE = 20;
/* Nothing is surer than that, however well a few trials agree. */
static const double LEAST_UNCERTAINTY = 0.02;

/* How many trials count for what an earlier model says, beside `count` of the report's problems.
 * Where it goes on, it speaks of all problems that it was fitted to, and those of now may be of a
 * few sizes alone: each has as many. */
static double trials_before(const struct model_samples *s, const struct fit_report *report,
                            int count) {
    if (!model_grows_on(s) || report->problems == 0)
        return TRIALS_BEFORE;
    return fmax(TRIALS_BEFORE, (double)count * s->onto->place_count / report->problems);
}

/* How surely an earlier model predicts an implementation; 0 where it does not say. */
static double known_uncertainty(const struct model_samples *s, int implementation) {
    const char *name = s->description->implementations[implementation].name;
    for (int i = 0; s->onto != NULL && i < s->onto->sureness_count; i++)
        if (strcmp(s->onto->sureness[i].implementation, name) == 0)
            return s->onto->sureness[i].uncertainty;
    return 0;
}

/* Of `count` trials whose squares of errors come to `sum`, and so many before that err by `before`.
 */
static double joined(double sum, int count, double before, double trials) {
    return fmax(LEAST_UNCERTAINTY, sqrt((sum + trials * before * before) / (count + trials)));
}

void tell_uncertainty(const struct model_samples *s, const double *predicted,
                      struct fit_report *report) {
    double sum = 0, of[TW_MAX_IMPLEMENTATIONS] = {0};
    int count = 0, counts[TW_MAX_IMPLEMENTATIONS] = {0};
    for (int i = 0; i < s->count; i++) {
        const struct sampled_problem *problem = &s->problems[s->all[i].problem];
        if (problem->only_teaches || s->all[i].time_us > NEAR_THE_BEST * problem->best_us)
            continue;
        const int in = s->configurations[s->all[i].configuration].configuration.implementation;
        const double error_of = log(predicted[i] / s->all[i].time_us);
        sum += error_of * error_of;
        of[in] += error_of * error_of;
        count++;
        counts[in]++;
    }
    const double now = sqrt(sum / (count > 0 ? count : 1));
    report->uncertainty = model_grows_on(s) ? joined(sum, count, s->onto->uncertainty,
                                                     trials_before(s, report, count))
                                            : fmax(LEAST_UNCERTAINTY, now);
    for (int i = 0; i < s->description->implementation_count; i++) {
        const double known = known_uncertainty(s, i);
        if (known > 0)
            report->uncertainties[i] =
                joined(of[i], counts[i], known, trials_before(s, report, counts[i]));
        else if (counts[i] > 0)
            report->uncertainties[i] = joined(of[i], counts[i], now, TRIALS_BEFORE);
    }
}

/* Of what might be chosen of problems left out. */
static int find_errors(const struct model_samples *s, const bool *chosen, const double *predicted,
                       const double *least, struct error_point *points) {
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->all[i];
        if (!chosen[i] || s->problems[sample->problem].only_teaches ||
            predicted[i] > NEAR_THE_BEST * least[sample->problem])
            continue;
        points[count++] = (struct error_point){
            sample->problem,
            tw_model_doublings(predicted[i], s->configurations[sample->configuration].time_us),
            OVER_MEAN_DISTANCE * fabs(log(predicted[i] / sample->time_us))};
    }
    return count;
}

/* What the earlier model's sets of trees say that have trials now: those of other kinds are none of
 * these. */
static double earlier_doubling(const struct model_samples *s) {
    double most = 0;
    for (int i = 0; i < s->onto->forest_count; i++)
        if ((s->onto->forests[i].kinds & ~s->kept) != 0)
            most = fmax(most, s->onto->forests[i].doubling);
    return most;
}

tw_status tell_doubling(const struct model_samples *s, const bool *chosen, const double *predicted,
                        struct fit_report *report, struct tw_error *error) {
    double *least = malloc(((size_t)s->problem_count + 1) * sizeof *least);
    struct error_point *points = malloc(((size_t)s->count + 1) * sizeof *points);
    if (least == NULL || points == NULL) {
        free(least);
        free(points);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < s->problem_count; i++)
        least[i] = INFINITY;
    for (int i = 0; i < s->count; i++)
        if (chosen[i])
            least[s->all[i].problem] = fmin(least[s->all[i].problem], predicted[i]);
    const int count = find_errors(s, chosen, predicted, least, points);
    /* Folds of what an earlier model has seen say too little. */
    tw_status status = model_doubling(points, count, s->problem_count, &report->doubling, error);
    if (model_grows_on(s))
        report->doubling = fmax(report->doubling, earlier_doubling(s));
    free(least);
    free(points);
    return status;
}
