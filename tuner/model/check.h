/* What a stored model is worth on samples. */
#ifndef TUNER_MODEL_CHECK_H
#define TUNER_MODEL_CHECK_H

#include "tuner/model/regret.h"

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

enum { CHECK_LEAST_TRIALS = 5 /* of a problem, to speak of an order */ };

/* What a stored model is worth on samples, which it may have been fitted to. Free with
 * check_report_free in every case. */
tw_status check_model(const struct model_samples *samples, const struct tw_model *model,
                      struct check_report *report, struct tw_error *error);
void check_report_free(struct check_report *report);

#endif
