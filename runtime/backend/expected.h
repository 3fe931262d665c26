/* What a launch will give a kernel, for a compiler's result to be held against: a kernel that takes
 * something else would read or write anywhere when it is launched. */
#ifndef TW_BACKEND_EXPECTED_H
#define TW_BACKEND_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum { TW_MAX_EXPECTED = 32, TW_EXPECTED_NAME = 56 };

struct tw_expected_parameter {
    char name[TW_EXPECTED_NAME]; /* as "pass" has it */
    uint32_t bytes;              /* of a value; 0: memory */
    bool floating;               /* the value is a floating-point number */
};

struct tw_expected {
    uint32_t shared; /* bytes */
    int count;
    struct tw_expected_parameter parameters[TW_MAX_EXPECTED];
};

/* What a kernel takes, as far as a backend knows. */
struct tw_taken {
    int count;
    struct {
        uint32_t bytes; /* 0: unknown */
        bool is_number; /* whether it is a floating-point number is known */
        bool floating;
    } parameters[TW_MAX_EXPECTED];
};

/* TW_BAD_DESCRIPTION, with the kernel and the parameter, unless what is given is what is taken.
 * `pointer` is the size of a pointer to memory. */
tw_status tw_expected_check(const struct tw_expected *expected, const struct tw_taken *taken,
                            uint32_t pointer, const char *function, struct tw_error *error);
/* The kernel's parameter `index` does not take what it is given. */
tw_status tw_expected_refuse(const struct tw_expected *expected, int index, const char *function,
                             struct tw_error *error);
/* There is no kernel of that name; `kernels` are those that there are, with `separator` between. */
tw_status tw_expected_missing(const char *function, const char *kernels, char separator,
                              struct tw_error *error);

#endif
