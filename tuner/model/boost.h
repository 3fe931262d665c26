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
};

/* What was found to choose best on recordings of gemm; see docs/notes. */
static const struct boost_options BOOST_USUAL = {
    .trees = 160, .depth = 6, .least = 5, .rate = 0.1, .ridge = 1, .samples = 0.7, .features = 0.7};
/* The same of fifty thousand trials and more, for each of two forests (both_forests.h). */
static const struct boost_options BOOST_MANY = {
    .trees = 400, .depth = 8, .least = 8, .rate = 0.1, .ridge = 1, .samples = 0.7, .features = 0.5};

/* Fits to `count` samples of `width` features each, of which `used` are (NULL: all). The objective
 * is of the same samples. Fills in base, trees and nodes of `model`, which are to be freed by
 * tw_model_free or boost_free. The same samples make the same trees. */
tw_status boost_fit(const struct boost_options *options, const double *vectors, int count,
                    int width, struct objective *objective, const bool *used,
                    struct tw_model *model, struct tw_error *error);
/* Frees what boost_fit made and nothing else. */
void boost_free(struct tw_model *model);

#endif
