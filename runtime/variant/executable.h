/* Description, problem and configuration made into what can be compiled and launched: sources,
 * geometry, the values of each launch with holes for what calls give, and a workspace.
 *
 * What is hashed, compiled, timed by the tuner and launched by applications is all one of these. */
#ifndef TW_VARIANT_EXECUTABLE_H
#define TW_VARIANT_EXECUTABLE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/expected.h"
#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"

/* A value of a launch that each call gives anew. */
struct tw_hole {
    enum {
        TW_HOLE_BUFFER,
        TW_HOLE_BEFORE,
        TW_HOLE_SCALAR,
        TW_HOLE_WORKSPACE,
        TW_HOLE_COUNTERS
    } kind;
    int position; /* among the launch's values */
    int argument; /* index in the description */
    enum tw_type type;
};

struct tw_executable_launch {
    const char *name; /* of the first template, for messages */
    const char *function;
    struct tw_geometry geometry;
    int value_count;
    struct tw_value values[TW_MAX_PASSED];
    struct tw_tensor tensors[TW_MAX_TENSOR_MAPS]; /* that values point to */
    int hole_count;
    struct tw_hole holes[TW_MAX_PASSED];
};

struct tw_executable {
    const struct tw_problem *problem;
    const struct tw_configuration *configuration; /* NULL: what judges */
    const struct tw_launch_description *judge; /* then: the reference, or accuracy's plain kernel */
    const int64_t *bound;
    const char *const *disqualified_by; /* as tw_compile_request's */
    uint64_t workspace;                 /* bytes */
    uint64_t counters;                  /* bytes, zero before and after its launches */
    uint32_t absent;                    /* a bit an argument: buffers that the problem has not */
    int launch_count;
    struct tw_executable_launch launches[];
};

/* `values` are bound for the configuration, or for the problem alone where that is NULL: then it is
 * the description's reference. TW_RESOURCE when the device cannot launch it. The problem,
 * configuration and values are borrowed for tw_executable_source, the description for all. */
tw_status tw_executable_create(struct tw_executable **out, const struct tw_problem *problem,
                               const struct tw_configuration *configuration, const int64_t *values,
                               const struct tw_device_info *device, struct tw_error *error);
/* The same of the plain kernel that the description's `accuracy` compares errors with. */
tw_status tw_executable_create_plain(struct tw_executable **out, const struct tw_problem *problem,
                                     const int64_t *values, const struct tw_device_info *device,
                                     struct tw_error *error);
void tw_executable_free(struct tw_executable *executable);

/* Appends the source of a launch for a backend. `hash` (TW_HASH_SIZE, may be NULL) gets the hash of
 * what the preprocessor leaves of it (preprocess.h): sources that share it compile to the same
 * machine code. */
tw_status tw_executable_source(const struct tw_executable *executable, int launch,
                               const char *backend, struct tw_text *source, char *hash,
                               struct tw_error *error);
/* What a compiler is asked for a launch's source. It points to `expected`, which is filled in. */
struct tw_compile_request tw_executable_request(const struct tw_executable *executable, int launch,
                                                const char *source, struct tw_expected *expected);

/* What a call gives, by argument index: memory for buffers, numbers for scalars. */
struct tw_arguments {
    struct tw_memory memory[TW_MAX_ARGUMENTS];
    struct tw_memory before[TW_MAX_ARGUMENTS]; /* NAME.in of references */
    double scalars[TW_MAX_ARGUMENTS];
    uint32_t scalars_given; /* a bit an argument; the others keep their defaults */
};

/* Makes a launch on these arguments. `values` has room for TW_MAX_PASSED and, like the executable,
 * must live until the launch is queued. `workspace` and `counters` may be NULL where there are
 * none.
 */
void tw_executable_launch(const struct tw_executable *executable, int launch,
                          const struct tw_module *module, const struct tw_arguments *arguments,
                          const struct tw_memory *workspace, const struct tw_memory *counters,
                          struct tw_value *values, struct tw_launch *out);

#endif
