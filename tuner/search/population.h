/* The fastest points known, each once, the fastest first. One thread at a time. */
#ifndef TUNER_SEARCH_POPULATION_H
#define TUNER_SEARCH_POPULATION_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"

struct population;

struct member {
    size_t point;
    double seconds;
};

/* Room for `size` members, above 0. The caller frees *out. */
tw_status population_create(struct population **out, size_t size, struct tw_error *error);
void population_free(struct population *population);

/* Takes a point in that is not there, unless all are faster and there is no room. Whether it did.
 */
bool population_add(struct population *population, size_t point, double seconds);
size_t population_count(const struct population *population);
/* 0 is the fastest. */
const struct member *population_member(const struct population *population, size_t place);

#endif
