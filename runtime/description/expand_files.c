/* The files that a description names: beside it, or built in. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/description/builtin.h"
#include "runtime/description/expand_parts.h"

#define BUILTIN_FOLDER "configs/"

/* The path beside the description; "" when descriptions without a folder have no such thing. */
static void beside(const struct tw_expansion *e, const char *name, char *path, size_t size) {
    path[0] = '\0';
    if (e->directory != NULL || name[0] == '/')
        snprintf(path, size, "%s%s%s", name[0] == '/' ? "" : e->directory,
                 name[0] == '/' ? "" : "/", name);
}

static tw_status read_text(const struct tw_expansion *e, const char *name, char *path, size_t size,
                           struct tw_text *text, struct tw_error *error) {
    beside(e, name, path, size);
    if (path[0] != '\0' && access(path, F_OK) == 0)
        return tw_file_read(text, path, error);
    snprintf(path, size, BUILTIN_FOLDER "%s", name);
    const char *builtin = tw_builtin_file(path);
    if (builtin == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "the file %s is neither beside the description nor built in", name);
    tw_text_add(text, builtin, strlen(builtin));
    return text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

static const struct tw_expanded_file *find(const struct tw_expansion *e, const char *name) {
    for (int i = 0; i < e->file_count; i++)
        if (strcmp(e->files[i].name, name) == 0)
            return &e->files[i];
    return NULL;
}

static const struct tw_expanded_file *read_file(struct tw_expansion *e, const struct tw_json *where,
                                                const char *name) {
    struct tw_expanded_file file = {0};
    struct tw_text text = {0};
    struct tw_error error;
    char path[4096 + 256];
    if (e->file_count == TW_MAX_FILES) {
        tw_json_fail(where, "more than %d files", TW_MAX_FILES);
        return NULL;
    }
    tw_status status = read_text(e, name, path, sizeof path, &text, &error);
    if (status != TW_OK) {
        if (status == TW_NO_MEMORY)
            tw_json_no_memory(where);
        else
            tw_json_fail(where, "%s", error.message);
    } else {
        file.name = strdup(name);
        file.path = strdup(path);
        if (file.name == NULL || file.path == NULL)
            tw_json_no_memory(where);
        else if (tw_json_parse(&file.json, text.data != NULL ? text.data : "", path,
                               where->context->error) != TW_OK)
            where->context->status = where->context->error->status;
    }
    tw_text_free(&text);
    if (file.json == NULL) {
        free(file.name);
        free(file.path);
        return NULL;
    }
    e->files[e->file_count] = file;
    return &e->files[e->file_count++];
}

struct tw_json tw_expand_file(struct tw_expansion *e, const struct tw_json *where,
                              const char *name) {
    struct tw_json root = {.context = where->context, .origin = where->origin};
    const struct tw_expanded_file *file = NULL;
    if (where->context->status == TW_OK)
        file = find(e, name);
    if (where->context->status == TW_OK && file == NULL)
        file = read_file(e, where, name);
    if (file != NULL) {
        root.item = file->json;
        root.origin = file->path;
    }
    return root;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of the built-in files those that are in the pattern's folder itself. */
static int builtin_names(const char *pattern, char **names, int room) {
    size_t folder = strlen(pattern) - strlen("*.json");
    int count = 0;
    for (const struct tw_builtin *file = tw_builtin_files; file->path != NULL; file++) {
        const char *name = file->path + strlen(BUILTIN_FOLDER);
        if (strncmp(file->path, BUILTIN_FOLDER, strlen(BUILTIN_FOLDER)) != 0 ||
            strncmp(name, pattern, folder) != 0 || strchr(name + folder, '/') != NULL)
            continue;
        if (count < room)
            names[count] = strdup(name);
        count++;
    }
    return count;
}

int tw_expand_folder(struct tw_expansion *e, const struct tw_json *where, const char *pattern,
                     char **names, int room) {
    char path[4096 + 256];
    glob_t found = {0};
    beside(e, pattern, path, sizeof path);
    int count = 0;
    int globbed = path[0] != '\0' ? glob(path, 0, NULL, &found) : GLOB_NOMATCH;
    if (globbed == GLOB_NOSPACE) {
        tw_json_no_memory(where);
    } else if (globbed == 0) {
        /* Without the folder, as the description would write them. */
        size_t prefix = strlen(path) - strlen(pattern);
        for (; count < (int)found.gl_pathc; count++)
            if (count < room)
                names[count] = strdup(found.gl_pathv[count] + prefix);
    } else {
        count = builtin_names(pattern, names, room);
    }
    globfree(&found);
    if (count == 0)
        tw_json_fail(where, "there are no such files beside the description nor built in");
    if (count > room)
        tw_json_fail(where, "more than %d files", room);
    count = count < room ? count : room;
    for (int i = 0; i < count; i++)
        if (names[i] == NULL)
            tw_json_no_memory(where);
    if (where->context->status == TW_OK)
        qsort(names, (size_t)count, sizeof *names, compare_names);
    return count;
}
