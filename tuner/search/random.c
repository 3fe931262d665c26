/* Points at random, without replacement. What "random" means among implementations: sampler.h. */
#include "tuner/search/sampler.h"
#include "tuner/search/strategies.h"

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    struct sampler *sampler;
    tw_status status = sampler_create(&sampler, strategy, seed, error);
    *state = sampler;
    return status;
}

static size_t propose(void *state) {
    return sampler_draw(state);
}

static void destroy(void *state) {
    sampler_free(state);
}

const struct strategy_kind strategy_random = {
    .name = "random",
    .summary = "points at random",
    .create = create,
    .propose = propose,
    .destroy = destroy,
};
