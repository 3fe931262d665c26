#include "tuner/search/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/features.h"
#include "tuner/search/gaussian.h"
#include "tuner/search/panel.h"
#include "tuner/search/rng.h"
#include "tuner/search/traits.h"

enum { LEAST_SAMPLES = 3 };

/* Tune again when there are this many times as many samples. */
static const double TUNE_GROWTH = 1.6;

/* Standard deviations below the best from which on no improvement is expected. */
static const double NEGLIGIBLE = -6;
/* Candidates that promise less than so much of the most are not ranked. */
static const double WORTH_RANKING = 0.01;

/* A smaller share of failures is not worth a process of them. */
static const double SELDOM = 0.05;
/* Of a candidate that should fail: no process is sure of that. */
static const double LEAST_CHANCE = 0.02;

/* Samples that the expectation's slope is held at 0 with, of the mean spread: few trials agree with
 * anything. */
static const double DOUBT = 4;

struct known {
    size_t point;
    double value;    /* logarithm of seconds; INFINITY: failed */
    double expected; /* see expected_of */
};

struct part {
    struct known *known; /* in the order in which they were learnt */
    size_t count, capacity;
    size_t failed; /* of them */
    size_t tuned_at;
    double best;
    bool fitted;
    double slope, middle;      /* of the logarithm of the time, over what was expected */
    struct gaussian *gaussian; /* of the times; this and the next are made when first needed */
    struct panel *panel;
    bool warned;               /* the next are fitted */
    size_t warned_at;          /* samples when it was tuned */
    struct gaussian *failures; /* 1 where a point failed, 0 where it was ok */
    struct panel *odds;
    size_t *offered;  /* the points on the panel */
    double *expected; /* of them */
    int offered_count, next;
};

struct surrogate {
    const struct space *space;
    const struct strategy_expectation *expectation;
    struct traits *traits;
    struct rng rng;
    double told_apart, margin;
    int active;       /* implementations with points */
    int room, places; /* candidates of each: that there is memory for, that there may be */
    size_t learnt, fitted_at, ok;
    double best;
    unsigned char *on_panel; /* a bit a point */
    struct part parts[];     /* by implementation */
};

tw_status surrogate_create(struct surrogate **out, const struct space *space,
                           const struct surrogate_options *options, struct tw_error *error) {
    size_t parts = (size_t)space_implementations(space);
    int active = 0;
    *out = calloc(1, sizeof **out + parts * sizeof *(*out)->parts);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < parts; i++)
        (*out)->parts[i].best = INFINITY;
    for (size_t i = 0; i < parts; i++)
        active += space_range(space, (int)i).count > 0;
    (*out)->space = space;
    (*out)->expectation = options->expectation;
    (*out)->rng.state = options->seed;
    (*out)->told_apart = options->told_apart;
    (*out)->margin = options->margin;
    (*out)->active = active > 0 ? active : 1;
    (*out)->room = (*out)->places = options->candidates / (*out)->active;
    (*out)->best = INFINITY;
    (*out)->on_panel = calloc(space_size(space) / 8 + 1, 1);
    if ((*out)->on_panel != NULL &&
        traits_create(&(*out)->traits, space, options->expectation, error) == TW_OK)
        return TW_OK;
    free((*out)->on_panel);
    free(*out);
    *out = NULL;
    return tw_fail(error, TW_NO_MEMORY, "out of memory");
}

void surrogate_free(struct surrogate *surrogate) {
    if (surrogate == NULL)
        return;
    for (int i = 0; i < space_implementations(surrogate->space); i++) {
        free(surrogate->parts[i].known);
        gaussian_free(surrogate->parts[i].gaussian);
        panel_free(surrogate->parts[i].panel);
        gaussian_free(surrogate->parts[i].failures);
        panel_free(surrogate->parts[i].odds);
        free(surrogate->parts[i].offered);
        free(surrogate->parts[i].expected);
    }
    traits_free(surrogate->traits);
    free(surrogate->on_panel);
    free(surrogate);
}

/* What makes points alike: their parameters, and what these come to. */
static int dimensions_of(const struct surrogate *surrogate, int implementation) {
    return features_count(surrogate->space, implementation) +
           traits_count(surrogate->traits, implementation);
}

static void locate(const struct surrogate *surrogate, size_t point, float x[GAUSSIAN_DIMENSIONS]) {
    int implementation = space_implementation(surrogate->space, point);
    features_of(surrogate->space, point, x);
    traits_of(surrogate->traits, point, x + features_count(surrogate->space, implementation));
}

/* The logarithm of what is expected of a point; NAN: nothing. */
static double expected_of(const struct surrogate *surrogate, size_t point) {
    const struct strategy_expectation *expectation = surrogate->expectation;
    double seconds = expectation != NULL && expectation->seconds != NULL
                         ? expectation->seconds(expectation->context, point)
                         : INFINITY;
    return isfinite(seconds) ? log(seconds) : NAN;
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
    part->known[part->count++] = (struct known){point, value, expected_of(surrogate, point)};
    part->failed += !outcome->ok;
    surrogate->learnt++;
    surrogate->ok += outcome->ok;
    surrogate->best = fmin(surrogate->best, value);
    part->best = fmin(part->best, value);
}

size_t surrogate_known(const struct surrogate *surrogate) {
    return surrogate->ok;
}

/* ---- Fitting ---- */

static int faster_first(const void *a, const void *b) {
    const struct known *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* The slowest time that is told apart: what is slower counts as that. INFINITY when nothing was ok.
 * `sorted` has the fastest first. */
static double slowest_told_apart(const struct surrogate *surrogate, const struct known *sorted,
                                 size_t count) {
    while (count > 0 && isinf(sorted[count - 1].value))
        count--;
    return count > 0 ? sorted[(size_t)((double)(count - 1) * surrogate->told_apart)].value
                     : INFINITY;
}

/* What the time should be by the expectation alone, less what it should be in the middle. */
static double trend(const struct part *part, double expected) {
    return isnan(expected) ? 0 : part->slope * (expected - part->middle);
}

/* Least squares. An expectation that has it the wrong way round is none. */
static void find_trend(struct part *part, double most) {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < part->count; i++) {
        const struct known *known = &part->known[i];
        if (isnan(known->expected) || isinf(known->value))
            continue;
        double value = fmin(known->value, most);
        count++;
        x += known->expected;
        y += value;
        xx += known->expected * known->expected;
        xy += known->expected * value;
    }
    part->slope = part->middle = 0;
    if (count < 2)
        return;
    double spread = (xx - x * x / count) * (1 + DOUBT / count), shared = xy - x * y / count;
    part->middle = x / count;
    part->slope = spread > 0 ? fmin(fmax(shared / spread, 0), 1) : 0;
}

/* What the process is of. */
static double rest(const struct part *part, const struct known *known, double most) {
    return fmin(known->value, most) - trend(part, known->expected);
}

static void add_sample(struct surrogate *surrogate, struct part *part, const struct known *known,
                       double most) {
    float x[GAUSSIAN_DIMENSIONS];
    locate(surrogate, known->point, x);
    gaussian_add(part->gaussian, x, rest(part, known, most));
}

/* What is new joins the samples. */
static void add_new(struct surrogate *surrogate, struct part *part, double most) {
    int had = gaussian_count(part->gaussian), place = 0;
    for (size_t i = 0; i < part->count; i++) {
        if (isinf(part->known[i].value))
            continue;
        if (place < had)
            gaussian_correct(part->gaussian, place, rest(part, &part->known[i], most));
        else
            add_sample(surrogate, part, &part->known[i], most);
        place++;
    }
}

/* All that were ok are too much for a process: the best half of what it takes and an even selection
 * of the rest, in random order. */
static void choose_samples(struct surrogate *surrogate, struct part *part,
                           const struct known *sorted, double most) {
    size_t ok = part->count - part->failed;
    size_t best = GAUSSIAN_SAMPLES / 2, rest = GAUSSIAN_SAMPLES - best;
    struct known chosen[GAUSSIAN_SAMPLES];
    for (size_t i = 0; i < GAUSSIAN_SAMPLES; i++) {
        size_t from = i < best ? i : best + (i - best) * (ok - best) / rest;
        size_t at = rng_below(&surrogate->rng, i + 1);
        chosen[i] = chosen[at];
        chosen[at] = sorted[from];
    }
    gaussian_clear(part->gaussian);
    for (size_t i = 0; i < GAUSSIAN_SAMPLES; i++)
        add_sample(surrogate, part, &chosen[i], most);
}

static bool prepare(struct surrogate *surrogate, struct part *part, int implementation) {
    int dimensions = dimensions_of(surrogate, implementation);
    if (part->gaussian == NULL && gaussian_create(&part->gaussian, dimensions, NULL) != TW_OK)
        return false;
    if (part->offered == NULL)
        part->offered = calloc((size_t)surrogate->room + 1, sizeof *part->offered);
    if (part->expected == NULL)
        part->expected = calloc((size_t)surrogate->room + 1, sizeof *part->expected);
    if (part->panel == NULL &&
        panel_create(&part->panel, surrogate->room, dimensions, NULL) != TW_OK)
        return false;
    return part->offered != NULL && part->expected != NULL;
}

/* Fits a process to its samples, which are of so many points, and has the panel follow it. What
 * tells its shape is tuned when that many have grown enough. */
static bool fit_process(struct gaussian *process, struct panel *panel, size_t count,
                        size_t *tuned_at) {
    if ((double)count >= TUNE_GROWTH * (double)*tuned_at) {
        gaussian_tune(process);
        *tuned_at = count;
    }
    if (!gaussian_fit(process))
        return false;
    panel_follow(panel, process);
    return true;
}

/* Of all, or of the last, which are where the search is. */
static void fit_failures(struct surrogate *surrogate, struct part *part, int implementation) {
    int dimensions = dimensions_of(surrogate, implementation);
    part->warned = false;
    if ((double)part->failed <= SELDOM * (double)part->count)
        return;
    if (part->failures == NULL && gaussian_create(&part->failures, dimensions, NULL) != TW_OK)
        return;
    if (part->odds == NULL) {
        if (panel_create(&part->odds, surrogate->room, dimensions, NULL) != TW_OK)
            return;
        for (int place = 0; place < part->offered_count; place++) {
            float x[GAUSSIAN_DIMENSIONS];
            locate(surrogate, part->offered[place], x);
            panel_put(part->odds, place, x);
        }
    }
    size_t first = part->count > GAUSSIAN_SAMPLES ? part->count - GAUSSIAN_SAMPLES : 0;
    if (first > 0)
        gaussian_clear(part->failures);
    for (size_t i = first + (size_t)gaussian_count(part->failures); i < part->count; i++) {
        float x[GAUSSIAN_DIMENSIONS];
        locate(surrogate, part->known[i].point, x);
        gaussian_add(part->failures, x, isinf(part->known[i].value));
    }
    part->warned = fit_process(part->failures, part->odds, part->count, &part->warned_at);
}

static void fit(struct surrogate *surrogate, int implementation) {
    struct part *part = &surrogate->parts[implementation];
    part->fitted = false;
    if (part->count - part->failed < LEAST_SAMPLES || !prepare(surrogate, part, implementation))
        return;
    struct known *sorted = malloc(part->count * sizeof *sorted);
    if (sorted == NULL)
        return;
    memcpy(sorted, part->known, part->count * sizeof *sorted);
    qsort(sorted, part->count, sizeof *sorted, faster_first);
    double most = slowest_told_apart(surrogate, sorted, part->count);
    if (isinf(most)) {
        free(sorted); /* all failed */
        return;
    }
    find_trend(part, most);
    if (part->count - part->failed <= GAUSSIAN_SAMPLES)
        add_new(surrogate, part, most);
    else
        choose_samples(surrogate, part, sorted, most);
    free(sorted);
    part->fitted = fit_process(part->gaussian, part->panel, part->count, &part->tuned_at);
    fit_failures(surrogate, part, implementation);
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

/* ---- Candidates ---- */

static void take_off(struct surrogate *surrogate, size_t point) {
    unsigned char bit = (unsigned char)(1u << point % 8);
    surrogate->on_panel[point / 8] = (unsigned char)(surrogate->on_panel[point / 8] & ~bit);
}

/* A point that is not on the panel, and what is expected of it. */
static void put(struct surrogate *surrogate, struct part *part, size_t point, double expected) {
    float x[GAUSSIAN_DIMENSIONS];
    locate(surrogate, point, x);
    int place = part->next;
    if (place < part->offered_count) {
        take_off(surrogate, part->offered[place]);
    } else {
        part->offered_count = place + 1;
    }
    surrogate->on_panel[point / 8] |= (unsigned char)(1u << point % 8);
    part->offered[place] = point;
    part->expected[place] = expected;
    part->next = (place + 1) % surrogate->places;
    panel_put(part->panel, place, x);
    if (part->odds != NULL)
        panel_put(part->odds, place, x);
}

void surrogate_offer(struct surrogate *surrogate, size_t point) {
    int implementation = space_implementation(surrogate->space, point);
    struct part *part = &surrogate->parts[implementation];
    bool offered = (surrogate->on_panel[point / 8] >> point % 8 & 1) != 0;
    if (!offered && surrogate->places > 0 && prepare(surrogate, part, implementation))
        put(surrogate, part, point, expected_of(surrogate, point));
}

static double improvement(double gain, double deviation) {
    double z = gain / deviation;
    if (z < NEGLIGIBLE)
        return 0;
    return gain * erfc(-z / sqrt(2)) / 2 + deviation * exp(-z * z / 2) / sqrt(2 * acos(-1));
}

static int most_first(const void *a, const void *b) {
    const struct surrogate_candidate *x = a, *y = b;
    if (x->improvement != y->improvement)
        return x->improvement > y->improvement ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* That a point does not fail, of which the process says how likely it does. */
static double chance(double failing) {
    return fmin(fmax(1 - failing, LEAST_CHANCE), 1);
}

/* The candidates of a part, with what they improve on `best`; how many of them. */
static size_t list_candidates(const struct surrogate *surrogate, struct part *part, double best,
                              struct surrogate_candidate *list) {
    if (part->fitted)
        panel_follow(part->panel, part->gaussian);
    if (part->warned)
        panel_follow(part->odds, part->failures);
    for (int place = 0; place < part->offered_count; place++) {
        double gain = best - surrogate->margin - panel_mean(part->panel, place) -
                      trend(part, part->expected[place]);
        list[place] = (struct surrogate_candidate){
            .point = part->offered[place],
            .improvement =
                part->fitted ? improvement(gain, panel_deviation(part->panel, place)) : 0,
            .expected = part->expected[place]};
        if (part->warned)
            list[place].improvement *= chance(panel_mean(part->odds, place));
    }
    return (size_t)part->offered_count;
}

int surrogate_thin(struct surrogate *surrogate, int places, struct surrogate_candidate *list) {
    int stay = 0;
    surrogate->places = places / surrogate->active;
    for (int i = 0; i < space_implementations(surrogate->space); i++) {
        struct part *part = &surrogate->parts[i];
        size_t count = list_candidates(surrogate, part, part->best, list);
        for (size_t place = 0; place < count; place++)
            take_off(surrogate, list[place].point);
        part->offered_count = part->next = 0;
        if (count > 0)
            panel_clear(part->panel);
        if (part->odds != NULL)
            panel_clear(part->odds);
        qsort(list, count, sizeof *list, most_first);
        for (size_t kept = 0; kept < count && kept < (size_t)surrogate->places / 2; kept++)
            put(surrogate, part, list[kept].point, list[kept].expected);
        stay += part->offered_count;
    }
    return stay;
}

size_t surrogate_rank(struct surrogate *surrogate, const struct strategy *strategy,
                      int implementation, struct surrogate_candidate *list) {
    size_t count = 0;
    for (int i = 0; i < space_implementations(surrogate->space); i++) {
        struct part *part = &surrogate->parts[i];
        if (!part->fitted || (implementation >= 0 && implementation != i))
            continue;
        double best = implementation < 0 ? surrogate->best : part->best;
        size_t first = count, last = first + list_candidates(surrogate, part, best, list + first);
        for (size_t at = first; at < last; at++)
            if (!strategy_seen(strategy, list[at].point))
                list[count++] = list[at];
    }
    double most_of_all = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        most_of_all = fmax(most_of_all, list[i].improvement);
    for (size_t i = 0; i < count; i++)
        if (list[i].improvement >= WORTH_RANKING * most_of_all)
            list[kept++] = list[i];
    qsort(list, kept, sizeof *list, most_first);
    return kept;
}

double surrogate_improvement(const struct surrogate *surrogate, size_t point) {
    float x[GAUSSIAN_DIMENSIONS];
    double deviation;
    const struct part *part = &surrogate->parts[space_implementation(surrogate->space, point)];
    locate(surrogate, point, x);
    if (!part->fitted)
        return 0;
    double mean = gaussian_guess(part->gaussian, x, &deviation);
    double gain =
        surrogate->best - surrogate->margin - mean - trend(part, expected_of(surrogate, point));
    double expected = improvement(gain, deviation);
    return part->warned ? expected * chance(gaussian_guess(part->failures, x, &deviation))
                        : expected;
}
