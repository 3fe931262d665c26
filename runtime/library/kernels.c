#include "runtime/library/kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/library/places.h"

struct kernel {
    struct kernel *next;
    struct tw_description *description;
    char *file; /* NULL: built in */
};

struct tw_kernels {
    pthread_mutex_t lock;
    struct kernel *first;
};

static tw_status add(struct tw_kernels *kernels, struct tw_description *description,
                     const char *file, struct tw_error *error) {
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel != NULL && file != NULL)
        kernel->file = strdup(file);
    if (kernel == NULL || (file != NULL && kernel->file == NULL)) {
        free(kernel);
        tw_description_free(description);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    kernel->description = description;
    kernel->next = kernels->first;
    kernels->first = kernel;
    return TW_OK;
}

static const struct kernel *find(const struct tw_kernels *kernels, const char *name) {
    const struct kernel *kernel = kernels->first;
    while (kernel != NULL && strcmp(kernel->description->kernel, name) != 0)
        kernel = kernel->next;
    return kernel;
}

static tw_status read_file(struct tw_kernels *kernels, const char *file, struct tw_error *error) {
    struct tw_description *description;
    tw_status status = tw_description_load(&description, file, error);
    if (status != TW_OK)
        return status;
    const struct kernel *same = find(kernels, description->kernel);
    if (same != NULL) {
        status = tw_fail(error, TW_INVALID, "%s and %s both describe the kernel %s", same->file,
                         file, description->kernel);
        tw_description_free(description);
        return status;
    }
    return add(kernels, description, file, error);
}

/* Templates are read when a plan needs them, and `tune` reads the description again. */
static tw_status add_file(struct tw_kernels *kernels, const char *file, struct tw_error *error) {
    struct tw_text path = {0};
    tw_place_absolute(&path, file);
    tw_status status = path.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                   : read_file(kernels, path.data, error);
    tw_text_free(&path);
    return status;
}

tw_status tw_kernels_create(struct tw_kernels **out, const char *const *files,
                            struct tw_error *error) {
    *out = NULL;
    struct tw_kernels *kernels = calloc(1, sizeof *kernels);
    if (kernels == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pthread_mutex_init(&kernels->lock, NULL);
    tw_status status = TW_OK;
    for (; files != NULL && *files != NULL && status == TW_OK; files++)
        status = add_file(kernels, *files, error);
    if (status != TW_OK) {
        tw_kernels_free(kernels);
        return status;
    }
    *out = kernels;
    return TW_OK;
}

void tw_kernels_free(struct tw_kernels *kernels) {
    if (kernels == NULL)
        return;
    while (kernels->first != NULL) {
        struct kernel *next = kernels->first->next;
        tw_description_free(kernels->first->description);
        free(kernels->first->file);
        free(kernels->first);
        kernels->first = next;
    }
    pthread_mutex_destroy(&kernels->lock);
    free(kernels);
}

tw_status tw_kernels_find(struct tw_kernels *kernels, const char *name,
                          const struct tw_description **out, const char **file,
                          struct tw_error *error) {
    *out = NULL;
    pthread_mutex_lock(&kernels->lock);
    tw_status status = TW_OK;
    const struct kernel *kernel = find(kernels, name);
    if (kernel == NULL) {
        struct tw_description *description;
        status = tw_description_builtin(&description, name, error);
        if (status == TW_OK)
            status = add(kernels, description, NULL, error);
        kernel = kernels->first;
    }
    if (status == TW_OK) {
        *out = kernel->description;
        *file = kernel->file;
    }
    pthread_mutex_unlock(&kernels->lock);
    return status;
}
