/* References of a description, and the plain kernels of its `accuracy`, compiled and loaded once
 * for a device: of many problems it is the same. */
#ifndef TUNER_MEASURE_REFERENCES_H
#define TUNER_MEASURE_REFERENCES_H

#include "runtime/variant/executable.h"
#include "tuner/measure/testbed.h"

struct loaded_reference {
    char hash[TW_HASH_SIZE]; /* of its source */
    uint32_t shared;         /* bytes that it was loaded for */
    struct tw_module *module;
};

/* Zeroed: none yet. */
struct references {
    int count;
    struct loaded_reference *loaded;
};

/* The reference or plain kernel of the testbed's problem, which `executable` is: it stays loaded
 * until references_free. All problems of one struct are of the same description and device. */
tw_status references_get(struct references *references, const struct testbed *testbed,
                         const struct tw_executable *executable, struct tw_module **module,
                         struct tw_error *error);
void references_free(struct references *references, const struct testbed *testbed);

#endif
