/* Climbs from the best points known, several at a time.
 *
 * An elite of the fastest points is kept. A proposal changes one to three parameters of one of them, more
 * often of the better ones, mostly by one step and sometimes by any, or takes some parameters from another
 * of them; a share of proposals is drawn at random instead, which finds other hills. Many proposals may be
 * out at once: they differ by chance. Steady-state evolution, as Kernel Tuner's comparisons found to do
 * well on such spaces (Schoonhoven, van Werkhoven and Batenburg, "Benchmarking optimization algorithms for
 * auto-tuning GPU kernels", 2022). */
#include <stdlib.h>
#include <string.h>

#include "tuner/search/explore.h"
#include "tuner/search/kinds.h"

enum { ELITE = 12, ATTEMPTS = 100 };

static const double AT_RANDOM = 0.1;
static const double CROSSED = 0.15;
static const double ONE_STEP = 0.6;

struct greedy {
    const struct strategy *strategy;
    const struct space *space;
    struct explorer *explorer;
    struct chance chance;
    int count;
    size_t points[ELITE]; /* fastest first */
    double seconds[ELITE];
};

static void destroy(void *state) {
    struct greedy *g = state;
    if (g == NULL)
        return;
    explorer_free(g->explorer);
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
    g->chance.state = seed;
    tw_status status = explorer_create(&g->explorer, strategy, chance_next(&g->chance), error);
    if (status != TW_OK) {
        destroy(g);
        return status;
    }
    *state = g;
    return TW_OK;
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct greedy *g = state;
    if (!outcome->ok)
        return;
    int at = g->count;
    while (at > 0 && g->seconds[at - 1] > outcome->seconds)
        at--;
    if (at == ELITE)
        return;
    if (g->count < ELITE)
        g->count++;
    memmove(&g->points[at + 1], &g->points[at], (size_t)(g->count - at - 1) * sizeof *g->points);
    memmove(&g->seconds[at + 1], &g->seconds[at],
            (size_t)(g->count - at - 1) * sizeof *g->seconds);
    g->points[at] = point;
    g->seconds[at] = outcome->seconds;
}

/* The better the more likely. */
static size_t draw_parent(struct greedy *g) {
    double u = chance_unit(&g->chance);
    return g->points[(int)(u * u * g->count)];
}

static void change_axis(struct greedy *g, const struct space_axis *axis, unsigned char *rank) {
    if (axis->count < 2)
        return;
    if (chance_unit(&g->chance) >= ONE_STEP) {
        *rank = (unsigned char)chance_below(&g->chance, (size_t)axis->count);
        return;
    }
    int up = chance_unit(&g->chance) < 0.5 ? 1 : -1;
    if (*rank + up < 0 || *rank + up >= axis->count)
        up = -up;
    *rank = (unsigned char)(*rank + up);
}

/* `changes` parameters of the parent changed. */
static void mutate(struct greedy *g, int implementation, unsigned char *coordinates,
                   int changes) {
    int axes = space_axes(g->space, implementation);
    for (int i = 0; i < changes; i++) {
        int axis = (int)chance_below(&g->chance, (size_t)axes);
        change_axis(g, space_axis(g->space, implementation, axis), &coordinates[axis]);
    }
}

/* About half of the parameters from another of the elite. */
static void cross(struct greedy *g, int implementation, unsigned char *coordinates) {
    size_t other = draw_parent(g);
    if (space_implementation(g->space, other) != implementation)
        return;
    const unsigned char *theirs = space_coordinates(g->space, other);
    for (int axis = 0; axis < space_axes(g->space, implementation); axis++)
        if (chance_unit(&g->chance) < 0.5)
            coordinates[axis] = theirs[axis];
}

static int draw_changes(struct greedy *g) {
    double u = chance_unit(&g->chance);
    return u < 0.5 ? 1 : u < 0.8 ? 2 : 3;
}

static size_t propose(void *state) {
    struct greedy *g = state;
    if (g->count == 0 || chance_unit(&g->chance) < AT_RANDOM)
        return explorer_draw(g->explorer);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        unsigned char coordinates[TW_MAX_PARAMETERS];
        size_t parent = draw_parent(g);
        int implementation = space_implementation(g->space, parent);
        int axes = space_axes(g->space, implementation);
        if (axes == 0)
            continue;
        memcpy(coordinates, space_coordinates(g->space, parent), (size_t)axes);
        if (chance_unit(&g->chance) < CROSSED)
            cross(g, implementation, coordinates);
        /* The longer nothing new is found nearby, the wider. */
        mutate(g, implementation, coordinates, draw_changes(g) + attempt / (ATTEMPTS / 4));
        size_t point = space_locate(g->space, implementation, coordinates);
        if (point != SPACE_NONE && !strategy_seen(g->strategy, point))
            return point;
    }
    return explorer_draw(g->explorer);
}

const struct strategy_kind strategy_greedy = {
    .name = "greedy",
    .summary = "climbs from the best known, with a share of points at random",
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
