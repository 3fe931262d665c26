/* tune model show|import|forget: the models that a database holds. */
#include "tuner/commands/model_stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/upkeep.h"
#include "runtime/backend/devices.h"
#include "runtime/base/file.h"
#include "runtime/base/printable.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/exchange/known_kernels.h"
#include "tuner/exchange/sound_model.h"

tw_status model_stored_read(struct tw_model **model, struct tw_text *text, const char *path,
                            struct tw_error *error) {
    tw_status status = tw_file_read(text, path, error);
    if (status == TW_OK && (text->length == 0 || strlen(text->data) != text->length))
        status = tw_fail(error, TW_INVALID, "%s: is empty, or holds a zero byte", path);
    return status == TW_OK ? tw_model_read_nodes(model, text->data, path, error) : status;
}

/* ---- show ---- */

struct showing {
    const char *kernel; /* NULL: all */
    int count;
};

static bool print_model(void *context, const struct tw_db_model *stored) {
    struct showing *showing = context;
    struct tw_model *model;
    struct tw_error error;
    if (showing->kernel != NULL && strcmp(showing->kernel, stored->kernel) != 0)
        return true;
    showing->count++;
    if (tw_model_read(&model, stored->text, "it", &error) != TW_OK) {
        tw_printable_line(stdout, "%s on %s, %s: cannot be used: %s", stored->kernel,
                          stored->device, stored->cache_policy, error.message);
        return true;
    }
    tw_printable_line(stdout,
                      "%s on %s, %s: %d configurations, %d trees of %d nodes; uncertainty a factor "
                      "of %.2f",
                      model->kernel, model->device_name, model->cache, model->configuration_count,
                      model->tree_count, model->node_count, exp(model->uncertainty));
    tw_model_free(model);
    return true;
}

tw_status model_stored_show(const struct arguments *a, struct tw_error *error) {
    tw_db *db = NULL;
    struct showing showing = {.kernel = a->kernel};
    char *path = database_path(a, error);
    tw_status status = path == NULL ? error->status : database_open(path, TW_DB_READ, &db, error);
    if (status == TW_OK && tw_db_model_each(db, NULL, print_model, &showing) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status == TW_OK && showing.count == 0)
        tw_printable_line(stdout, "no model is stored%s%s in %s", a->kernel != NULL ? " of " : "",
                          a->kernel != NULL ? a->kernel : "", path);
    tw_db_close(db);
    free(path);
    return status;
}

/* ---- import ---- */

static tw_status import_one(tw_db *db, const char *path, const struct known_kernels *known,
                            const struct known_devices *devices, struct tw_error *error) {
    struct tw_text text = {0}, renewed = {0};
    struct tw_model *model = NULL;
    int current = 0;
    tw_status status = model_stored_read(&model, &text, path, error);
    if (status == TW_OK) {
        const struct known_device *device = known_devices_by_fingerprint(devices, model->device);
        const int64_t *slots = device != NULL && device->has_slots ? device->slots : NULL;
        status = sound_model(model, known, slots, &current, error);
        if (status == TW_OK && current == 0)
            status = tw_fail(error, TW_INVALID,
                             "fitted to other templates than today's; tune model fit makes one");
        if (status == TW_OK)
            status = sound_model_renew(model, text.data, known, slots, &renewed, error);
        if (status != TW_OK)
            tw_fail_within(error, status, "%s", path);
    }
    if (status == TW_OK) {
        const struct tw_db_model stored = {.kernel = model->kernel,
                                           .device = model->device,
                                           .cache_policy = model->cache,
                                           .text = renewed.length > 0 ? renewed.data : text.data};
        if (tw_db_model_put(db, &stored) != TW_DB_OK)
            status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    }
    tw_model_free(model);
    tw_text_free(&text);
    tw_text_free(&renewed);
    return command_names_file(status, error);
}

tw_status model_stored_import(const struct arguments *a, struct tw_error *error) {
    tw_db *db = NULL;
    if (a->files.count == 0)
        return tw_fail(error, TW_INVALID, "name the files to import");
    struct known_kernels known = {0};
    struct known_devices devices = {0};
    char *path = database_path(a, error);
    tw_status status = path == NULL
                           ? error->status
                           : known_kernels_open(&known, a->configs.words, a->configs.count, error);
    if (status == TW_OK)
        status = database_open(path, TW_DB_WRITE, &db, error);
    if (status == TW_OK)
        status = known_devices_read(&devices, db, error);
    bool begun = status == TW_OK && tw_db_begin(db) == TW_DB_OK;
    if (status == TW_OK && !begun)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    for (int i = 0; i < a->files.count && status == TW_OK; i++)
        status = import_one(db, a->files.words[i], &known, &devices, error);
    if (status == TW_OK && tw_db_commit(db) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status != TW_OK && begun)
        tw_db_rollback(db);
    if (status == TW_OK)
        printf("%s: %d %s stored\n", path, a->files.count,
               a->files.count == 1 ? "model" : "models");
    known_devices_free(&devices);
    known_kernels_close(&known);
    tw_db_close(db);
    free(path);
    return status;
}

/* ---- forget ---- */

/* Which models are to go; they are removed when all have been seen. */
struct forgetting {
    const struct arguments *arguments;
    char here[256]; /* the fingerprint of --device, where that is one of this machine; else "" */
    struct tw_db_model *all;
    int count;
    bool failed;
};

/* By its fingerprint, its name, or as this machine calls it. A model that cannot be read tells no
 * name: it goes by its fingerprint. */
static bool is_of_device(const struct forgetting *f, const struct tw_db_model *stored) {
    const char *device = f->arguments->device;
    struct tw_model *model;
    struct tw_error ignored;
    if (device == NULL || strcmp(stored->device, device) == 0 ||
        strcmp(stored->device, f->here) == 0)
        return true;
    if (tw_model_read(&model, stored->text, "it", &ignored) != TW_OK)
        return false;
    const bool is_named = strcmp(model->device_name, device) == 0;
    tw_model_free(model);
    return is_named;
}

static bool note(void *context, const struct tw_db_model *stored) {
    struct forgetting *f = context;
    const struct arguments *a = f->arguments;
    if ((a->cache_given && strcmp(stored->cache_policy, a->cache) != 0) || !is_of_device(f, stored))
        return true;
    struct tw_db_model *all = realloc(f->all, ((size_t)f->count + 1) * sizeof *all);
    if (all == NULL) {
        f->failed = true;
        return false;
    }
    f->all = all;
    all[f->count++] = (struct tw_db_model){.kernel = a->kernel,
                                           .device = strdup(stored->device),
                                           .cache_policy = strdup(stored->cache_policy)};
    f->failed = all[f->count - 1].device == NULL || all[f->count - 1].cache_policy == NULL;
    return !f->failed;
}

static enum tw_db_status remove_all(tw_db *db, const struct forgetting *f) {
    enum tw_db_status status = tw_db_begin(db);
    for (int i = 0; i < f->count && status == TW_DB_OK; i++)
        status = tw_db_model_remove(db, &f->all[i]);
    if (status == TW_DB_OK)
        status = tw_db_commit(db);
    if (status != TW_DB_OK)
        tw_db_rollback(db);
    return status;
}

tw_status model_stored_forget(const struct arguments *a, struct tw_error *error) {
    struct forgetting f = {.arguments = a};
    struct tw_device_info device;
    tw_db *db = NULL;
    if (a->kernel == NULL)
        return tw_fail(error, TW_INVALID, "of which kernel? as in tune model forget gemm");
    if (a->device != NULL && tw_device_pick(a->device, &device, NULL) == TW_OK)
        tw_device_fingerprint(&device, f.here);
    char *path = database_path(a, error);
    tw_status status = path == NULL ? error->status : database_open_existing(path, &db, error);
    if (status == TW_OK && tw_db_model_each(db, a->kernel, note, &f) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status == TW_OK && f.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK && f.count == 0)
        status = tw_fail(error, TW_NOT_FOUND,
                         "%s has no such model of %s; tune model show lists what there is", path,
                         a->kernel);
    if (status == TW_OK && remove_all(db, &f) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status == TW_OK)
        tw_printable_line(stdout, "%s: forgot %d %s of %s; trials and best rows stay", path,
                          f.count, f.count == 1 ? "model" : "models", a->kernel);
    for (int i = 0; i < f.count; i++) {
        free((char *)f.all[i].device);
        free((char *)f.all[i].cache_policy);
    }
    free(f.all);
    tw_db_close(db);
    free(path);
    return status;
}
