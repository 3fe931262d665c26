/* Greedy iterated local search (Lourenco, Martin and Stutzle, "Iterated local search", 2003): from
 * a point to the first neighbour that is faster, until none is; then on from the best after a few
 * parameters were changed, or, when that led nowhere for long, from anywhere.
 *
 * Neighbours come in random order and many may be out at once; each outcome is held against where
 * the search is when it is told. */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { ATTEMPTS = 60, NEIGHBOURS = 1024 };

enum { KICK, PATIENCE };
static const struct strategy_setting settings[] = {
    [KICK] = {"kick", 3, 1, 32, true, "parameters that change to leave a hill"},
    [PATIENCE] = {"patience", 5, 0, 10000, true, "hills no better than the best before any other"},
    {0},
};

struct local {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    size_t here, best; /* SPACE_NONE: a beginning is sought */
    double here_seconds, best_seconds;
    int hills; /* since the best was found */
    size_t count, next;
    size_t neighbours[NEIGHBOURS]; /* of where it is, in random order */
};

static void destroy(void *state) {
    struct local *l = state;
    if (l == NULL)
        return;
    sampler_free(l->sampler);
    free(l);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct local *l = calloc(1, sizeof *l);
    *state = NULL;
    if (l == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    l->strategy = strategy;
    l->space = strategy_space(strategy);
    l->rng.state = seed;
    l->here = l->best = SPACE_NONE;
    l->here_seconds = l->best_seconds = INFINITY;
    tw_status status = sampler_create(&l->sampler, strategy, rng_next(&l->rng), error);
    if (status != TW_OK)
        destroy(l);
    else
        *state = l;
    return status;
}

/* Where there is no room for all, those that come later take places of earlier ones. */
static void add_neighbour(void *context, size_t point) {
    struct local *l = context;
    if (strategy_seen(l->strategy, point))
        return;
    size_t at = l->count < NEIGHBOURS ? l->count++ : rng_below(&l->rng, NEIGHBOURS);
    size_t swap = rng_below(&l->rng, l->count);
    l->neighbours[at] = l->neighbours[swap];
    l->neighbours[swap] = point;
}

static void move(struct local *l, size_t point, double seconds) {
    l->here = point;
    l->here_seconds = seconds;
    l->count = l->next = 0;
    step_neighbours(l->space, point, add_neighbour, l);
}

/* The next hill: near the best, or anywhere. SPACE_NONE: nothing near it is new. */
static size_t leave(struct local *l) {
    bool near = l->best != SPACE_NONE && l->hills < (int)strategy_value(l->strategy, PATIENCE);
    l->hills = near ? l->hills + 1 : 0;
    l->here = SPACE_NONE;
    l->here_seconds = INFINITY;
    int kick = (int)strategy_value(l->strategy, KICK);
    for (int attempt = 0; near && attempt < ATTEMPTS; attempt++) {
        size_t point = step_random(l->space, l->best, kick + attempt / (ATTEMPTS / 3), &l->rng);
        if (point != SPACE_NONE && !strategy_seen(l->strategy, point))
            return point;
    }
    return sampler_draw(l->sampler);
}

static size_t propose(void *state) {
    struct local *l = state;
    while (l->here != SPACE_NONE && l->next < l->count) {
        size_t point = l->neighbours[l->next++];
        if (!strategy_seen(l->strategy, point))
            return point;
    }
    return leave(l);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct local *l = state;
    if (!outcome->ok)
        return;
    if (outcome->seconds < l->best_seconds) {
        l->best = point;
        l->best_seconds = outcome->seconds;
        l->hills = 0;
    }
    if (outcome->seconds < l->here_seconds)
        move(l, point, outcome->seconds);
}

const struct strategy_kind strategy_local = {
    .name = "local",
    .summary = "greedy iterated local search",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
