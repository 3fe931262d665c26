/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983)
 * with restarts. A step to a neighbour is taken when it is faster, or with a chance that falls with
 * how much slower it is and with the temperature. Neighbours are tried until no new one is found;
 * then, and when nothing was taken for long, it begins again: from the best, or anywhere.
 *
 * Each outcome is held against where the search is when it is told, so that many may be out. */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { ATTEMPTS = 60 };

enum { HOT, COOLING, PATIENCE, ANYWHERE };
static const struct strategy_setting settings[] = {
    [HOT] = {"temperature", 0.3, 0.001, 10, false, "at first: the logarithm of how much slower"},
    [COOLING] = {"cooling", 0.96, 0.5, 1, false, "what an outcome leaves of the temperature"},
    [PATIENCE] = {"patience", 40, 1, 100000, true, "outcomes not taken before it begins again"},
    [ANYWHERE] = {"anywhere", 0.5, 0, 1, false, "share of beginnings at random"},
    {0},
};

struct annealing {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    size_t here, best; /* SPACE_NONE: a beginning is sought */
    double here_seconds, best_seconds, temperature;
    int refused;
};

static void destroy(void *state) {
    struct annealing *a = state;
    if (a == NULL)
        return;
    sampler_free(a->sampler);
    free(a);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct annealing *a = calloc(1, sizeof *a);
    *state = NULL;
    if (a == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->strategy = strategy;
    a->space = strategy_space(strategy);
    a->rng.state = seed;
    a->here = a->best = SPACE_NONE;
    a->here_seconds = a->best_seconds = INFINITY;
    tw_status status = sampler_create(&a->sampler, strategy, rng_next(&a->rng), error);
    if (status != TW_OK)
        destroy(a);
    else
        *state = a;
    return status;
}

static void begin_again(struct annealing *a) {
    bool anywhere = rng_unit(&a->rng) < strategy_value(a->strategy, ANYWHERE);
    a->here = anywhere ? SPACE_NONE : a->best;
    a->here_seconds = anywhere ? INFINITY : a->best_seconds;
    a->temperature = strategy_value(a->strategy, HOT);
    a->refused = 0;
}

static size_t propose(void *state) {
    struct annealing *a = state;
    for (int attempt = 0; a->here != SPACE_NONE && attempt < ATTEMPTS; attempt++) {
        size_t point = step_random(a->space, a->here, 1 + attempt / (ATTEMPTS / 3), &a->rng);
        if (point != SPACE_NONE && !strategy_seen(a->strategy, point))
            return point;
    }
    if (a->here != SPACE_NONE)
        begin_again(a);
    return sampler_draw(a->sampler);
}

static bool takes(struct annealing *a, double seconds) {
    if (seconds <= a->here_seconds)
        return true;
    double slower = log(seconds / a->here_seconds);
    return rng_unit(&a->rng) < exp(-slower / a->temperature);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct annealing *a = state;
    double seconds = outcome->ok ? outcome->seconds : INFINITY;
    if (seconds < a->best_seconds) {
        a->best = point;
        a->best_seconds = seconds;
    }
    if (a->here == SPACE_NONE)
        a->temperature = strategy_value(a->strategy, HOT);
    a->temperature *= strategy_value(a->strategy, COOLING);
    if (outcome->ok && takes(a, seconds)) {
        a->here = point;
        a->here_seconds = seconds;
        a->refused = 0;
    } else if (++a->refused >= (int)strategy_value(a->strategy, PATIENCE)) {
        begin_again(a);
    }
}

const struct strategy_kind strategy_annealing = {
    .name = "annealing",
    .summary = "simulated annealing with restarts",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
