/* Gradient-boosted regression trees: each is fitted to the step that an objective wants next. */
#ifndef TUNER_MODEL_BOOST_H
#define TUNER_MODEL_BOOST_H

#include <stdbool.h>

#include "runtime/predict/model.h"
#include "tuner/model/objectives.h"

struct boost_options {
    int trees, depth, least; /* `least`: samples of a leaf */
    double rate, ridge;      /* how much of a leaf counts; what holds leaves of few samples back */
    /* The part of the samples and of the features that a tree is grown from, drawn anew for each.
     */
    double samples, features;
    bool from_zero; /* trees begin from nothing, and not from what is wanted in the mean */
};

/* Fits to `count` samples of `width` features each, of which `used` are (NULL: all). The objective
 * is of the same samples. Fills in base, trees and nodes of `model`, which are to be freed by
 * tw_model_free or boost_free. The same samples make the same trees. */
tw_status boost_fit(const struct boost_options *options, const double *vectors, int count,
                    int width, struct objective *objective, const bool *used,
                    struct tw_model *model, struct tw_error *error);
/* Frees what boost_fit made and nothing else. */
void boost_free(struct tw_model *model);

#endif
