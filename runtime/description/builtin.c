#include "runtime/description/builtin.h"

#include <string.h>

#include "runtime/description/builtin_kernels.h"

const char *tw_builtin_file(const char *path) {
    for (const struct tw_builtin *file = tw_builtin_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return file->text;
    return NULL;
}

size_t tw_builtin_kernels(const char **names, size_t room) {
    static const char *const kernels[] = {TW_BUILTIN_KERNELS};
    size_t count = sizeof kernels / sizeof *kernels;
    for (size_t i = 0; i < count && i < room; i++)
        names[i] = kernels[i];
    return count < room ? count : room;
}
