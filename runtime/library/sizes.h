/* Requests of a list that differ in one dimension alone: their binaries are chosen together. */
#ifndef TW_LIBRARY_SIZES_H
#define TW_LIBRARY_SIZES_H

#include "runtime/library/library.h"

struct tw_sizes {
    void (*read)(const void *context, size_t i, tw_request *request);
    const void *context;
    size_t count;
};

/* Settles the binaries of each such set of three sizes or more. Compiles nothing; without the
 * memory for it nothing is settled. */
void tw_sizes_settle(tw_library *library, const struct tw_sizes *sizes);

#endif
