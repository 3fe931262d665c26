/* What choosing by a prediction costs: the time of what it chooses over the best of what was
 * measured on the problem. */
#ifndef TUNER_MODEL_REGRET_H
#define TUNER_MODEL_REGRET_H

#include "tuner/model/choice.h"

struct regret {
    int problems;
    double mean; /* geometric */
    double p95, worst;
    const char *worst_problem; /* borrowed from the samples */
};

/* Of the problems of a kind of the choice; below 0: of all. `chosen` says which samples may be
 * chosen and `predicted` what they are predicted to take. TW_NO_MEMORY is the only failure. */
tw_status regret_of(const struct model_samples *samples, const struct model_choice *choice,
                    const bool *chosen, const double *predicted, int kind, struct regret *regret,
                    struct tw_error *error);

#endif
