/* What a model chooses from: of all that was measured, few enough that a plan is quickly made. */
#ifndef TUNER_MODEL_CHOICE_H
#define TUNER_MODEL_CHOICE_H

#include "tuner/model/samples.h"

/* The kinds of problems, by their attributes, and for each which configurations are chosen from.
 * Numbers make no kinds: a model is about all that lie between those that it has seen. */
struct model_choice {
    int kind_count, configuration_count;
    struct tw_model_kind kinds[TW_MODEL_MAX_WORDS]; /* the attributes are the choice's own */
    int *of_problem;                                /* the kind of each; -1: of none of these */
    bool *chosen;                                   /* configuration_count a kind */
};

/* From those of the samples that are `used`; NULL: from all. Free with model_choice_free in every
 * case. */
tw_status model_choose(struct model_choice *choice, const struct model_samples *samples,
                       const bool *used, struct tw_error *error);
void model_choice_free(struct model_choice *choice);

bool model_chooses(const struct model_choice *choice, int kind, int configuration);
/* For any kind. */
bool model_chooses_any(const struct model_choice *choice, int configuration);

#endif
