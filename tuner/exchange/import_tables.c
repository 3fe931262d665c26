#include "tuner/exchange/import_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/exchange/well_formed.h"

void import_where(const char *file, const char *list, int place, const cJSON *row, const char *key,
                  char where[IMPORT_WHERE_SIZE]) {
    char origin[160], kernel[56] = "", problem[160] = "";
    const cJSON *kernel_name = cJSON_GetObjectItemCaseSensitive(row, "kernel");
    const cJSON *problem_key = cJSON_GetObjectItemCaseSensitive(row, key);
    if (cJSON_IsString(kernel_name))
        tw_printable_copy(kernel_name->valuestring, kernel, sizeof kernel);
    if (cJSON_IsString(problem_key))
        tw_printable_copy(problem_key->valuestring, problem, sizeof problem);
    snprintf(where, IMPORT_WHERE_SIZE, "%s: %s[%d]%s%s%s%s",
             tw_printable_copy(file, origin, sizeof origin), list, place,
             kernel[0] != '\0' ? ", " : "", kernel, problem[0] != '\0' ? " " : "", problem);
}

static int by_fingerprint(const void *a, const void *b) {
    return strcmp(((const struct imported_device *)a)->row.fingerprint,
                  ((const struct imported_device *)b)->row.fingerprint);
}

static int by_key(const void *a, const void *b) {
    const struct tw_db_problem *one = &((const struct imported_problem *)a)->row;
    const struct tw_db_problem *other = &((const struct imported_problem *)b)->row;
    int order = strcmp(one->kernel, other->kernel);
    return order != 0 ? order : strcmp(one->key, other->key);
}

tw_status import_devices(struct import_tables *tables, const cJSON *list, struct tw_error *error) {
    tables->devices = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *tables->devices);
    if (tables->devices == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", tables->origin);
    tw_status status = TW_OK;
    for (const cJSON *item = list->child; item != NULL && status == TW_OK; item = item->next) {
        char where[IMPORT_WHERE_SIZE];
        int place = (int)tables->device_count;
        struct imported_device *device = &tables->devices[tables->device_count++];
        import_where(tables->origin, "devices", place, item, "fingerprint", where);
        struct tw_json_context context = {.origin = where, .error = error};
        struct tw_json json = tw_json_root(&context, item);
        import_device(&json, &device->row, &device->properties);
        status = context.status;
        if (status == TW_OK) {
            status = well_formed_device(&device->row, error);
            if (status != TW_OK)
                tw_fail_within(error, status, "%s", where);
        }
    }
    if (status != TW_OK)
        return status;
    qsort(tables->devices, tables->device_count, sizeof *tables->devices, by_fingerprint);
    for (size_t i = 1; i < tables->device_count; i++)
        if (by_fingerprint(&tables->devices[i - 1], &tables->devices[i]) == 0)
            return tw_fail(error, TW_INVALID, "%s: the device %s is given twice", tables->origin,
                           tables->devices[i].row.fingerprint);
    return TW_OK;
}

tw_status import_problems(struct import_tables *tables, const cJSON *list, struct tw_error *error) {
    tables->problems = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *tables->problems);
    if (tables->problems == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", tables->origin);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        char where[IMPORT_WHERE_SIZE];
        int place = (int)tables->problem_count;
        struct imported_problem *problem = &tables->problems[tables->problem_count++];
        import_where(tables->origin, "problems", place, item, "key", where);
        struct tw_json_context context = {.origin = where, .error = error};
        struct tw_json json = tw_json_root(&context, item);
        import_problem(&json, &problem->row, &problem->parts);
        problem->json = item;
        problem->place = place;
        if (context.status != TW_OK)
            return context.status;
    }
    qsort(tables->problems, tables->problem_count, sizeof *tables->problems, by_key);
    for (size_t i = 0; i < tables->problem_count; i++) {
        /* Sorting has moved them. */
        struct imported_problem *problem = &tables->problems[i];
        problem->row.dimensions = problem->parts.dimensions;
        problem->row.attributes = problem->parts.attributes;
        if (i > 0 && by_key(problem - 1, problem) == 0)
            return tw_fail(error, TW_INVALID, "%s: problems[%d], %s %s: is given twice",
                           tables->origin, problem->place, problem->row.kernel, problem->row.key);
    }
    return TW_OK;
}

void import_tables_free(struct import_tables *tables) {
    for (size_t i = 0; i < tables->device_count; i++)
        tw_text_free(&tables->devices[i].properties);
    free(tables->devices);
    free(tables->problems);
    *tables = (struct import_tables){0};
}

const struct imported_device *import_find_device(const struct import_tables *tables,
                                                 const char *fingerprint) {
    const struct imported_device key = {.row.fingerprint = fingerprint};
    return bsearch(&key, tables->devices, tables->device_count, sizeof key, by_fingerprint);
}

const struct imported_problem *import_find_problem(const struct import_tables *tables,
                                                   const char *kernel, const char *key) {
    const struct imported_problem wanted = {.row = {.kernel = kernel, .key = key}};
    return bsearch(&wanted, tables->problems, tables->problem_count, sizeof wanted, by_key);
}
