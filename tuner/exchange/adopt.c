#include "tuner/exchange/adopt.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/identity.h"

/* What is to be written when reading is over. */
struct renamed {
    int64_t id;
    const char *kernel;
    char key[TW_PROBLEM_KEY_SIZE], text[TW_PROBLEM_KEY_SIZE];
};

struct identified {
    struct tw_db_best row; /* its ids */
    char cache_policy[16];
    const struct known_kernel *kernel;
    int implementation; /* index */
    char code[TW_HASH_SIZE], source[TW_HASH_SIZE], judge[TW_HASH_SIZE];
};

struct adoption {
    const struct known_kernel *kernel;
    struct tw_device_info *devices; /* of this machine */
    size_t device_count;
    size_t renamed_count, identified_count;
    struct renamed *renamed;
    struct identified *identified;
    struct tw_error *error;
    tw_status status;
};

/* Room for one more; doubles at every power of two. */
static void *grow(struct adoption *a, void *array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0)
        return array;
    void *grown = realloc(array, (count > 0 ? 2 * count : 1) * size);
    if (grown == NULL)
        a->status = tw_fail(a->error, TW_NO_MEMORY, "out of memory");
    return grown != NULL ? grown : array;
}

/* ---- Keys ---- */

/* A key that the description does not allow stays what it is. */
static bool rename_problem(void *context, const struct tw_db_problem *row) {
    struct adoption *a = context;
    struct tw_problem problem;
    if (tw_problem_read(&problem, a->kernel->description, row->key, NULL) != TW_OK)
        return true;
    a->renamed = grow(a, a->renamed, a->renamed_count, sizeof *a->renamed);
    if (a->status != TW_OK)
        return false;
    struct renamed *renamed = &a->renamed[a->renamed_count++];
    *renamed = (struct renamed){.id = row->id, .kernel = a->kernel->description->kernel};
    tw_problem_key(&problem, renamed->key);
    tw_problem_text(&problem, renamed->text);
    return true;
}

/* ---- Best rows ---- */

static bool find_slots(const struct adoption *a, const struct tw_db_device *device,
                       int64_t slots[TW_DEVICE_SLOTS], bool *no_memory) {
    for (size_t i = 0; i < a->device_count; i++) {
        char fingerprint[256];
        tw_device_fingerprint(&a->devices[i], fingerprint);
        if (strcmp(fingerprint, device->fingerprint) != 0)
            continue;
        tw_device_values(&a->devices[i], slots);
        return true;
    }
    return tw_device_properties_read(device->properties, slots, no_memory);
}

/* Works out what a row belongs to; not TW_OK when it is of other code or cannot be told. */
static tw_status identify(struct adoption *a, const struct tw_db_best_row *row,
                          struct identified *out) {
    const struct tw_description *d = a->kernel->description;
    const char *backend = row->device.backend, *code;
    struct tw_problem problem;
    struct tw_configuration configuration;
    int64_t slots[TW_DEVICE_SLOTS];
    out->implementation = tw_description_implementation(d, row->implementation_name);
    bool no_memory = false;
    if (out->implementation < 0 || !find_slots(a, &row->device, slots, &no_memory) ||
        strlen(row->best.cache_policy) >= sizeof out->cache_policy)
        return no_memory ? TW_NO_MEMORY : TW_NOT_FOUND;
    tw_status status = known_kernel_check(a->kernel, row, NULL);
    if (status == TW_OK)
        status = tw_problem_read(&problem, d, row->problem.key, NULL);
    if (status == TW_OK)
        status = tw_configuration_parse(&configuration, d, out->implementation,
                                        row->best.configuration, NULL);
    if (status == TW_OK)
        status = tw_today_code(a->kernel->today, out->implementation, backend, &code, NULL);
    if (status == TW_OK)
        status = tw_identity_source(&problem, &configuration, backend, slots, out->source, NULL);
    if (status == TW_OK)
        status = tw_identity_judge(&problem, backend, slots, out->judge, NULL);
    if (status != TW_OK)
        return status;
    out->kernel = a->kernel;
    out->row = (struct tw_db_best){.problem = row->best.problem,
                                   .device = row->best.device,
                                   .implementation = row->best.implementation};
    strcpy(out->code, code);
    strcpy(out->cache_policy, row->best.cache_policy);
    return TW_OK;
}

static bool identify_row(void *context, const struct tw_db_best_row *row) {
    struct adoption *a = context;
    struct identified identified;
    tw_status status = identify(a, row, &identified);
    if (status == TW_NO_MEMORY)
        a->status = tw_fail(a->error, status, "out of memory");
    if (status != TW_OK)
        return status != TW_NO_MEMORY;
    a->identified = grow(a, a->identified, a->identified_count, sizeof *a->identified);
    if (a->status == TW_OK)
        a->identified[a->identified_count++] = identified;
    return a->status == TW_OK;
}

/* ---- Writing ---- */

static enum tw_db_status write_identified(tw_db *db, struct identified *one) {
    const struct tw_description *d = one->kernel->description;
    const struct tw_db_implementation implementation = {
        .kernel = d->kernel,
        .name = d->implementations[one->implementation].name,
        .template_hash = one->code,
        .description = d->text};
    int64_t id = 0;
    enum tw_db_status status = tw_db_implementation_put(db, &implementation, &id);
    one->row.cache_policy = one->cache_policy;
    return status == TW_DB_OK ? tw_db_best_identify(db, &one->row, id, one->source, one->judge)
                              : status;
}

/* Rows first, whose ids of problems renaming may change. */
static enum tw_db_status write_all(tw_db *db, struct adoption *a) {
    enum tw_db_status status = TW_DB_OK;
    for (size_t i = 0; i < a->identified_count && status == TW_DB_OK; i++)
        status = write_identified(db, &a->identified[i]);
    for (size_t i = 0; i < a->renamed_count && status == TW_DB_OK; i++) {
        const struct renamed *renamed = &a->renamed[i];
        const struct tw_db_problem problem = {.id = renamed->id,
                                              .kernel = renamed->kernel,
                                              .key = renamed->key,
                                              .text = renamed->text};
        status = tw_db_problem_rename(db, &problem);
    }
    return status;
}

static enum tw_db_status read_all(tw_db *db, const struct known_kernels *known,
                                  struct adoption *a) {
    enum tw_db_status status = TW_DB_OK;
    for (int i = 0; i < known->count && status == TW_DB_OK && a->status == TW_OK; i++) {
        a->kernel = &known->kernels[i];
        const char *kernel = a->kernel->description->kernel;
        const struct tw_db_best_filter filter = {.kernel = kernel, .unidentified = true};
        status = tw_db_problem_each_old(db, kernel, rename_problem, a);
        if (status == TW_DB_OK && a->status == TW_OK)
            status = tw_db_best_each(db, &filter, identify_row, a);
    }
    return status;
}

tw_status adopt_database(tw_db *db, const struct known_kernels *known, struct tw_error *error) {
    struct adoption a = {.error = error};
    a.status = tw_devices_list(&a.devices, &a.device_count, NULL, error);
    if (a.status != TW_OK)
        return a.status;
    /* What is read and what is written must be of one moment. */
    enum tw_db_status status = tw_db_begin(db);
    if (status == TW_DB_OK)
        status = read_all(db, known, &a);
    if (status == TW_DB_OK && a.status == TW_OK)
        status = write_all(db, &a);
    if (status == TW_DB_OK && a.status == TW_OK)
        status = tw_db_commit(db);
    if (status != TW_DB_OK)
        a.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_rollback(db);
    free(a.devices);
    free(a.renamed);
    free(a.identified);
    return a.status;
}
