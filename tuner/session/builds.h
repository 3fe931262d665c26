/* Binaries by what decides them: variants whose rendered sources are the same, because they differ
 * only in launch parameters or in parameters that make no difference to this problem, are compiled
 * once. */
#ifndef TUNER_SESSION_BUILDS_H
#define TUNER_SESSION_BUILDS_H

#include "runtime/base/hash.h"
#include "tuner/session/sources.h"
#include "tuner/workers/compile_pool.h"

enum build_state { BUILD_NEW, BUILD_COMPILING, BUILD_DONE };

struct build {
    uint64_t id;
    char key[TW_HASH_SIZE];
    enum build_state state;
    struct compiled compiled; /* when done */
    int users;
};

/* That nobody uses, unless `kept` says otherwise: siblings come back hundreds of trials later, and
 * one that has gone is rendered and compiled again. Binaries have some ten to hundred KB each. */
enum { BUILDS_KEPT = 2048 };

struct builds {
    struct build **all;
    int count, capacity;
    uint64_t next_id;
    int kept; /* 0: BUILDS_KEPT */
    struct sources sources;
};

/* The build of a variant, new if there is none; NULL when out of memory or when the variant's
 * geometry cannot be worked out, with the error set. The caller is one of its users until
 * builds_release. */
struct build *builds_get(struct builds *builds, const struct tw_device_info *device,
                         const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         struct tw_error *error);
/* Renders a new build's sources and hands them to the compilers, of which one is free. The problem,
 * configuration and values are those that it was got for. */
tw_status builds_submit(struct builds *builds, struct build *build, struct compile_pool *pool,
                        const struct tw_device_info *device, const struct tw_problem *problem,
                        const struct tw_configuration *configuration, const int64_t *values,
                        struct tw_error *error);
struct build *builds_by_id(const struct builds *builds, uint64_t id);
void builds_retain(struct build *build);
/* A build that nobody uses is kept for a while, in case a variant comes that shares it. */
void builds_release(struct builds *builds, struct build *build);
void builds_free(struct builds *builds);

#endif
