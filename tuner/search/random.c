/* Points at random, without replacement. What "random" means among implementations: explore.h. */
#include "tuner/search/explore.h"
#include "tuner/search/kinds.h"

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct explorer *explorer;
    tw_status status = explorer_create(&explorer, strategy, seed, error);
    *state = explorer;
    return status;
}

static size_t propose(void *state) {
    return explorer_draw(state);
}

static void destroy(void *state) {
    explorer_free(state);
}

const struct strategy_kind strategy_random = {
    .name = "random",
    .summary = "points at random",
    .create = create,
    .propose = propose,
    .destroy = destroy,
};
