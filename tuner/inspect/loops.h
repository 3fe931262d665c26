/* The loop in which a kernel spends its time, as far as its code tells. */
#ifndef TUNER_INSPECT_LOOPS_H
#define TUNER_INSPECT_LOOPS_H

#include "tuner/inspect/sass.h"

struct sass_loop {
    bool found;
    size_t head, tail; /* the first and the last instruction, both in it; not all between must be */
    int nested;        /* loops inside it, whose instructions are not counted as its own */
    bool *own;         /* by instruction: in this loop and in none inside it */
};

/* Of all loops the one with the most multiply-adds of its own; where none has any, the one with the
 * most accesses to global memory. Not found: there is no such loop, and `own` has all that may be
 * executed. Free with sass_loop_free in every case. */
tw_status sass_find_loop(const struct sass *sass, struct sass_loop *loop, struct tw_error *error);
void sass_loop_free(struct sass_loop *loop);

#endif
