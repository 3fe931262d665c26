#include "tuner/model/chosen_times.h"

#include <math.h>
#include <stdlib.h>

tw_status chosen_times(const struct model_samples *s, const bool *chosen, const double *predicted,
                       double *times, struct tw_error *error) {
    double *least = malloc(((size_t)s->problem_count + 1) * sizeof *least);
    if (least == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->problem_count; i++) {
        least[i] = INFINITY;
        times[i] = 0;
    }
    for (int i = 0; i < s->count; i++) {
        const int p = s->all[i].problem;
        const double time_us = predicted != NULL ? predicted[i] : s->all[i].estimate_us;
        if (chosen[i] && time_us < least[p]) {
            least[p] = time_us;
            times[p] = s->all[i].time_us;
        }
    }
    free(least);
    return TW_OK;
}

static void compare_times(const struct model_samples *s, const double *times, const double *before,
                          struct paired_gain *gain) {
    double sum = 0, squares = 0;
    *gain = (struct paired_gain){.error = INFINITY};
    for (int i = 0; i < s->problem_count; i++) {
        if (s->problems[i].only_teaches || times[i] == 0 || before[i] == 0)
            continue;
        const double one = log(before[i] / times[i]);
        sum += one;
        squares += one * one;
        gain->problems++;
    }
    const int n = gain->problems;
    if (n > 0)
        gain->mean = sum / n;
    if (n > 1)
        gain->error = sqrt(fmax(0, squares - n * gain->mean * gain->mean) / (n - 1) / n);
}

tw_status chosen_gain(const struct model_samples *s, const bool *chosen, const double *predicted,
                      const bool *before, struct paired_gain *gain, struct tw_error *error) {
    const size_t problems = (size_t)s->problem_count + 1;
    double *times = calloc(problems, sizeof *times), *earlier = calloc(problems, sizeof *earlier);
    tw_status status =
        times == NULL || earlier == NULL ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    if (status == TW_OK)
        status = chosen_times(s, chosen, predicted, times, error);
    if (status == TW_OK)
        status = chosen_times(s, before, NULL, earlier, error);
    if (status == TW_OK)
        compare_times(s, times, earlier, gain);
    free(times);
    free(earlier);
    return status;
}
