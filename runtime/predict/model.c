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

/* Of how many of a feature's cuts the value is above. */
static int count_below(const struct tw_model_cuts *cuts, double value) {
    const double *from = cuts->values;
    int left = cuts->count;
    while (left > 0) {
        const int half = (left + 1) / 2;
        from += from[half - 1] < value ? half : 0;
        left -= half;
    }
    return (int)(from - cuts->values);
}

/* Whether the problem alone tells a feature: for all configurations alike. */
static bool is_of_problem(const struct tw_model_feature *feature) {
    return feature->kind == TW_MODEL_FEATURE_DIMENSION ||
           feature->kind == TW_MODEL_FEATURE_ATTRIBUTE || feature->kind == TW_MODEL_FEATURE_WIDTH ||
           feature->kind == TW_MODEL_FEATURE_PITCH;
}

void tw_model_look(const struct tw_model *model, const struct tw_description *d, int implementation,
                   struct tw_model_view *view) {
    const struct tw_implementation *in = &d->implementations[implementation];
    view->own_count = 0;
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
        view->vector[i] = feature->kind == TW_MODEL_FEATURE_IMPLEMENTATION ? place : -1;
        view->above[i] = (uint16_t)count_below(&model->cuts[i], view->vector[i]);
        if (feature->kind == TW_MODEL_FEATURE_GEOMETRY ||
            (place >= 0 && feature->kind != TW_MODEL_FEATURE_IMPLEMENTATION &&
             !is_of_problem(feature)))
            view->own[view->own_count++] = (uint8_t)i;
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

static double parameter(const struct tw_model_feature *feature, int place,
                        const struct tw_implementation *in,
                        const struct tw_configuration *configuration) {
    int64_t value = configuration->values[place];
    return in->parameters[place].is_word ? place_of(feature, in->symbols->words[value])
                                         : (double)value;
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

static double of_configuration(const struct tw_model_feature *feature, int place,
                               const struct tw_implementation *in,
                               const struct tw_configuration *configuration,
                               const struct tw_features *f, const double *geometry) {
    if (feature->kind == TW_MODEL_FEATURE_GEOMETRY)
        return geometry[feature->geometry];
    if (place < 0 || feature->kind == TW_MODEL_FEATURE_IMPLEMENTATION)
        return place;
    if (feature->kind == TW_MODEL_FEATURE_PARAMETER)
        return parameter(feature, place, in, configuration);
    return feature->kind == TW_MODEL_FEATURE_PIECES ? f->pieces[place] : f->filled[place];
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

double tw_model_leaf(const struct tw_model_node *nodes, int root, const double *vector) {
    int at = root;
    while (nodes[at].feature >= 0)
        at = vector[nodes[at].feature] > nodes[at].value ? nodes[at].right : at + 1;
    return nodes[at].value;
}

/* What the trees from `first` up to `end` add to `sum`, by what the values are above. Where the
 * processor waits for one tree's step it takes another's. */
static inline __attribute__((always_inline)) double walk_deep(const struct tw_model *model,
                                                              double sum, int first, int end,
                                                              const uint16_t *above, int depth) {
    enum { SIDE_BY_SIDE = 8 };
#define TW_EACH_SIDE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TW_GO_ON(k)                                                                                \
    at##k += at##k +                                                                               \
             (from[k * leaves + at##k].cut < above[from[k * leaves + at##k].feature] ? 1u : 0u);
#define TW_ADD(k) sum += leaf[k * leaves + at##k - leaves];
    const size_t leaves = (size_t)1 << depth;
    const struct tw_model_step *from = &model->steps[(size_t)first * leaves];
    const double *leaf = &model->leaves[(size_t)first * leaves];
    int i = first;
    for (; i + SIDE_BY_SIDE <= end; i += SIDE_BY_SIDE) {
        size_t at0 = 1, at1 = 1, at2 = 1, at3 = 1, at4 = 1, at5 = 1, at6 = 1, at7 = 1;
        for (int step = 0; step < depth; step++) {
            TW_EACH_SIDE(TW_GO_ON)
        }
        TW_EACH_SIDE(TW_ADD)
        from += SIDE_BY_SIDE * leaves;
        leaf += SIDE_BY_SIDE * leaves;
    }
#undef TW_EACH_SIDE
#undef TW_GO_ON
#undef TW_ADD
    for (; i < end; i++, from += leaves, leaf += leaves) {
        size_t at = 1;
        for (int step = 0; step < depth; step++)
            at += at + (from[at].cut < above[from[at].feature]);
        sum += leaf[at - leaves];
    }
    return sum;
}

static double walk(const struct tw_model *model, double sum, int first, int end,
                   const uint16_t *above) {
    enum { USUAL_DEPTH = 6 }; /* for which less is left to be worked out on the way */
    return model->depth == USUAL_DEPTH ? walk_deep(model, sum, first, end, above, USUAL_DEPTH)
                                       : walk_deep(model, sum, first, end, above, model->depth);
}

/* The most that a model may say of an estimate's logarithm: what is beyond has not been measured
 * but made up, and times are to stay numbers. */
static const double MOST_CORRECTION = 20;
/* After so many trees, what they put so far above what is wanted the others do not bring back: of
 * 315,000 predictions for 2,600 problems of all kinds none that ended within 1.15 times the best
 * was above 1.58, 1.37 and 1.27 times it then, and half of all, two thirds and three quarters are
 * (docs/notes/2026-11-23-predicting.md). */
static const struct {
    int trees;
    double far;
} stages[] = {{48, 2}, {104, 1.7}, {200, 1.5}};

/* After so many, what is said is as unsure as it gets. */
static const double MOST_DOUBLINGS = 4;

static double corrected(double total_us, double sum) {
    return total_us * exp(fmax(-MOST_CORRECTION, fmin(sum, MOST_CORRECTION)));
}

/* By what the values are above. */
static double predict_near(const struct tw_model *model, const uint16_t *above, double total_us,
                           double near_us) {
    double sum = model->base;
    int done = 0;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (stages[i].trees >= model->tree_count)
            break;
        sum = walk(model, sum, done, stages[i].trees, above);
        done = stages[i].trees;
        const double so_far = corrected(total_us, sum);
        if (so_far > stages[i].far * near_us)
            return so_far;
    }
    return corrected(total_us, walk(model, sum, done, model->tree_count, above));
}

/* Where there are no steps. */
static double predict_leaves(const struct tw_model *model, const double *vector, double total_us) {
    double sum = model->base;
    for (int i = 0; i < model->tree_count; i++)
        sum += tw_model_leaf(model->nodes, model->roots[i], vector);
    return corrected(total_us, sum);
}

double tw_model_predict_near(const struct tw_model *model, const double *vector,
                             const struct tw_estimate *e, double near_us) {
    uint16_t above[TW_MODEL_MAX_FEATURES];
    const double total_us = tw_estimate_total(e);
    if (model->steps == NULL)
        return predict_leaves(model, vector, total_us);
    for (int i = 0; i < model->feature_count; i++)
        above[i] = (uint16_t)count_below(&model->cuts[i], vector[i]);
    return predict_near(model, above, total_us, near_us);
}

void tw_model_ask(const struct tw_model *model, const struct tw_model_view *view,
                  const struct tw_problem *problem, const struct tw_features *f,
                  struct tw_model_question *question) {
    question->problem = *problem;
    question->count = 0;
    for (int i = 0; i < model->feature_count; i++) {
        const struct tw_model_feature *feature = &model->features[i];
        if (!is_of_problem(feature))
            continue;
        const int k = question->count++;
        question->features[k] = (uint8_t)i;
        question->vector[k] = of_problem(feature, view->places[i], problem, f);
        question->above[k] = (uint16_t)count_below(&model->cuts[i], question->vector[k]);
    }
}

double tw_model_answer(const struct tw_model *model, const struct tw_model_question *question,
                       const struct tw_model_view *view,
                       const struct tw_configuration *configuration, const struct tw_features *f,
                       const struct tw_estimate *e, double near_us) {
    const struct tw_implementation *in =
        &question->problem.description->implementations[configuration->implementation];
    const double total_us = tw_estimate_total(e);
    double geometry[GEOMETRY_COUNT], vector[TW_MODEL_MAX_FEATURES];
    uint16_t above[TW_MODEL_MAX_FEATURES];
    const size_t count = (size_t)model->feature_count;
    see_geometry(f, e, total_us, geometry);
    memcpy(vector, view->vector, count * sizeof *vector);
    memcpy(above, view->above, count * sizeof *above);
    for (int k = 0; k < question->count; k++) {
        vector[question->features[k]] = question->vector[k];
        above[question->features[k]] = question->above[k];
    }
    for (int k = 0; k < view->own_count; k++) {
        const int i = view->own[k];
        vector[i] =
            of_configuration(&model->features[i], view->places[i], in, configuration, f, geometry);
        above[i] = (uint16_t)count_below(&model->cuts[i], vector[i]);
    }
    return model->steps == NULL ? predict_leaves(model, vector, total_us)
                                : predict_near(model, above, total_us, near_us);
}

double tw_model_predict(const struct tw_model *model, const double *vector,
                        const struct tw_estimate *e) {
    return tw_model_predict_near(model, vector, e, INFINITY);
}

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
