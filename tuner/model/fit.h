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

/* Problems that are alike in all but numbers. */
struct fit_kind {
    char attributes[TW_PROBLEM_KEY_SIZE]; /* as keys end, without numbers: ";trans=nt", "" */
    struct regret estimate, model;
};

struct fit_report {
    int trials, problems, configurations; /* the last are those that the model chooses from */
    int mispredicted; /* and those that it does not, as folds show; a configuration once a kind */
    struct regret estimate; /* of the analytic estimate alone */
    struct regret model;    /* of models that had not seen the problem */
    double uncertainty; /* standard deviation of the logarithm, where it matters: near the best */
    double doubling;    /* what each that tw_model_doublings counts adds to it */
    double uncertainties[TW_MAX_IMPLEMENTATIONS]; /* of each; 0: it is near the best nowhere */
    int kind_count;
    struct fit_kind kinds[TW_MODEL_MAX_WORDS];
};

/* Fits, first without each fifth of the problems, which it is then judged by, then with all. `text`
 * is the model's JSON, which the caller frees. */
tw_status fit_model(const struct model_samples *samples, struct fit_report *report,
                    struct tw_text *text, struct tw_error *error);

/* How the order of predictions agrees with what was measured on a problem (Spearman's). */
struct agreement {
    int problem; /* index in the samples */
    int trials;
    double model, estimate;
};

struct check_report {
    struct regret regret;
    int count; /* problems with enough trials to say */
    struct agreement *agreements;
    double model, estimate; /* medians over problems; 0 without any */
};

enum { FIT_LEAST_TRIALS = 5 /* of a problem, to speak of an order */ };

/* What a stored model is worth on samples, which it may have been fitted to. Free with
 * check_report_free in every case. */
tw_status fit_check(const struct model_samples *samples, const struct tw_model *model,
                    struct check_report *report, struct tw_error *error);
void check_report_free(struct check_report *report);

#endif
