#include "tuner/formats/packed_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { PIECE = 1 << 16, MOST = 512 << 20 };

/* What went wrong with an open file. */
static tw_status failed(gzFile file, const char *path, struct tw_error *error) {
    int code;
    const char *message = gzerror(file, &code);
    return tw_fail(error, code == Z_MEM_ERROR ? TW_NO_MEMORY : TW_INVALID, "%s: %s", path,
                   code == Z_ERRNO ? strerror(errno) : message);
}

tw_status packed_file_read(struct tw_text *text, const char *path, struct tw_error *error) {
    struct stat info;
    if (stat(path, &info) != 0)
        return tw_fail(error, TW_NOT_FOUND, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return tw_fail(error, TW_INVALID, "%s: is a folder", path);
    gzFile file = gzopen(path, "rb");
    if (file == NULL)
        return tw_fail(error, errno == 0 ? TW_NO_MEMORY : TW_NOT_FOUND, "%s: %s", path,
                       errno == 0 ? "out of memory" : strerror(errno));
    static const unsigned piece = PIECE;
    char bytes[PIECE];
    tw_status status = TW_OK;
    for (;;) {
        int count = gzread(file, bytes, piece);
        if (count < 0)
            status = failed(file, path, error);
        if (count <= 0)
            break;
        tw_text_add(text, bytes, (size_t)count);
        if (text->length > MOST) {
            status = tw_fail(error, TW_INVALID, "%s: holds more than %d MiB", path, MOST >> 20);
            break;
        }
    }
    /* A file that was cut off shows only now. */
    int code = Z_OK;
    gzerror(file, &code);
    if (status == TW_OK && code != Z_OK)
        status =
            tw_fail(error, TW_INVALID, "%s: ends within what was packed: it was cut off", path);
    gzclose(file);
    if (status == TW_OK && text->failed)
        status = tw_fail(error, TW_NO_MEMORY, "%s: out of memory", path);
    return status;
}

tw_status packed_file_write(const struct tw_text *text, const char *path, struct tw_error *error) {
    struct tw_text beside = {0};
    tw_text_print(&beside, "%s.part", path);
    if (beside.failed) {
        tw_text_free(&beside);
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", path);
    }
    gzFile file = gzopen(beside.data, "wb9");
    tw_status status = TW_OK;
    if (file == NULL)
        status = tw_fail(error, TW_INVALID, "%s: %s", beside.data,
                         errno == 0 ? "out of memory" : strerror(errno));
    for (size_t at = 0; status == TW_OK && at < text->length;) {
        size_t left = text->length - at;
        int count = gzwrite(file, text->data + at, left < PIECE ? (unsigned)left : PIECE);
        if (count <= 0)
            status = failed(file, beside.data, error);
        else
            at += (size_t)count;
    }
    if (file != NULL && gzclose(file) != Z_OK && status == TW_OK)
        status = tw_fail(error, TW_INVALID, "%s: cannot be written whole", beside.data);
    if (status == TW_OK && rename(beside.data, path) != 0)
        status = tw_fail(error, TW_INVALID, "%s: %s", path, strerror(errno));
    if (status != TW_OK && file != NULL)
        remove(beside.data);
    tw_text_free(&beside);
    return status;
}
