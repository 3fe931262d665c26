/* A request understood, and said in one way: the only place where requests are parsed. */
#ifndef TW_LIBRARY_REQUEST_H
#define TW_LIBRARY_REQUEST_H

#include "runtime/description/problem.h"
#include "runtime/library/library.h"

/* Requests that mean the same have equal `request`s. */
struct tw_canonical {
    tw_request request; /* its attributes are those below */
    char attributes[TW_PROBLEM_KEY_SIZE];
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS]; /* by argument index, 0: the default */
};

tw_status tw_request_read(tw_library *library, const tw_request *request, struct tw_canonical *out,
                          tw_error *error);

/* A problem's attributes as a request has them, "dtype=f32,trans=nn", but those that say nothing.
 */
void tw_request_attributes(const struct tw_problem *problem, char out[TW_PROBLEM_KEY_SIZE]);

/* The problem that a request names, and its strides by argument index. */
tw_status tw_plan_problem(tw_library *library, const tw_request *request,
                          struct tw_problem *problem, int64_t strides[TW_MAX_ARGUMENTS],
                          const char **description_file, tw_error *error);

#endif
