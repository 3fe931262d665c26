#include "tuner/model/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration is one more that may be mistaken for the best, and costs each plan its time. It
 * has to be worth that: over what is chosen already, it has to save so much of the time of one
 * problem, or of several together. */
static const double LEAST_GAIN = 0.02;
/* What a problem takes where nothing was chosen that was measured there, over its best. */
static const double NOTHING_YET = 2;

static void find_kinds(struct model_choice *choice, const struct model_samples *s) {
    for (int i = 0; i < s->problem_count; i++) {
        const char *semicolon = strchr(s->problems[i].key, ';');
        const char *attributes = semicolon != NULL ? semicolon : "";
        int kind = 0;
        while (kind < choice->kind_count && strcmp(choice->kinds[kind], attributes) != 0)
            kind++;
        if (kind == choice->kind_count && kind < TW_MODEL_MAX_WORDS)
            choice->kinds[choice->kind_count++] = attributes;
        choice->of_problem[i] = kind < choice->kind_count ? kind : -1;
    }
}

/* The one that saves most is chosen, again and again. `over` is how much longer than its best, as a
 * logarithm, a problem takes with what is chosen; `gain` is room for a number a configuration. */
static void choose_for(struct model_choice *choice, const struct model_samples *s, int kind,
                       double *over, double *gain) {
    bool *chosen = &choice->chosen[kind * s->configuration_count];
    for (;;) {
        int best = 0;
        memset(gain, 0, (size_t)s->configuration_count * sizeof *gain);
        for (int i = 0; i < s->count; i++) {
            const struct sample *sample = &s->all[i];
            double here = log(sample->time_us / s->problems[sample->problem].best_us);
            if (choice->of_problem[sample->problem] == kind)
                gain[sample->configuration] += fmax(0, over[sample->problem] - here);
        }
        for (int c = 1; c < s->configuration_count; c++)
            best = gain[c] > gain[best] ? c : best;
        if (gain[best] < LEAST_GAIN)
            return;
        chosen[best] = true;
        for (int i = 0; i < s->count; i++) {
            const struct sample *sample = &s->all[i];
            double here = log(sample->time_us / s->problems[sample->problem].best_us);
            if (sample->configuration == best && choice->of_problem[sample->problem] == kind)
                over[sample->problem] = fmin(over[sample->problem], here);
        }
    }
}

tw_status model_choose(struct model_choice *choice, const struct model_samples *s,
                       struct tw_error *error) {
    const size_t problems = (size_t)s->problem_count,
                 configurations = (size_t)s->configuration_count;
    *choice = (struct model_choice){.configuration_count = s->configuration_count};
    choice->of_problem = calloc(problems + 1, sizeof *choice->of_problem);
    choice->chosen = calloc(TW_MODEL_MAX_WORDS * (configurations + 1), sizeof *choice->chosen);
    double *over = calloc(problems + 1, sizeof *over);
    double *gain = calloc(configurations + 1, sizeof *gain);
    bool there =
        choice->of_problem != NULL && choice->chosen != NULL && over != NULL && gain != NULL;
    if (there) {
        find_kinds(choice, s);
        for (size_t i = 0; i < problems; i++)
            over[i] = log(NOTHING_YET);
        for (int kind = 0; kind < choice->kind_count; kind++)
            choose_for(choice, s, kind, over, gain);
    }
    free(over);
    free(gain);
    return there ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

void model_choice_free(struct model_choice *choice) {
    free(choice->of_problem);
    free(choice->chosen);
    *choice = (struct model_choice){0};
}

bool model_chooses(const struct model_choice *choice, int kind, int configuration) {
    return kind >= 0 && choice->chosen[kind * choice->configuration_count + configuration];
}
