#include "runtime/description/builtin.h"

#include <stdlib.h>
#include <string.h>

static int compare_path(const void *path, const void *file) {
    return strcmp(path, ((const struct tw_builtin *)file)->path);
}

/* They are in order. */
static const struct tw_builtin *file_at(const char *path) {
    size_t count = 0;
    while (tw_builtin_files[count].path != NULL)
        count++;
    return bsearch(path, tw_builtin_files, count, sizeof tw_builtin_files[0], compare_path);
}

const char *tw_builtin_file(const char *path) {
    const struct tw_builtin *file = file_at(path);
    return file != NULL ? file->text : NULL;
}

const char *tw_builtin_hash(const char *path) {
    const struct tw_builtin *file = file_at(path);
    return file != NULL ? file->hash : NULL;
}

static const char *find(const struct tw_builtin *file, const char *kernel) {
    for (; file->path != NULL; file++)
        if (strcmp(file->kernel, kernel) == 0)
            return file->text;
    return NULL;
}

const char *tw_builtin_flat(const char *kernel) {
    return find(tw_builtin_flat_files, kernel);
}

const char *tw_builtin_outline(const char *kernel) {
    return find(tw_builtin_outline_files, kernel);
}

size_t tw_builtin_kernels(const char **names, size_t room) {
    size_t count = 0;
    for (const struct tw_builtin *file = tw_builtin_files; file->path != NULL; file++)
        if (file->kernel != NULL && count < room)
            names[count++] = file->kernel;
    return count;
}
