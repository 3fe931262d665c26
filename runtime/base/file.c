#include "runtime/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

tw_status tw_file_read(struct tw_text *text, const char *path, struct tw_error *error) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return tw_fail(error, errno == ENOMEM ? TW_NO_MEMORY : TW_IO, "%s: cannot be read: %s",
                       path, strerror(errno));
    char buffer[65536];
    size_t count;
    errno = 0;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0 && text->length < LARGEST_FILE)
        tw_text_add(text, buffer, count);
    tw_status status = TW_OK;
    if (ferror(file))
        status = tw_fail(error, TW_IO, "%s: cannot be read: %s", path, strerror(errno));
    else if (text->length >= LARGEST_FILE)
        status = tw_fail(error, TW_IO, "%s: larger than 64 MiB", path);
    else if (text->failed)
        status = tw_fail(error, TW_NO_MEMORY, "%s: out of memory while reading", path);
    fclose(file);
    return status;
}
