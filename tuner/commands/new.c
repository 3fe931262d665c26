/* tune new: writes a small kernel to begin from. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/text.h"
#include "runtime/description/builtin.h"
#include "runtime/description/expression.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"

static const char help[] = "tune new NAME [-o DIR]\n"
                           "\n"
                           "Writes a small kernel to begin from: the description NAME.json, its "
                           "template NAME/NAME.cu and its "
                           "reference\n"
                           "NAME/reference.cu, in the current directory or in DIR. Comments in "
                           "them explain the format. Nothing "
                           "that is\n"
                           "there already is written over.\n";

enum { FILES = 3, PATH = 4096 };

/* The built-in file, and what becomes of it: %s is the kernel's name. */
static const struct {
    const char *from, *to;
} files[FILES] = {{"templates/new/reference.cu", "%s/reference.cu"},
                  {"templates/new/kernel.cu", "%s/%s.cu"},
                  {"templates/new/description.json", "%s.json"}};

/* `text` with every @NAME@ replaced. */
static void fill_in(struct tw_text *out, const char *text, const char *name) {
    static const char mark[] = "@NAME@";
    const char *at;
    while ((at = strstr(text, mark)) != NULL) {
        tw_text_add(out, text, (size_t)(at - text));
        tw_text_add(out, name, strlen(name));
        text = at + strlen(mark);
    }
    tw_text_add(out, text, strlen(text));
}

static tw_status check_name(const char *name, struct tw_error *error) {
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    if (name == NULL)
        return tw_fail(error, TW_INVALID,
                       "tune new needs a name for the kernel: tune new my_kernel");
    if (!tw_is_identifier(name))
        return tw_fail(
            error, TW_INVALID,
            "\"%s\" cannot be a kernel's name: letters, digits and _, at most %d of them, and "
            "no digit first",
            name, TW_NAME_SIZE - 1);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kernels[i], name) == 0)
            return tw_fail(error, TW_INVALID, "%s is a built-in kernel; choose another name", name);
    return TW_OK;
}

/* `made` tells whether it was not there before. */
static tw_status make_directory(const char *path, bool *made, struct tw_error *error) {
    struct stat entry;
    *made = mkdir(path, 0777) == 0;
    if (*made || (errno == EEXIST && stat(path, &entry) == 0 && S_ISDIR(entry.st_mode)))
        return TW_OK;
    return tw_fail(error, TW_IO, "%s: cannot be made a directory: %s", path, strerror(errno));
}

/* Makes the file, which must not be there; nothing of it stays if it cannot be written whole. */
static tw_status write_file(const char *path, const struct tw_text *text, struct tw_error *error) {
    FILE *file = fopen(path, "wx");
    if (file == NULL && errno == EEXIST)
        return tw_fail(error, TW_INVALID, "%s is there already; nothing was written", path);
    if (file == NULL)
        return tw_fail(error, TW_IO, "%s: cannot be written: %s", path, strerror(errno));
    errno = 0;
    bool whole = fwrite(text->data, 1, text->length, file) == text->length;
    if (fclose(file) == 0 && whole)
        return TW_OK;
    unlink(path);
    return tw_fail(error, TW_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* The text of files[index] for a kernel of this name, to `path`. */
static tw_status write_one(int index, const char *name, const char *path, struct tw_error *error) {
    struct tw_text text = {0};
    const char *from = tw_builtin_file(files[index].from);
    tw_status status = TW_OK;
    if (from == NULL)
        status = tw_fail(error, TW_NOT_FOUND, "%s is not built in", files[index].from);
    else
        fill_in(&text, from, name);
    if (status == TW_OK && text.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = write_file(path, &text, error);
    tw_text_free(&text);
    return status;
}

/* `prefix` is empty or a directory with a slash. A failure leaves nothing behind. */
static tw_status write_files(const char *prefix, const char *name, struct tw_error *error) {
    char folders[2][PATH], paths[FILES][PATH];
    bool made[2] = {false, false};
    int written = 0;
    snprintf(folders[0], PATH, "%s", prefix[0] != '\0' ? prefix : ".");
    snprintf(folders[1], PATH, "%s%s", prefix, name);
    tw_status status = make_directory(folders[0], &made[0], error);
    if (status == TW_OK)
        status = make_directory(folders[1], &made[1], error);
    while (status == TW_OK && written < FILES) {
        char file[2 * TW_NAME_SIZE + 16];
        snprintf(file, sizeof file, files[written].to, name, name);
        snprintf(paths[written], PATH, "%s%s", prefix, file);
        status = write_one(written, name, paths[written], error);
        written += status == TW_OK;
    }
    if (status == TW_OK)
        return TW_OK;
    while (written > 0)
        unlink(paths[--written]);
    for (int i = 1; i >= 0; i--)
        if (made[i])
            rmdir(folders[i]);
    return status;
}

int command_new(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    tw_status status = arguments_parse(&arguments, count, words, OPTION(OUTPUT), &error);
    if (status == TW_OK && arguments.help) {
        fputs(help, stdout);
    } else if (status == TW_OK) {
        const char *directory = arguments.output, *name = arguments.kernel;
        char prefix[PATH - 2 * TW_NAME_SIZE - 16] = "";
        if (directory != NULL &&
            snprintf(prefix, sizeof prefix, "%s/", directory) >= (int)sizeof prefix)
            status = tw_fail(&error, TW_INVALID, "the directory's name is too long");
        if (status == TW_OK)
            status = check_name(name, &error);
        if (status == TW_OK)
            status = write_files(prefix, name, &error);
        if (status == TW_OK)
            printf("%s%s.json: the description, with comments on the format\n"
                   "%s%s/%s.cu, reference.cu: its template and its right answer\n"
                   "next: tune --config %s%s.json --shape 1000x1000 --budget 20s\n",
                   prefix, name, prefix, name, name, prefix, name);
    }
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}
