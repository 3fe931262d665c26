/* Differential evolution over the ranks of the parameters (Storn and Price, "Differential
 * evolution: a simple and efficient heuristic for global optimization over continuous spaces",
 * 1997): a trial is a member, moved by the difference of two others and crossed with the target,
 * which it replaces when it is faster. Targets take turns, so that many trials may be out at once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { ATTEMPTS = 100, MEMBERS = 1000, LEAST = 4 };

enum { SIZE, SCALE, CROSSING, BEST };
static const struct strategy_setting settings[] = {
    [SIZE] = {"population", 16, LEAST, MEMBERS, true, "members"},
    [SCALE] = {"scale", 0.7, 0.05, 2, false, "of the difference that moves a member"},
    [CROSSING] = {"crossing", 0.6, 0.05, 1, false, "share of parameters that are not the target's"},
    [BEST] = {"best", 0.5, 0, 1, false, "share of trials that move the best and not any member"},
    {0},
};

struct member {
    size_t point;
    double seconds;
};

struct pending {
    size_t point;
    int target;
};

struct differential {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    int size, count, turn;
    size_t begun;
    int pending_count, pending_next; /* a ring: who is never told is forgotten in time */
    struct member members[MEMBERS];
    struct pending pending[MEMBERS];
};

static void destroy(void *state) {
    struct differential *d = state;
    if (d == NULL)
        return;
    sampler_free(d->sampler);
    free(d);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct differential *d = calloc(1, sizeof *d);
    *state = NULL;
    if (d == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    d->strategy = strategy;
    d->space = strategy_space(strategy);
    d->rng.state = seed;
    d->size = (int)strategy_value(strategy, SIZE);
    tw_status status = sampler_create(&d->sampler, strategy, rng_next(&d->rng), error);
    if (status != TW_OK)
        destroy(d);
    else
        *state = d;
    return status;
}

static const struct member *any(struct differential *d) {
    return &d->members[rng_below(&d->rng, (size_t)d->count)];
}

static const struct member *fastest(const struct differential *d) {
    const struct member *best = &d->members[0];
    for (int i = 1; i < d->count; i++)
        best = d->members[i].seconds < best->seconds ? &d->members[i] : best;
    return best;
}

/* Between ranks the nearer is the likelier; beyond the ends it turns back. */
static unsigned char to_rank(struct differential *d, double x, int count) {
    double last = count - 1;
    if (x < 0)
        x = fmin(-x, last);
    if (x > last)
        x = fmax(2 * last - x, 0);
    double below = floor(x);
    double rank = below + (rng_unit(&d->rng) < x - below);
    return (unsigned char)fmin(rank, last);
}

/* Members of other implementations have no difference to give. */
static size_t move(struct differential *d, const struct member *target, bool restless) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    bool from_best = rng_unit(&d->rng) < strategy_value(d->strategy, BEST);
    const struct member *base = from_best ? fastest(d) : any(d), *a = any(d), *b = any(d);
    int implementation = space_implementation(d->space, base->point);
    int axes = space_axes(d->space, implementation);
    const unsigned char *from = space_coordinates(d->space, base->point), *x = from, *y = from,
                        *own = from;
    if (space_implementation(d->space, a->point) == implementation &&
        space_implementation(d->space, b->point) == implementation) {
        x = space_coordinates(d->space, a->point);
        y = space_coordinates(d->space, b->point);
    }
    if (space_implementation(d->space, target->point) == implementation)
        own = space_coordinates(d->space, target->point);
    for (int i = 0; i < axes; i++) {
        const struct space_axis *axis = space_axis(d->space, implementation, i);
        double moved = from[i] + strategy_value(d->strategy, SCALE) * (x[i] - y[i]);
        bool crossed = rng_unit(&d->rng) < strategy_value(d->strategy, CROSSING);
        coordinates[i] = crossed ? to_rank(d, moved, axis->count) : own[i];
        /* Members that have become alike differ no more. */
        if (restless && rng_unit(&d->rng) * axes < 2)
            coordinates[i] = step_rank(axis, coordinates[i], &d->rng);
    }
    return space_locate(d->space, implementation, coordinates);
}

static size_t propose(void *state) {
    struct differential *d = state;
    if (d->begun < (size_t)d->size || d->count < LEAST) {
        d->begun++;
        return sampler_draw(d->sampler);
    }
    int target = d->turn;
    d->turn = (d->turn + 1) % d->count;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        size_t point = move(d, &d->members[target], attempt > ATTEMPTS / 4);
        if (point == SPACE_NONE || strategy_seen(d->strategy, point))
            continue;
        d->pending[d->pending_next] = (struct pending){point, target};
        d->pending_next = (d->pending_next + 1) % MEMBERS;
        d->pending_count += d->pending_count < MEMBERS;
        return point;
    }
    return sampler_draw(d->sampler);
}

/* Whom it is to replace: the target, or for points from elsewhere the slowest. */
static int rival(struct differential *d, size_t point) {
    for (int i = 0; i < d->pending_count; i++)
        if (d->pending[i].point == point)
            return d->pending[i].target;
    int slowest = 0;
    for (int i = 1; i < d->count; i++)
        slowest = d->members[i].seconds > d->members[slowest].seconds ? i : slowest;
    return slowest;
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct differential *d = state;
    if (!outcome->ok)
        return;
    const struct member member = {point, outcome->seconds};
    if (d->count < d->size) {
        d->members[d->count++] = member;
        return;
    }
    int target = rival(d, point);
    if (member.seconds < d->members[target].seconds)
        d->members[target] = member;
}

const struct strategy_kind strategy_differential = {
    .name = "differential",
    .summary = "differential evolution",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
