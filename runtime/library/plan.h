/* A plan: a problem's configuration, chosen and loaded, with everything that a launch needs worked
 * out as far as it can be without the buffers. */
#ifndef TW_LIBRARY_PLAN_H
#define TW_LIBRARY_PLAN_H

#include "runtime/backend/backend.h"
#include "runtime/description/description.h"
#include "runtime/description/problem.h"
#include "runtime/library/library.h"

/* A value of a launch that each call gives anew. */
struct tw_plan_hole {
    enum { TW_HOLE_BUFFER, TW_HOLE_SCALAR, TW_HOLE_WORKSPACE } kind;
    int position; /* among the launch's values */
    int argument; /* index in the description */
    enum tw_type type;
};

struct tw_plan_launch {
    struct tw_launch launch; /* its values point to `values` */
    struct tw_value values[TW_MAX_PASSED];
    struct tw_tensor tensors[TW_MAX_TENSOR_MAPS]; /* that values point to */
    int hole_count;
    struct tw_plan_hole holes[TW_MAX_PASSED];
};

struct tw_plan {
    tw_library *library;
    const struct tw_description *description;
    uint64_t workspace; /* bytes */
    int alignment;      /* that buffers must have; 0: they have no addresses */
    tw_explanation explanation;
    struct tw_text texts[8]; /* what the explanation points to */
    int launch_count;
    struct tw_plan_launch launches[];
};

/* Makes a plan, whatever there is already. The caller owns *out. */
tw_status tw_plan_make(tw_plan **out, tw_library *library, const tw_request *request,
                       tw_error *error);
void tw_plan_free(tw_plan *plan);

/* Whether a result is stored for exactly this problem and device. Compiles nothing. */
tw_status tw_plan_is_tuned(tw_library *library, const tw_request *request, bool *tuned,
                           tw_error *error);

/* The problem that a request names, and its strides by argument index. */
tw_status tw_plan_problem(tw_library *library, const tw_request *request,
                          struct tw_problem *problem, int64_t strides[TW_MAX_ARGUMENTS],
                          const char **description_file, tw_error *error);

#endif
