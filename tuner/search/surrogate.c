#include "tuner/search/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/gaussian.h"
#include "tuner/search/rng.h"

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

struct surrogate {
    const struct space *space;
    struct rng rng;
    size_t learnt, fitted_at, ok;
    double best;
    struct part parts[]; /* by implementation */
};

tw_status surrogate_create(struct surrogate **out, const struct space *space, uint64_t seed,
                           struct tw_error *error) {
    size_t parts = (size_t)space_implementations(space);
    *out = calloc(1, sizeof **out + parts * sizeof *(*out)->parts);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->space = space;
    (*out)->rng.state = seed;
    (*out)->best = INFINITY;
    return TW_OK;
}

void surrogate_free(struct surrogate *surrogate) {
    if (surrogate == NULL)
        return;
    for (int i = 0; i < space_implementations(surrogate->space); i++) {
        free(surrogate->parts[i].known);
        gaussian_free(surrogate->parts[i].gaussian);
    }
    free(surrogate);
}

void surrogate_learn(struct surrogate *surrogate, size_t point,
                     const struct strategy_outcome *outcome) {
    struct part *part = &surrogate->parts[space_implementation(surrogate->space, point)];
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
    surrogate->learnt++;
    surrogate->ok += outcome->ok;
    surrogate->best = fmin(surrogate->best, value);
}

size_t surrogate_known(const struct surrogate *surrogate) {
    return surrogate->ok;
}

static int faster_first(const void *a, const void *b) {
    const struct known *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static int coordinates_of(const struct surrogate *surrogate, size_t point, double *x) {
    int implementation = space_implementation(surrogate->space, point);
    const unsigned char *ranks = space_coordinates(surrogate->space, point);
    for (int i = 0; i < space_axes(surrogate->space, implementation); i++) {
        int count = space_axis(surrogate->space, implementation, i)->count;
        x[i] = count > 1 ? (double)ranks[i] / (count - 1) : 0;
    }
    return implementation;
}

/* What a part's gaussian is given, in random order: all that is known, or when that is too much the
 * best half and an even selection of the rest. `known` is sorted. */
static size_t choose(struct surrogate *surrogate, const struct part *part, struct known *chosen) {
    size_t count = part->count < GAUSSIAN_SAMPLES ? part->count : GAUSSIAN_SAMPLES;
    size_t best = count / 2, rest = count - best;
    for (size_t i = 0; i < count; i++) {
        size_t from = i < best ? i : best + (i - best) * (part->count - best) / rest;
        size_t at = rng_below(&surrogate->rng, i + 1);
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

static void fit(struct surrogate *surrogate, int implementation) {
    struct part *part = &surrogate->parts[implementation];
    struct known chosen[GAUSSIAN_SAMPLES];
    part->fitted = false;
    if (part->count < LEAST_SAMPLES)
        return;
    if (part->gaussian == NULL &&
        gaussian_create(&part->gaussian, space_axes(surrogate->space, implementation), NULL) !=
            TW_OK)
        return;
    qsort(part->known, part->count, sizeof *part->known, faster_first);
    double most = slowest_told_apart(part);
    if (isinf(most))
        return; /* all failed */
    size_t count = choose(surrogate, part, chosen);
    gaussian_clear(part->gaussian);
    for (size_t i = 0; i < count; i++) {
        double x[TW_MAX_PARAMETERS];
        coordinates_of(surrogate, chosen[i].point, x);
        gaussian_add(part->gaussian, x, fmin(chosen[i].value, most));
    }
    if ((double)part->count >= TUNE_GROWTH * (double)part->tuned_at) {
        gaussian_tune(part->gaussian);
        part->tuned_at = part->count;
    }
    part->fitted = gaussian_fit(part->gaussian);
}

bool surrogate_refresh(struct surrogate *surrogate) {
    /* With many known, one more says little and fitting costs much. */
    if (surrogate->learnt < surrogate->fitted_at + 1 + surrogate->fitted_at / 50)
        return false;
    for (int i = 0; i < space_implementations(surrogate->space); i++)
        fit(surrogate, i);
    surrogate->fitted_at = surrogate->learnt;
    return true;
}

double surrogate_guess(const struct surrogate *surrogate, size_t point) {
    double x[TW_MAX_PARAMETERS];
    const struct part *part = &surrogate->parts[coordinates_of(surrogate, point, x)];
    return part->fitted ? gaussian_mean(part->gaussian, x) : INFINITY;
}

double surrogate_improvement(const struct surrogate *surrogate, size_t point) {
    double x[TW_MAX_PARAMETERS], deviation;
    const struct part *part = &surrogate->parts[coordinates_of(surrogate, point, x)];
    if (!part->fitted)
        return 0;
    double gain = surrogate->best - gaussian_guess(part->gaussian, x, &deviation);
    double z = gain / deviation;
    return gain * erfc(-z / sqrt(2)) / 2 + deviation * exp(-z * z / 2) / sqrt(2 * acos(-1));
}
