#include "runtime/predict/model.h"

#include <math.h>
#include <string.h>

static int place_of(const struct tw_model_feature *feature, const char *word) {
    for (int i = 0; i < feature->word_count; i++)
        if (strcmp(feature->words[i], word) == 0)
            return i;
    return -1;
}

/* Of a list's entries, which begin with their names. */
#define PLACE_OF(list, count, wanted, place)                                                       \
    for (int at = 0; at < (count) && (place) < 0; at++)                                            \
        if (strcmp((list)[at].name, wanted) == 0)                                                  \
            (place) = at;

/* Whether the problem alone tells a feature: for all configurations alike. */
static bool is_of_problem(const struct tw_model_feature *feature) {
    return feature->kind == TW_MODEL_FEATURE_DIMENSION ||
           feature->kind == TW_MODEL_FEATURE_ATTRIBUTE || feature->kind == TW_MODEL_FEATURE_WIDTH ||
           feature->kind == TW_MODEL_FEATURE_PITCH;
}

static double parameter(const struct tw_model_feature *feature, const struct tw_implementation *in,
                        int place, int64_t value) {
    return in->parameters[place].is_word ? place_of(feature, in->symbols->words[value])
                                         : (double)value;
}

void tw_model_look(const struct tw_model *model, const struct tw_description *d, int implementation,
                   struct tw_model_view *view) {
    const struct tw_implementation *in = &d->implementations[implementation];
    view->own_count = view->parameter_count = 0;
    memset(view->above, 0, sizeof view->above);
    view->uncertainty = model->uncertainty;
    for (int i = 0; i < model->sureness_count; i++)
        if (strcmp(model->sureness[i].implementation, in->name) == 0)
            view->uncertainty = model->sureness[i].uncertainty;
    for (int i = 0; i < model->feature_count; i++) {
        const struct tw_model_feature *feature = &model->features[i];
        int place = -1;
        switch (feature->kind) {
        case TW_MODEL_FEATURE_GEOMETRY:
            break;
        case TW_MODEL_FEATURE_IMPLEMENTATION:
            place = place_of(feature, in->name);
            break;
        case TW_MODEL_FEATURE_DIMENSION:
        case TW_MODEL_FEATURE_PIECES:
        case TW_MODEL_FEATURE_FILLED:
            PLACE_OF(d->dimensions, d->dimension_count, feature->name, place)
            break;
        case TW_MODEL_FEATURE_ATTRIBUTE:
            PLACE_OF(d->attributes, d->attribute_count, feature->name, place)
            break;
        case TW_MODEL_FEATURE_PARAMETER:
            PLACE_OF(in->parameters, in->parameter_count, feature->name, place)
            break;
        case TW_MODEL_FEATURE_WIDTH:
        case TW_MODEL_FEATURE_PITCH:
            PLACE_OF(d->arguments, d->argument_count, feature->name, place)
            break;
        }
        view->places[i] = place;
        const double constant = feature->kind == TW_MODEL_FEATURE_IMPLEMENTATION ? place : -1;
        view->above[i] = (uint16_t)tw_model_above(&model->cuts[i], constant);
        if (feature->kind == TW_MODEL_FEATURE_PARAMETER && place >= 0)
            view->parameters[view->parameter_count++] = (uint8_t)i;
        else if (feature->kind == TW_MODEL_FEATURE_GEOMETRY ||
                 (place >= 0 && (feature->kind == TW_MODEL_FEATURE_PIECES ||
                                 feature->kind == TW_MODEL_FEATURE_FILLED)))
            view->own[view->own_count++] = (uint8_t)i;
    }
    for (int k = 0; k < view->parameter_count; k++) {
        const int i = view->parameters[k], place = view->places[i];
        for (int at = 0; at < in->parameters[place].count; at++)
            view->values_above[place][at] = (uint16_t)tw_model_above(
                &model->cuts[i],
                parameter(&model->features[i], in, place, in->parameters[place].values[at]));
    }
}

double tw_model_last_wave(const struct tw_features *f) {
    double waves = f->blocks / (f->units * f->resident);
    return waves / ceil(waves);
}

static double attribute(const struct tw_model_feature *feature, int place,
                        const struct tw_problem *problem) {
    char number[TW_NUMBER_SIZE];
    return problem->description->attributes[place].is_number
               ? (double)problem->words[place]
               : place_of(feature, tw_problem_attribute(problem, place, number));
}

static double of_problem(const struct tw_model_feature *feature, int place,
                         const struct tw_problem *problem, const struct tw_features *f) {
    if (place < 0)
        return -1;
    switch (feature->kind) {
    case TW_MODEL_FEATURE_DIMENSION:
        return (double)problem->dimensions[place];
    case TW_MODEL_FEATURE_ATTRIBUTE:
        return attribute(feature, place, problem);
    case TW_MODEL_FEATURE_WIDTH:
        return f->widths[place];
    default:
        return f->pitches[place];
    }
}

enum {
#define TW_MODEL_ONE(name, value) +1
    GEOMETRY_COUNT = 0 TW_MODEL_GEOMETRY(TW_MODEL_ONE)
#undef TW_MODEL_ONE
};

static void see_geometry(const struct tw_features *f, const struct tw_estimate *e, double total_us,
                         double geometry[GEOMETRY_COUNT]) {
    const double values[] = {
#define TW_MODEL_VALUE(name, value) (double)(value),
        TW_MODEL_GEOMETRY(TW_MODEL_VALUE)
#undef TW_MODEL_VALUE
    };
    memcpy(geometry, values, sizeof values);
}

/* Of what geometry and pieces say of a configuration. */
static double of_geometry(const struct tw_model_feature *feature, int place,
                          const struct tw_features *f, const double *geometry) {
    if (feature->kind == TW_MODEL_FEATURE_GEOMETRY)
        return geometry[feature->geometry];
    if (place < 0)
        return -1;
    return feature->kind == TW_MODEL_FEATURE_PIECES ? f->pieces[place] : f->filled[place];
}

static double of_configuration(const struct tw_model_feature *feature, int place,
                               const struct tw_implementation *in,
                               const struct tw_configuration *configuration,
                               const struct tw_features *f, const double *geometry) {
    if (feature->kind == TW_MODEL_FEATURE_IMPLEMENTATION)
        return place;
    if (feature->kind != TW_MODEL_FEATURE_PARAMETER)
        return of_geometry(feature, place, f, geometry);
    return place >= 0 ? parameter(feature, in, place, configuration->values[place]) : -1;
}

void tw_model_vector(const struct tw_model *model, const struct tw_model_view *view,
                     const struct tw_problem *problem, const struct tw_configuration *configuration,
                     const struct tw_features *f, const struct tw_estimate *e, double *vector) {
    const struct tw_implementation *in =
        &problem->description->implementations[configuration->implementation];
    double geometry[GEOMETRY_COUNT];
    see_geometry(f, e, tw_estimate_total(e), geometry);
    for (int i = 0; i < model->feature_count; i++) {
        const struct tw_model_feature *feature = &model->features[i];
        vector[i] = is_of_problem(feature) ? of_problem(feature, view->places[i], problem, f)
                                           : of_configuration(feature, view->places[i], in,
                                                              configuration, f, geometry);
    }
}

void tw_model_ask(const struct tw_model *model, int kind, const struct tw_model_view *view,
                  const struct tw_problem *problem, const struct tw_features *f,
                  struct tw_model_question *question) {
    question->problem = *problem;
    question->kind = kind;
    question->count = 0;
    for (int i = 0; i < model->feature_count; i++) {
        const struct tw_model_feature *feature = &model->features[i];
        if (!is_of_problem(feature))
            continue;
        const int k = question->count++;
        question->features[k] = (uint8_t)i;
        question->above[k] = (uint16_t)tw_model_above(
            &model->cuts[i], of_problem(feature, view->places[i], problem, f));
    }
}

/* Of how many of its feature's cuts a parameter's value is above; every configuration has one of
 * the values that the description lists. */
static uint16_t parameter_above(const struct tw_parameter *p, const uint16_t *values_above,
                                int64_t value) {
    int at = 0;
    while (at < p->count - 1 && p->values[at] != value)
        at++;
    return values_above[at];
}

void tw_model_see(const struct tw_model *model, const struct tw_model_question *question,
                  const struct tw_model_view *view, const struct tw_configuration *configuration,
                  const struct tw_features *f, const struct tw_estimate *e,
                  struct tw_model_case *seen) {
    const struct tw_implementation *in =
        &question->problem.description->implementations[configuration->implementation];
    double geometry[GEOMETRY_COUNT];
    seen->total_us = tw_estimate_total(e);
    if (model->steps == NULL) {
        double vector[TW_MODEL_MAX_FEATURES];
        tw_model_vector(model, view, &question->problem, configuration, f, e, vector);
        seen->time_us = tw_model_predict(model, question->kind, vector, e);
        seen->beside = tw_model_predict_beside(model, question->kind, vector);
        seen->is_rough = false;
        return;
    }
    see_geometry(f, e, seen->total_us, geometry);
    memcpy(seen->above, view->above, sizeof seen->above);
    for (int k = 0; k < question->count; k++)
        seen->above[question->features[k]] = question->above[k];
    for (int k = 0; k < view->own_count; k++) {
        const int i = view->own[k];
        seen->above[i] = (uint16_t)tw_model_above(
            &model->cuts[i], of_geometry(&model->features[i], view->places[i], f, geometry));
    }
    for (int k = 0; k < view->parameter_count; k++) {
        const int i = view->parameters[k], place = view->places[i];
        seen->above[i] = parameter_above(&in->parameters[place], view->values_above[place],
                                         configuration->values[place]);
    }
}

/* After so many, what is said is as unsure as it gets. */
static const double MOST_DOUBLINGS = 4;

double tw_model_doublings(double predicted_us, double best_us) {
    return fmin(fmax(log2(predicted_us / best_us), 0), MOST_DOUBLINGS);
}

/* What of a problem's attributes may be another than what a model was fitted to. */
enum likeness { THE_SAME, NUMBERS_ALIKE, ALL_ALIKE };

static bool is_within(const struct tw_model_kind *kind, const struct tw_attribute *attribute,
                      int64_t number, enum likeness likeness) {
    if (likeness != THE_SAME && attribute->is_number && number <= attribute->alike_to)
        return true;
    for (int i = 0; attribute->is_number && i < kind->range_count; i++)
        if (strcmp(kind->ranges[i].name, attribute->name) == 0)
            return number >= kind->ranges[i].least && number <= kind->ranges[i].most;
    return false;
}

/* The first kind whose words and numbers are the problem's, or alike. */
static int find_kind(const struct tw_model *model, const struct tw_problem *problem,
                     enum likeness likeness) {
    const struct tw_description *d = problem->description;
    for (int k = 0; k < model->kind_count; k++) {
        const struct tw_model_kind *kind = &model->kinds[k];
        int words[TW_MAX_ATTRIBUTES];
        bool is_one = tw_problem_words(d, kind->attributes, words);
        for (int i = 0; i < d->attribute_count && is_one; i++)
            is_one = problem->words[i] == words[i] ||
                     (likeness == ALL_ALIKE &&
                      tw_words_alike(&d->attributes[i], problem->words[i], words[i])) ||
                     is_within(kind, &d->attributes[i], problem->words[i], likeness);
        if (is_one)
            return k;
    }
    return -1;
}

/* A kind of the very words comes before one of words like them, whatever the numbers. */
int tw_model_kind(const struct tw_model *model, const struct tw_problem *problem) {
    int kind = find_kind(model, problem, THE_SAME);
    if (kind < 0)
        kind = find_kind(model, problem, NUMBERS_ALIKE);
    return kind >= 0 ? kind : find_kind(model, problem, ALL_ALIKE);
}

bool tw_model_knows(const struct tw_model *model, int kind, const char *implementation) {
    for (int i = 0; i < model->configuration_count; i++)
        if ((model->configurations[i].kinds >> kind & 1) != 0 &&
            strcmp(model->configurations[i].implementation, implementation) == 0)
            return true;
    return false;
}

struct tw_problem tw_model_problem(const struct tw_model *model, int kind,
                                   const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    struct tw_problem said = *problem;
    int words[TW_MAX_ATTRIBUTES];
    if (kind >= 0 && tw_problem_words(d, model->kinds[kind].attributes, words))
        for (int i = 0; i < d->attribute_count; i++)
            if (!d->attributes[i].is_number)
                said.words[i] = words[i];
    return said;
}
