#include "runtime/variant/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/description/builtin.h"
#include "runtime/description/json.h"
#include "runtime/variant/prelude.h"

#define CUDA_PRELUDE "templates/prelude/cuda.cuh"
#define OPENCL_PRELUDE "templates/prelude/opencl.clh"

static const char *prelude_of(const char *backend) {
    return strcmp(backend, "cuda") == 0 ? CUDA_PRELUDE : OPENCL_PRELUDE;
}

static tw_status builtin(const char *path, const char **text, struct tw_error *error) {
    *text = tw_builtin_file(path);
    if (*text == NULL)
        return tw_fail(error, TW_NOT_FOUND, "%s is not built in", path);
    return TW_OK;
}

tw_status tw_source_template(const struct tw_description *d, const char *path, struct tw_text *text,
                             struct tw_error *error) {
    char file[4096 + TW_PATH_SIZE];
    if (d->directory != NULL) {
        snprintf(file, sizeof file, "%s%s%s", path[0] == '/' ? "" : d->directory,
                 path[0] == '/' ? "" : "/", path);
        if (access(file, F_OK) == 0)
            return tw_file_read(text, file, error);
    }
    snprintf(file, sizeof file, "templates/%s", path);
    const char *embedded = tw_builtin_file(file);
    if (embedded == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "%s: the template %s is neither beside the description nor built in",
                       d->origin, path);
    tw_text_add(text, embedded, strlen(embedded));
    return TW_OK;
}

static tw_status begin(struct tw_text *source, const char *backend,
                       const struct tw_geometry *geometry, struct tw_error *error) {
    const char *path = prelude_of(backend), *prelude;
    tw_status status = builtin(path, &prelude, error);
    if (status != TW_OK)
        return status;
    tw_text_print(source, "#define TW_BLOCK_X %u\n#define TW_BLOCK_Y %u\n#define TW_BLOCK_Z %u\n",
                  geometry->block[0], geometry->block[1], geometry->block[2]);
    tw_text_print(source, "#define TW_MIN_BLOCKS %u\n#line 1 \"%s\"\n%s", geometry->min_blocks,
                  path, prelude);
    return TW_OK;
}

tw_status tw_source_builtin(const char *path, const char *backend, const char *defines,
                            uint32_t threads, struct tw_text *source, struct tw_error *error) {
    const struct tw_geometry geometry = {.block = {threads, 1, 1}, .min_blocks = 1};
    const char *text;
    char file[TW_PATH_SIZE];
    snprintf(file, sizeof file, "templates/%s", path);
    tw_status status = begin(source, backend, &geometry, error);
    if (status == TW_OK)
        status = builtin(file, &text, error);
    if (status != TW_OK)
        return status;
    tw_text_print(source, "%s#line 1 \"%s\"\n%s", defines, path, text);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}

/* Every word gets a number by its place in the list, and the name the chosen one's. */
static void define_word(struct tw_text *source, const struct tw_symbols *symbols, const char *name,
                        const int64_t *words, int count, int64_t chosen) {
    for (int i = 0; i < count; i++)
        tw_text_print(source, "#define %s_%s %d\n", name, symbols->words[words[i]], i);
    tw_text_print(source, "#define %s %s_%s\n", name, name, symbols->words[chosen]);
}

static void define_attributes(struct tw_text *source, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        char name[TW_NAME_SIZE];
        int64_t words[TW_MAX_CHOICES];
        size_t j = 0;
        for (; attribute->name[j] != '\0'; j++)
            name[j] = (char)toupper((unsigned char)attribute->name[j]);
        name[j] = '\0';
        for (int k = 0; k < attribute->word_count; k++)
            words[k] = attribute->words[k];
        define_word(source, &d->symbols, name, words, attribute->word_count, problem->words[i]);
    }
}

static void define_configuration(struct tw_text *source, const struct tw_implementation *in,
                                 const struct tw_configuration *configuration,
                                 const int64_t *values) {
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *parameter = &in->parameters[i];
        if (parameter->launch)
            continue;
        if (parameter->is_word)
            define_word(source, in->symbols, parameter->name, parameter->values, parameter->count,
                        configuration->values[i]);
        else
            tw_text_print(source, "#define %s %" PRId64 "\n", parameter->name,
                          configuration->values[i]);
    }
    for (int i = 0; i < in->define_count; i++)
        tw_text_print(source, "#define %s %" PRId64 "\n", in->defines[i].name,
                      values[in->defines[i].slot]);
}

/* Appends a launch's templates, each after a #line with its name. */
static tw_status add_templates(struct tw_text *text, const struct tw_description *d,
                               const struct tw_launch_description *launch, struct tw_error *error) {
    for (int i = 0; i < launch->template_count; i++) {
        tw_text_print(text, "#line 1 \"%s\"\n", launch->templates[i]);
        tw_status status = tw_source_template(d, launch->templates[i], text, error);
        if (status != TW_OK)
            return status;
        tw_text_add(text, "\n", 1);
    }
    if (text->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}

static tw_status render(const struct tw_problem *problem,
                        const struct tw_configuration *configuration, const char *backend,
                        const int64_t *values, const struct tw_geometry *geometry,
                        const struct tw_text *templates, struct tw_text *source,
                        struct tw_error *error) {
    const struct tw_description *d = problem->description;
    tw_status status = begin(source, backend, geometry, error);
    if (status == TW_OK)
        status = tw_prelude_extend(source, backend, templates->data, error);
    if (status != TW_OK)
        return status;
    define_attributes(source, problem);
    for (int i = 0; configuration == NULL && i < d->let_count; i++)
        tw_text_print(source, "#define %s %" PRId64 "\n", d->lets[i].name, values[d->lets[i].slot]);
    if (configuration != NULL)
        define_configuration(source, &d->implementations[configuration->implementation],
                             configuration, values);
    tw_text_add(source, templates->data, templates->length);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}

tw_status tw_source_render(const struct tw_problem *problem,
                           const struct tw_configuration *configuration,
                           const struct tw_launch_description *launch, const char *backend,
                           const int64_t *values, const struct tw_geometry *geometry,
                           struct tw_text *source, struct tw_error *error) {
    struct tw_text templates = {0};
    tw_status status = add_templates(&templates, problem->description, launch, error);
    if (status == TW_OK)
        status =
            render(problem, configuration, backend, values, geometry, &templates, source, error);
    tw_text_free(&templates);
    return status;
}

/* The extensions of both backends that a launch's templates use. */
static tw_status hash_extensions(struct tw_hash *hash, const struct tw_description *d,
                                 const struct tw_launch_description *launch,
                                 struct tw_error *error) {
    struct tw_text templates = {0}, extensions = {0};
    tw_status status = add_templates(&templates, d, launch, error);
    if (status == TW_OK)
        status = tw_prelude_extend(&extensions, "cuda", templates.data, error);
    if (status == TW_OK)
        status = tw_prelude_extend(&extensions, "opencl", templates.data, error);
    if (status == TW_OK && extensions.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    if (status == TW_OK && extensions.length > 0)
        tw_hash_add(hash, extensions.data, extensions.length);
    tw_text_free(&templates);
    tw_text_free(&extensions);
    return status;
}

static tw_status hash_templates(struct tw_hash *hash, const struct tw_description *d,
                                const struct tw_implementation *in, struct tw_error *error) {
    for (int l = 0; l < in->launch_count; l++) {
        for (int i = 0; i < in->launches[l].template_count; i++) {
            struct tw_text text = {0};
            tw_status status = tw_source_template(d, in->launches[l].templates[i], &text, error);
            if (status == TW_OK)
                tw_hash_add(hash, text.data != NULL ? text.data : "", text.length);
            tw_text_free(&text);
            if (status != TW_OK)
                return status;
        }
        tw_status status = hash_extensions(hash, d, &in->launches[l], error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

static tw_status hash_json(struct tw_hash *hash, const cJSON *json, struct tw_error *error) {
    char *text = cJSON_PrintUnformatted(json);
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_hash_add_text(hash, text);
    cJSON_free(text);
    return TW_OK;
}

static tw_status hash_description(struct tw_hash *hash, const struct tw_description *d, int index,
                                  struct tw_error *error) {
    static const char *const left_out[] = {"summary", "parameters", "presets", "redundant"};
    cJSON *json;
    tw_status status = tw_json_parse(&json, d->text, d->origin, error);
    if (status != TW_OK)
        return status;
    cJSON *one =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "implementations"), index);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(one, left_out[i]);
    status = hash_json(hash, one, error);
    /* Lets and arguments reach the source through defines, sizes and types. */
    if (status == TW_OK)
        status = hash_json(hash, cJSON_GetObjectItemCaseSensitive(json, "problem"), error);
    if (status == TW_OK)
        status = hash_json(hash, cJSON_GetObjectItemCaseSensitive(json, "arguments"), error);
    cJSON_Delete(json);
    return status;
}

tw_status tw_source_hash(const struct tw_description *d, int implementation,
                         char hash[TW_HASH_SIZE], struct tw_error *error) {
    const char *cuda, *opencl;
    tw_status status = builtin(CUDA_PRELUDE, &cuda, error);
    if (status == TW_OK)
        status = builtin(OPENCL_PRELUDE, &opencl, error);
    if (status != TW_OK)
        return status;
    struct tw_hash *state = tw_hash_begin();
    tw_hash_add_text(state, cuda);
    tw_hash_add_text(state, opencl);
    status = hash_templates(state, d, &d->implementations[implementation], error);
    if (status == TW_OK)
        status = hash_description(state, d, implementation, error);
    tw_hash_finish(state, hash);
    if (status == TW_OK && hash[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}
