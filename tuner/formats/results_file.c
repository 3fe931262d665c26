#include "tuner/formats/results_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/printable.h"
#include "tuner/exchange/import_parts.h"
#include "tuner/formats/outline.h"

enum { MOST_MEMBERS = 64, NEWEST_VERSION = 1 };

static enum results_file_format format_of(const struct outline *outline) {
    return outline->has_cache     ? RESULTS_FILE_IS_KERNEL_TUNER
           : outline->has_results ? RESULTS_FILE_IS_T4
                                  : RESULTS_FILE_NONE;
}

tw_status results_file_detect(const char *path, enum results_file_format *format,
                              struct tw_error *error) {
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    struct outline outline = outline_of(text.data, text.length);
    *format = format_of(&outline);
    tw_text_free(&text);
    return status;
}

/* ---- What a file says of itself ---- */

/* NULL when it is absent. */
static const char *plain_text(const struct tw_json *object, const char *key) {
    struct tw_json value = tw_json_optional(object, key);
    if (value.item == NULL)
        return NULL;
    const char *text = tw_json_string(&value);
    if (!tw_is_printable(text))
        tw_json_fail(&value, "too long, or not plain text");
    return text;
}

static void read_ours(const struct tw_json *json, struct results_file_header *header) {
    static const char *const keys[] = {
        "attributes",  "cache",       "compiler", "device",         "device_name",   "driver",
        "kernel_name", "measured_by", "shape",    "implementation", "template_hash", NULL};
    import_only_keys(json, keys);
    header->is_ours = true;
    header->shape = plain_text(json, "shape");
    header->implementation = plain_text(json, "implementation");
    header->cache = plain_text(json, "cache");
    header->template_hash = plain_text(json, "template_hash");
    header->measured_by = plain_text(json, "measured_by");
    header->driver = plain_text(json, "driver");
    header->compiler = plain_text(json, "compiler");
    struct tw_json attributes = tw_json_optional(json, "attributes");
    if (tw_json_count(&attributes) > TW_MAX_ATTRIBUTES)
        tw_json_fail(&attributes, "too many of them");
    tw_json_expect_object(&attributes);
    header->attributes = attributes.item;
    struct tw_json device = tw_json_optional(json, "device");
    if (device.item != NULL)
        tw_json_expect_object(&device);
    header->described_device = device.item;
    if (header->cache != NULL && strcmp(header->cache, "cold") != 0 &&
        strcmp(header->cache, "warm") != 0)
        tw_json_fail(json, "its cache is neither cold nor warm");
    if (header->template_hash != NULL && header->template_hash[0] == '\0')
        tw_json_fail(json, "its template_hash is empty");
}

static void check_version(const struct tw_json *root) {
    const char *version = plain_text(root, "schema_version");
    if (version != NULL && strtol(version, NULL, 10) > NEWEST_VERSION)
        tw_json_fail(root, "schema_version %s is newer than the %d.x that this program reads",
                     version, NEWEST_VERSION);
}

static void read_cache_header(struct results_file *file, const struct tw_json *root) {
    struct results_file_header *header = &file->header;
    struct tw_json ours = tw_json_optional(root, RESULTS_FILE_MEMBER);
    struct tw_json cache = tw_json_member(root, "cache");
    struct tw_json keys = tw_json_member(root, "tune_params_keys");
    if (ours.item != NULL)
        read_ours(&ours, header);
    header->kernel = plain_text(root, "kernel_name");
    header->device = plain_text(root, "device_name");
    tw_json_expect_array(&keys);
    if (cache.item != NULL && !cJSON_IsObject(cache.item))
        tw_json_fail(&cache, "expected an object");
    file->results = cache.item;
}

static void read_unit(struct results_file *file, const struct tw_json *metadata) {
    static const struct {
        const char *name;
        double ms;
    } units[] = {
        {"nanoseconds", 1e-6}, {"microseconds", 1e-3}, {"milliseconds", 1}, {"seconds", 1e3}};
    struct tw_json unit = tw_json_optional(metadata, "timeunit");
    const char *name = unit.item != NULL ? tw_json_string(&unit) : "milliseconds";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            file->unit_ms = units[i].ms;
    if (file->unit_ms == 0)
        tw_json_fail(&unit, "expected nanoseconds, microseconds, milliseconds or seconds");
}

static void read_t4_header(struct results_file *file, const struct tw_json *root) {
    struct results_file_header *header = &file->header;
    struct tw_json results = tw_json_member(root, "results");
    struct tw_json metadata = tw_json_optional(root, "metadata");
    struct tw_json ours = tw_json_optional(&metadata, RESULTS_FILE_MEMBER);
    tw_json_expect_array(&results);
    file->results = results.item;
    read_unit(file, &metadata);
    if (ours.item == NULL)
        return;
    read_ours(&ours, header);
    header->kernel = plain_text(&ours, "kernel_name");
    header->device = plain_text(&ours, "device_name");
}

static tw_status read_header(struct results_file *file, struct tw_error *error) {
    struct tw_json_context context = {.origin = file->origin, .error = error};
    struct tw_json root = tw_json_root(&context, file->json);
    if (tw_json_count(&root) > MOST_MEMBERS)
        tw_json_fail(&root, "too many members");
    else
        tw_json_expect_object(&root);
    if (context.status == TW_OK)
        check_version(&root);
    if (context.status == TW_OK && file->format == RESULTS_FILE_IS_KERNEL_TUNER)
        read_cache_header(file, &root);
    else if (context.status == TW_OK)
        read_t4_header(file, &root);
    return context.status;
}

/* ---- The file ---- */

static tw_status parse(struct results_file *file, const char *text, size_t length,
                       struct tw_error *error) {
    if (memchr(text, '\0', length) != NULL)
        return tw_fail(error, TW_INVALID, "%s: holds a zero byte", file->origin);
    struct outline outline = outline_of(text, length);
    file->format = format_of(&outline);
    if (file->format == RESULTS_FILE_NONE)
        return tw_fail(error, TW_INVALID,
                       "%s: has neither \"cache\" nor \"results\": this is no Kernel Tuner cache "
                       "and no T4 file",
                       file->origin);
    struct tw_text whole = {0};
    if (!outline.closed && outline.end > 0) {
        tw_text_add(&whole, text, outline.end);
        tw_text_print(&whole, "%s", outline.ending);
        file->cut = outline.cut;
        if (whole.failed) {
            tw_text_free(&whole);
            return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", file->origin);
        }
    }
    tw_status status =
        tw_json_parse(&file->json, whole.data != NULL ? whole.data : text, file->origin, error);
    tw_text_free(&whole);
    return status == TW_OK ? read_header(file, error) : status;
}

tw_status results_file_parse(struct results_file **out, const char *text, size_t length,
                             const char *origin, struct tw_error *error) {
    *out = NULL;
    struct results_file *file = calloc(1, sizeof *file);
    if (file != NULL)
        file->origin = strdup(origin);
    tw_status status = file != NULL && file->origin != NULL
                           ? parse(file, text, length, error)
                           : tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    if (status == TW_OK)
        *out = file;
    else
        results_file_close(file);
    return status;
}

tw_status results_file_open(struct results_file **out, const char *path, struct tw_error *error) {
    *out = NULL;
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    if (status == TW_OK)
        status =
            results_file_parse(out, text.data != NULL ? text.data : "", text.length, path, error);
    tw_text_free(&text);
    return status;
}

void results_file_close(struct results_file *file) {
    if (file == NULL)
        return;
    /* Trials own their configurations; other texts are the JSON's. */
    for (size_t i = 0; i < file->count; i++)
        free((char *)file->trials[i].configuration);
    free(file->trials);
    cJSON_Delete(file->json);
    free(file->origin);
    free(file);
}
