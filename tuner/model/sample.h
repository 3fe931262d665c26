/* What a model is fitted to, as it sees it. */
#ifndef TUNER_MODEL_SAMPLE_H
#define TUNER_MODEL_SAMPLE_H

#include "runtime/predict/model.h"

struct sample {
    int problem, configuration; /* indices */
    double time_us;
    double estimate_us; /* what an earlier model makes of it, where trees are added to that */
};

struct sampled_problem {
    struct tw_problem problem;
    char *key;
    double best_us;
    /* Trees learn of it, and nothing is judged or chosen by it: its times are what the earlier
     * model says, or its kind is left to that. */
    bool only_teaches;
};

struct sampled_configuration {
    struct tw_configuration configuration;
    char *text;
    int samples;
    double nearest; /* that trial to the best of its problem: 1 where it was the best */
    /* A trial that says where it was good, and what that belongs to. */
    int problem;
    double time_us;
    char *template_hash, *source, *judge;
    uint64_t before; /* the earlier model's kinds that it chose it for, a bit each */
    const struct tw_model_configuration *earlier; /* what that says of it; NULL: nothing */
};

/* A configuration that gave a wrong answer to a problem, or broke its promise of errors. */
struct sampled_mistake {
    int problem, configuration;
};

/* What a fit goes on from. */
struct earlier_model {
    const struct tw_model *model; /* NULL: nothing */
    /* Kinds of problems that have trials are fitted anew, and it goes on saying what it says of the
     * others, and of those of `left`, a bit each, of which trees only learn. */
    bool anew;
    uint64_t left;
};

struct model_samples {
    const struct tw_description *description;
    const struct tw_device_info *device;
    const char *cache;
    const struct tw_model *onto; /* an earlier model, to which trees are added; NULL: none */
    bool
        anew; /* none are: kinds with trials are fitted from these alone, beside the earlier ones */
    int count, anchors; /* the latter of `count`, and last */
    int problem_count, configuration_count;
    struct sample *all;
    struct sampled_problem *problems;
    struct sampled_configuration *configurations;
    int mistake_count;
    struct sampled_mistake *mistakes;
    /* The earlier model's kinds that no trial is of, and those that are left to it, a bit each. */
    uint64_t kept;
    struct tw_model shape; /* only its features, which the vectors have */
    double *vectors;       /* shape.feature_count a sample */
    char **names;          /* of the features, as a model's file has them */
    int stale;             /* configurations of which the code has changed since */
};

/* Whether trees are added to those of the earlier model. */
static inline bool model_grows_on(const struct model_samples *samples) {
    return samples->onto != NULL && !samples->anew;
}

#endif
