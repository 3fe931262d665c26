#include "runtime/library/changing.h"

#include <string.h>

#include "runtime/base/hash.h"

uint64_t tw_changing_others(const struct tw_problem *problem, int dimension) {
    const struct tw_description *d = problem->description;
    int64_t others[2 + TW_MAX_DIMENSIONS + TW_MAX_ATTRIBUTES] = {(int64_t)(uintptr_t)d, dimension};
    for (int k = 0; k < d->dimension_count; k++)
        others[2 + k] = k == dimension ? 0 : problem->dimensions[k];
    for (int k = 0; k < d->attribute_count; k++)
        others[2 + TW_MAX_DIMENSIONS + k] = problem->words[k];
    return tw_hash64(others, sizeof others) | 1;
}

static size_t place_of(uint64_t others) {
    return (size_t)(others >> 1) % TW_CHANGING_PLACES;
}

struct tw_changed tw_changing_note(struct tw_changing *changing, const struct tw_problem *problem) {
    struct tw_changed changed = {0};
    pthread_mutex_lock(&changing->lock);
    for (int i = 0; i < problem->description->dimension_count; i++) {
        const uint64_t others = tw_changing_others(problem, i);
        const size_t at = place_of(others);
        if (changing->places[at].others != others) {
            changing->places[at].others = others;
            changing->places[at].size = problem->dimensions[i];
            changing->places[at].settled = false;
        } else {
            if (changing->places[at].size != problem->dimensions[i])
                changed.dimensions |= 1u << i;
            changed.settled |= changing->places[at].settled;
        }
    }
    pthread_mutex_unlock(&changing->lock);
    return changed;
}

void tw_changing_settle(struct tw_changing *changing, const struct tw_problem *problem,
                        int dimension) {
    const uint64_t others = tw_changing_others(problem, dimension);
    const size_t at = place_of(others);
    pthread_mutex_lock(&changing->lock);
    changing->places[at].others = others;
    changing->places[at].size = problem->dimensions[dimension];
    changing->places[at].settled = true;
    pthread_mutex_unlock(&changing->lock);
}
