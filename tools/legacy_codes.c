/* Prints how the built-in implementations are known today that results of schema 1 are of: what
 * follows in each row of runtime/variant/legacy_codes.inc. See tools/recode.py. */
#include <stdio.h>

#include "runtime/description/builtin.h"
#include "runtime/variant/identity.h"

static tw_status print_kernel(const char *kernel, tw_error *error) {
    struct tw_description *d;
    tw_status status = tw_description_builtin(&d, kernel, error);
    for (int i = 0; status == TW_OK && i < d->implementation_count; i++) {
        char cuda[TW_HASH_SIZE], opencl[TW_HASH_SIZE];
        status = tw_identity_code(d, i, "cuda", cuda, error);
        if (status == TW_OK)
            status = tw_identity_code(d, i, "opencl", opencl, error);
        if (status == TW_OK)
            printf("%s %s %s %s\n", kernel, d->implementations[i].name, cuda, opencl);
    }
    tw_description_free(d);
    return status;
}

int main(void) {
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, sizeof kernels / sizeof *kernels);
    tw_error error;
    for (size_t i = 0; i < count; i++)
        if (print_kernel(kernels[i], &error) != TW_OK) {
            fprintf(stderr, "legacy_codes: %s\n", error.message);
            return 1;
        }
    return 0;
}
