#include "runtime/predict/model_cuts.h"

#include <stdlib.h>
#include <string.h>

/* So few are compared one after another, which the processor does side by side; each half of a
 * search waits for the one before. */
enum { FEW = 8 };

/* A doubling has so many cells: the exponent of a number and the first digits behind it. */
enum { DIGITS = 5, BITS_OF_A_FRACTION = 52, MOST_CELLS = 4096 };

/* Of a number above 0: what is larger is in the same cell or a later one. */
static uint64_t cell_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> (BITS_OF_A_FRACTION - DIGITS);
}

static bool divide(struct tw_model_cuts *cuts) {
    if (cuts->count <= FEW || cuts->count > UINT16_MAX || !(cuts->values[0] > 0))
        return true;
    const uint64_t first = cell_of(cuts->values[0]);
    const uint64_t count = cell_of(cuts->values[cuts->count - 1]) - first + 1;
    if (count > MOST_CELLS)
        return true;
    cuts->cells = calloc(count + 1, sizeof *cuts->cells);
    if (cuts->cells == NULL)
        return false;
    cuts->first_cell = first;
    int below = 0;
    for (uint64_t cell = 0; cell <= count; cell++) {
        while (below < cuts->count && cell_of(cuts->values[below]) - first < cell)
            below++;
        cuts->cells[cell] = (uint16_t)below;
    }
    return true;
}

bool tw_model_divide_cuts(struct tw_model *model) {
    bool done = true;
    for (int i = 0; i < model->feature_count && done; i++)
        done = divide(&model->cuts[i]);
    return done;
}

void tw_model_free_cuts(struct tw_model *model) {
    for (int i = 0; i < TW_MODEL_MAX_FEATURES; i++) {
        free(model->cuts[i].values);
        free(model->cuts[i].cells);
    }
}

int tw_model_above(const struct tw_model_cuts *cuts, double value) {
    const double *from = cuts->values;
    int left = cuts->count, above = 0;
    if (cuts->cells != NULL) {
        if (!(value > from[0]))
            return 0;
        if (value > from[left - 1])
            return left;
        const uint16_t *cell = &cuts->cells[cell_of(value) - cuts->first_cell];
        from += cell[0];
        left = cell[1] - cell[0];
    }
    while (left > FEW) {
        const int half = left / 2;
        from += from[half - 1] < value ? half : 0;
        left -= half;
    }
    for (int i = 0; i < left; i++)
        above += from[i] < value;
    return (int)(from - cuts->values) + above;
}
