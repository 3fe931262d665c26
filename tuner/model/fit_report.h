/* What a fit tells of the model that it made. */
#ifndef TUNER_MODEL_FIT_REPORT_H
#define TUNER_MODEL_FIT_REPORT_H

#include "tuner/model/chosen_times.h"
#include "tuner/model/regret.h"

/* Of fewer, one problem more or less makes another mean. */
enum { FIT_FEW_PROBLEMS = 20 };

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
    /* No trees are added to an earlier model, for they choose no better; it is the model, then, and
     * the other is what choosing by the trees too would cost. */
    bool without_trees;
    struct regret with_trees;
    /* Over all that an earlier model chose, from what it knew; of no problem where there is none.
     */
    struct paired_gain gain;
    double uncertainty; /* standard deviation of the logarithm, where it matters: near the best */
    double doubling;    /* what each that tw_model_doublings counts adds to it */
    double uncertainties[TW_MAX_IMPLEMENTATIONS]; /* of each; 0: it is near the best nowhere */
    int kind_count;
    struct fit_kind kinds[TW_MODEL_MAX_WORDS];
};

#endif
