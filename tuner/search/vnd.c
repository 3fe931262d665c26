/* Variable-neighbourhood descent with a surrogate, a tabu list and elites, in the manner of the
 * hybrids that Willemsen, van Stein and van Werkhoven had language models write
 * ("Automated algorithm design for auto-tuning optimizers", 2025).
 *
 * From where the search is, a few points are drawn from the current neighbourhood and from
 * crossings with the elite (elite.h), and of these the one is tried whose nearest neighbours among
 * all that is known are the fastest. A faster one is moved to, and sometimes a slower one; without
 * one for long the neighbourhood grows, and after the widest it goes on from one of the elite that
 * was not gone on from lately, or from anywhere. Outcomes are held against where the search is when
 * they are told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/elite.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/strategies.h"

enum { ATTEMPTS = 200, NEIGHBOURHOODS = 3, TABU = 64, KNOWN = 2048 };

enum { INITIAL, POOL, NEAREST, PATIENCE, TABU_LENGTH, CROSSED, ANYWHERE, HOT };
static const struct strategy_setting settings[] = {
    [INITIAL] = {"initial", 12, 1, 1000, true, "ok trials at random before the first descent"},
    [POOL] = {"pool", 16, 1, 200, true, "points of which the most promising is tried"},
    [NEAREST] = {"nearest", 5, 1, 50, true, "known points that a guess is made of"},
    [PATIENCE] = {"patience", 12, 1, 1000, true, "trials in vain before the next neighbourhood"},
    [TABU_LENGTH] = {"tabu", 16, 0, TABU, true, "points that are not gone on from again"},
    [CROSSED] = {"crossed", 0.2, 0, 1, false, "share of the pool crossed with the elite"},
    [ANYWHERE] = {"anywhere", 0.2, 0, 1, false, "share of descents that begin at random"},
    [HOT] = {"temperature", 0.01, 0, 10, false, "for moves to slower ones"},
    {0},
};

struct known {
    size_t point;
    double value; /* logarithm of seconds; of a failure the slowest known */
};

struct vnd {
    const struct strategy *strategy;
    const struct space *space;
    struct rng rng;
    struct sampler *sampler;
    struct elite *elite;
    size_t ok;
    size_t here; /* SPACE_NONE: a beginning is sought */
    double here_value, slowest;
    int width, in_vain;
    size_t known_count; /* of all time; the ring has the last of them */
    struct known known[KNOWN];
    int tabu_count;
    size_t tabu[TABU];
};

static void destroy(void *state) {
    struct vnd *n = state;
    if (n == NULL)
        return;
    sampler_free(n->sampler);
    elite_free(n->elite);
    free(n);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct vnd *n = calloc(1, sizeof *n);
    *state = NULL;
    if (n == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    n->strategy = strategy;
    n->space = strategy_space(strategy);
    n->rng.state = seed;
    n->here = SPACE_NONE;
    n->here_value = INFINITY;
    n->slowest = -INFINITY;
    tw_status status = sampler_create(&n->sampler, strategy, rng_next(&n->rng), error);
    if (status == TW_OK)
        status = elite_create(&n->elite, n->space, error);
    if (status != TW_OK)
        destroy(n);
    else
        *state = n;
    return status;
}

/* Ranks apart, as a share of each axis' length, where a change counts by itself too. */
static double distance(const struct space *space, int implementation, const unsigned char *x,
                       const unsigned char *y) {
    double sum = 0;
    for (int i = 0; i < space_axes(space, implementation); i++)
        if (x[i] != y[i])
            sum += 0.5 + abs(x[i] - y[i]) / (double)space_axis(space, implementation, i)->count;
    return sum;
}

/* The mean of the nearest known, the nearer the more. */
static double guess(const struct vnd *n, size_t point) {
    int implementation = space_implementation(n->space, point), count = 0;
    int most = (int)strategy_value(n->strategy, NEAREST);
    const unsigned char *x = space_coordinates(n->space, point);
    double distances[50], values[50], sum = 0, weights = 0;
    size_t known = n->known_count < KNOWN ? n->known_count : KNOWN;
    for (size_t i = 0; i < known; i++) {
        if (space_implementation(n->space, n->known[i].point) != implementation)
            continue;
        double d =
            distance(n->space, implementation, x, space_coordinates(n->space, n->known[i].point));
        if (count == most && d >= distances[count - 1])
            continue;
        int at = count < most ? count++ : count - 1;
        for (; at > 0 && distances[at - 1] > d; at--) {
            distances[at] = distances[at - 1];
            values[at] = values[at - 1];
        }
        distances[at] = d;
        values[at] = fmin(n->known[i].value, n->slowest);
    }
    for (int i = 0; i < count; i++) {
        sum += values[i] / (distances[i] * distances[i]);
        weights += 1 / (distances[i] * distances[i]);
    }
    return count > 0 ? sum / weights : n->slowest;
}

static bool is_tabu(const struct vnd *n, size_t point) {
    int length = (int)strategy_value(n->strategy, TABU_LENGTH);
    for (int i = n->tabu_count > length ? n->tabu_count - length : 0; i < n->tabu_count; i++)
        if (n->tabu[i % TABU] == point)
            return true;
    return false;
}

static void descend_from(struct vnd *n, size_t point, double value) {
    n->tabu[n->tabu_count++ % TABU] = point;
    n->here = point;
    n->here_value = value;
    n->width = n->in_vain = 0;
}

static double known_value(const struct vnd *n, size_t point) {
    size_t known = n->known_count < KNOWN ? n->known_count : KNOWN;
    for (size_t i = 0; i < known; i++)
        if (n->known[i].point == point)
            return n->known[i].value;
    return n->slowest;
}

static void begin_again(struct vnd *n) {
    n->here = SPACE_NONE;
    n->here_value = INFINITY;
    n->width = n->in_vain = 0;
    if (rng_unit(&n->rng) < strategy_value(n->strategy, ANYWHERE))
        return;
    for (int attempt = 0; attempt < ATTEMPTS / 10; attempt++) {
        size_t point = elite_draw(n->elite, &n->rng);
        if (!is_tabu(n, point)) {
            descend_from(n, point, known_value(n, point));
            return;
        }
    }
}

static size_t draw(struct vnd *n, int attempt) {
    if (rng_unit(&n->rng) < strategy_value(n->strategy, CROSSED))
        return step_from_elite(n->elite, n->space, &n->rng, 0);
    return step_random(n->space, n->here, 1 + n->width + attempt / (ATTEMPTS / 2), &n->rng);
}

static size_t propose(void *state) {
    struct vnd *n = state;
    if ((double)n->ok < strategy_value(n->strategy, INITIAL) || n->here == SPACE_NONE)
        return sampler_draw(n->sampler);
    size_t best = SPACE_NONE;
    double best_guess = INFINITY;
    int found = 0, pool = (int)strategy_value(n->strategy, POOL);
    for (int attempt = 0; attempt < ATTEMPTS && found < pool; attempt++) {
        size_t point = draw(n, attempt);
        if (point == SPACE_NONE || strategy_seen(n->strategy, point))
            continue;
        double value = guess(n, point);
        found++;
        if (best == SPACE_NONE || value < best_guess) {
            best = point;
            best_guess = value;
        }
    }
    if (best != SPACE_NONE)
        return best;
    begin_again(n);
    return sampler_draw(n->sampler);
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct vnd *n = state;
    double value = outcome->ok ? log(outcome->seconds) : INFINITY;
    n->known[n->known_count++ % KNOWN] = (struct known){point, value};
    if (outcome->ok) {
        n->ok++;
        n->slowest = fmax(n->slowest, value);
        elite_add(n->elite, point, outcome->seconds);
        double hot = strategy_value(n->strategy, HOT);
        if (value < n->here_value ||
            (hot > 0 && rng_unit(&n->rng) < exp((n->here_value - value) / hot) / 4)) {
            descend_from(n, point, value);
            return;
        }
    }
    if (n->here == SPACE_NONE || ++n->in_vain < (int)strategy_value(n->strategy, PATIENCE))
        return;
    n->in_vain = 0;
    if (++n->width == NEIGHBOURHOODS)
        begin_again(n);
}

const struct strategy_kind strategy_vnd = {
    .name = "vnd",
    .summary = "variable-neighbourhood descent with nearest neighbours, a tabu list and elites",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
