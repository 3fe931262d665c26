/* Climbs from the best points known, several at a time, with a model to tell where to step.
 *
 * A step changes a few parameters of a point of the elite (elite.h), mostly by one value and
 * sometimes to any, or takes some from another point of it. Of the proposals, some are such steps
 * taken blindly, which a wrong model cannot hinder (steady-state evolution, which does well on such
 * spaces: Schoonhoven, van Werkhoven and Batenburg, "Benchmarking optimization algorithms for
 * auto-tuning GPU kernels", 2022); some are points at random, which find other hills; and most are
 * the best of many steps by the improvement that the model (surrogate.h) expects. Many proposals
 * may be out at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/elite.h"
#include "tuner/search/sampler.h"
#include "tuner/search/strategies.h"
#include "tuner/search/surrogate.h"

enum {
    ATTEMPTS = 100,
    BEGINNING = 10, /* ok outcomes before the model is asked */
    STEPS = 600,    /* candidates that a ranking weighs: steps from the elite, */
    STRAYS = 100,   /* and points at random */
    SCREENED = 60,  /* those with the least guess, for which the improvement is computed */
    PLANNED = 16    /* proposals that a ranking is good for, at most */
};

static const double AT_RANDOM = 0.05;
static const double BLINDLY = 0.6;  /* in the long run, */
static const double LONG_RUN = 100; /* half of which it is after so many ok outcomes */
static const double CROSSED = 0.25;
static const double ONE_STEP = 0.6;

struct candidate {
    size_t point;
    double score; /* the less the better */
};

struct greedy {
    const struct strategy *strategy;
    const struct space *space;
    struct sampler *sampler;
    struct surrogate *surrogate;
    struct rng rng;
    struct elite *elite;
    size_t planned, next; /* what is left of the last ranking */
    struct candidate plan[STEPS + STRAYS];
};

static void destroy(void *state) {
    struct greedy *g = state;
    if (g == NULL)
        return;
    sampler_free(g->sampler);
    surrogate_free(g->surrogate);
    elite_free(g->elite);
    free(g);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct greedy *g = calloc(1, sizeof *g);
    *state = NULL;
    if (g == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    g->strategy = strategy;
    g->space = strategy_space(strategy);
    g->rng.state = seed;
    tw_status status = sampler_create(&g->sampler, strategy, rng_next(&g->rng), error);
    if (status == TW_OK)
        status = surrogate_create(&g->surrogate, g->space, rng_next(&g->rng), error);
    if (status == TW_OK)
        status = elite_create(&g->elite, g->space, error);
    if (status != TW_OK) {
        destroy(g);
        return status;
    }
    *state = g;
    return TW_OK;
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct greedy *g = state;
    surrogate_learn(g->surrogate, point, outcome);
    if (outcome->ok)
        elite_add(g->elite, point, outcome->seconds);
}

static void change_axis(struct greedy *g, const struct space_axis *axis, unsigned char *rank) {
    if (axis->count < 2)
        return;
    if (rng_unit(&g->rng) >= ONE_STEP) {
        *rank = (unsigned char)rng_below(&g->rng, (size_t)axis->count);
        return;
    }
    int up = rng_unit(&g->rng) < 0.5 ? 1 : -1;
    if (*rank + up < 0 || *rank + up >= axis->count)
        up = -up;
    *rank = (unsigned char)(*rank + up);
}

/* `changes` parameters of the parent changed. */
static void mutate(struct greedy *g, int implementation, unsigned char *coordinates, int changes) {
    int axes = space_axes(g->space, implementation);
    for (int i = 0; i < changes; i++) {
        int axis = (int)rng_below(&g->rng, (size_t)axes);
        change_axis(g, space_axis(g->space, implementation, axis), &coordinates[axis]);
    }
}

/* About half of the parameters from another of the implementation's elite. */
static void cross(struct greedy *g, int implementation, unsigned char *coordinates) {
    size_t other = elite_draw_of(g->elite, implementation, &g->rng);
    const unsigned char *theirs = space_coordinates(g->space, other);
    for (int axis = 0; axis < space_axes(g->space, implementation); axis++)
        if (rng_unit(&g->rng) < 0.5)
            coordinates[axis] = theirs[axis];
}

static int draw_changes(struct greedy *g) {
    double u = rng_unit(&g->rng);
    return u < 0.5 ? 1 : u < 0.8 ? 2 : 3;
}

/* One try at an unseen point near the elite, or SPACE_NONE. */
static size_t step(struct greedy *g, int extra_changes) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    size_t parent = elite_draw(g->elite, &g->rng);
    int implementation = space_implementation(g->space, parent);
    int axes = space_axes(g->space, implementation);
    if (axes == 0)
        return SPACE_NONE;
    memcpy(coordinates, space_coordinates(g->space, parent), (size_t)axes);
    if (rng_unit(&g->rng) < CROSSED)
        cross(g, implementation, coordinates);
    mutate(g, implementation, coordinates, draw_changes(g) + extra_changes);
    size_t point = space_locate(g->space, implementation, coordinates);
    return point != SPACE_NONE && strategy_seen(g->strategy, point) ? SPACE_NONE : point;
}

static size_t step_blindly(struct greedy *g) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        /* The longer nothing new is found nearby, the wider. */
        size_t point = step(g, attempt / (ATTEMPTS / 4));
        if (point != SPACE_NONE)
            return point;
    }
    return sampler_draw(g->sampler);
}

static int compare(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void consider(struct greedy *g, size_t point) {
    if (point == SPACE_NONE || strategy_seen(g->strategy, point))
        return;
    double guess = surrogate_guess(g->surrogate, point);
    if (guess < INFINITY)
        g->plan[g->planned++] = (struct candidate){point, guess};
}

/* Ranks candidates: all by the guess, which is cheap, and the first of them by the improvement. */
static void rank(struct greedy *g) {
    g->planned = g->next = 0;
    for (int tries = 0; tries < 10 * STEPS && g->planned < STEPS; tries++)
        consider(g, step(g, tries % 3));
    for (int i = 0; i < STRAYS; i++)
        consider(g, rng_below(&g->rng, space_size(g->space)));
    qsort(g->plan, g->planned, sizeof *g->plan, compare);
    size_t distinct = 0;
    for (size_t i = 0; i < g->planned && distinct < SCREENED; i++)
        if (distinct == 0 || g->plan[i].point != g->plan[distinct - 1].point)
            g->plan[distinct++] = g->plan[i];
    for (size_t i = 0; i < distinct; i++)
        g->plan[i].score = -surrogate_improvement(g->surrogate, g->plan[i].point);
    qsort(g->plan, distinct, sizeof *g->plan, compare);
    /* Fits and rankings are repeated the less often the more is known, as one more says less. */
    size_t most = 1 + surrogate_known(g->surrogate) / 100;
    most = most < PLANNED ? most : PLANNED;
    g->planned = distinct < most ? distinct : most;
}

static size_t step_by_model(struct greedy *g) {
    if (surrogate_refresh(g->surrogate))
        g->planned = g->next = 0;
    while (g->next < g->planned) {
        size_t point = g->plan[g->next++].point;
        if (!strategy_seen(g->strategy, point))
            return point;
    }
    rank(g);
    return g->planned > 0 ? g->plan[g->next++].point : step_blindly(g);
}

static size_t propose(void *state) {
    struct greedy *g = state;
    if (surrogate_known(g->surrogate) < BEGINNING || rng_unit(&g->rng) < AT_RANDOM)
        return sampler_draw(g->sampler);
    /* A model pays most when little is known; later what it smooths over matters. */
    double known = (double)surrogate_known(g->surrogate);
    if (rng_unit(&g->rng) < BLINDLY * known / (known + LONG_RUN))
        return step_blindly(g);
    return step_by_model(g);
}

const struct strategy_kind strategy_greedy = {
    .name = "greedy",
    .summary = "climbs from the best known, guided by a model of the times",
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
