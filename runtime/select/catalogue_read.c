/* A database's rows and models, read into a catalogue. */
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/select/catalogue.h"
#include "runtime/select/catalogue_parts.h"
#include "runtime/select/models.h"

/* What rows refer to by id. */
struct device {
    int64_t id;
    const char *fingerprint, *name, *backend, *architecture;
    const int64_t *slots;
    int64_t units;
};

struct implementation {
    int64_t id;
    const char *name, *template_hash;
};

enum { WAITING = 8 };

struct reading {
    struct tw_catalogue *catalogue;
    const char *last_kernel, *last_cache, *last_attributes;
    size_t device_count, implementation_count;
    struct device *devices;
    struct implementation *implementations;
    /* Rows that were prepared, and those of them that were put; the others wait. */
    size_t prepared, put;
    struct tw_catalogue_row waiting[WAITING];
};

/* The same where a text is mostly the one before it, which *last is. */
static const char *share_next(struct tw_catalogue *c, const char **last, const char *text) {
    if (*last == NULL || strcmp(*last, text) != 0)
        *last = tw_catalogue_share_text(c, text);
    return *last;
}

/* Room for one more; doubles at every power of two. */
static void *grow(struct reading *r, void *array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0)
        return array;
    void *grown = realloc(array, (count > 0 ? 2 * count : 1) * size);
    if (grown == NULL)
        r->catalogue->no_memory = true;
    return grown != NULL ? grown : array;
}

/* What the tuner noted of the device's values, as {"MAX_SHARED": 232448, ...}; NULL unless all are
 * there. */
static const int64_t *read_slots(struct tw_catalogue *c, const char *properties) {
    int64_t values[TW_DEVICE_SLOTS];
    if (!tw_device_properties_read(properties, values, &c->no_memory))
        return NULL;
    int64_t *slots = tw_catalogue_allocate(c, sizeof values);
    return slots != NULL ? memcpy(slots, values, sizeof values) : NULL;
}

static bool add_device(void *context, const struct tw_db_device *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    r->devices = grow(r, r->devices, r->device_count, sizeof *r->devices);
    if (!c->no_memory)
        r->devices[r->device_count++] =
            (struct device){.id = stored->id,
                            .fingerprint = tw_catalogue_share_text(c, stored->fingerprint),
                            .name = tw_catalogue_share_text(c, stored->name),
                            .backend = tw_catalogue_share_text(c, stored->backend),
                            .architecture = tw_catalogue_share_text(c, stored->architecture),
                            .slots = read_slots(c, stored->properties),
                            .units = stored->compute_units};
    return !c->no_memory;
}

static bool add_implementation(void *context, const struct tw_db_implementation *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    r->implementations =
        grow(r, r->implementations, r->implementation_count, sizeof *r->implementations);
    if (!c->no_memory)
        r->implementations[r->implementation_count++] = (struct implementation){
            .id = stored->id,
            .name = tw_catalogue_share_text(c, stored->name),
            .template_hash = tw_catalogue_share_text(c, stored->template_hash)};
    return !c->no_memory;
}

static int by_id(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static const void *find_id(const void *array, size_t count, size_t size, int64_t id) {
    return count > 0 ? bsearch(&id, array, count, size, by_id) : NULL;
}

static void put_next(struct reading *r) {
    tw_catalogue_put(r->catalogue, &r->waiting[r->put++ % WAITING]);
}

static bool add_row(void *context, const struct tw_db_result *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    const struct device *device =
        find_id(r->devices, r->device_count, sizeof *device, stored->device);
    const struct implementation *implementation =
        find_id(r->implementations, r->implementation_count, sizeof *implementation,
                stored->implementation);
    /* What came after the devices and implementations were read is left to the next reading. */
    if (device == NULL || implementation == NULL)
        return true;
    if (r->prepared - r->put == WAITING)
        put_next(r);
    struct tw_catalogue_row *row = &r->waiting[r->prepared % WAITING];
    *row = (struct tw_catalogue_row){
        .kernel = share_next(c, &r->last_kernel, stored->kernel),
        .problem = tw_catalogue_copy_text(c, stored->problem_key),
        .device = device->fingerprint,
        .device_name = device->name,
        .backend = device->backend,
        .architecture = device->architecture,
        .cache = share_next(c, &r->last_cache, stored->cache_policy),
        .implementation = implementation->name,
        .template_hash = implementation->template_hash,
        .source = stored->source != NULL ? tw_catalogue_copy_once(c, stored->source) : "",
        .judge = stored->judge != NULL ? tw_catalogue_copy_once(c, stored->judge) : "",
        .configuration = tw_catalogue_copy_once(c, stored->configuration),
        .slots = device->slots,
        .units = device->units,
        .time_us = stored->time_us,
        .provisional = stored->provisional,
        .database = c->databases,
    };
    if (c->no_memory)
        return false;
    const char *semicolon = strchr(row->problem, ';');
    row->attributes = share_next(c, &r->last_attributes, semicolon != NULL ? semicolon : "");
    if (!c->no_memory && tw_catalogue_prepare(c, row))
        r->prepared++;
    return !c->no_memory;
}

static const struct device *device_of(const struct reading *r, const char *fingerprint) {
    for (size_t i = 0; i < r->device_count; i++)
        if (strcmp(r->devices[i].fingerprint, fingerprint) == 0)
            return &r->devices[i];
    return NULL;
}

static bool add_model(void *context, const struct tw_db_model *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    const struct device *device = device_of(r, stored->device);
    const struct tw_model_subject subject = {.kernel = tw_catalogue_share_text(c, stored->kernel),
                                             .device = tw_catalogue_share_text(c, stored->device),
                                             .cache =
                                                 tw_catalogue_share_text(c, stored->cache_policy),
                                             .slots = device != NULL ? device->slots : NULL};
    c->no_memory = c->no_memory || !tw_models_add(c->models, &subject, stored->text);
    return !c->no_memory;
}

tw_status tw_catalogue_add(struct tw_catalogue *c, tw_db *db, struct tw_error *error) {
    struct reading r = {.catalogue = c};
    enum tw_db_status status = tw_db_device_each(db, add_device, &r);
    if (status == TW_DB_OK)
        status = tw_db_implementation_each(db, NULL, add_implementation, &r);
    if (status == TW_DB_OK && r.device_count > 0 && r.implementation_count > 0) {
        qsort(r.devices, r.device_count, sizeof *r.devices, by_id);
        qsort(r.implementations, r.implementation_count, sizeof *r.implementations, by_id);
        if (!c->no_memory)
            status = tw_db_result_each(db, add_row, &r);
        while (r.put < r.prepared)
            put_next(&r);
    }
    if (status == TW_DB_OK && !c->no_memory)
        status = tw_db_model_each(db, NULL, add_model, &r);
    free(r.devices);
    free(r.implementations);
    if (status != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (c->no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for the database's rows");
    tw_kinds_sort(&c->kinds, c->rows);
    c->databases++;
    return TW_OK;
}
