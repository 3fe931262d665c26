/* Opening and closing the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/library/builds.h"
#include "runtime/library/library.h"
#include "runtime/library/paths.h"
#include "runtime/library/sized.h"
#include "runtime/library/tuning.h"

const char *tw_device_id(const tw_library *library) {
    return library != NULL ? library->info.id : "";
}

const char *tw_device_name(const tw_library *library) {
    return library != NULL ? library->info.name : "";
}

/* ---- Options ---- */

static tw_status add_database(tw_library *library, int at, const char *path, tw_error *error) {
    struct tw_text whole = {0};
    tw_path_absolute(&whole, path);
    if (whole.failed) {
        tw_text_free(&whole);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    library->databases[at] = whole.data;
    return TW_OK;
}

static tw_status name_databases(tw_library *library, const char *const *given, tw_error *error) {
    int count = 0;
    while (given != NULL && given[count] != NULL)
        count++;
    library->databases = calloc((size_t)count + 3, sizeof *library->databases);
    if (library->databases == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
        status = add_database(library, i, given[i], error);
    if (given != NULL)
        return status;
    void (*const places[])(struct tw_text *) = {tw_path_user_database, tw_path_system_database};
    for (int i = 0; i < 2 && status == TW_OK; i++) {
        struct tw_text path = {0};
        places[i](&path);
        if (path.data != NULL)
            status = add_database(library, count++, path.data, error);
        tw_text_free(&path);
    }
    return status;
}

static tw_status open_device(tw_library *library, const tw_options *options, tw_error *error) {
    char id[32];
    const char *wanted = options->device;
    for (int i = 0; wanted == NULL && tw_backends()[i] != NULL; i++) {
        int index = tw_backends()[i]->current();
        if (index >= 0) {
            snprintf(id, sizeof id, "%s:%d", tw_backends()[i]->name, index);
            wanted = id;
        }
    }
    if (options->context != NULL && options->device == NULL)
        return tw_fail(error, TW_INVALID, "a context is given, but not the device that it is of");
    tw_status status = tw_device_pick(wanted, &library->info, error);
    if (status != TW_OK)
        return status;
    library->backend = tw_backend_find(library->info.backend);
    return library->backend->attach(&library->device, library->info.index, options->context, error);
}

static tw_status open_cache(tw_library *library, const tw_options *options, tw_error *error) {
    struct tw_text path = {0};
    if (options->binary_directory != NULL && options->binary_directory[0] != '\0')
        tw_path_absolute(&path, options->binary_directory);
    else if (options->binary_directory == NULL)
        tw_path_binaries(&path);
    tw_status status = TW_OK;
    if (path.data != NULL)
        status = tw_cache_open(&library->cache, path.data, options->binary_directory_bytes, error);
    tw_text_free(&path);
    /* A home that cannot be written to is no reason not to run. */
    return options->binary_directory != NULL ? status : TW_OK;
}

static tw_status open_shape_log(tw_library *library, const tw_options *options, tw_error *error) {
    static const char variable[] = "TILEWISE_LOG_SHAPES";
    const char *path = options->log_shapes != NULL ? options->log_shapes : getenv(variable);
    if (path == NULL || path[0] == '\0')
        return TW_OK;
    tw_status status =
        tw_shape_log_open(&library->shape_log, path, &library->info, library->cache_policy, error);
    return status == TW_OK || options->log_shapes != NULL
               ? status
               : tw_fail_within(error, status, "%s", variable);
}

/* ---- Opening ---- */

static tw_status open_parts(tw_library *library, const tw_options *options, tw_error *error) {
    const char *policy = options->cache_policy != NULL ? options->cache_policy : "cold";
    if (strcmp(policy, "cold") != 0 && strcmp(policy, "warm") != 0)
        return tw_fail(error, TW_INVALID, "the cache policy is \"cold\" or \"warm\", not \"%.40s\"",
                       policy);
    if ((unsigned)options->on_miss > TW_MISS_FAIL)
        return tw_fail(error, TW_INVALID, "on_miss is %d, which is none of tw_miss",
                       (int)options->on_miss);
    if (!(options->compile_tolerance <= 1))
        return tw_fail(error, TW_INVALID,
                       "compile_tolerance is %g; it must be a share of a time, 0 for 0.05, below 0 "
                       "for none",
                       options->compile_tolerance);
    library->tolerance = options->compile_tolerance != 0 ? options->compile_tolerance : 0.05;
    strcpy(library->cache_policy, policy);
    library->on_miss = options->on_miss;
    library->prepared_only = options->prepared_only != 0;
    tw_status status = name_databases(library, options->databases, error);
    if (status == TW_OK)
        status = tw_descriptions_create(&library->descriptions, options->descriptions, error);
    if (status == TW_OK)
        status = open_device(library, options, error);
    if (status == TW_OK && options->trust_binaries)
        status = tw_database_binaries_create(&library->binaries, error);
    if (status == TW_OK)
        status = tw_library_read_results(library, error);
    if (status == TW_OK)
        status = open_cache(library, options, error);
    if (status == TW_OK)
        status = tw_modules_create(&library->modules, library->backend, library->device,
                                   &library->info, library->cache, library->binaries, error);
    if (status == TW_OK)
        status = tw_builds_create(&library->builds, error);
    if (status == TW_OK)
        status = tw_plan_table_create(&library->plans, options->plan_limit, error);
    if (status == TW_OK)
        status = open_shape_log(library, options, error);
    if (status == TW_OK &&
        (options->on_miss == TW_MISS_TUNE || options->on_miss == TW_MISS_TUNE_BACKGROUND))
        status = tw_tuning_create(&library->tuning, library, options, error);
    return status;
}

tw_status tw_open(tw_library **out, const tw_options *options, tw_error *error) {
    static const tw_options defaults;
    tw_options read;
    if (out == NULL)
        return tw_fail(error, TW_INVALID, "tw_open: where the library is to go is NULL");
    *out = NULL;
    tw_status status =
        tw_sized_read(&tw_sized_options, &read, options != NULL ? options : &defaults, error);
    if (status != TW_OK)
        return status;
    tw_library *library = calloc(1, sizeof *library);
    if (library == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pthread_mutex_init(&library->results, NULL);
    pthread_mutex_init(&library->changing.lock, NULL);
    status = open_parts(library, &read, error);
    if (status != TW_OK) {
        tw_close(library);
        return status;
    }
    *out = library;
    return TW_OK;
}

tw_status tw_library_given(const tw_library *library, tw_error *error) {
    return library != NULL
               ? TW_OK
               : tw_fail(error, TW_INVALID,
                         "the library is NULL: tw_open was not called, or failed and said why");
}

void tw_close(tw_library *library) {
    if (library == NULL)
        return;
    tw_tuning_free(library->tuning);
    tw_plan_table_free(library->plans);
    tw_shape_log_close(library->shape_log);
    tw_builds_free(library->builds);
    tw_modules_free(library->modules);
    tw_cache_close(library->cache);
    tw_database_binaries_free(library->binaries);
    tw_catalogue_free(library->catalogue);
    if (library->device != NULL)
        library->backend->close(library->device);
    tw_descriptions_free(library->descriptions);
    for (int i = 0; library->databases != NULL && library->databases[i] != NULL; i++)
        free(library->databases[i]);
    free(library->databases);
    pthread_mutex_destroy(&library->changing.lock);
    pthread_mutex_destroy(&library->results);
    free(library);
}
