#include "tuner/model/mispredicted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration is no candidate where problems take so much less in all, as a logarithm, with the
 * next in its place, each predicted without its fold: on so many problems at least. It may be good
 * where it was measured, but what its time depends on the model does not see. */
static const double WORTH_LEAVING = 0.1;
enum { OFTEN_ENOUGH = 2 };

struct pick {
    int first, second; /* samples, by what is predicted; -1: none */
};

static void pick_all(const struct model_samples *s, const double *predicted,
                     const struct model_choice *choice, int kind, struct pick *picks) {
    for (int p = 0; p < s->problem_count; p++)
        picks[p] = (struct pick){-1, -1};
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->all[i];
        struct pick *pick = &picks[sample->problem];
        if (choice->of_problem[sample->problem] != kind ||
            s->problems[sample->problem].only_teaches ||
            !model_chooses(choice, kind, sample->configuration))
            continue;
        if (pick->first < 0 || predicted[i] < predicted[pick->first]) {
            pick->second = pick->first;
            pick->first = i;
        } else if (pick->second < 0 || predicted[i] < predicted[pick->second]) {
            pick->second = i;
        }
    }
}

/* The configuration without which the problems of a kind gain most; -1: none is worth leaving. */
static int worst_choice(const struct model_samples *s, const struct pick *picks, double *gain,
                        int *times) {
    int worst = -1;
    memset(gain, 0, (size_t)s->configuration_count * sizeof *gain);
    memset(times, 0, (size_t)s->configuration_count * sizeof *times);
    for (int p = 0; p < s->problem_count; p++) {
        if (picks[p].second < 0)
            continue;
        const struct sample *first = &s->all[picks[p].first], *second = &s->all[picks[p].second];
        gain[first->configuration] += log(first->time_us / second->time_us);
        times[first->configuration]++;
    }
    for (int c = 0; c < s->configuration_count; c++)
        if (times[c] >= OFTEN_ENOUGH && gain[c] > WORTH_LEAVING &&
            (worst < 0 || gain[c] > gain[worst]))
            worst = c;
    return worst;
}

tw_status model_leave_out_mispredicted(const struct model_samples *s, const double *predicted,
                                       struct model_choice *choice, int *left_out,
                                       struct tw_error *error) {
    struct pick *picks = calloc((size_t)s->problem_count + 1, sizeof *picks);
    double *gain = calloc((size_t)s->configuration_count + 1, sizeof *gain);
    int *times = calloc((size_t)s->configuration_count + 1, sizeof *times);
    const bool there = picks != NULL && gain != NULL && times != NULL;
    *left_out = 0;
    for (int kind = 0; there && kind < choice->kind_count; kind++)
        for (int worst = 0; worst >= 0;) {
            pick_all(s, predicted, choice, kind, picks);
            worst = worst_choice(s, picks, gain, times);
            if (worst >= 0) {
                choice->chosen[kind * s->configuration_count + worst] = false;
                ++*left_out;
            }
        }
    free(picks);
    free(gain);
    free(times);
    return there ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}
