#include "runtime/library/descriptions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/folder.h"
#include "runtime/description/outline.h"
#include "runtime/library/paths.h"

struct known {
    struct known *next;
    struct tw_description *description;
    struct tw_today *today; /* NULL: its templates are files, which may change at any time */
    char *file;             /* NULL: built in */
};

struct tw_descriptions {
    pthread_mutex_t lock;
    struct known *first;
};

static void free_known(struct known *known) {
    tw_today_free(known->today);
    tw_description_free(known->description);
    free(known->file);
    free(known);
}

static tw_status add(struct tw_descriptions *descriptions, struct tw_description *description,
                     const char *file, struct tw_error *error) {
    struct known *known = calloc(1, sizeof *known);
    if (known == NULL) {
        tw_description_free(description);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    known->description = description;
    if (file != NULL)
        known->file = strdup(file);
    else
        known->today = tw_today_create(description);
    if (known->today == NULL && known->file == NULL) {
        free_known(known);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    known->next = descriptions->first;
    descriptions->first = known;
    return TW_OK;
}

static const struct known *find(const struct tw_descriptions *descriptions, const char *name) {
    const struct known *known = descriptions->first;
    while (known != NULL && strcmp(known->description->kernel, name) != 0)
        known = known->next;
    return known;
}

static tw_status read_file(struct tw_descriptions *descriptions, const char *file,
                           struct tw_error *error) {
    struct tw_description *description;
    tw_status status = tw_description_load(&description, file, error);
    if (status != TW_OK)
        return status;
    const struct known *same = find(descriptions, description->kernel);
    if (same != NULL) {
        status = tw_fail(error, TW_INVALID, "%s and %s both describe the kernel %s", same->file,
                         file, description->kernel);
        tw_description_free(description);
        return status;
    }
    return add(descriptions, description, file, error);
}

/* Templates are read when a plan needs them, and `tune` reads the description again. */
static tw_status add_file(void *context, const char *file, struct tw_error *error) {
    struct tw_descriptions *descriptions = context;
    struct tw_text path = {0};
    tw_path_absolute(&path, file);
    tw_status status = path.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                   : read_file(descriptions, path.data, error);
    tw_text_free(&path);
    return status;
}

tw_status tw_descriptions_create(struct tw_descriptions **out, const char *const *files,
                                 struct tw_error *error) {
    *out = NULL;
    struct tw_descriptions *descriptions = calloc(1, sizeof *descriptions);
    if (descriptions == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pthread_mutex_init(&descriptions->lock, NULL);
    tw_status status = TW_OK;
    for (; files != NULL && *files != NULL && status == TW_OK; files++)
        status = tw_folder_each(*files, add_file, descriptions, error);
    if (status != TW_OK) {
        tw_descriptions_free(descriptions);
        return status;
    }
    *out = descriptions;
    return TW_OK;
}

void tw_descriptions_free(struct tw_descriptions *descriptions) {
    if (descriptions == NULL)
        return;
    while (descriptions->first != NULL) {
        struct known *next = descriptions->first->next;
        free_known(descriptions->first);
        descriptions->first = next;
    }
    pthread_mutex_destroy(&descriptions->lock);
    free(descriptions);
}

tw_status tw_descriptions_find(struct tw_descriptions *descriptions, const char *name,
                               const struct tw_description **out, const char **file,
                               struct tw_error *error) {
    *out = NULL;
    pthread_mutex_lock(&descriptions->lock);
    tw_status status = TW_OK;
    const struct known *known = find(descriptions, name);
    if (known == NULL) {
        struct tw_description *description;
        status = tw_description_outline(&description, name, error);
        if (status == TW_OK)
            status = add(descriptions, description, NULL, error);
        known = descriptions->first;
    }
    if (status == TW_OK) {
        *out = known->description;
        *file = known->file;
    }
    pthread_mutex_unlock(&descriptions->lock);
    return status;
}

struct tw_today *tw_descriptions_today(struct tw_descriptions *descriptions,
                                       const struct tw_description *description) {
    pthread_mutex_lock(&descriptions->lock);
    const struct known *known = find(descriptions, description->kernel);
    pthread_mutex_unlock(&descriptions->lock);
    return known->today;
}
