/* The shapes that an application asks for, counted and kept in a file (tw_options.log_shapes).
 *
 * Counting is one addition to an entry that the plan points to. A thread of the log's own writes
 * what has changed: at once when a shape is new, else every few seconds, so that little is lost
 * when the application crashes. What it writes are lines that add up, so several processes may
 * share a file. */
#ifndef TW_LIBRARY_SHAPE_LOG_H
#define TW_LIBRARY_SHAPE_LOG_H

#include <stdatomic.h>

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

struct tw_shape_log;

/* A shape that was asked for, under one rule of the selection. Lives as long as the log. */
struct tw_asked {
    struct tw_asked *next;
    _Atomic(uint64_t) count; /* launches, or requests that got no plan */
    /* The log's thread's: what of the count is in the file, what is on its way there, and whether
     * the file knows the shape at all. */
    uint64_t written, pending;
    bool known;
    char text[]; /* the line but for its count */
};

/* Opens or makes the file. TW_INVALID when there is another kind of file, TW_IO when it cannot be
 * written to. `cache` is the policy that results are of. */
tw_status tw_shape_log_open(struct tw_shape_log **out, const char *path,
                            const struct tw_device_info *device, const char *cache,
                            tw_error *error);
/* Writes what is not written, and frees the entries. NULL is fine. */
void tw_shape_log_close(struct tw_shape_log *log);

/* What is asked for, and what it gets. */
struct tw_asked_shape {
    const struct tw_problem *problem;
    const int64_t *strides; /* by argument index; 0: the default */
    const char *rule;       /* as tw_explanation has it; "none": it gets no plan */
    double expected_us;     /* of a launch; 0: not known */
};

/* The entry of a shape, the same one each time. NULL when there is no memory. Safe from any thread.
 */
struct tw_asked *tw_shape_log_entry(struct tw_shape_log *log, const struct tw_asked_shape *shape);

/* Safe from any thread. NULL, where nothing is logged, is fine. */
static inline void tw_asked_count(struct tw_asked *asked) {
    if (asked != NULL)
        atomic_fetch_add_explicit(&asked->count, 1, memory_order_relaxed);
}

#endif
