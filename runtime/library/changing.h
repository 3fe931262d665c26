/* Which dimensions change from one request to the next: of those a compile for each size would be
 * one too many. */
#ifndef TW_LIBRARY_CHANGING_H
#define TW_LIBRARY_CHANGING_H

#include <pthread.h>
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
    } places[TW_CHANGING_PLACES];
};

/* Notes that a problem is asked for. Bit i of what is returned: another one was that differs in
 * dimension i alone. Safe from many threads. */
unsigned tw_changing_note(struct tw_changing *changing, const struct tw_problem *problem);

#endif
