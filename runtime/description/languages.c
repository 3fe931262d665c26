#include "runtime/description/languages.h"

#include <string.h>

const struct tw_language tw_languages[] = {
    {.backend = "cuda",
     .title = "CUDA",
     .prelude = "templates/prelude/cuda.cuh",
     .ending = "cuh",
     .has_architectures = true,
     .has_machine_code = true,
     .shared_at_launch = true},
    {.backend = "opencl",
     .title = "OpenCL",
     .prelude = "templates/prelude/opencl.clh",
     .ending = "clh"},
    {.backend = NULL},
};

enum { OPENCL = 1 };

const struct tw_language *tw_language_of(const char *backend) {
    for (const struct tw_language *language = tw_languages; language->backend != NULL; language++)
        if (strcmp(language->backend, backend) == 0)
            return language;
    return &tw_languages[OPENCL];
}

uint32_t tw_language_bit(const struct tw_language *language) {
    return UINT32_C(1) << (language - tw_languages);
}
