#include "tuner/model/regret.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/model/chosen_times.h"
#include "tuner/statistics/statistics.h"

tw_status regret_of(const struct model_samples *s, const struct model_choice *choice,
                    const bool *chosen, const double *predicted, int kind, struct regret *regret,
                    struct tw_error *error) {
    size_t problems = (size_t)s->problem_count;
    double *time = calloc(problems + 1, sizeof *time);
    double *ratios = calloc(problems + 1, sizeof *ratios);
    *regret = (struct regret){.worst_problem = ""};
    tw_status status = time == NULL || ratios == NULL
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                           : chosen_times(s, chosen, predicted, time, error);
    double sum = 0;
    for (size_t i = 0; i < problems && status == TW_OK; i++) {
        if (time[i] == 0 || s->problems[i].only_teaches ||
            (kind >= 0 && choice->of_problem[i] != kind))
            continue;
        double ratio = time[i] / s->problems[i].best_us;
        if (ratio > regret->worst) {
            regret->worst = ratio;
            regret->worst_problem = s->problems[i].key;
        }
        ratios[regret->problems++] = ratio;
        sum += log(ratio);
    }
    if (regret->problems > 0) {
        statistics_sort(ratios, (size_t)regret->problems);
        regret->mean = exp(sum / regret->problems);
        regret->p95 = ratios[(int)(0.95 * (regret->problems - 1) + 0.5)];
    }
    free(time);
    free(ratios);
    return status;
}
