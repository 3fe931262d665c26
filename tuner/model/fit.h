/* Fitting a model to samples, and what it is worth on problems that it has not seen. */
#ifndef TUNER_MODEL_FIT_H
#define TUNER_MODEL_FIT_H

#include "tuner/model/samples.h"

/* What choosing by a prediction costs: the time of what it chooses over the best of what was
 * measured on the problem. */
struct regret {
    int problems;
    double mean; /* geometric */
    double p95, worst;
    const char *worst_problem; /* borrowed from the samples */
};

struct fit_report {
    int trials, problems, configurations; /* the last are those that the model chooses from */
    struct regret estimate;               /* of the analytic estimate alone */
    struct regret model;                  /* of models that had not seen the problem */
    double uncertainty; /* standard deviation of the logarithm, where it matters: near the best */
};

/* Fits, first without each fifth of the problems, which it is then judged by, then with all. `text`
 * is the model's JSON, which the caller frees. */
tw_status fit_model(const struct model_samples *samples, struct fit_report *report,
                    struct tw_text *text, struct tw_error *error);

/* The regret of a stored model on samples, which it may have been fitted to. */
tw_status fit_check(const struct model_samples *samples, const struct tw_model *model,
                    struct regret *regret, struct tw_error *error);

#endif
