#include "runtime/select/models.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct tw_catalogue_model of;
    char *text;            /* NULL once it was read, or could not be */
    struct tw_error error; /* why not; TW_OK */
};

struct tw_models {
    pthread_mutex_t lock; /* of what entries hold beside their subjects */
    size_t count;
    struct entry *entries;
};

struct tw_models *tw_models_create(void) {
    struct tw_models *models = calloc(1, sizeof *models);
    if (models != NULL)
        pthread_mutex_init(&models->lock, NULL);
    return models;
}

static void free_read(struct tw_catalogue_model *of) {
    tw_model_free(of->model);
    free(of->rows);
    free(of->hashes);
}

static void free_entry(struct entry *entry) {
    free_read(&entry->of);
    free(entry->text);
}

void tw_models_free(struct tw_models *models) {
    if (models == NULL)
        return;
    for (size_t i = 0; i < models->count; i++)
        free_entry(&models->entries[i]);
    free(models->entries);
    pthread_mutex_destroy(&models->lock);
    free(models);
}

static bool same_subject(const struct tw_model_subject *a, const struct tw_model_subject *b) {
    return a->kernel == b->kernel && a->device == b->device && a->cache == b->cache;
}

bool tw_models_add(struct tw_models *models, const struct tw_model_subject *subject,
                   const char *text) {
    struct entry added = {.of.subject = *subject, .text = strdup(text)};
    if (added.text == NULL)
        return false;
    for (size_t i = 0; i < models->count; i++) {
        if (same_subject(&models->entries[i].of.subject, subject)) {
            free_entry(&models->entries[i]);
            models->entries[i] = added;
            return true;
        }
    }
    struct entry *entries = realloc(models->entries, (models->count + 1) * sizeof *entries);
    if (entries == NULL) {
        free_entry(&added);
        return false;
    }
    models->entries = entries;
    entries[models->count++] = added;
    return true;
}

/* What a database does not know of the device, the model tells. */
static tw_status make_rows(struct tw_catalogue_model *out, struct tw_error *error) {
    const struct tw_model *m = out->model;
    out->rows = calloc((size_t)m->configuration_count + 1, sizeof *out->rows);
    out->hashes = calloc((size_t)m->configuration_count + 1, sizeof *out->hashes);
    if (out->rows == NULL || out->hashes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a model");
    for (int i = 0; i < m->configuration_count; i++) {
        const struct tw_model_configuration *known = &m->configurations[i];
        out->rows[out->count++] = (struct tw_catalogue_row){.kernel = out->subject.kernel,
                                                            .problem = known->problem,
                                                            .attributes = "",
                                                            .device = out->subject.device,
                                                            .device_name = m->device_name,
                                                            .backend = m->backend,
                                                            .architecture = m->architecture,
                                                            .cache = out->subject.cache,
                                                            .implementation = known->implementation,
                                                            .template_hash = known->template_hash,
                                                            .source = known->source,
                                                            .judge = known->judge,
                                                            .configuration = known->configuration,
                                                            .slots = out->subject.slots,
                                                            .units = m->units,
                                                            .time_us = known->time_us};
    }
    return TW_OK;
}

static tw_status check_subject(const struct tw_catalogue_model *of, struct tw_error *error) {
    const struct tw_model *m = of->model;
    if (strcmp(m->kernel, of->subject.kernel) == 0 && strcmp(m->device, of->subject.device) == 0 &&
        strcmp(m->cache, of->subject.cache) == 0)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "it is stored as one about something else");
}

static tw_status read_entry(struct entry *entry, struct tw_error *error) {
    struct tw_catalogue_model *of = &entry->of;
    tw_status status = tw_model_read(&of->model, entry->text, "its text", error);
    if (status == TW_OK)
        status = check_subject(of, error);
    if (status == TW_OK)
        status = make_rows(of, error);
    if (status != TW_OK) {
        free_read(of);
        of->model = NULL;
        of->rows = NULL;
        of->hashes = NULL;
        of->count = 0;
    }
    if (status == TW_OK || status == TW_NO_MEMORY)
        return status;
    return tw_fail_within(error, status, "the model of %s on %s, %s", of->subject.kernel,
                          of->subject.device, of->subject.cache);
}

size_t tw_models_count(const struct tw_models *models) {
    return models->count;
}

const struct tw_model_subject *tw_models_subject(const struct tw_models *models, size_t index) {
    return &models->entries[index].of.subject;
}

tw_status tw_models_get(struct tw_models *models, size_t index,
                        const struct tw_catalogue_model **out, struct tw_error *error) {
    struct entry *entry = &models->entries[index];
    tw_status status = TW_OK;
    *out = NULL;
    pthread_mutex_lock(&models->lock);
    if (entry->text != NULL)
        status = read_entry(entry, &entry->error);
    if (status != TW_NO_MEMORY) {
        free(entry->text);
        entry->text = NULL;
    }
    if (entry->of.model != NULL)
        *out = &entry->of;
    else
        status = tw_fail(error, entry->error.status, "%s", entry->error.message);
    pthread_mutex_unlock(&models->lock);
    return status;
}
