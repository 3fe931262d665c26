#include "runtime/select/lasting.h"

#include <string.h>

#include "runtime/variant/made_of.h"

/* Sizes that vectors divide as they divide this one, in no simple ratio to it: most tiles end
 * otherwise there. */
static const struct { int64_t times, more; } elsewhere[] = {{1, 16}, {2, 0}, {3, 16}, {9, 0}};

static bool made_of(const struct tw_search *search, const struct tw_problem *problem,
                    const int64_t *strides, const struct tw_configuration *configuration,
                    char key[TW_HASH_SIZE]) {
    int64_t values[TW_MAX_SYMBOLS];
    return tw_problem_bind(problem, search->slots, strides, values, NULL) == TW_OK &&
           tw_made_of(search->device, problem, configuration, values, key, NULL) == TW_OK;
}

/* Strides other than the default belong to these sizes and to no others. */
int tw_search_lasting(const struct tw_search *search,
                      const struct tw_configuration *configuration) {
    const struct tw_description *d = search->problem->description;
    char here[TW_HASH_SIZE], there[TW_HASH_SIZE];
    int count = 0;
    if (!made_of(search, search->problem, NULL, configuration, here))
        return 0;
    for (int i = 0; i < d->dimension_count; i++) {
        for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
            struct tw_problem problem = *search->problem;
            if ((search->query->changing >> i & 1) == 0)
                continue;
            problem.dimensions[i] = elsewhere[k].times * problem.dimensions[i] + elsewhere[k].more;
            count +=
                made_of(search, &problem, NULL, configuration, there) && strcmp(here, there) == 0;
        }
    }
    return count;
}
