/* Writes the built-in descriptions in their flat form, which the build embeds beside them:
 *
 *     flatten DIRECTORY
 *
 * makes DIRECTORY/KERNEL.json of each. Fails with the message of the first that cannot be read. */
#include <stdio.h>
#include <string.h>

#include "runtime/description/builtin.h"
#include "runtime/description/description.h"

/* Nothing is flat before this has run. */
const struct tw_builtin tw_builtin_flat_files[] = {{NULL, NULL, NULL}};

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(text, file) >= 0;
    if (file != NULL && fclose(file) != 0)
        written = false;
    if (!written)
        perror(path);
    return written;
}

int main(int count, char **words) {
    const char *kernels[64];
    if (count != 2) {
        fprintf(stderr, "usage: flatten DIRECTORY\n");
        return 2;
    }
    size_t kernel_count = tw_builtin_kernels(kernels, sizeof kernels / sizeof *kernels);
    for (size_t i = 0; i < kernel_count; i++) {
        struct tw_description *description;
        struct tw_error error;
        char path[4096];
        if (tw_description_builtin(&description, kernels[i], &error) != TW_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        snprintf(path, sizeof path, "%s/%s.json", words[1], kernels[i]);
        bool written = write_text(path, description->text);
        tw_description_free(description);
        if (!written)
            return 1;
    }
    return 0;
}
