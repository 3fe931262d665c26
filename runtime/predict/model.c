#include "runtime/predict/model.h"

#include <math.h>
#include <string.h>

static double place_of(const struct tw_model_feature *feature, const char *word) {
    for (int i = 0; i < feature->word_count; i++)
        if (strcmp(feature->words[i], word) == 0)
            return i;
    return -1;
}

static double dimension(const struct tw_model_feature *feature, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->dimension_count; i++)
        if (strcmp(d->dimensions[i].name, feature->name) == 0)
            return (double)problem->dimensions[i];
    return -1;
}

static double attribute(const struct tw_model_feature *feature, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    char number[TW_NUMBER_SIZE];
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, feature->name) == 0)
            return d->attributes[i].is_number
                       ? (double)problem->words[i]
                       : place_of(feature, tw_problem_attribute(problem, i, number));
    return -1;
}

void tw_model_look(const struct tw_model *model, const struct tw_implementation *in,
                   struct tw_model_view *view) {
    for (int i = 0; i < model->feature_count; i++) {
        view->parameters[i] = -1;
        for (int k = 0; model->features[i].kind == TW_MODEL_FEATURE_PARAMETER &&
                        k < in->parameter_count && view->parameters[i] < 0;
             k++)
            if (strcmp(in->parameters[k].name, model->features[i].name) == 0)
                view->parameters[i] = k;
    }
}

static double parameter(const struct tw_model_feature *feature, int place,
                        const struct tw_implementation *in,
                        const struct tw_configuration *configuration) {
    if (place < 0)
        return -1;
    int64_t value = configuration->values[place];
    return in->parameters[place].is_word ? place_of(feature, in->symbols->words[value])
                                         : (double)value;
}

void tw_model_vector(const struct tw_model *model, const struct tw_model_view *view,
                     const struct tw_problem *problem, const struct tw_configuration *configuration,
                     const struct tw_features *f, const struct tw_estimate *e, double *vector) {
    const struct tw_implementation *in =
        &problem->description->implementations[configuration->implementation];
    const double geometry[] = {
#define TW_MODEL_VALUE(name, value) (double)(value),
        TW_MODEL_GEOMETRY(TW_MODEL_VALUE)
#undef TW_MODEL_VALUE
    };
    for (int i = 0; i < model->feature_count; i++) {
        const struct tw_model_feature *feature = &model->features[i];
        switch (feature->kind) {
        case TW_MODEL_FEATURE_GEOMETRY:
            vector[i] = geometry[feature->geometry];
            break;
        case TW_MODEL_FEATURE_DIMENSION:
            vector[i] = dimension(feature, problem);
            break;
        case TW_MODEL_FEATURE_ATTRIBUTE:
            vector[i] = attribute(feature, problem);
            break;
        case TW_MODEL_FEATURE_IMPLEMENTATION:
            vector[i] = place_of(feature, in->name);
            break;
        case TW_MODEL_FEATURE_PARAMETER:
            vector[i] = parameter(feature, view->parameters[i], in, configuration);
            break;
        }
    }
}

/* The most that a model may say of an estimate's logarithm: what is beyond has not been measured
 * but made up, and times are to stay numbers. */
static const double MOST_CORRECTION = 20;

double tw_model_predict(const struct tw_model *model, const double *vector,
                        const struct tw_estimate *e) {
    double sum = model->base;
    for (int i = 0; i < model->tree_count; i++) {
        int at = model->roots[i];
        while (model->nodes[at].feature >= 0)
            at = vector[model->nodes[at].feature] > model->nodes[at].value ? model->nodes[at].right
                                                                           : at + 1;
        sum += model->nodes[at].value;
    }
    return tw_estimate_total(e) * exp(fmax(-MOST_CORRECTION, fmin(sum, MOST_CORRECTION)));
}

int tw_model_kind(const struct tw_model *model, const struct tw_problem *problem) {
    for (int i = 0; i < model->attribute_count; i++)
        if (tw_problem_has_attributes(problem, model->attributes[i]))
            return i;
    return -1;
}
