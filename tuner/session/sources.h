/* The sources of a run: known by what they are made of, each rendered once. */
#ifndef TUNER_SESSION_SOURCES_H
#define TUNER_SESSION_SOURCES_H

#include "runtime/variant/executable.h"
#include "runtime/variant/made_of.h"

/* What is kept of a variant's sources. */
struct rendered {
    char key[TW_HASH_SIZE];
    char hashes[TW_MAX_LAUNCHES][TW_HASH_SIZE]; /* of each launch's (tw_executable_source) */
    int count;
    uint64_t texts[TW_MAX_LAUNCHES]; /* hashes of the texts themselves */
};

/* Zero-initialise; free with sources_free. */
struct sources {
    struct rendered *all; /* open addressing; an empty key: free */
    size_t count, room;
    int64_t rendered; /* sources, one a launch */
};

/* Renders the sources of an executable, whose key (tw_made_of) this is: `texts` has room for
 * TW_MAX_LAUNCHES and is the caller's to free, in every case. */
tw_status sources_render(struct sources *sources, const char *key,
                         const struct tw_executable *executable, const char *backend,
                         struct tw_text *texts, struct tw_error *error);

/* NULL when they have not been rendered. */
const struct rendered *sources_find(const struct sources *sources, const char *key);

/* How many of the sources that were rendered differ: each, unless more binaries than are kept lay
 * unused (builds.h), so that one was rendered again. */
tw_status sources_distinct(const struct sources *sources, int64_t *count, struct tw_error *error);

void sources_free(struct sources *sources);

#endif
