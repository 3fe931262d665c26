#include "runtime/description/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/text.h"

static int is_description(const struct dirent *entry) {
    size_t length = strlen(entry->d_name), tail = strlen(".json");
    return entry->d_name[0] != '.' && length > tail &&
           strcmp(entry->d_name + length - tail, ".json") == 0;
}

tw_status tw_folder_each(const char *path,
                         tw_status (*take)(void *context, const char *file, struct tw_error *error),
                         void *context, struct tw_error *error) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return take(context, path, error);
    struct dirent **entries;
    int count = scandir(path, &entries, is_description, alphasort);
    if (count < 0)
        return tw_fail(error, errno == ENOMEM ? TW_NO_MEMORY : TW_IO, "%s: cannot be read: %s",
                       path, strerror(errno));
    tw_status status = TW_OK;
    for (int i = 0; i < count; i++) {
        struct tw_text file = {0};
        tw_text_print(&file, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
                      entries[i]->d_name);
        if (status == TW_OK)
            status = file.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                 : take(context, file.data, error);
        tw_text_free(&file);
        free(entries[i]);
    }
    free(entries);
    if (count == 0)
        return tw_fail(error, TW_INVALID, "%s: has no descriptions (files that end in .json)",
                       path);
    return status;
}
