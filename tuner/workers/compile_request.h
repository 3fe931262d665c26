/* What a compiling worker is asked: sources, what they are to be compiled as, and nothing else of
 * the problem. */
#ifndef TUNER_WORKERS_COMPILE_REQUEST_H
#define TUNER_WORKERS_COMPILE_REQUEST_H

#include "runtime/variant/executable.h"
#include "tuner/workers/message.h"

/* Makes the message: {id, implementation, configuration, origin} to name it by in messages,
 * {disqualified_by: [text]} and {launches: [{name, function, threads, bytes}]}, with what each
 * launch gives its kernel and its source as the message's bytes. `sources` has a text a launch. */
tw_status compile_request_make(struct message *message, uint64_t id,
                               const struct tw_executable *executable,
                               const struct tw_text *sources, struct tw_error *error);

/* A request as the worker reads it; it points into the message. */
struct compile_request {
    const char *disqualified_by[TW_MAX_MESSAGES + 1]; /* ended by NULL */
    int launch_count;
    struct {
        struct tw_compile_request compile;
        struct tw_expected expected;
        int64_t threads;
    } launches[TW_MAX_LAUNCHES];
};

tw_status compile_request_read(const struct message *message, struct compile_request *request,
                               struct tw_error *error);

#endif
