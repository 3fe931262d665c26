#include <stdlib.h>

#include "tuner/space/space.h"

struct nearest {
    const struct space *space;
    int implementation;
    unsigned char coordinates[TW_MAX_PARAMETERS]; /* those of the configuration, but for changes */
    size_t point;
    int distance; /* of the point: ranks changed */
};

/* Tries every value of the axes from `axis` on, `changes` of them at once; `distance` ranks were
 * changed before. */
static void change(struct nearest *n, int axis, int changes, int distance) {
    if (changes == 0) {
        size_t point = space_locate(n->space, n->implementation, n->coordinates);
        if (point != SPACE_NONE && (n->point == SPACE_NONE || distance < n->distance)) {
            n->point = point;
            n->distance = distance;
        }
        return;
    }
    for (; axis < space_axes(n->space, n->implementation); axis++) {
        unsigned char before = n->coordinates[axis];
        for (int rank = 0; rank < space_axis(n->space, n->implementation, axis)->count; rank++) {
            if (rank == before)
                continue;
            n->coordinates[axis] = (unsigned char)rank;
            change(n, axis + 1, changes - 1, distance + abs(rank - before));
        }
        n->coordinates[axis] = before;
    }
}

size_t space_nearest(const struct space *space, const struct tw_configuration *configuration) {
    struct nearest n = {
        .space = space, .implementation = configuration->implementation, .point = SPACE_NONE};
    if (!space_rank(space, configuration, n.coordinates))
        return SPACE_NONE;
    for (int changes = 0; changes <= SPACE_NEAR && n.point == SPACE_NONE; changes++)
        change(&n, 0, changes, 0);
    return n.point;
}
