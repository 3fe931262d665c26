#include "tuner/exchange/known_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/description/builtin.h"

enum { MOST_KERNELS = 256 };

/* Takes over the description, also when it fails. */
static tw_status add_kernel(struct known_kernels *known, struct tw_description *description,
                            struct tw_error *error) {
    struct known_kernel *kernel = &known->kernels[known->count++];
    kernel->description = description;
    kernel->today = tw_today_create(description);
    return kernel->today != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static tw_status add_file(struct known_kernels *known, const char *file, struct tw_error *error) {
    struct tw_description *description;
    tw_status status = tw_description_load(&description, file, error);
    if (status != TW_OK)
        return status;
    const struct known_kernel *same = known_kernels_find(known, description->kernel);
    if (same != NULL)
        status = tw_fail(error, TW_INVALID, "%s describes the kernel %s, and so does %s", file,
                         description->kernel, same->description->origin);
    if (status == TW_OK)
        return add_kernel(known, description, error);
    tw_description_free(description);
    return status;
}

tw_status known_kernels_open(struct known_kernels *known, const char *const *files, int file_count,
                             struct tw_error *error) {
    const char *names[MOST_KERNELS];
    size_t count = tw_builtin_kernels(names, MOST_KERNELS);
    *known = (struct known_kernels){.kernels =
                                        calloc(count + (size_t)file_count, sizeof *known->kernels)};
    if (known->kernels == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; i < file_count && status == TW_OK; i++)
        status = add_file(known, files[i], error);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        if (known_kernels_find(known, names[i]) != NULL)
            continue;
        struct tw_description *description;
        status = tw_description_builtin(&description, names[i], error);
        if (status == TW_OK)
            status = add_kernel(known, description, error);
    }
    return status;
}

void known_kernels_close(struct known_kernels *known) {
    for (int i = 0; i < known->count; i++) {
        tw_description_free(known->kernels[i].description);
        tw_today_free(known->kernels[i].today);
    }
    free(known->kernels);
    *known = (struct known_kernels){0};
}

const struct known_kernel *known_kernels_find(const struct known_kernels *known,
                                              const char *kernel) {
    for (int i = 0; i < known->count; i++)
        if (strcmp(known->kernels[i].description->kernel, kernel) == 0)
            return &known->kernels[i];
    return NULL;
}

static tw_status check(const struct known_kernel *kernel, const char *key,
                       const struct tw_stored *stored, bool judged, struct tw_error *error) {
    struct tw_problem problem;
    tw_status status = tw_problem_read(&problem, kernel->description, key, error);
    if (status != TW_OK)
        return status;
    return judged ? tw_today_check(kernel->today, &problem, stored, error)
                  : tw_today_check_code(kernel->today, &problem, stored, error);
}

tw_status known_kernel_check_stored(const struct known_kernel *kernel, const char *key,
                                    const struct tw_stored *stored, struct tw_error *error) {
    return check(kernel, key, stored, true, error);
}

tw_status known_kernel_check(const struct known_kernel *kernel, const struct tw_db_best_row *row,
                             struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    bool no_memory = false;
    bool known = tw_device_properties_read(row->device.properties, slots, &no_memory);
    if (no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const struct tw_stored stored = {.backend = row->device.backend,
                                     .device = known ? slots : NULL,
                                     .implementation = row->implementation_name,
                                     .template_hash = row->template_hash,
                                     .source = row->best.source,
                                     .judge = row->best.judge,
                                     .configuration = row->best.configuration};
    return known_kernel_check_stored(kernel, row->problem.key, &stored, error);
}

tw_status known_kernel_check_trial(const struct known_kernel *kernel,
                                   const struct known_devices *devices,
                                   const struct tw_db_trial_row *row) {
    const struct known_device *device = known_devices_find(devices, row->trial.device);
    bool judged = row->trial.status == TW_DB_TRIAL_OK || row->trial.status == TW_DB_TRIAL_WRONG;
    if (device == NULL)
        return TW_NOT_FOUND;
    const struct tw_stored stored = {.backend = device->backend,
                                     .device = device->has_slots ? device->slots : NULL,
                                     .implementation = row->implementation_name,
                                     .template_hash = row->template_hash,
                                     .source = row->trial.source,
                                     .judge = row->trial.judge,
                                     .configuration = row->trial.configuration};
    return check(kernel, row->problem_key, &stored, judged, NULL);
}

/* ---- Devices ---- */

static bool add_device(void *context, const struct tw_db_device *row) {
    struct known_devices *devices = context;
    struct known_device *all =
        realloc(devices->devices, (size_t)(devices->count + 1) * sizeof *all);
    if (all == NULL) {
        devices->failed = true;
        return false;
    }
    devices->devices = all;
    struct known_device *device = &all[devices->count++];
    *device = (struct known_device){.id = row->id};
    snprintf(device->fingerprint, sizeof device->fingerprint, "%s", row->fingerprint);
    snprintf(device->backend, sizeof device->backend, "%s", row->backend);
    device->has_slots = tw_device_properties_read(row->properties, device->slots, &devices->failed);
    return !devices->failed;
}

tw_status known_devices_read(struct known_devices *devices, tw_db *db, struct tw_error *error) {
    *devices = (struct known_devices){0};
    enum tw_db_status status = tw_db_device_each(db, add_device, devices);
    if (devices->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status == TW_DB_OK ? TW_OK : tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
}

const struct known_device *known_devices_find(const struct known_devices *devices, int64_t id) {
    for (int i = 0; i < devices->count; i++)
        if (devices->devices[i].id == id)
            return &devices->devices[i];
    return NULL;
}

const struct known_device *known_devices_by_fingerprint(const struct known_devices *devices,
                                                        const char *fingerprint) {
    for (int i = 0; i < devices->count; i++)
        if (strcmp(devices->devices[i].fingerprint, fingerprint) == 0)
            return &devices->devices[i];
    return NULL;
}

void known_devices_free(struct known_devices *devices) {
    free(devices->devices);
    *devices = (struct known_devices){0};
}
