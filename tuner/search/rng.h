/* Reproducible pseudo-random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). */
#ifndef TUNER_SEARCH_RNG_H
#define TUNER_SEARCH_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state; /* any seed will do */
};

static inline uint64_t rng_next(struct rng *rng) {
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform in [0, 1). */
static inline double rng_unit(struct rng *rng) {
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Uniform in 0 .. count - 1, for counts far below 2^53. */
static inline size_t rng_below(struct rng *rng, size_t count) {
    return (size_t)(rng_unit(rng) * (double)count);
}

#endif
