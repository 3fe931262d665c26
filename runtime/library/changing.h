/* Which dimensions change from one request to the next: of those a compile for each size would be
 * one too many. */
#ifndef TW_LIBRARY_CHANGING_H
#define TW_LIBRARY_CHANGING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/description/problem.h"

enum { TW_CHANGING_PLACES = 1024 };

/* What was asked for, but for one dimension, and the size of that one. A place is the next one's
 * whose hash leads there: what is forgotten so is asked for again, if it still changes. */
struct tw_changing {
    pthread_mutex_t lock;
    struct {
        uint64_t others; /* a hash of all but the size; 0: nothing */
        int64_t size;
        bool settled;
    } places[TW_CHANGING_PLACES];
};

struct tw_changed {
    /* Bit i: another problem was asked for that differs in dimension i alone. */
    unsigned dimensions;
    /* The binaries for the sizes of one of these were chosen together. */
    bool settled;
};

/* What is equal for all problems that differ in that dimension alone: a hash, never 0. */
uint64_t tw_changing_others(const struct tw_problem *problem, int dimension);

/* Notes that a problem is asked for. Safe from many threads, as the other one is. */
struct tw_changed tw_changing_note(struct tw_changing *changing, const struct tw_problem *problem);
/* Notes that binaries were chosen for the sizes of that dimension together, of which this is one.
 */
void tw_changing_settle(struct tw_changing *changing, const struct tw_problem *problem,
                        int dimension);

#endif
