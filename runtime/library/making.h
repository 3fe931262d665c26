/* A plan being made: a problem, and configurations offered for it until one has its binaries. */
#ifndef TW_LIBRARY_MAKING_H
#define TW_LIBRARY_MAKING_H

#include "runtime/library/library.h"
#include "runtime/select/select.h"
#include "runtime/variant/executable.h"

struct tw_making {
    tw_library *library;
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS];
    bool bound;
    int64_t of_problem[TW_MAX_SYMBOLS]; /* where it is bound, what configurations are bound to */
    int looked;                         /* for how many configurations the disk was asked */
    /* Of the configuration that was offered last: */
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *executable; /* NULL: there is none, or it was taken over */
    char build[TW_HASH_SIZE];         /* what tw_builds knows it by */
    struct tw_text sources[TW_MAX_LAUNCHES];
    char hashes[TW_MAX_LAUNCHES][TW_HASH_SIZE]; /* of the sources; "": not known */
    char briefs[TW_MAX_LAUNCHES][TW_HASH_SIZE]; /* before they were rendered; "": not asked for */
    struct tw_module_found found[TW_MAX_LAUNCHES];
};

/* Frees what a making has come to, but for what was taken over. */
void tw_making_end(struct tw_making *making);

/* As tw_query.accept, which the making is the context of: a configuration is accepted once all its
 * launches are loaded. */
tw_status tw_making_accept(void *making, const struct tw_configuration *configuration,
                           struct tw_error *error);
/* The same where it only is to be settled which builds are wanted: it is promised. */
tw_status tw_making_promise(void *making, const struct tw_configuration *configuration,
                            struct tw_error *error);
/* As tw_query.ready. What was promised counts as loaded. */
bool tw_making_ready(void *making, const struct tw_configuration *configuration,
                     enum tw_ready where);

#endif
