#include "tuner/search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/chance.h"
#include "tuner/search/gaussian.h"

enum { LEAST_SAMPLES = 3 };

/* Of the ok times, the share that is told apart: what is slower, or fails, counts as the slowest of
 * them, for a model that follows the worst points says less of the best. */
static const double TOLD_APART = 0.8;
/* Tune again when there are this many times as many samples. */
static const double TUNE_GROWTH = 1.4;

struct known {
    size_t point;
    double value; /* logarithm of seconds; INFINITY: failed */
};

struct part {
    struct known *known;
    size_t count, capacity;
    size_t tuned_at;
    bool fitted;
    struct gaussian *gaussian; /* made when it is first needed */
};

struct model {
    const struct space *space;
    struct chance chance;
    size_t learnt, fitted_at, ok;
    double best;
    struct part parts[]; /* by implementation */
};

tw_status model_create(struct model **out, const struct space *space, uint64_t seed,
                       struct tw_error *error) {
    size_t parts = (size_t)space_implementations(space);
    *out = calloc(1, sizeof **out + parts * sizeof *(*out)->parts);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->space = space;
    (*out)->chance.state = seed;
    (*out)->best = INFINITY;
    return TW_OK;
}

void model_free(struct model *model) {
    if (model == NULL)
        return;
    for (int i = 0; i < space_implementations(model->space); i++) {
        free(model->parts[i].known);
        gaussian_free(model->parts[i].gaussian);
    }
    free(model);
}

void model_learn(struct model *model, size_t point, const struct strategy_outcome *outcome) {
    struct part *part = &model->parts[space_implementation(model->space, point)];
    if (part->count == part->capacity) {
        size_t capacity = part->capacity != 0 ? 2 * part->capacity : 64;
        struct known *known = realloc(part->known, capacity * sizeof *known);
        if (known == NULL)
            return;
        part->known = known;
        part->capacity = capacity;
    }
    double value = outcome->ok ? log(outcome->seconds) : INFINITY;
    part->known[part->count++] = (struct known){point, value};
    model->learnt++;
    model->ok += outcome->ok;
    model->best = fmin(model->best, value);
}

size_t model_known(const struct model *model) {
    return model->ok;
}

static int faster_first(const void *a, const void *b) {
    const struct known *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static int coordinates_of(const struct model *model, size_t point, double *x) {
    int implementation = space_implementation(model->space, point);
    const unsigned char *ranks = space_coordinates(model->space, point);
    for (int i = 0; i < space_axes(model->space, implementation); i++) {
        int count = space_axis(model->space, implementation, i)->count;
        x[i] = count > 1 ? (double)ranks[i] / (count - 1) : 0;
    }
    return implementation;
}

/* What a part's gaussian is given, in random order: all that is known, or when that is too much the
 * best half and an even selection of the rest. `known` is sorted. */
static size_t choose(struct model *model, const struct part *part, struct known *chosen) {
    size_t count = part->count < GAUSSIAN_SAMPLES ? part->count : GAUSSIAN_SAMPLES;
    size_t best = count / 2, rest = count - best;
    for (size_t i = 0; i < count; i++) {
        size_t from = i < best ? i : best + (i - best) * (part->count - best) / rest;
        size_t at = chance_below(&model->chance, i + 1);
        chosen[i] = chosen[at];
        chosen[at] = part->known[from];
    }
    return count;
}

static double slowest_told_apart(const struct part *part) {
    size_t ok = part->count;
    while (ok > 0 && isinf(part->known[ok - 1].value))
        ok--;
    return ok > 0 ? part->known[(size_t)((double)(ok - 1) * TOLD_APART)].value : INFINITY;
}

static void fit(struct model *model, int implementation) {
    struct part *part = &model->parts[implementation];
    struct known chosen[GAUSSIAN_SAMPLES];
    part->fitted = false;
    if (part->count < LEAST_SAMPLES)
        return;
    if (part->gaussian == NULL &&
        gaussian_create(&part->gaussian, space_axes(model->space, implementation), NULL) != TW_OK)
        return;
    qsort(part->known, part->count, sizeof *part->known, faster_first);
    double most = slowest_told_apart(part);
    if (isinf(most))
        return; /* all failed */
    size_t count = choose(model, part, chosen);
    gaussian_clear(part->gaussian);
    for (size_t i = 0; i < count; i++) {
        double x[TW_MAX_PARAMETERS];
        coordinates_of(model, chosen[i].point, x);
        gaussian_add(part->gaussian, x, fmin(chosen[i].value, most));
    }
    if ((double)part->count >= TUNE_GROWTH * (double)part->tuned_at) {
        gaussian_tune(part->gaussian);
        part->tuned_at = part->count;
    }
    part->fitted = gaussian_fit(part->gaussian);
}

bool model_refresh(struct model *model) {
    /* With many known, one more says little and fitting costs much. */
    if (model->learnt < model->fitted_at + 1 + model->fitted_at / 50)
        return false;
    for (int i = 0; i < space_implementations(model->space); i++)
        fit(model, i);
    model->fitted_at = model->learnt;
    return true;
}

double model_guess(const struct model *model, size_t point) {
    double x[TW_MAX_PARAMETERS];
    const struct part *part = &model->parts[coordinates_of(model, point, x)];
    return part->fitted ? gaussian_mean(part->gaussian, x) : INFINITY;
}

double model_improvement(const struct model *model, size_t point) {
    double x[TW_MAX_PARAMETERS], deviation;
    const struct part *part = &model->parts[coordinates_of(model, point, x)];
    if (!part->fitted)
        return 0;
    double gain = model->best - gaussian_guess(part->gaussian, x, &deviation);
    double z = gain / deviation;
    return gain * erfc(-z / sqrt(2)) / 2 + deviation * exp(-z * z / 2) / sqrt(2 * acos(-1));
}
