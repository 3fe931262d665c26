#include "tuner/search/step.h"

#include <string.h>

static const double CROSSED = 0.25;
static const double ONE_STEP = 0.6;
static const double TRADED = 0.5; /* goes on trying, most pairs being none that can be */

enum { TRADE_TRIES = 8 };

/* The rank of a value, or -1. */
static int rank_of(const struct space_axis *axis, int64_t value) {
    for (int i = 0; i < axis->count; i++)
        if (axis->values[i] == value)
            return i;
    return -1;
}

/* Multiplies one number by a factor and divides another by it, so that their product stays: as many
 * threads in a block, or as large a tile, in another form. False where that cannot be. */
static bool trade(const struct space *space, int implementation, unsigned char *coordinates, int up,
                  int down, int64_t factor) {
    const struct space_axis *more = space_axis(space, implementation, up);
    const struct space_axis *less = space_axis(space, implementation, down);
    if (up == down || !more->numeric || !less->numeric)
        return false;
    int64_t high = more->values[coordinates[up]], low = less->values[coordinates[down]];
    if (high <= 0 || low <= 0 || low % factor != 0)
        return false;
    int raised = rank_of(more, high * factor), lowered = rank_of(less, low / factor);
    if (raised < 0 || lowered < 0)
        return false;
    coordinates[up] = (unsigned char)raised;
    coordinates[down] = (unsigned char)lowered;
    return true;
}

unsigned char step_rank(const struct space_axis *axis, unsigned char rank, struct rng *rng) {
    if (axis->count < 2)
        return rank;
    if (rng_unit(rng) >= ONE_STEP)
        return (unsigned char)rng_below(rng, (size_t)axis->count);
    int up = rng_unit(rng) < 0.5 ? 1 : -1;
    if (rank + up < 0 || rank + up >= axis->count)
        up = -up;
    return (unsigned char)(rank + up);
}

/* About half of the parameters from another of the implementation's elite. */
static void cross(const struct elite *elite, const struct space *space, struct rng *rng,
                  int implementation, unsigned char *coordinates) {
    const unsigned char *theirs =
        space_coordinates(space, elite_draw_of(elite, implementation, rng));
    for (int axis = 0; axis < space_axes(space, implementation); axis++)
        if (rng_unit(rng) < 0.5)
            coordinates[axis] = theirs[axis];
}

static int draw_changes(struct rng *rng) {
    double u = rng_unit(rng);
    return u < 0.5 ? 1 : u < 0.8 ? 2 : 3;
}

static void change(const struct space *space, int implementation, unsigned char *coordinates,
                   int changes, struct rng *rng) {
    size_t axes = (size_t)space_axes(space, implementation);
    for (int tries = 0; tries < TRADE_TRIES && rng_unit(rng) < TRADED; tries++)
        if (trade(space, implementation, coordinates, (int)rng_below(rng, axes),
                  (int)rng_below(rng, axes), rng_unit(rng) < 0.5 ? 2 : 4)) {
            changes--;
            break;
        }
    for (; changes > 0; changes--) {
        int axis = (int)rng_below(rng, axes);
        coordinates[axis] =
            step_rank(space_axis(space, implementation, axis), coordinates[axis], rng);
    }
}

size_t step_random(const struct space *space, size_t point, int changes, struct rng *rng) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    int implementation = space_implementation(space, point);
    int axes = space_axes(space, implementation);
    if (axes == 0)
        return SPACE_NONE;
    memcpy(coordinates, space_coordinates(space, point), (size_t)axes);
    change(space, implementation, coordinates, changes, rng);
    return space_locate(space, implementation, coordinates);
}

size_t step_from_elite(const struct elite *elite, const struct space *space, struct rng *rng,
                       int extra) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    size_t parent = elite_draw(elite, rng);
    int implementation = space_implementation(space, parent);
    int axes = space_axes(space, implementation);
    if (axes == 0)
        return SPACE_NONE;
    memcpy(coordinates, space_coordinates(space, parent), (size_t)axes);
    if (rng_unit(rng) < CROSSED)
        cross(elite, space, rng, implementation, coordinates);
    change(space, implementation, coordinates, draw_changes(rng) + extra, rng);
    return space_locate(space, implementation, coordinates);
}

bool step_near(const struct space *space, size_t a, size_t b) {
    int implementation = space_implementation(space, a), differ = 0;
    if (implementation != space_implementation(space, b))
        return false;
    const unsigned char *x = space_coordinates(space, a), *y = space_coordinates(space, b);
    for (int i = 0; i < space_axes(space, implementation); i++)
        differ += x[i] != y[i];
    return differ <= 1;
}

void step_neighbours(const struct space *space, size_t point, void (*take)(void *, size_t),
                     void *context) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    int implementation = space_implementation(space, point);
    int axes = space_axes(space, implementation);
    memcpy(coordinates, space_coordinates(space, point), (size_t)axes);
    for (int axis = 0; axis < axes; axis++) {
        unsigned char before = coordinates[axis];
        for (int rank = 0; rank < space_axis(space, implementation, axis)->count; rank++) {
            coordinates[axis] = (unsigned char)rank;
            size_t other =
                rank != before ? space_locate(space, implementation, coordinates) : SPACE_NONE;
            if (other != SPACE_NONE)
                take(context, other);
        }
        coordinates[axis] = before;
    }
    for (int pair = 0; pair < axes * axes * 2; pair++) {
        unsigned char traded[TW_MAX_PARAMETERS];
        memcpy(traded, coordinates, (size_t)axes);
        if (!trade(space, implementation, traded, pair / 2 / axes, pair / 2 % axes,
                   pair % 2 * 2 + 2))
            continue;
        size_t other = space_locate(space, implementation, traded);
        if (other != SPACE_NONE)
            take(context, other);
    }
}
