#include "tuner/exchange/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "tuner/exchange/export.h"
#include "tuner/exchange/import_parts.h"
#include "tuner/exchange/plain.h"
#include "tuner/exchange/sound.h"

struct device {
    struct tw_db_device row;
    struct tw_text properties;
};

struct problem {
    struct tw_db_problem row;
    struct written_problem parts;
    const cJSON *json;
    int place; /* in the file's list */
};

struct import {
    char *origin;
    const struct known_kernels *known;
    cJSON *json;
    const cJSON *best;
    int64_t count, stale;
    size_t device_count, problem_count;
    struct device *devices;   /* by fingerprint */
    struct problem *problems; /* by kernel and key */
};

enum { WHERE_SIZE = 512 };

/* "FILE: best[3], gemm M=64,...": what messages about a row begin with. */
static void say_where(const struct import *import, const char *list, int place, const cJSON *row,
                      const char *key, char where[WHERE_SIZE]) {
    char origin[160], kernel[56] = "", problem[160] = "";
    const cJSON *kernel_name = cJSON_GetObjectItemCaseSensitive(row, "kernel");
    const cJSON *problem_key = cJSON_GetObjectItemCaseSensitive(row, key);
    if (cJSON_IsString(kernel_name))
        plain_copy(kernel_name->valuestring, kernel, sizeof kernel);
    if (cJSON_IsString(problem_key))
        plain_copy(problem_key->valuestring, problem, sizeof problem);
    snprintf(where, WHERE_SIZE, "%s: %s[%d]%s%s%s%s",
             plain_copy(import->origin, origin, sizeof origin), list, place,
             kernel[0] != '\0' ? ", " : "", kernel, problem[0] != '\0' ? " " : "", problem);
}

/* ---- Devices and problems ---- */

static int by_fingerprint(const void *a, const void *b) {
    return strcmp(((const struct device *)a)->row.fingerprint,
                  ((const struct device *)b)->row.fingerprint);
}

static int by_key(const void *a, const void *b) {
    const struct tw_db_problem *one = &((const struct problem *)a)->row;
    const struct tw_db_problem *other = &((const struct problem *)b)->row;
    int order = strcmp(one->kernel, other->kernel);
    return order != 0 ? order : strcmp(one->key, other->key);
}

static tw_status read_devices(struct import *import, const cJSON *list, struct tw_error *error) {
    import->devices = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *import->devices);
    if (import->devices == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", import->origin);
    tw_status status = TW_OK;
    for (const cJSON *item = list->child; item != NULL && status == TW_OK; item = item->next) {
        char where[WHERE_SIZE];
        int place = (int)import->device_count;
        struct device *device = &import->devices[import->device_count++];
        say_where(import, "devices", place, item, "fingerprint", where);
        struct tw_json_context context = {.origin = where, .error = error};
        struct tw_json json = tw_json_root(&context, item);
        import_device(&json, &device->row, &device->properties);
        status = context.status;
        if (status == TW_OK) {
            status = sound_device(&device->row, error);
            if (status != TW_OK)
                tw_fail_within(error, status, "%s", where);
        }
    }
    if (status != TW_OK)
        return status;
    qsort(import->devices, import->device_count, sizeof *import->devices, by_fingerprint);
    for (size_t i = 1; i < import->device_count; i++)
        if (by_fingerprint(&import->devices[i - 1], &import->devices[i]) == 0)
            return tw_fail(error, TW_INVALID, "%s: the device %s is given twice", import->origin,
                           import->devices[i].row.fingerprint);
    return TW_OK;
}

static tw_status read_problems(struct import *import, const cJSON *list, struct tw_error *error) {
    import->problems = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *import->problems);
    if (import->problems == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", import->origin);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        char where[WHERE_SIZE];
        int place = (int)import->problem_count;
        struct problem *problem = &import->problems[import->problem_count++];
        say_where(import, "problems", place, item, "key", where);
        struct tw_json_context context = {.origin = where, .error = error};
        struct tw_json json = tw_json_root(&context, item);
        import_problem(&json, &problem->row, &problem->parts);
        problem->json = item;
        problem->place = place;
        if (context.status != TW_OK)
            return context.status;
    }
    qsort(import->problems, import->problem_count, sizeof *import->problems, by_key);
    for (size_t i = 0; i < import->problem_count; i++) {
        /* Sorting has moved them. */
        struct problem *problem = &import->problems[i];
        problem->row.dimensions = problem->parts.dimensions;
        problem->row.attributes = problem->parts.attributes;
        if (i > 0 && by_key(problem - 1, problem) == 0)
            return tw_fail(error, TW_INVALID, "%s: problems[%d], %s %s: is given twice",
                           import->origin, problem->place, problem->row.kernel, problem->row.key);
    }
    return TW_OK;
}

/* The problem that was written, held against its kernel's description. */
static tw_status understand(const struct import *import, const struct problem *written,
                            const struct known_kernel **kernel, struct tw_problem *problem,
                            struct tw_error *error) {
    *kernel = known_kernels_find(import->known, written->row.kernel);
    if (*kernel == NULL)
        return tw_fail(error, TW_INVALID,
                       "key kernel: no kernel of that name is known; its description can be given "
                       "with --config FILE");
    tw_status status = allowed_problem((*kernel)->description, &written->row, problem, error);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "key problem");
}

/* ---- Best rows ---- */

struct scratch {
    struct best_texts texts;
    struct tw_text configuration;
    struct allowed_parts parts;
};

static tw_status find_parts(const struct import *import, const struct tw_json *json,
                            struct tw_db_best_row *row, struct scratch *scratch,
                            struct tw_error *error) {
    struct tw_json device = tw_json_member(json, "device");
    struct tw_json kernel_name = tw_json_member(json, "kernel");
    struct tw_json key = tw_json_member(json, "problem");
    const struct device device_key = {.row.fingerprint = tw_json_string(&device)};
    const struct problem problem_key = {
        .row = {.kernel = tw_json_string(&kernel_name), .key = tw_json_string(&key)}};
    if (json->context->status != TW_OK)
        return json->context->status;
    const struct device *found_device = bsearch(&device_key, import->devices, import->device_count,
                                                sizeof device_key, by_fingerprint);
    const struct problem *found =
        bsearch(&problem_key, import->problems, import->problem_count, sizeof problem_key, by_key);
    const struct known_kernel *kernel = known_kernels_find(import->known, problem_key.row.kernel);
    if (found_device == NULL)
        return tw_fail(error, TW_INVALID, "key device: it is not among the file's devices");
    if (found == NULL && kernel != NULL)
        return tw_fail(error, TW_INVALID, "key problem: it is not among the file's problems");
    struct tw_problem problem;
    tw_status status =
        understand(import, found != NULL ? found : &problem_key, &kernel, &problem, error);
    if (status != TW_OK)
        return status;
    struct tw_configuration configuration;
    row->device = found_device->row;
    allowed_problem_row(&problem, &scratch->parts, &row->problem);
    status = allowed_configuration(&problem, row->implementation_name, row->best.configuration,
                                   &configuration, error);
    if (status != TW_OK)
        return status;
    tw_text_clear(&scratch->configuration);
    tw_configuration_text(kernel->description, &configuration, &scratch->configuration);
    row->best.configuration = scratch->configuration.data;
    return scratch->configuration.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                         : sound_row(row, error);
}

static tw_status read_best(const struct import *import, int place, const cJSON *item,
                           struct tw_db_best_row *row, struct scratch *scratch,
                           struct tw_error *error) {
    char where[WHERE_SIZE];
    say_where(import, "best", place, item, "problem", where);
    struct tw_json_context context = {.origin = where, .error = error};
    struct tw_json json = tw_json_root(&context, item);
    import_best(&json, row, &scratch->texts);
    if (context.status != TW_OK)
        return context.status;
    tw_status status = find_parts(import, &json, row, scratch, error);
    /* What the JSON's context tells begins with `where` already. */
    if (status != TW_OK && context.status == TW_OK)
        tw_fail_within(error, status, "%s", where);
    return status;
}

static void scratch_free(struct scratch *scratch) {
    best_texts_free(&scratch->texts);
    tw_text_free(&scratch->configuration);
}

tw_status import_each(const struct import *import, tw_db_best_visitor visit, void *context,
                      struct tw_error *error) {
    struct scratch scratch = {0};
    tw_status status = TW_OK;
    int place = 0;
    for (const cJSON *item = import->best->child; item != NULL; item = item->next) {
        struct tw_db_best_row row;
        status = read_best(import, place++, item, &row, &scratch, error);
        if (status != TW_OK || !visit(context, &row))
            break;
    }
    scratch_free(&scratch);
    return status;
}

/* ---- The file ---- */

static bool count_row(void *context, const struct tw_db_best_row *row) {
    struct import *import = context;
    const struct known_kernel *kernel = known_kernels_find(import->known, row->problem.kernel);
    import->count++;
    import->stale += !known_kernel_is_current(kernel, row->implementation_name, row->template_hash);
    return true;
}

static tw_status read_all(struct import *import, struct tw_error *error) {
    static const char *const keys[] = {"best", "devices", "format", "problems", "version", NULL};
    struct tw_json_context context = {.origin = import->origin, .error = error};
    struct tw_json root = tw_json_root(&context, import->json);
    tw_json_expect_object(&root);
    struct tw_json format = tw_json_member(&root, "format");
    struct tw_json version = tw_json_member(&root, "version");
    if (strcmp(tw_json_string(&format), EXPORT_FORMAT) != 0)
        tw_json_fail(&format, "expected \"%s\": this is no export of a Tilewise database",
                     EXPORT_FORMAT);
    int64_t number = tw_json_integer(&version);
    if (number > EXPORT_VERSION)
        tw_json_fail(&version,
                     "%lld is newer than this program's %d; use a newer Tilewise to import it",
                     (long long)number, EXPORT_VERSION);
    if (number < 1)
        tw_json_fail(&version, "expected %d", EXPORT_VERSION);
    import_only_keys(&root, keys);
    struct tw_json best = tw_json_member(&root, "best");
    struct tw_json devices = tw_json_member(&root, "devices");
    struct tw_json problems = tw_json_member(&root, "problems");
    tw_json_expect_array(&best);
    tw_json_expect_array(&devices);
    tw_json_expect_array(&problems);
    if (context.status != TW_OK)
        return context.status;
    import->best = best.item;
    tw_status status = read_devices(import, devices.item, error);
    if (status == TW_OK)
        status = read_problems(import, problems.item, error);
    if (status == TW_OK)
        status = import_each(import, count_row, import, error);
    /* Those that no best row is about are not imported, but a file is good or it is not. */
    for (size_t i = 0; i < import->problem_count && status == TW_OK; i++) {
        const struct problem *written = &import->problems[i];
        const struct known_kernel *kernel;
        struct tw_problem problem;
        char where[WHERE_SIZE];
        status = understand(import, written, &kernel, &problem, error);
        say_where(import, "problems", written->place, written->json, "key", where);
        if (status != TW_OK)
            tw_fail_within(error, status, "%s", where);
    }
    return status;
}

tw_status import_read(struct import **out, const char *text, size_t length, const char *origin,
                      const struct known_kernels *known, struct tw_error *error) {
    *out = NULL;
    struct import *import = calloc(1, sizeof *import);
    if (import != NULL)
        import->origin = strdup(origin);
    if (import == NULL || import->origin == NULL) {
        free(import);
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    }
    import->known = known;
    tw_status status = tw_json_parse(&import->json, text, origin, error);
    if (status == TW_OK && strlen(text) != length)
        status = tw_fail(error, TW_INVALID, "%s: holds a zero byte", origin);
    if (status == TW_OK)
        status = read_all(import, error);
    if (status != TW_OK) {
        import_close(import);
        return status;
    }
    *out = import;
    return TW_OK;
}

tw_status import_open(struct import **out, const char *path, const struct known_kernels *known,
                      struct tw_error *error) {
    *out = NULL;
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    if (status == TW_OK)
        status =
            import_read(out, text.data != NULL ? text.data : "", text.length, path, known, error);
    tw_text_free(&text);
    return status;
}

void import_close(struct import *import) {
    if (import == NULL)
        return;
    for (size_t i = 0; i < import->device_count; i++)
        tw_text_free(&import->devices[i].properties);
    free(import->devices);
    free(import->problems);
    cJSON_Delete(import->json);
    free(import->origin);
    free(import);
}

int64_t import_count(const struct import *import) {
    return import->count;
}

int64_t import_stale(const struct import *import) {
    return import->stale;
}
