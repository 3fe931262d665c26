#include "tuner/search/population.h"

#include <stdlib.h>

struct population {
    size_t size, count;
    struct member members[];
};

tw_status population_create(struct population **out, size_t size, struct tw_error *error) {
    *out = calloc(1, sizeof **out + size * sizeof *(*out)->members);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->size = size;
    return TW_OK;
}

void population_free(struct population *population) {
    free(population);
}

bool population_add(struct population *population, size_t point, double seconds) {
    struct member *members = population->members;
    if (population->count == population->size && members[population->count - 1].seconds <= seconds)
        return false;
    if (population->count < population->size)
        population->count++;
    size_t at = population->count - 1;
    for (; at > 0 && members[at - 1].seconds > seconds; at--)
        members[at] = members[at - 1];
    members[at] = (struct member){point, seconds};
    return true;
}

size_t population_count(const struct population *population) {
    return population->count;
}

const struct member *population_member(const struct population *population, size_t place) {
    return &population->members[place];
}
