#include "tuner/exchange/import.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "tuner/exchange/export.h"
#include "tuner/exchange/import_models.h"
#include "tuner/exchange/well_formed.h"

struct import {
    char *origin;
    const struct known_kernels *known;
    cJSON *json;
    const cJSON *best;
    int64_t count, stale;
    bool no_memory;
    struct import_tables tables;
    struct import_models models;
};

/* The problem that was written, held against its kernel's description. */
static tw_status understand(const struct import *import, const struct tw_db_problem *written,
                            const struct known_kernel **kernel, struct tw_problem *problem,
                            struct tw_error *error) {
    *kernel = known_kernels_find(import->known, written->kernel);
    if (*kernel == NULL)
        return tw_fail(error, TW_INVALID,
                       "key kernel: no kernel of that name is known; its description can be given "
                       "with --config FILE");
    tw_status status = allowed_problem((*kernel)->description, written, problem, error);
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
    const struct tw_db_problem written = {.kernel = tw_json_string(&kernel_name),
                                          .key = tw_json_string(&key)};
    const struct imported_device *found_device =
        import_find_device(&import->tables, tw_json_string(&device));
    const struct imported_problem *found =
        import_find_problem(&import->tables, written.kernel, written.key);
    const struct known_kernel *kernel = known_kernels_find(import->known, written.kernel);
    if (json->context->status != TW_OK)
        return json->context->status;
    if (found_device == NULL)
        return tw_fail(error, TW_INVALID, "key device: it is not among the file's devices");
    if (found == NULL && kernel != NULL)
        return tw_fail(error, TW_INVALID, "key problem: it is not among the file's problems");
    struct tw_problem problem;
    tw_status status =
        understand(import, found != NULL ? &found->row : &written, &kernel, &problem, error);
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
                                         : well_formed_row(row, error);
}

/* A row whose code is today's by another name, for its description has gained what changes nothing
 * for it, goes under today's name: whoever selects it need not render its sources to find out. */
static tw_status renew(const struct import *import, struct tw_db_best_row *row,
                       struct tw_error *error) {
    const struct known_kernel *kernel = known_kernels_find(import->known, row->problem.kernel);
    int index = tw_description_implementation(kernel->description, row->implementation_name);
    if (row->best.source == NULL || row->best.judge == NULL)
        return TW_OK; /* of an older database, which adopting knows what to do with */
    tw_status status = known_kernel_check(kernel, row, error);
    if (status == TW_OK)
        return tw_today_code(kernel->today, index, row->device.backend, &row->template_hash, error);
    return status == TW_NO_MEMORY ? status : TW_OK;
}

static tw_status read_best(const struct import *import, int place, const cJSON *item,
                           struct tw_db_best_row *row, struct scratch *scratch,
                           struct tw_error *error) {
    char where[IMPORT_WHERE_SIZE];
    import_where(import->origin, "best", place, item, "problem", where);
    struct tw_json_context context = {.origin = where, .error = error};
    struct tw_json json = tw_json_root(&context, item);
    import_best(&json, row, &scratch->texts);
    if (context.status != TW_OK)
        return context.status;
    tw_status status = find_parts(import, &json, row, scratch, error);
    if (status == TW_OK)
        status = renew(import, row, error);
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
    tw_status status = known_kernel_check(kernel, row, NULL);
    import->count++;
    import->stale += status != TW_OK;
    import->no_memory = status == TW_NO_MEMORY;
    return !import->no_memory;
}

static tw_status read_all(struct import *import, struct tw_error *error) {
    static const char *const keys[] = {"best",     "devices", "format", "models",
                                       "problems", "version", NULL};
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
    struct tw_json models = tw_json_optional(&root, "models");
    if (models.item != NULL && number < EXPORT_VERSION)
        tw_json_fail(&models, "there are models from version %d on", EXPORT_VERSION);
    if (context.status != TW_OK)
        return context.status;
    import->best = best.item;
    tw_status status = import_devices(&import->tables, devices.item, error);
    if (status == TW_OK)
        status = import_problems(&import->tables, problems.item, error);
    if (status == TW_OK)
        status = import_each(import, count_row, import, error);
    if (status == TW_OK && import->no_memory)
        status = tw_fail(error, TW_NO_MEMORY, "%s: out of memory", import->origin);
    if (status == TW_OK)
        status =
            import_models_read(&import->models, &models, &import->tables, import->known, error);
    /* Those that no best row is about are not imported, but a file is good or it is not. */
    for (size_t i = 0; i < import->tables.problem_count && status == TW_OK; i++) {
        const struct imported_problem *written = &import->tables.problems[i];
        const struct known_kernel *kernel;
        struct tw_problem problem;
        char where[IMPORT_WHERE_SIZE];
        status = understand(import, &written->row, &kernel, &problem, error);
        import_where(import->origin, "problems", written->place, written->json, "key", where);
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
    import->tables.origin = import->origin;
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
    import_models_free(&import->models);
    import_tables_free(&import->tables);
    cJSON_Delete(import->json);
    free(import->origin);
    free(import);
}

bool import_each_model(const struct import *import, tw_db_model_visitor visit, void *context) {
    for (int i = 0; i < import->models.count; i++)
        if (!import->models.all[i].other && !visit(context, &import->models.all[i].row))
            return false;
    return true;
}

int import_models(const struct import *import, int *others) {
    *others = 0;
    for (int i = 0; i < import->models.count; i++)
        *others += import->models.all[i].other;
    return import->models.count;
}

int64_t import_count(const struct import *import) {
    return import->count;
}

int64_t import_stale(const struct import *import) {
    return import->stale;
}
