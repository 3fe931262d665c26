/* Opening a shared library at run time and looking up its functions. */
#ifndef TW_BACKEND_SHARED_OBJECT_H
#define TW_BACKEND_SHARED_OBJECT_H

#include <stddef.h>

#include "runtime/base/error.h"

struct tw_symbol {
    const char *name;
    void *address; /* where to store the function's address: a void ** in disguise */
};

/* Tries each name in turn (ends with NULL) and fills in every symbol. TW_UNAVAILABLE tells which
 * library or function is missing. The library stays open for the life of the process. */
tw_status tw_shared_object_open(const char *const *names, const struct tw_symbol *symbols,
                                size_t count, struct tw_error *error);

/* The name of a symbol after macros such as cuda.h's `#define cuMemAlloc cuMemAlloc_v2`. */
#define TW_SYMBOL_NAME_(symbol) #symbol
#define TW_SYMBOL_NAME(symbol) TW_SYMBOL_NAME_(symbol)

#endif
