#include "tuner/search/features.h"

/* How often 2 divides a number above 0. */
static int twos(int64_t value) {
    int count = 0;
    for (; value % 2 == 0; value /= 2)
        count++;
    return count;
}

/* The most of them on an axis; 0 where they say no more than the ranks do. */
static int most_twos(const struct space_axis *axis) {
    int most = 0;
    bool powers = true;
    if (!axis->numeric || axis->count < 3 || axis->values[0] <= 0)
        return 0;
    for (int i = 0; i < axis->count; i++) {
        int here = twos(axis->values[i]);
        most = here > most ? here : most;
        powers = powers && axis->values[i] == (int64_t)1 << here;
    }
    return powers ? 0 : most;
}

int features_count(const struct space *space, int implementation) {
    int axes = space_axes(space, implementation), count = axes;
    for (int i = 0; i < axes; i++)
        count += most_twos(space_axis(space, implementation, i)) > 0;
    return count;
}

void features_of(const struct space *space, size_t point, float x[FEATURES_MAX]) {
    int implementation = space_implementation(space, point);
    int axes = space_axes(space, implementation), count = axes;
    const unsigned char *ranks = space_coordinates(space, point);
    for (int i = 0; i < axes; i++) {
        const struct space_axis *axis = space_axis(space, implementation, i);
        int most = most_twos(axis);
        x[i] = axis->count > 1 ? (float)ranks[i] / (float)(axis->count - 1) : 0;
        if (most > 0)
            x[count++] = (float)twos(axis->values[ranks[i]]) / (float)most;
    }
}
