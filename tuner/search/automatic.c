/* What searches unless another is asked for, by the space. One that is soon tried as a whole is
 * tried in order. Elsewhere variable-neighbourhood descent and Bayesian optimisation take turns, by
 * chance, and each learns what came of the other's proposals: descent finds a needle near the best
 * that the model smooths over, and the model another hill that descent never sees. */
#include <stdlib.h>

#include "tuner/search/rng.h"
#include "tuner/search/strategies.h"

enum { PARTS = 2, SMALL = 32 /* points */ };

/* The model takes no blind steps, which descent takes; descent's patience counts the model's trials
 * too. */
static const char *const words[PARTS] = {"vnd:patience=24", "bayesian:blind=0,random=0.02"};

enum { MODEL };
static const struct strategy_setting settings[] = {
    [MODEL] = {"model", 0.5, 0, 1, false, "share of proposals by Bayesian optimisation"},
    {0},
};

struct automatic {
    const struct strategy *strategy;
    struct rng rng;
    int count;
    struct strategy *parts[PARTS];
};

static void destroy(void *state) {
    struct automatic *a = state;
    if (a == NULL)
        return;
    for (int i = 0; i < a->count; i++)
        strategy_free(a->parts[i]);
    free(a);
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    const struct space *space = strategy_space(strategy);
    bool small = space_size(space) <= SMALL;
    struct automatic *a = calloc(1, sizeof *a);
    *state = NULL;
    if (a == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->strategy = strategy;
    a->rng.state = seed;
    tw_status status = TW_OK;
    while (status == TW_OK && a->count < (small ? 1 : PARTS)) {
        struct strategy_choice choice;
        status = strategy_choose(&choice, small ? "exhaustive" : words[a->count], error);
        if (status == TW_OK)
            status = strategy_create(&a->parts[a->count], &choice, space, rng_next(&a->rng), error);
        a->count += status == TW_OK;
    }
    if (status != TW_OK)
        destroy(a);
    else
        *state = a;
    return status;
}

static size_t propose(void *state) {
    struct automatic *a = state;
    int turn = a->count == PARTS && rng_unit(&a->rng) < strategy_value(a->strategy, MODEL);
    size_t point = SPACE_NONE;
    strategy_ask(a->parts[turn], &point);
    for (int i = 0; i < a->count && point != SPACE_NONE; i++)
        strategy_avoid(a->parts[i], point);
    return point;
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct automatic *a = state;
    for (int i = 0; i < a->count; i++)
        strategy_tell(a->parts[i], point, outcome);
}

const struct strategy_kind strategy_automatic = {
    .name = "auto",
    .summary = "descent and Bayesian optimisation in turns; a small space in order",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};
