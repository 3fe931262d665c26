/* Loaded binaries by what they were made from. Plans whose launches have the same source share one.
 *
 * A binary comes from the directory of binaries, from a database that is trusted with them, or from
 * the compiler. Safe from many threads: when several want a module that is not there, one makes it
 * and the others wait. */
#ifndef TW_LIBRARY_MODULES_H
#define TW_LIBRARY_MODULES_H

#include "runtime/backend/backend.h"
#include "runtime/library/database_binaries.h"
#include "runtime/variant/cache.h"
#include "runtime/variant/executable.h"

#define TW_BINARY_ORIGINS(X) X(COMPILED, "compiled") X(DISK, "disk") X(DATABASE, "database")

enum tw_binary_origin {
#define TW_BINARY_ORIGIN(name, word) TW_BINARY_##name,
    TW_BINARY_ORIGINS(TW_BINARY_ORIGIN)
#undef TW_BINARY_ORIGIN
};

const char *tw_binary_origin_word(enum tw_binary_origin origin);

struct tw_modules;

/* `cache` and `binaries` may be NULL; all are borrowed until tw_modules_free, which unloads. */
tw_status tw_modules_create(struct tw_modules **out, const struct tw_backend *backend,
                            struct tw_device *device, const struct tw_device_info *info,
                            struct tw_cache *cache, struct tw_database_binaries *binaries,
                            struct tw_error *error);
void tw_modules_free(struct tw_modules *modules);

struct tw_module_request {
    struct tw_compile_request
        compile;       /* without a source nothing is compiled, see tw_modules_get */
    const char *hash;  /* of the source (tw_executable_source), under which binaries are kept */
    const char *label; /* what it is, in words, for whoever lists the directory of binaries */
    int64_t threads;   /* in a block: together they must find enough registers */
    uint32_t shared;   /* bytes of dynamic shared memory */
};

/* A module that was got; borrowed from `modules`. */
struct tw_module_found {
    const struct tw_module *module;
    enum tw_binary_origin origin;
    const char *unkept; /* why the binary could not be kept in the directory; "" if it was */
    double loading_ms;  /* spent in the compiler and the driver; 0 when it was there already */
};

/* Whether there is a binary for a source, so that tw_modules_get need not compile it. */
bool tw_modules_has(struct tw_modules *modules, const struct tw_module_request *request);

/* The module for a source. What failed for good, as a source that does not compile, fails again
 * without another try. Where only the hash of the source is given, its binary has to be kept, or
 * TW_NOT_FOUND is told. */
tw_status tw_modules_get(struct tw_modules *modules, const struct tw_module_request *request,
                         struct tw_module_found *found, struct tw_error *error);

#endif
