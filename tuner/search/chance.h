/* Reproducible pseudo-random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). */
#ifndef TUNER_SEARCH_CHANCE_H
#define TUNER_SEARCH_CHANCE_H

#include <stddef.h>
#include <stdint.h>

struct chance {
    uint64_t state; /* any seed will do */
};

static inline uint64_t chance_next(struct chance *chance) {
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform in [0, 1). */
static inline double chance_unit(struct chance *chance) {
    return (double)(chance_next(chance) >> 11) * 0x1p-53;
}

/* Uniform in 0 .. count - 1, for counts far below 2^53. */
static inline size_t chance_below(struct chance *chance, size_t count) {
    return (size_t)(chance_unit(chance) * (double)count);
}

#endif
