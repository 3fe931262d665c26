#include "tuner/model/folds.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"

struct drawn {
    uint64_t hash;
    const char *key;
    bool only_teaches;
    int problem;
};

static int compare(const void *left, const void *right) {
    const struct drawn *a = left, *b = right;
    if (a->only_teaches != b->only_teaches)
        return a->only_teaches ? 1 : -1;
    return a->hash != b->hash ? (a->hash > b->hash ? 1 : -1) : strcmp(a->key, b->key);
}

tw_status model_folds(const struct model_samples *s, int count, int *folds,
                      struct tw_error *error) {
    struct drawn *all = malloc(((size_t)s->problem_count + 1) * sizeof *all);
    if (all == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->problem_count; i++) {
        const struct sampled_problem *problem = &s->problems[i];
        all[i] = (struct drawn){tw_hash64(problem->key, strlen(problem->key)), problem->key,
                                problem->only_teaches, i};
    }
    qsort(all, (size_t)s->problem_count, sizeof *all, compare);
    for (int i = 0; i < s->problem_count; i++)
        folds[all[i].problem] = i % count;
    free(all);
    return TW_OK;
}
