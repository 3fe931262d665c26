/* What the fuzz targets share. A target reads one input in process, without a file where it can,
 * and aborts when something holds that never should; the sanitizers see the rest. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must always hold. */
#define FUZZ_MUST(condition)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The input as text, in memory of its own and no more, so that reading past its end is seen. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    FUZZ_MUST(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Whether a failed call said what is wrong, in one line. */
static inline int fuzz_is_told(tw_status status, const struct tw_error *error) {
    return error->status == status && error->message[0] != '\0' &&
           strchr(error->message, '\n') == NULL;
}

#endif
