#include "tuner/search/elite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 16, /* an implementation */
    NEAR = 2     /* points that differ in no more parameters share a place */
};

/* An implementation whose best takes 16% longer than the best of all (e^0.15 times as long) is
 * drawn e times less often. 0.07 to 0.4 were tried on a model of 20000 recorded times of gemm on an
 * H200: after 1000 trials 0.15 was 0.8% from the best known in the mean over twelve shapes, its
 * neighbours 0.9 to 1.2%, and one elite for all implementations 1.7%. */
static const double FALL_OFF = 0.15;

struct place {
    size_t point;
    double seconds;
};

struct part {
    int count;
    struct place places[PLACES]; /* fastest first */
};

struct elite {
    const struct space *space;
    struct part parts[]; /* by implementation */
};

tw_status elite_create(struct elite **out, const struct space *space, struct tw_error *error) {
    size_t parts = (size_t)space_implementations(space);
    *out = calloc(1, sizeof **out + parts * sizeof *(*out)->parts);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->space = space;
    return TW_OK;
}

void elite_free(struct elite *elite) {
    free(elite);
}

/* For two points of one implementation. */
static bool near(const struct space *space, int implementation, size_t a, size_t b) {
    const unsigned char *x = space_coordinates(space, a), *y = space_coordinates(space, b);
    int differ = 0;
    for (int i = 0; i < space_axes(space, implementation); i++)
        differ += x[i] != y[i];
    return differ <= NEAR;
}

static void leave(struct part *part, int at) {
    part->count--;
    memmove(&part->places[at], &part->places[at + 1],
            (size_t)(part->count - at) * sizeof *part->places);
}

void elite_add(struct elite *elite, size_t point, double seconds) {
    int implementation = space_implementation(elite->space, point);
    struct part *part = &elite->parts[implementation];
    bool is_near[PLACES];
    for (int i = 0; i < part->count; i++) {
        is_near[i] = near(elite->space, implementation, part->places[i].point, point);
        if (is_near[i] && part->places[i].seconds <= seconds)
            return;
    }
    for (int i = part->count - 1; i >= 0; i--)
        if (is_near[i])
            leave(part, i);
    if (part->count == PLACES) {
        if (part->places[PLACES - 1].seconds <= seconds)
            return;
        part->count--;
    }
    int at = part->count++;
    for (; at > 0 && part->places[at - 1].seconds > seconds; at--)
        part->places[at] = part->places[at - 1];
    part->places[at] = (struct place){point, seconds};
}

size_t elite_draw_of(const struct elite *elite, int implementation, struct rng *rng) {
    const struct part *part = &elite->parts[implementation];
    double u = rng_unit(rng);
    return part->places[(int)(u * u * part->count)].point;
}

int elite_draw_implementation(const struct elite *elite, struct rng *rng) {
    int count = space_implementations(elite->space), chosen = -1;
    double best = INFINITY, total = 0;
    for (int i = 0; i < count; i++)
        if (elite->parts[i].count > 0)
            best = fmin(best, elite->parts[i].places[0].seconds);
    for (int i = 0; i < count; i++) {
        if (elite->parts[i].count == 0)
            continue;
        double weight = pow(elite->parts[i].places[0].seconds / best, -1 / FALL_OFF);
        total += weight;
        if (rng_unit(rng) * total < weight)
            chosen = i;
    }
    return chosen;
}

size_t elite_draw(const struct elite *elite, struct rng *rng) {
    return elite_draw_of(elite, elite_draw_implementation(elite, rng), rng);
}
