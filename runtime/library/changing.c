#include "runtime/library/changing.h"

#include <string.h>

#include "runtime/base/hash.h"

unsigned tw_changing_note(struct tw_changing *changing, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    unsigned mask = 0;
    pthread_mutex_lock(&changing->lock);
    for (int i = 0; i < d->dimension_count; i++) {
        int64_t others[2 + TW_MAX_DIMENSIONS + TW_MAX_ATTRIBUTES] = {(int64_t)(uintptr_t)d, i};
        for (int k = 0; k < d->dimension_count; k++)
            others[2 + k] = k == i ? 0 : problem->dimensions[k];
        for (int k = 0; k < d->attribute_count; k++)
            others[2 + TW_MAX_DIMENSIONS + k] = problem->words[k];
        uint64_t hash = tw_hash64(others, sizeof others) | 1;
        size_t at = (size_t)(hash >> 1) % TW_CHANGING_PLACES;
        if (changing->places[at].others != hash) {
            changing->places[at].others = hash;
            changing->places[at].size = problem->dimensions[i];
        } else if (changing->places[at].size != problem->dimensions[i])
            mask |= 1u << i;
    }
    pthread_mutex_unlock(&changing->lock);
    return mask;
}
