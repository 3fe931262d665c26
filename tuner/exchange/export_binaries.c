#include "tuner/exchange/export_binaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/merge.h"
#include "runtime/backend/devices.h"
#include "runtime/library/database_binaries.h"
#include "runtime/variant/compile.h"
#include "tuner/exchange/allowed.h"
#include "tuner/exchange/well_formed.h"

struct shipping {
    tw_db *to;
    const struct known_kernels *known;
    struct shipment *shipment;
    char last_unknown[1024]; /* kernel; names are at most 1000 bytes (plain.h) */
    struct tw_device_info *devices;
    size_t device_count;
    struct tw_error *error;
    tw_status status;
};

static const struct tw_device_info *find_device(const struct shipping *shipping,
                                                const char *fingerprint) {
    for (size_t i = 0; i < shipping->device_count; i++) {
        char own[256];
        tw_device_fingerprint(&shipping->devices[i], own);
        if (strcmp(own, fingerprint) == 0)
            return &shipping->devices[i];
    }
    return NULL;
}

static tw_status store(struct shipping *shipping, const struct tw_device_info *device,
                       const char *label, const char *key, const struct tw_binary *binary) {
    char hash[TW_HASH_SIZE];
    tw_database_binaries_hash(binary->bytes, binary->size, hash);
    const struct tw_db_binary row = {.key = key,
                                     .backend = device->backend,
                                     .architecture = device->architecture,
                                     .label = label,
                                     .hash = hash,
                                     .has_resources = binary->has_resources,
                                     .registers = binary->registers,
                                     .spill_bytes = binary->spill_bytes,
                                     .bytes = binary->bytes,
                                     .size = binary->size};
    if (tw_db_binary_put(shipping->to, &row) != TW_DB_OK)
        return tw_fail(shipping->error, TW_DATABASE, "%s", tw_db_message(shipping->to));
    shipping->shipment->binaries++;
    return TW_OK;
}

static tw_status ship_launch(struct shipping *shipping, const struct tw_device_info *device,
                             const struct tw_executable *executable, int launch,
                             const char *label) {
    const struct tw_backend *backend = tw_backend_find(device->backend);
    struct tw_text source = {0};
    struct tw_binary binary = {0};
    char hash[TW_HASH_SIZE], key[TW_HASH_SIZE];
    tw_status status =
        tw_executable_source(executable, launch, backend->name, &source, hash, shipping->error);
    if (status == TW_OK) {
        struct tw_expected expected;
        const struct tw_compile_request request =
            tw_executable_request(executable, launch, source.data, &expected);
        status = tw_launch_compile(backend, device, &request, &binary, shipping->error);
    }
    if (status == TW_OK) {
        tw_database_binaries_key(device, hash, executable->launches[launch].function, key);
        status = store(shipping, device, label, key, &binary);
    }
    tw_binary_free(&binary);
    tw_text_free(&source);
    return status;
}

static tw_status ship_row(struct shipping *shipping, const struct tw_db_best_row *row,
                          const struct tw_device_info *device,
                          const struct tw_description *description, const char *label) {
    struct tw_problem problem;
    struct tw_configuration configuration;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_status status = allowed_problem(description, &row->problem, &problem, shipping->error);
    if (status == TW_OK)
        status = allowed_configuration(&problem, row->implementation_name, row->best.configuration,
                                       &configuration, shipping->error);
    tw_device_values(device, slots);
    if (status == TW_OK)
        status = tw_problem_bind(&problem, slots, NULL, values, shipping->error);
    if (status == TW_OK)
        status = tw_configuration_bind(description, &configuration, values, shipping->error);
    if (status != TW_OK)
        return status;
    struct tw_executable *executable;
    status = tw_executable_create(&executable, &problem, &configuration, values, device,
                                  shipping->error);
    for (int i = 0; status == TW_OK && i < executable->launch_count; i++)
        status = ship_launch(shipping, device, executable, i, label);
    tw_executable_free(executable);
    return status;
}

/* Rows come grouped by kernel. */
static void note_unknown(struct shipping *shipping, const char *kernel) {
    struct shipment *shipment = shipping->shipment;
    bool again = shipment->unknown > 0 && strcmp(shipping->last_unknown, kernel) == 0;
    shipment->unknown++;
    if (again)
        return;
    snprintf(shipping->last_unknown, sizeof shipping->last_unknown, "%s", kernel);
    tw_text_print(&shipment->unknown_kernels, "%s%s",
                  shipment->unknown_kernels.length > 0 ? ", " : "", kernel);
}

static bool take(void *context, const struct tw_db_best_row *row) {
    struct shipping *shipping = context;
    struct shipment *shipment = shipping->shipment;
    struct tw_db_merged merged = {0};
    char name[ROW_NAME_SIZE];
    row_name(row, name);
    shipping->status = well_formed_row(row, shipping->error);
    if (shipping->status == TW_OK && tw_db_best_merge(shipping->to, row, NULL, &merged) != TW_DB_OK)
        shipping->status = tw_fail(shipping->error, TW_DATABASE, "%s", tw_db_message(shipping->to));
    if (shipping->status != TW_OK)
        return false;
    shipment->rows++;
    const struct known_kernel *kernel = known_kernels_find(shipping->known, row->problem.kernel);
    const struct tw_device_info *device = find_device(shipping, row->device.fingerprint);
    tw_status current = kernel != NULL ? known_kernel_check(kernel, row, shipping->error) : TW_OK;
    if (kernel == NULL)
        note_unknown(shipping, row->problem.kernel);
    else if (current == TW_NO_MEMORY)
        shipping->status = current;
    else if (current != TW_OK)
        shipment->stale++;
    else if (device == NULL)
        shipment->absent++;
    else
        shipping->status = ship_row(shipping, row, device, kernel->description, name);
    if (shipping->status != TW_OK)
        tw_fail_within(shipping->error, shipping->status, "%s", name);
    return shipping->status == TW_OK;
}

tw_status export_with_binaries(tw_db *to, tw_db *from, const char *kernel,
                               const struct known_kernels *known, struct shipment *shipment,
                               struct tw_error *error) {
    struct shipping shipping = {.to = to, .known = known, .shipment = shipment, .error = error};
    const struct tw_db_best_filter filter = {.kernel = kernel};
    *shipment = (struct shipment){0};
    shipping.status = tw_devices_list(&shipping.devices, &shipping.device_count, NULL, error);
    if (shipping.status == TW_OK && tw_db_begin(to) != TW_DB_OK)
        shipping.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(to));
    if (shipping.status == TW_OK && tw_db_best_each(from, &filter, take, &shipping) != TW_DB_OK)
        shipping.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(from));
    if (shipping.status == TW_OK && tw_db_commit(to) != TW_DB_OK)
        shipping.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(to));
    if (shipping.status != TW_OK)
        tw_db_rollback(to);
    free(shipping.devices);
    return shipping.status;
}
