/* What all strategies share: which points were asked and told. */
#include "tuner/search/strategy.h"

#include <stdlib.h>

struct strategy {
    struct strategy_choice choice;
    void *state;
    const struct space *space;
    const struct strategy_expectation *expectation;
    size_t unseen;       /* points neither asked nor told */
    unsigned char *seen; /* a bit a point */
    unsigned char *told;
    size_t unseen_in[]; /* by implementation */
};

static bool bit(const unsigned char *bits, size_t point) {
    return bits[point / 8] >> (point % 8) & 1;
}

static void set_bit(unsigned char *bits, size_t point) {
    bits[point / 8] = (unsigned char)(bits[point / 8] | 1u << (point % 8));
}

static void see(struct strategy *strategy, size_t point) {
    if (bit(strategy->seen, point))
        return;
    set_bit(strategy->seen, point);
    strategy->unseen--;
    strategy->unseen_in[space_implementation(strategy->space, point)]--;
}

tw_status strategy_create(struct strategy **out, const struct strategy_choice *choice,
                          const struct space *space, const struct strategy_expectation *expectation,
                          uint64_t seed, struct tw_error *error) {
    *out = NULL;
    size_t implementations = (size_t)space_implementations(space);
    struct strategy *strategy =
        calloc(1, sizeof *strategy + implementations * sizeof *strategy->unseen_in);
    if (strategy == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    strategy->choice = *choice;
    strategy->space = space;
    strategy->expectation = expectation;
    strategy->unseen = space_size(space);
    for (size_t i = 0; i < implementations; i++)
        strategy->unseen_in[i] = space_range(space, (int)i).count;
    strategy->seen = calloc(strategy->unseen / 8 + 1, 1);
    strategy->told = calloc(strategy->unseen / 8 + 1, 1);
    tw_status status = TW_OK;
    if (strategy->seen == NULL || strategy->told == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    else
        status = choice->kind->create(&strategy->state, strategy, seed, error);
    if (status != TW_OK) {
        strategy_free(strategy);
        return status;
    }
    *out = strategy;
    return TW_OK;
}

void strategy_free(struct strategy *strategy) {
    if (strategy == NULL)
        return;
    if (strategy->state != NULL)
        strategy->choice.kind->destroy(strategy->state);
    free(strategy->seen);
    free(strategy->told);
    free(strategy);
}

enum strategy_answer strategy_ask(struct strategy *strategy, size_t *point) {
    if (strategy->unseen == 0)
        return STRATEGY_EXHAUSTED;
    *point = strategy->choice.kind->propose(strategy->state);
    if (*point == SPACE_NONE)
        return STRATEGY_WAIT;
    see(strategy, *point);
    return STRATEGY_POINT;
}

void strategy_avoid(struct strategy *strategy, size_t point) {
    see(strategy, point);
}

void strategy_tell(struct strategy *strategy, size_t point,
                   const struct strategy_outcome *outcome) {
    see(strategy, point);
    if (bit(strategy->told, point))
        return;
    set_bit(strategy->told, point);
    if (strategy->choice.kind->learn != NULL)
        strategy->choice.kind->learn(strategy->state, point, outcome);
}

const struct space *strategy_space(const struct strategy *strategy) {
    return strategy->space;
}

double strategy_value(const struct strategy *strategy, int setting) {
    return strategy->choice.values[setting];
}

const struct strategy_expectation *strategy_expectation(const struct strategy *strategy) {
    return strategy->expectation;
}

bool strategy_seen(const struct strategy *strategy, size_t point) {
    return bit(strategy->seen, point);
}

size_t strategy_unseen(const struct strategy *strategy, int implementation) {
    return strategy->unseen_in[implementation];
}
