#include "runtime/description/builtin.h"

#include <string.h>

const char *tw_builtin_file(const char *path) {
    for (const struct tw_builtin *file = tw_builtin_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return file->text;
    return NULL;
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
