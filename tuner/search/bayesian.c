/* Bayesian optimisation, with steps that no model has a say in.
 *
 * A Gaussian process of the logarithm of the time (surrogate.h) says of each candidate by how much
 * it can be expected to improve on the best known, less where it is likely to fail, and the one
 * with most is tried next. Candidates are all points of a small space; of a large one they are
 * steps from the elite (elite.h) and points at random, drawn anew now and then, and the neighbours
 * of each point that turns out good. A step changes a few parameters of a point of the elite,
 * mostly by one value and sometimes to any, or takes some from another point of it.
 *
 * Where something is expected of points beforehand (strategy.h), the first are those of which the
 * most is, and the process begins from that.
 *
 * Of the proposals, some are such steps taken blindly, which a wrong model cannot hinder
 * (steady-state evolution, which does well on such spaces: Schoonhoven, van Werkhoven and
 * Batenburg, "Benchmarking optimization algorithms for auto-tuning GPU kernels", 2022), and some
 * are points at random, which find other hills. Many proposals may be out at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/elite.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"
#include "tuner/search/surrogate.h"

enum { ATTEMPTS = 100, PLANNED = 16 /* proposals that a ranking is good for, at most */ };
/* Where something is expected, what is tried before the model is asked is the best of so many. */
enum { OF_FIRST = 64 };

static const double REFILL_GROWTH = 1.1; /* draw candidates anew at so many times as many trials */
static const double LEAST_CANDIDATES = 512;

enum { INITIAL, CANDIDATES, BLIND, LONG_RUN, RANDOM, STRAYS, TOLD_APART, MARGIN, WORK };
static const struct strategy_setting settings[] = {
    [INITIAL] = {"initial", 10, 2, 1000, true, "ok trials at random before the model is asked"},
    [CANDIDATES] = {"candidates", 2048, 64, 16384, true, "points that the model weighs, at most"},
    [BLIND] = {"blind", 0.3, 0, 1, false, "share of steps without the model, in the long run"},
    [LONG_RUN] = {"longrun", 100, 1, 1e6, false, "ok trials until half of that share"},
    [RANDOM] = {"random", 0.05, 0, 1, false, "share of points at random"},
    [STRAYS] = {"strays", 0.4, 0, 1, false, "share of candidates at random"},
    [TOLD_APART] = {"told", 1, 0.1, 1, false, "share of the times, fastest first, told apart"},
    [MARGIN] = {"margin", 0, 0, 1, false, "share below the best that is no improvement yet"},
    [WORK] = {"work", 100000, 1, 1e9, false, "candidates times known points, at most"},
    {0},
};

struct bayesian {
    const struct strategy *strategy;
    const struct space *space;
    struct sampler *sampler;
    struct surrogate *surrogate;
    struct rng rng;
    struct elite *elite;
    size_t filled_at; /* ok trials when candidates were drawn; 0: never */
    double best;
    size_t planned, next; /* what is left of the last ranking */
    size_t plan[PLANNED];
    struct surrogate_candidate *list; /* room to rank in */
};

static void destroy(void *state) {
    struct bayesian *b = state;
    if (b == NULL)
        return;
    sampler_free(b->sampler);
    surrogate_free(b->surrogate);
    elite_free(b->elite);
    free(b->list);
    free(b);
}

static int candidates(const struct bayesian *b) {
    return (int)strategy_value(b->strategy, CANDIDATES);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct bayesian *b = calloc(1, sizeof *b);
    *state = NULL;
    if (b == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    b->strategy = strategy;
    b->space = strategy_space(strategy);
    b->rng.state = seed;
    b->best = INFINITY;
    tw_status status = sampler_create(&b->sampler, strategy, rng_next(&b->rng), error);
    const struct surrogate_options options = {.seed = rng_next(&b->rng),
                                              .told_apart = strategy_value(strategy, TOLD_APART),
                                              .margin = strategy_value(strategy, MARGIN),
                                              .candidates = candidates(b),
                                              .expectation = strategy_expectation(strategy)};
    if (status == TW_OK)
        status = surrogate_create(&b->surrogate, b->space, &options, error);
    if (status == TW_OK)
        status = elite_create(&b->elite, b->space, error);
    if (status == TW_OK && (b->list = malloc((size_t)candidates(b) * sizeof *b->list)) == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status != TW_OK) {
        destroy(b);
        return status;
    }
    *state = b;
    return TW_OK;
}

static void offer(void *context, size_t point) {
    struct bayesian *b = context;
    if (!strategy_seen(b->strategy, point))
        surrogate_offer(b->surrogate, point);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct bayesian *b = state;
    surrogate_learn(b->surrogate, point, outcome);
    if (!outcome->ok)
        return;
    elite_add(b->elite, point, outcome->seconds);
    if (outcome->seconds < b->best) {
        b->best = outcome->seconds;
        if (b->filled_at > 0)
            step_neighbours(b->space, point, offer, b);
    }
}

/* Of a point and others at random of its implementation the one that should be the fastest. */
static size_t likeliest(struct bayesian *b, size_t point) {
    const struct strategy_expectation *expectation = strategy_expectation(b->strategy);
    if (expectation == NULL || expectation->seconds == NULL)
        return point;
    struct space_range range = space_range(b->space, space_implementation(b->space, point));
    double least = expectation->seconds(expectation->context, point);
    for (int i = 1; i < OF_FIRST; i++) {
        size_t other = range.first + rng_below(&b->rng, range.count);
        double seconds = expectation->seconds(expectation->context, other);
        if (seconds < least && !strategy_seen(b->strategy, other)) {
            point = other;
            least = seconds;
        }
    }
    return point;
}

static size_t step_blindly(struct bayesian *b) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        /* The longer nothing new is found nearby, the wider. */
        size_t point = step_from_elite(b->elite, b->space, &b->rng, attempt / (ATTEMPTS / 4));
        if (point != SPACE_NONE && !strategy_seen(b->strategy, point))
            return point;
    }
    return sampler_draw(b->sampler);
}

/* As many as the model can weigh in much the same time, however much is known. */
static int places(const struct bayesian *b, size_t known) {
    double work = strategy_value(b->strategy, WORK);
    double fewer = fmax(LEAST_CANDIDATES, work / (double)(known + 1));
    return (int)fmin(candidates(b), fewer);
}

static void offer_candidates(struct bayesian *b) {
    size_t size = space_size(b->space), known = surrogate_known(b->surrogate);
    bool all = size <= (size_t)candidates(b);
    if (b->filled_at > 0 && (all || (double)known < REFILL_GROWTH * (double)b->filled_at))
        return;
    b->filled_at = known;
    for (size_t point = 0; all && point < size; point++)
        offer(b, point);
    if (all)
        return;
    int count = places(b, known), stay = surrogate_thin(b->surrogate, count, b->list);
    for (int i = stay; i < count; i++) {
        size_t point = rng_unit(&b->rng) < strategy_value(b->strategy, STRAYS)
                           ? rng_below(&b->rng, size)
                           : step_from_elite(b->elite, b->space, &b->rng, i % 3);
        if (point != SPACE_NONE)
            offer(b, point);
    }
}

static bool planned_near(const struct bayesian *b, size_t point) {
    for (size_t i = 0; i < b->planned; i++)
        if (step_near(b->space, b->plan[i], point))
            return true;
    return false;
}

/* The first of the ranking, and where more may be out before it is made again, others that are not
 * next to those. Half of the rankings are of one implementation, drawn as the elite are: what is
 * expected of all together goes to the first that is known well, and the others would never be. */
static void plan(struct bayesian *b) {
    size_t most = 1 + surrogate_known(b->surrogate) / 100, count = 0;
    b->planned = b->next = 0;
    if (space_implementations(b->space) > 1 && rng_unit(&b->rng) < 0.5)
        count = surrogate_rank(b->surrogate, b->strategy,
                               elite_draw_implementation(b->elite, &b->rng), b->list);
    if (count == 0)
        count = surrogate_rank(b->surrogate, b->strategy, -1, b->list);
    for (size_t i = 0; i < count && b->planned < most && b->planned < PLANNED; i++)
        if (!planned_near(b, b->list[i].point))
            b->plan[b->planned++] = b->list[i].point;
}

static size_t step_by_model(struct bayesian *b) {
    offer_candidates(b);
    if (surrogate_refresh(b->surrogate))
        b->planned = b->next = 0;
    while (b->next < b->planned) {
        size_t point = b->plan[b->next++];
        if (!strategy_seen(b->strategy, point))
            return point;
    }
    plan(b);
    return b->planned > 0 ? b->plan[b->next++] : step_blindly(b);
}

static size_t propose(void *state) {
    struct bayesian *b = state;
    double known = (double)surrogate_known(b->surrogate);
    if (known < strategy_value(b->strategy, INITIAL))
        return likeliest(b, sampler_draw(b->sampler));
    if (rng_unit(&b->rng) < strategy_value(b->strategy, RANDOM))
        return sampler_draw(b->sampler);
    /* A model pays most when little is known; later what it smooths over matters. */
    if (rng_unit(&b->rng) < strategy_value(b->strategy, BLIND) * known /
                                (known + strategy_value(b->strategy, LONG_RUN)))
        return step_blindly(b);
    return step_by_model(b);
}

const struct strategy_kind strategy_bayesian = {
    .name = "bayesian",
    .summary =
        "tries what a Gaussian process of the times expects most of, and steps from the best",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
