#include "tuner/exchange/descriptions.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/builtin.h"
#include "runtime/variant/source.h"

enum { MOST_KERNELS = 256 };

static tw_status hash_templates(struct known_kernel *kernel, struct tw_error *error) {
    const struct tw_description *d = kernel->description;
    kernel->hashes = calloc((size_t)d->implementation_count, sizeof *kernel->hashes);
    if (kernel->hashes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; i < d->implementation_count && status == TW_OK; i++)
        status = tw_source_hash(d, i, kernel->hashes[i], error);
    return status;
}

/* Takes over the description, also when it fails. */
static tw_status add_kernel(struct known_kernels *known, struct tw_description *description,
                            struct tw_error *error) {
    struct known_kernel *kernel = &known->kernels[known->count++];
    kernel->description = description;
    return hash_templates(kernel, error);
}

static tw_status add_file(struct known_kernels *known, const char *file, struct tw_error *error) {
    struct tw_description *description;
    tw_status status = tw_description_load(&description, file, error);
    if (status != TW_OK)
        return status;
    const struct known_kernel *same = known_kernels_find(known, description->kernel);
    if (same != NULL)
        status = tw_fail(error, TW_INVALID, "%s describes the kernel %s, and so does %s", file,
                         description->kernel, same->description->origin);
    if (status == TW_OK)
        return add_kernel(known, description, error);
    tw_description_free(description);
    return status;
}

tw_status known_kernels_open(struct known_kernels *known, const char *const *files, int file_count,
                             struct tw_error *error) {
    const char *names[MOST_KERNELS];
    size_t count = tw_builtin_kernels(names, MOST_KERNELS);
    *known = (struct known_kernels){.kernels =
                                        calloc(count + (size_t)file_count, sizeof *known->kernels)};
    if (known->kernels == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; i < file_count && status == TW_OK; i++)
        status = add_file(known, files[i], error);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        if (known_kernels_find(known, names[i]) != NULL)
            continue;
        struct tw_description *description;
        status = tw_description_builtin(&description, names[i], error);
        if (status == TW_OK)
            status = add_kernel(known, description, error);
    }
    return status;
}

void known_kernels_close(struct known_kernels *known) {
    for (int i = 0; i < known->count; i++) {
        tw_description_free(known->kernels[i].description);
        free(known->kernels[i].hashes);
    }
    free(known->kernels);
    *known = (struct known_kernels){0};
}

const struct known_kernel *known_kernels_find(const struct known_kernels *known,
                                              const char *kernel) {
    for (int i = 0; i < known->count; i++)
        if (strcmp(known->kernels[i].description->kernel, kernel) == 0)
            return &known->kernels[i];
    return NULL;
}

bool known_kernel_is_current(const struct known_kernel *kernel, const char *implementation,
                             const char *template_hash) {
    int index = tw_description_implementation(kernel->description, implementation);
    return index >= 0 && strcmp(kernel->hashes[index], template_hash) == 0;
}
