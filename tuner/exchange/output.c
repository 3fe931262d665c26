#include "tuner/exchange/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tw_status fill(FILE *file, const struct tw_text *text, const char *path,
                      struct tw_error *error) {
    errno = 0;
    bool good = fwrite(text->data, 1, text->length, file) == text->length && fflush(file) == 0;
    return good ? TW_OK : tw_fail(error, TW_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* A path at which no file can be made was named wrongly; a full disk is another matter. */
static tw_status not_made(const char *name, struct tw_error *error) {
    bool wrong = errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EACCES ||
                 errno == EROFS || errno == EPERM || errno == ENAMETOOLONG;
    return tw_fail(error, wrong ? TW_INVALID : TW_IO, "%s: cannot be written: %s", name,
                   strerror(errno));
}

static tw_status write_to(const char *path, const char *mode, const struct tw_text *text,
                          const char *name, struct tw_error *error) {
    FILE *file = fopen(path, mode);
    if (file == NULL)
        return not_made(name, error);
    tw_status status = fill(file, text, name, error);
    if (status == TW_OK && fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS)
        status = tw_fail(error, TW_IO, "%s: cannot be written: %s", name, strerror(errno));
    if (fclose(file) != 0 && status == TW_OK)
        status = tw_fail(error, TW_IO, "%s: cannot be written: %s", name, strerror(errno));
    return status;
}

tw_status output_write(const struct tw_text *text, const char *path, struct tw_error *error) {
    if (path == NULL)
        return fill(stdout, text, "standard output", error);
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return write_to(path, "w", text, path, error);
    struct tw_text part = {0};
    tw_text_print(&part, "%s.%ld.part", path, (long)getpid());
    if (part.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = write_to(part.data, "wx", text, path, error);
    if (status == TW_OK && rename(part.data, path) != 0)
        status = not_made(path, error);
    if (status != TW_OK)
        unlink(part.data);
    tw_text_free(&part);
    return status;
}
