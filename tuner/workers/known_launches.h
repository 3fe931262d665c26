/* What compilers have made of single launches: variants of several often share some, as the sum
 * over a split product has nothing of the tiles before it. Those are compiled once.
 *
 * Belongs to one thread at a time. */
#ifndef TUNER_WORKERS_KNOWN_LAUNCHES_H
#define TUNER_WORKERS_KNOWN_LAUNCHES_H

#include "runtime/variant/executable.h"
#include "tuner/workers/protocol.h"

enum { KNOWN_LAUNCHES = 256 /* that are kept; whose last use is the longest ago goes */ };

/* By what an executable's launches are known: all that decides what comes of compiling them. */
struct launch_keys {
    int count; /* 0: none of them may be shared */
    char of[TW_MAX_LAUNCHES][TW_HASH_SIZE];
};

/* `hashes` are those of the launches' sources (tw_executable_source); NULL: not known. The binaries
 * of a single launch are shared as a whole, by whoever asks for them. */
tw_status launch_keys_of(const struct tw_executable *executable, const char hashes[][TW_HASH_SIZE],
                         struct launch_keys *keys, struct tw_error *error);

/* Zero-initialise; free with known_launches_free. */
struct known_launches {
    struct known_launch {
        char key[TW_HASH_SIZE];
        struct tw_binary binary;
        uint64_t used;
    } * all;
    int count;
    uint64_t uses;
};

/* The binary of each launch; NULL where it is not known. Lent until launches are added. */
void known_launches_find(struct known_launches *known, const struct launch_keys *keys,
                         const struct tw_binary *binaries[TW_MAX_LAUNCHES]);
/* Keeps copies of what was compiled. */
tw_status known_launches_add(struct known_launches *known, const struct launch_keys *keys,
                             const struct compiled *compiled, struct tw_error *error);
void known_launches_free(struct known_launches *known);

#endif
