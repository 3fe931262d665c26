#include "tuner/search/sampler.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 4 };

/* A pseudo-random order of 0 .. count-1 that needs no memory: a Feistel network over the smallest
 * power of four that is no less than count, walking on from results that are out of range (Black
 * and Rogaway, "Ciphers with arbitrary finite domains", 2002). */
struct order {
    size_t count;
    unsigned half_bits;
    uint64_t keys[ROUNDS];
    size_t next;
};

struct sampler {
    const struct strategy *strategy;
    struct rng rng;
    struct order orders[]; /* by implementation */
};

static size_t encipher(const struct order *order, size_t number) {
    uint64_t mask = (UINT64_C(1) << order->half_bits) - 1;
    uint64_t left = number >> order->half_bits, right = number & mask;
    for (int i = 0; i < ROUNDS; i++) {
        struct rng mixer = {right ^ order->keys[i]};
        uint64_t mixed = left ^ (rng_next(&mixer) & mask);
        left = right;
        right = mixed;
    }
    return (size_t)(left << order->half_bits | right);
}

static size_t at(const struct order *order, size_t number) {
    do
        number = encipher(order, number);
    while (number >= order->count);
    return number;
}

tw_status sampler_create(struct sampler **out, const struct strategy *strategy, uint64_t seed,
                         struct tw_error *error) {
    const struct space *space = strategy_space(strategy);
    size_t count = (size_t)space_implementations(space);
    struct sampler *sampler = calloc(1, sizeof *sampler + count * sizeof *sampler->orders);
    *out = sampler;
    if (sampler == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    sampler->strategy = strategy;
    sampler->rng.state = seed;
    for (size_t i = 0; i < count; i++) {
        struct order *order = &sampler->orders[i];
        order->count = space_range(space, (int)i).count;
        order->half_bits = 1;
        while ((size_t)1 << (2 * order->half_bits) < order->count)
            order->half_bits++;
        for (int round = 0; round < ROUNDS; round++)
            order->keys[round] = rng_next(&sampler->rng);
    }
    return TW_OK;
}

void sampler_free(struct sampler *sampler) {
    free(sampler);
}

size_t sampler_draw_from(struct sampler *sampler, int implementation) {
    struct order *order = &sampler->orders[implementation];
    size_t first = space_range(strategy_space(sampler->strategy), implementation).first;
    while (strategy_seen(sampler->strategy, first + at(order, order->next)))
        order->next++;
    return first + at(order, order->next);
}

size_t sampler_draw(struct sampler *sampler) {
    const struct strategy *strategy = sampler->strategy;
    int count = space_implementations(strategy_space(strategy)), chosen = -1;
    double total = 0;
    for (int i = 0; i < count; i++) {
        if (strategy_unseen(strategy, i) == 0)
            continue;
        double weight = log2(1 + (double)sampler->orders[i].count);
        total += weight;
        if (rng_unit(&sampler->rng) * total < weight)
            chosen = i;
    }
    return sampler_draw_from(sampler, chosen);
}
