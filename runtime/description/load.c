#include "runtime/description/description.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/description/accuracy.h"
#include "runtime/description/builtin.h"
#include "runtime/description/expand.h"
#include "runtime/description/outline.h"
#include "runtime/description/read.h"

static void check_presets(const struct tw_description *d, const struct tw_json *root) {
    struct tw_json implementations = tw_json_member(root, "implementations");
    for (int i = 0; i < d->implementation_count; i++) {
        struct tw_json json = tw_json_at(&implementations, i);
        for (int j = 0; j < i; j++)
            if (strcmp(d->implementations[i].name, d->implementations[j].name) == 0)
                tw_json_fail(&json, "the name %s is taken", d->implementations[i].name);
        for (int p = 0; p < d->implementations[i].preset_count; p++) {
            int where;
            const struct tw_preset *preset;
            const char *name = d->implementations[i].presets[p].name;
            if (tw_description_preset(d, name, &where, &preset) && where != i)
                tw_json_fail(&json, "the preset %s is in two implementations", name);
        }
    }
    int where;
    const struct tw_preset *preset;
    if (root->context->status == TW_OK && !tw_description_preset(d, "default", &where, &preset))
        tw_json_fail(&implementations, "no implementation has the preset \"default\"");
}

static void read_all(struct tw_description *d, const struct tw_json *root, bool is_outline) {
    static const char *const keys[] = {
        "kernel",    "summary",  "problem",         "arguments", "cases",  "work", "tolerance",
        "reference", "accuracy", "implementations", "fallback",  "ladder", NULL};
    static const char *const work_keys[] = {"flops", "bytes", NULL};
#define ADD_DEVICE_NAME(name) tw_symbols_add(&d->symbols, #name);
    TW_DEVICE_NAMES(ADD_DEVICE_NAME)
#undef ADD_DEVICE_NAME
    tw_symbols_add(&d->symbols, TW_ALIGNMENT_NAME);
    tw_json_only_keys(root, keys);
    struct tw_json kernel = tw_json_member(root, "kernel");
    struct tw_json summary = tw_json_member(root, "summary");
    struct tw_json work = tw_json_member(root, "work");
    struct tw_json reference = tw_json_member(root, "reference");
    struct tw_json implementations = tw_json_member(root, "implementations");
    tw_read_name(d->kernel, &kernel);
    d->summary = tw_read_text(&summary);
    tw_read_problem(d, root);
    tw_read_arguments(d, root);
    tw_read_cases(d, root);
    tw_read_tolerance(d, root);
    tw_json_only_keys(&work, work_keys);
    struct tw_json flops = tw_json_member(&work, "flops");
    struct tw_json bytes = tw_json_member(&work, "bytes");
    d->flops = tw_read_expression(&d->symbols, &flops);
    d->bytes = tw_read_expression(&d->symbols, &bytes);
    if (reference.item != NULL)
        tw_read_launch(d, NULL, &d->reference, &reference);
    tw_read_accuracy(d, root);

    tw_json_expect_array(&implementations);
    int count = tw_read_count(&implementations, TW_MAX_IMPLEMENTATIONS);
    if (count == 0)
        tw_json_fail(&implementations, "needs at least one implementation");
    if (root->context->status != TW_OK)
        return;
    d->implementations = calloc((size_t)count, sizeof *d->implementations);
    if (d->implementations == NULL) {
        tw_json_no_memory(root);
        return;
    }
    d->implementation_count = count;
    if (is_outline)
        tw_read_outlines(d, &implementations);
    for (int i = 0; i < count && !is_outline && root->context->status == TW_OK; i++) {
        struct tw_json implementation = tw_json_at(&implementations, i);
        tw_read_implementation(d, &d->implementations[i], &implementation);
    }
    if (root->context->status == TW_OK && !is_outline)
        check_presets(d, root);
    if (root->context->status == TW_OK)
        tw_read_fallback(d, root);
    if (root->context->status == TW_OK)
        tw_read_ladder(d, root);
}

/* What is kept of a description, and given to workers, needs no other file. */
static char *flat_text(const struct tw_expansion *expansion, const char *text) {
    if (!tw_expansion_changed(expansion))
        return strdup(text);
    char *printed = cJSON_PrintUnformatted(tw_expansion_root(expansion));
    char *copy = printed != NULL ? strdup(printed) : NULL;
    cJSON_free(printed);
    return copy;
}

tw_status tw_description_read(struct tw_description **out, const char *text, const char *origin,
                              const char *directory, struct tw_error *error) {
    *out = NULL;
    cJSON *json;
    tw_status status = tw_json_parse(&json, text, origin, error);
    if (status != TW_OK)
        return status;
    struct tw_description *d = calloc(1, sizeof *d);
    if (d == NULL) {
        cJSON_Delete(json);
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    }
    struct tw_json_context context = {.origin = origin, .error = error};
    struct tw_expansion *expansion = tw_expand(json, &context, directory);
    if (expansion == NULL) {
        cJSON_Delete(json);
        tw_description_free(d);
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    }
    struct tw_json root = tw_json_root(&context, tw_expansion_root(expansion));
    d->text = d->own_text = flat_text(expansion, text);
    d->origin = strdup(origin);
    d->directory = directory != NULL ? strdup(directory) : NULL;
    if (d->text == NULL || d->origin == NULL || (directory != NULL && d->directory == NULL))
        tw_json_no_memory(&root);
    if (context.status == TW_OK)
        read_all(d, &root, false);
    tw_expansion_free(expansion);
    if (context.status != TW_OK) {
        tw_description_free(d);
        return context.status;
    }
    *out = d;
    return TW_OK;
}

tw_status tw_description_outline(struct tw_description **out, const char *kernel,
                                 struct tw_error *error) {
    const char *outline = tw_builtin_outline(kernel), *flat = tw_builtin_flat(kernel);
    cJSON *json;
    *out = NULL;
    if (outline == NULL || flat == NULL)
        return tw_description_builtin(out, kernel, error);
    tw_status status = tw_json_parse(&json, outline, kernel, error);
    if (status != TW_OK)
        return status;
    struct tw_json_context context = {.origin = kernel, .error = error};
    const struct tw_json root = tw_json_root(&context, json);
    struct tw_description *d = calloc(1, sizeof *d);
    if (d != NULL) {
        struct tw_text origin = {0};
        tw_text_print(&origin, "configs/%s.json", kernel);
        d->text = flat;
        d->origin = origin.data;
    }
    if (d == NULL || d->origin == NULL)
        tw_json_no_memory(&root);
    else
        read_all(d, &root, true);
    cJSON_Delete(json);
    if (context.status == TW_OK)
        *out = d;
    else
        tw_description_free(d);
    return context.status;
}

tw_status tw_description_load(struct tw_description **out, const char *path,
                              struct tw_error *error) {
    *out = NULL;
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    if (status == TW_OK) {
        char directory[4096] = ".";
        const char *slash = strrchr(path, '/');
        if (slash != NULL && (size_t)(slash - path) < sizeof directory) {
            memcpy(directory, path, (size_t)(slash - path));
            directory[slash - path] = '\0';
        }
        status = tw_description_read(out, text.data != NULL ? text.data : "", path,
                                     slash == path ? "/" : directory, error);
    }
    tw_text_free(&text);
    return status;
}

tw_status tw_description_builtin(struct tw_description **out, const char *kernel,
                                 struct tw_error *error) {
    *out = NULL;
    char path[TW_NAME_SIZE + 32];
    if (tw_is_identifier(kernel)) {
        strcat(strcat(strcpy(path, "configs/"), kernel), ".json");
        const char *flat = tw_builtin_flat(kernel);
        const char *text = flat != NULL ? flat : tw_builtin_file(path);
        if (text != NULL)
            return tw_description_read(out, text, path, NULL, error);
    }
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, sizeof kernels / sizeof *kernels);
    const char *nearest = tw_nearest(kernel, kernels, count);
    struct tw_text known = {0};
    for (size_t i = 0; i < count; i++)
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", kernels[i]);
    tw_status status = nearest != NULL
                           ? tw_fail(error, TW_NOT_FOUND, "unknown kernel \"%s\"; did you mean %s?",
                                     kernel, nearest)
                           : tw_fail(error, TW_NOT_FOUND, "unknown kernel \"%s\"; there are %s",
                                     kernel, tw_text_or(&known, "none"));
    tw_text_free(&known);
    return status;
}

void tw_description_free(struct tw_description *d) {
    if (d == NULL)
        return;
    for (int i = 0; i < d->let_count; i++)
        tw_expression_free(d->lets[i].expression);
    for (int i = 0; i < d->refusal_count; i++) {
        tw_expression_free(d->refusals[i].when);
        free(d->refusals[i].because);
    }
    for (int i = 0; i < d->argument_count; i++) {
        tw_expression_free(d->arguments[i].rows);
        tw_expression_free(d->arguments[i].columns);
        tw_expression_free(d->arguments[i].default_stride);
        tw_expression_free(d->arguments[i].when);
        tw_expression_free(d->arguments[i].layers);
        tw_expression_free(d->arguments[i].fill_low_of);
        tw_expression_free(d->arguments[i].fill_high_of);
        tw_expression_free(d->arguments[i].fill_parts_of);
    }
    tw_expression_free(d->flops);
    tw_expression_free(d->bytes);
    tw_expression_free(d->growth);
    tw_launch_description_free(&d->reference);
    tw_accuracy_free(d->accuracy);
    for (int i = 0; i < d->implementation_count; i++)
        tw_implementation_free(&d->implementations[i]);
    for (int i = 0; i < d->rung_count; i++)
        free(d->rungs[i].shows);
    for (int i = 0; i < d->fallback_count; i++)
        tw_expression_free(d->fallbacks[i].when);
    free(d->implementations);
    tw_outline_free(d->outline);
    free(d->summary);
    free(d->own_text);
    free(d->origin);
    free(d->directory);
    free(d);
}
