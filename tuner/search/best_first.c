/* Best-first search: every neighbour of the fastest point known, in random order, then every
 * neighbour of the next fastest, and those of a new best at once. It leaves no neighbour of the
 * best out, which searches that draw their steps may do for long, and looks nowhere else. Each
 * implementation is searched by itself, the more the better its best is (elite.h). */
#include <stdlib.h>

#include "tuner/search/elite.h"
#include "tuner/search/population.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { FASTEST = 128 /* whose neighbours may be tried */ };

enum { INITIAL };
static const struct strategy_setting settings[] = {
    [INITIAL] = {"initial", 12, 1, 1000, true, "ok trials at random before"},
    {0},
};

struct best_first {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    struct elite *elite;
    size_t ok;
    size_t unseen, chosen; /* neighbours of the point in hand */
    int count;
    struct population *fastest[]; /* by implementation */
};

static void destroy(void *state) {
    struct best_first *b = state;
    if (b == NULL)
        return;
    sampler_free(b->sampler);
    elite_free(b->elite);
    for (int i = 0; i < b->count; i++)
        population_free(b->fastest[i]);
    free(b);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    const struct space *space = strategy_space(strategy);
    size_t implementations = (size_t)space_implementations(space);
    struct best_first *b = calloc(1, sizeof *b + implementations * sizeof b->fastest[0]);
    *state = NULL;
    if (b == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    b->strategy = strategy;
    b->space = space;
    b->rng.state = seed;
    tw_status status = sampler_create(&b->sampler, strategy, rng_next(&b->rng), error);
    if (status == TW_OK)
        status = elite_create(&b->elite, space, error);
    for (size_t i = 0; i < implementations && status == TW_OK; i++, b->count++)
        status = population_create(&b->fastest[i], FASTEST, error);
    if (status != TW_OK)
        destroy(b);
    else
        *state = b;
    return status;
}

/* Each unseen one is as likely to be chosen as the others. */
static void take(void *context, size_t point) {
    struct best_first *b = context;
    if (!strategy_seen(b->strategy, point) && rng_below(&b->rng, ++b->unseen) == 0)
        b->chosen = point;
}

static size_t propose(void *state) {
    struct best_first *b = state;
    if ((double)b->ok < strategy_value(b->strategy, INITIAL))
        return sampler_draw(b->sampler);
    const struct population *fastest = b->fastest[elite_draw_implementation(b->elite, &b->rng)];
    for (size_t i = 0; i < population_count(fastest); i++) {
        b->unseen = 0;
        step_neighbours(b->space, population_member(fastest, i)->point, take, b);
        if (b->unseen > 0)
            return b->chosen;
    }
    return sampler_draw(b->sampler);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct best_first *b = state;
    if (!outcome->ok)
        return;
    b->ok++;
    elite_add(b->elite, point, outcome->seconds);
    population_add(b->fastest[space_implementation(b->space, point)], point, outcome->seconds);
}

const struct strategy_kind strategy_best_first = {
    .name = "bestfirst",
    .summary = "best-first search: all neighbours of the fastest, then of the next",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
