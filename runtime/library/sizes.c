#include "runtime/library/sizes.h"

#include <stdlib.h>

#include "runtime/library/plan_create.h"
#include "runtime/library/request.h"
#include "runtime/select/together.h"

/* Two sizes are left to what is preferred from one request to the next. */
enum { LEAST_SIZES = 3 };

/* A request by all but one of its dimensions, and the size of that one. */
struct entry {
    uint64_t others;
    int64_t size;
    size_t request;
    int dimension;
};

/* Entries that are equal but for the size. */
struct set {
    const struct entry *entries;
    size_t count, first; /* the least of their requests */
};

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->others != b->others)
        return a->others < b->others ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->request < b->request ? -1 : a->request > b->request;
}

static int compare_sets(const void *left, const void *right) {
    const struct set *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* An entry a request and dimension; returns how many. */
static size_t read_entries(tw_library *library, const struct tw_sizes *sizes,
                           struct entry *entries) {
    size_t count = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        struct tw_canonical wanted;
        tw_request request;
        sizes->read(sizes->context, i, &request);
        if (request.kernel == NULL || tw_request_read(library, &request, &wanted, NULL) != TW_OK)
            continue;
        for (int k = 0; k < wanted.problem.description->dimension_count; k++)
            entries[count++] = (struct entry){tw_changing_others(&wanted.problem, k),
                                              wanted.problem.dimensions[k], i, k};
    }
    return count;
}

/* Entries of one size stand together: all but the first are passed over. Returns how many sets have
 * sizes enough. */
static size_t find_sets(struct entry *entries, size_t count, struct set *sets) {
    size_t found = 0, kept;
    for (size_t from = 0, to; from < count; from = to) {
        struct set set = {&entries[from], 0, entries[from].request};
        for (to = from, kept = from; to < count && entries[to].others == entries[from].others;
             to++) {
            if (set.count > 0 && entries[kept - 1].size == entries[to].size)
                continue;
            if (entries[to].request < set.first)
                set.first = entries[to].request;
            entries[kept++] = entries[to];
            set.count++;
        }
        if (set.count >= LEAST_SIZES)
            sets[found++] = set;
    }
    return found;
}

static void settle(tw_library *library, const struct tw_sizes *sizes, const struct set *set) {
    tw_request requests[TW_TOGETHER_PROBLEMS];
    const size_t count = set->count < TW_TOGETHER_PROBLEMS ? set->count : TW_TOGETHER_PROBLEMS;
    for (size_t i = 0; i < count; i++)
        sizes->read(sizes->context, set->entries[i * set->count / count].request, &requests[i]);
    tw_plan_settle_together(library, requests, count, set->entries->dimension);
}

void tw_sizes_settle(tw_library *library, const struct tw_sizes *sizes) {
    struct entry *entries = calloc(sizes->count, TW_MAX_DIMENSIONS * sizeof *entries);
    struct set *sets = calloc(sizes->count, TW_MAX_DIMENSIONS * sizeof *sets);
    if (entries != NULL && sets != NULL) {
        const size_t count = read_entries(library, sizes, entries);
        qsort(entries, count, sizeof *entries, compare_entries);
        const size_t found = find_sets(entries, count, sets);
        qsort(sets, found, sizeof *sets, compare_sets);
        for (size_t i = 0; i < found; i++)
            settle(library, sizes, &sets[i]);
    }
    free(entries);
    free(sets);
}
