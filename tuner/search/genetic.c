/* A steady-state genetic algorithm: each proposal is a child of two of the population, which takes
 * in whoever is faster than its slowest (Whitley, "The GENITOR algorithm and selection pressure",
 * 1989). There are no generations to wait for, so that many children may be out at once. */
#include <stdlib.h>
#include <string.h>

#include "tuner/search/population.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { ATTEMPTS = 100 };

enum { SIZE, MUTATION, TOURNAMENT };
static const struct strategy_setting settings[] = {
    [SIZE] = {"population", 20, 4, 1000, true, "points that may have children"},
    [MUTATION] = {"mutation", 1, 0, 8, false, "parameters of a child that change, in the mean"},
    [TOURNAMENT] = {"tournament", 2, 1, 20, true, "points of which the fastest becomes a parent"},
    {0},
};

struct genetic {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    struct population *population;
    size_t begun; /* points at random so far */
};

static void destroy(void *state) {
    struct genetic *g = state;
    if (g == NULL)
        return;
    sampler_free(g->sampler);
    population_free(g->population);
    free(g);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct genetic *g = calloc(1, sizeof *g);
    *state = NULL;
    if (g == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    g->strategy = strategy;
    g->space = strategy_space(strategy);
    g->rng.state = seed;
    tw_status status = sampler_create(&g->sampler, strategy, rng_next(&g->rng), error);
    if (status == TW_OK)
        status = population_create(&g->population, (size_t)strategy_value(strategy, SIZE), error);
    if (status != TW_OK)
        destroy(g);
    else
        *state = g;
    return status;
}

static size_t parent(struct genetic *g) {
    size_t best = SIZE_MAX;
    /* The fastest come first. */
    for (int i = 0; i < (int)strategy_value(g->strategy, TOURNAMENT); i++) {
        size_t drawn = rng_below(&g->rng, population_count(g->population));
        best = drawn < best ? drawn : best;
    }
    return population_member(g->population, best)->point;
}

/* The longer no new child is found, the more of it changes. */
static size_t child(struct genetic *g, int attempt) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    size_t first = parent(g), second = parent(g);
    int implementation = space_implementation(g->space, first);
    int axes = space_axes(g->space, implementation);
    const unsigned char *mine = space_coordinates(g->space, first);
    const unsigned char *theirs = space_implementation(g->space, second) == implementation
                                      ? space_coordinates(g->space, second)
                                      : mine;
    double chance =
        (strategy_value(g->strategy, MUTATION) + 4. * attempt / ATTEMPTS) / (axes > 0 ? axes : 1);
    for (int axis = 0; axis < axes; axis++) {
        coordinates[axis] = rng_unit(&g->rng) < 0.5 ? mine[axis] : theirs[axis];
        if (rng_unit(&g->rng) < chance)
            coordinates[axis] =
                step_rank(space_axis(g->space, implementation, axis), coordinates[axis], &g->rng);
    }
    return space_locate(g->space, implementation, coordinates);
}

static size_t propose(void *state) {
    struct genetic *g = state;
    bool beginning = (double)g->begun < strategy_value(g->strategy, SIZE);
    for (int attempt = 0; attempt < ATTEMPTS && !beginning; attempt++) {
        if (population_count(g->population) == 0)
            break;
        size_t point = child(g, attempt);
        if (point != SPACE_NONE && !strategy_seen(g->strategy, point))
            return point;
    }
    g->begun++;
    return sampler_draw(g->sampler);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct genetic *g = state;
    if (outcome->ok)
        population_add(g->population, point, outcome->seconds);
}

const struct strategy_kind strategy_genetic = {
    .name = "genetic",
    .summary = "a steady-state genetic algorithm",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
