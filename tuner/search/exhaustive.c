/* Every point in the order of the space. Points that share a binary follow one another there. */
#include <stdlib.h>

#include "tuner/search/strategies.h"

struct exhaustive {
    const struct strategy *strategy;
    size_t next;
};

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    (void)seed;
    struct exhaustive *exhaustive = calloc(1, sizeof *exhaustive);
    if (exhaustive == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    exhaustive->strategy = strategy;
    *state = exhaustive;
    return TW_OK;
}

static size_t propose(void *state) {
    struct exhaustive *exhaustive = state;
    while (strategy_seen(exhaustive->strategy, exhaustive->next))
        exhaustive->next++;
    return exhaustive->next;
}

const struct strategy_kind strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every point, in order",
    .create = create,
    .propose = propose,
    .destroy = free,
};
