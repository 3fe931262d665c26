#include "runtime/backend/devices.h"

#include <errno.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/description.h"

#ifdef TW_WITH_CUDA
#include "runtime/backend/cuda/cuda.h"
#endif
#ifdef TW_WITH_OPENCL
#include "runtime/backend/opencl/opencl.h"
#endif

static const struct tw_backend *const backends[] = {
#ifdef TW_WITH_CUDA
    &tw_cuda_backend,
#endif
#ifdef TW_WITH_OPENCL
    &tw_opencl_backend,
#endif
    NULL,
};

const struct tw_backend *const *tw_backends(void) {
    return backends;
}

const struct tw_backend *tw_backend_find(const char *name) {
    for (int i = 0; backends[i] != NULL; i++)
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    return NULL;
}

/* CUDA comes first in `backends`, so a stable sort that moves CPUs last gives the promised order.
 */
static void cpus_last(struct tw_device_info *devices, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && devices[j - 1].is_cpu && !devices[j].is_cpu; j--) {
            struct tw_device_info swapped = devices[j];
            devices[j] = devices[j - 1];
            devices[j - 1] = swapped;
        }
}

tw_status tw_devices_list(struct tw_device_info **out, size_t *count, struct tw_text *absent,
                          struct tw_error *error) {
    *out = NULL;
    *count = 0;
    for (int b = 0; backends[b] != NULL; b++) {
        int found = 0;
        struct tw_error reason;
        tw_status status = backends[b]->count(&found, &reason);
        if (status != TW_OK && absent != NULL)
            tw_text_print(absent, "%s: %s\n", backends[b]->name, reason.message);
        for (int i = 0; status == TW_OK && i < found; i++) {
            struct tw_device_info *grown = realloc(*out, (*count + 1) * sizeof **out);
            if (grown == NULL)
                return tw_fail(error, TW_NO_MEMORY, "out of memory");
            *out = grown;
            status = backends[b]->describe(i, &grown[*count], &reason);
            if (status == TW_OK)
                ++*count;
            else if (absent != NULL)
                tw_text_print(absent, "%s:%d: %s\n", backends[b]->name, i, reason.message);
        }
    }
    cpus_last(*out, *count);
    return TW_OK;
}

static tw_status no_device(const char *id, const struct tw_device_info *devices, size_t count,
                           const struct tw_text *absent, struct tw_error *error) {
    struct tw_text known = {0};
    for (size_t i = 0; i < count; i++)
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", devices[i].id);
    /* All reasons on one line: which backend was meant, or is the easiest to get, only the user
     * knows. */
    struct tw_text reasons = {0};
    for (const char *line = tw_text_or(absent, ""); *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        tw_text_print(&reasons, "%s%.*s", line != absent->data ? "; " : "", length, line);
        line += length + (line[length] == '\n');
    }
    const char *reason = tw_text_or(&reasons, "");
    tw_status status =
        id == NULL
            ? tw_fail(error, TW_UNAVAILABLE, "there is no device to use; %s",
                      reason[0] != '\0' ? reason : "no backend was compiled in")
            : tw_fail(error, TW_NOT_FOUND, "there is no device \"%.60s\"; there are: %s%s%s%s", id,
                      tw_text_or(&known, "none"), reason[0] != '\0' ? " (" : "", reason,
                      reason[0] != '\0' ? ")" : "");
    tw_text_free(&known);
    tw_text_free(&reasons);
    return status;
}

tw_status tw_device_pick(const char *id, struct tw_device_info *info, struct tw_error *error) {
    struct tw_device_info *devices;
    size_t count;
    struct tw_text absent = {0};
    tw_status status = tw_devices_list(&devices, &count, &absent, error);
    if (status == TW_OK) {
        size_t i = 0;
        while (i < count && id != NULL && strcmp(devices[i].id, id) != 0 &&
               strcmp(devices[i].backend, id) != 0)
            i++;
        if (i < count)
            *info = devices[i];
        else
            status = no_device(id, devices, count, &absent, error);
    }
    free(devices);
    tw_text_free(&absent);
    return status;
}

void tw_device_values(const struct tw_device_info *info, int64_t *values) {
    values[TW_SLOT_MAX_SHARED] = info->max_shared;
    values[TW_SLOT_MAX_THREADS] = info->max_threads;
    values[TW_SLOT_WARP] = info->warp;
    values[TW_SLOT_SM_COUNT] = info->compute_units;
    values[TW_SLOT_L2_BYTES] = info->cache_bytes;
    values[TW_SLOT_ARCH] = info->arch;
    values[TW_SLOT_IS_CPU] = info->is_cpu;
}

static const char *const value_names[] = {
#define TW_DEVICE_VALUE_NAME(name) [TW_SLOT_##name] = #name,
    TW_DEVICE_NAMES(TW_DEVICE_VALUE_NAME)
#undef TW_DEVICE_VALUE_NAME
};

void tw_device_properties(const struct tw_device_info *info, struct tw_text *json) {
    int64_t values[TW_DEVICE_SLOTS];
    tw_device_values(info, values);
    for (int i = 0; i < TW_DEVICE_SLOTS; i++)
        tw_text_print(json, "%s\"%s\":%" PRId64, i == 0 ? "{" : ",", value_names[i], values[i]);
    if (info->clock_khz > 0)
        tw_text_print(json, ",\"CLOCK_KHZ\":%" PRId64, info->clock_khz);
    if (info->bandwidth > 0)
        tw_text_print(json, ",\"BANDWIDTH\":%" PRId64, info->bandwidth);
    tw_text_print(json, "}");
}

void tw_device_speeds_read(const char *text, struct tw_device_info *info) {
    cJSON *json = text != NULL ? cJSON_Parse(text) : NULL;
    const cJSON *clock = cJSON_GetObjectItemCaseSensitive(json, "CLOCK_KHZ");
    const cJSON *bandwidth = cJSON_GetObjectItemCaseSensitive(json, "BANDWIDTH");
    info->clock_khz = info->bandwidth = 0;
    if (cJSON_IsNumber(clock) && clock->valuedouble > 0 && clock->valuedouble < 9e15)
        info->clock_khz = (int64_t)clock->valuedouble;
    if (cJSON_IsNumber(bandwidth) && bandwidth->valuedouble > 0 && bandwidth->valuedouble < 9e15)
        info->bandwidth = (int64_t)bandwidth->valuedouble;
    cJSON_Delete(json);
}

bool tw_device_properties_read(const char *text, int64_t *values, bool *no_memory) {
    errno = 0;
    cJSON *json = text != NULL ? cJSON_Parse(text) : NULL;
    if (text != NULL && json == NULL && errno == ENOMEM)
        *no_memory = true;
    bool all = json != NULL;
    for (int i = 0; i < TW_DEVICE_SLOTS && all; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, value_names[i]);
        all = cJSON_IsNumber(value) && fabs(value->valuedouble) < 9e15;
        values[i] = all ? (int64_t)value->valuedouble : 0;
    }
    cJSON_Delete(json);
    return all;
}

void tw_device_fingerprint(const struct tw_device_info *info, char out[256]) {
    /* Not the driver's version: a result outlives an update, and the run remembers what it had. Not
     * a CPU's memory either, which says nothing of its speed and varies with what else runs. */
    int length = snprintf(out, 256, "%s|%s|%lld units", info->backend, info->name,
                          (long long)info->compute_units);
    if (!info->is_cpu)
        snprintf(out + length, 256 - (size_t)length, "|%s|%lld GiB",
                 info->arch > 0 ? info->architecture : "",
                 (long long)((info->memory_bytes + (1 << 29)) >> 30));
}
