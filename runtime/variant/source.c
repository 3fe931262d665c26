#include "runtime/variant/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/description/builtin.h"
#include "runtime/description/languages.h"
#include "runtime/variant/prelude.h"
#include "runtime/variant/preprocess.h"

static tw_status builtin(const char *path, const char **text, struct tw_error *error) {
    *text = tw_builtin_file(path);
    if (*text == NULL)
        return tw_fail(error, TW_NOT_FOUND, "%s is not built in", path);
    return TW_OK;
}

/* Where a template is; false: not beside the description. */
static bool is_beside(const struct tw_description *d, const char *path,
                      char file[4096 + TW_PATH_SIZE]) {
    if (d->directory == NULL)
        return false;
    snprintf(file, 4096 + TW_PATH_SIZE, "%s%s%s", path[0] == '/' ? "" : d->directory,
             path[0] == '/' ? "" : "/", path);
    return access(file, F_OK) == 0;
}

tw_status tw_source_template(const struct tw_description *d, const char *path, struct tw_text *text,
                             struct tw_error *error) {
    char file[4096 + TW_PATH_SIZE];
    if (is_beside(d, path, file))
        return tw_file_read(text, file, error);
    snprintf(file, sizeof file, "templates/%s", path);
    const char *embedded = tw_builtin_file(file);
    if (embedded == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "%s: the template %s is neither beside the description nor built in",
                       d->origin, path);
    tw_text_add(text, embedded, strlen(embedded));
    return text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory for a source") : TW_OK;
}

tw_status tw_source_template_hash(const struct tw_description *d, const char *path,
                                  struct tw_hash *hash, struct tw_error *error) {
    char file[4096 + TW_PATH_SIZE];
    if (!is_beside(d, path, file)) {
        snprintf(file, sizeof file, "templates/%s", path);
        const char *embedded = tw_builtin_hash(file);
        if (embedded != NULL) {
            tw_hash_add_text(hash, embedded);
            return TW_OK;
        }
    }
    struct tw_text text = {0};
    tw_status status = tw_source_template(d, path, &text, error);
    tw_hash_add_number(hash, (int64_t)text.length);
    tw_hash_add(hash, tw_text_or(&text, ""), text.length);
    tw_text_free(&text);
    return status;
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

tw_status tw_source_fixed(const struct tw_description *d,
                          const struct tw_launch_description *launch, const char *backend,
                          struct tw_text *text, struct tw_error *error) {
    struct tw_text templates = {0};
    const char *prelude;
    tw_status status = builtin(tw_language_of(backend)->prelude, &prelude, error);
    if (status == TW_OK)
        status = add_templates(&templates, d, launch, error);
    if (status == TW_OK) {
        tw_text_print(text, "%s", prelude);
        status = tw_prelude_extend(text, backend, templates.data, error);
    }
    if (status == TW_OK)
        tw_text_add(text, templates.data, templates.length);
    tw_text_free(&templates);
    if (status == TW_OK && text->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return status;
}

static tw_status begin(struct tw_text *source, const char *backend,
                       const struct tw_geometry *geometry, struct tw_error *error) {
    const char *path = tw_language_of(backend)->prelude, *prelude;
    tw_status status = builtin(path, &prelude, error);
    if (status != TW_OK)
        return status;
    tw_text_print(source, "#define TW_BLOCK_X %u\n#define TW_BLOCK_Y %u\n#define TW_BLOCK_Z %u\n",
                  geometry->block[0], geometry->block[1], geometry->block[2]);
    tw_text_print(source, "#define TW_MIN_BLOCKS %u\n#line 1 \"%s\"\n", geometry->min_blocks, path);
    tw_text_add(source, prelude, strlen(prelude));
    return TW_OK;
}

tw_status tw_source_own(const char *name, const char *text, const char *backend,
                        const char *defines, uint32_t threads, struct tw_text *source,
                        struct tw_error *error) {
    const struct tw_geometry geometry = {.block = {threads, 1, 1}, .min_blocks = 1};
    tw_status status = begin(source, backend, &geometry, error);
    /* These kernels name no extension that what the caller defines does not name. */
    if (status == TW_OK)
        status = tw_prelude_extend(source, backend, defines, error);
    if (status != TW_OK)
        return status;
    tw_text_print(source, "%s#line 1 \"%s\"\n%s", defines, name, text);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}

tw_status tw_source_builtin(const char *path, const char *backend, const char *defines,
                            uint32_t threads, struct tw_text *source, struct tw_error *error) {
    const char *text;
    char file[TW_PATH_SIZE];
    snprintf(file, sizeof file, "templates/%s", path);
    tw_status status = builtin(file, &text, error);
    return status == TW_OK ? tw_source_own(path, text, backend, defines, threads, source, error)
                           : status;
}

/* Every word gets a number by its place in the list, and the name the chosen one's. */
static void define_word(struct tw_text *source, const struct tw_symbols *symbols, const char *name,
                        const int64_t *words, int count, int64_t chosen) {
    for (int i = 0; i < count; i++)
        tw_text_print(source, "#define %s_%s %d\n", name, symbols->words[words[i]], i);
    tw_text_print(source, "#define %s %s_%s\n", name, name, symbols->words[chosen]);
}

static void name_attribute(const struct tw_attribute *attribute, char name[TW_NAME_SIZE]) {
    size_t i = 0;
    for (; attribute->name[i] != '\0'; i++)
        name[i] = (char)toupper((unsigned char)attribute->name[i]);
    name[i] = '\0';
}

static void define_attributes(struct tw_text *source, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        char name[TW_NAME_SIZE];
        int64_t words[TW_MAX_CHOICES];
        name_attribute(attribute, name);
        if (attribute->is_number) {
            tw_text_print(source, "#define %s %d\n", name, problem->words[i]);
            continue;
        }
        for (int k = 0; k < attribute->word_count; k++)
            words[k] = attribute->words[k];
        define_word(source, &d->symbols, name, words, attribute->word_count, problem->words[i]);
    }
}

/* HAS_BIAS for an optional argument bias. */
static void define_optional(struct tw_text *source, const struct tw_problem *problem,
                            const int64_t *values) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->argument_count; i++) {
        if (d->arguments[i].when == NULL)
            continue;
        tw_text_print(source, "#define HAS_");
        for (const char *at = d->arguments[i].name; *at != '\0'; at++)
            tw_text_print(source, "%c", toupper((unsigned char)*at));
        tw_text_print(source, " %d\n", tw_problem_has(problem, i, values));
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

static bool continues_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a name stands anywhere in a text, be it in a comment. One that is pasted together or
 * included may. */
static bool may_name(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if ((at == text || !continues_name(at[-1])) && !continues_name(at[length]))
            return true;
    return strstr(text, "##") != NULL || strstr(text, "#include") != NULL;
}

/* For a reference. Those that it does not name would make its source another for each shape, to be
 * compiled again for nothing. */
static void define_lets(struct tw_text *source, const struct tw_description *d,
                        const int64_t *values, const char *templates) {
    for (int i = 0; i < d->let_count; i++)
        if (may_name(templates, d->lets[i].name))
            tw_text_print(source, "#define %s %" PRId64 "\n", d->lets[i].name,
                          values[d->lets[i].slot]);
}

static bool share_word(struct tw_words *words, const char *name, const char *word) {
    char macro[2 * TW_NAME_SIZE];
    snprintf(macro, sizeof macro, "%s_%s", name, word);
    return tw_words_share(words, macro) != NULL;
}

/* The macros of words, DTYPE_f32, of a description's attributes and an implementation's parameters
 * (NULL: none). Their numbers only tell them from each other. NULL when out of memory. */
static struct tw_words *words_of(const struct tw_description *d,
                                 const struct tw_implementation *in) {
    struct tw_words *words = tw_words_create();
    bool shared = words != NULL;
    for (int i = 0; i < d->attribute_count; i++) {
        char name[TW_NAME_SIZE];
        name_attribute(&d->attributes[i], name);
        for (int k = 0; k < d->attributes[i].word_count && shared; k++)
            shared = share_word(words, name, d->symbols.words[d->attributes[i].words[k]]);
    }
    for (int i = 0; in != NULL && i < in->parameter_count; i++) {
        const struct tw_parameter *parameter = &in->parameters[i];
        for (int k = 0; parameter->is_word && k < parameter->count && shared; k++)
            shared = share_word(words, parameter->name, in->symbols->words[parameter->values[k]]);
    }
    if (shared)
        return words;
    tw_words_free(words);
    return NULL;
}

/* What is known of a source before its extensions are. */
struct rendering {
    const char *backend;
    const struct tw_geometry *geometry;
    const struct tw_words *words;
    struct tw_text rest; /* behind them */
};

/* Puts a source together, and preprocesses it where `left` is wanted. */
static tw_status assemble(const struct rendering *rendering, const struct tw_text *extensions,
                          struct tw_text *source, struct tw_text *left, struct tw_error *error) {
    tw_status status = begin(source, rendering->backend, rendering->geometry, error);
    if (status != TW_OK)
        return status;
    if (extensions->failed || rendering->rest.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    tw_text_add(source, tw_text_or(extensions, ""), extensions->length);
    tw_text_add(source, tw_text_or(&rendering->rest, ""), rendering->rest.length);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return left != NULL ? tw_preprocess(source->data, rendering->words, left, error) : TW_OK;
}

static void move(struct tw_text *to, struct tw_text *from) {
    if (to->data == NULL) {
        *to = *from;
        *from = (struct tw_text){0};
    } else {
        tw_text_add(to, tw_text_or(from, ""), from->length);
    }
}

/* Extensions count where they are named in what the preprocessor would leave: a kernel that knows
 * more types than this problem has is none the longer for it. So most sources are whole before it
 * is known that they are, and what is left of them is known as well. */
static tw_status extend(const struct rendering *rendering, struct tw_text *source,
                        struct tw_text *left, struct tw_error *error) {
    struct tw_text whole = {0}, bare = {0}, extensions = {0};
    tw_status status = assemble(rendering, &extensions, &whole, &bare, error);
    if (status == TW_OK)
        status = tw_prelude_extend(&extensions, rendering->backend, tw_text_or(&bare, ""), error);
    if (status == TW_OK && extensions.length == 0 && !extensions.failed) {
        move(source, &whole);
        if (left != NULL)
            move(left, &bare);
    } else if (status == TW_OK) {
        status = assemble(rendering, &extensions, source, left, error);
    }
    tw_text_free(&whole);
    tw_text_free(&bare);
    tw_text_free(&extensions);
    if (status == TW_OK && (source->failed || (left != NULL && left->failed)))
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return status;
}

tw_status tw_source_render(const struct tw_problem *problem,
                           const struct tw_configuration *configuration,
                           const struct tw_launch_description *launch, const char *backend,
                           const int64_t *values, const struct tw_geometry *geometry,
                           struct tw_text *source, struct tw_text *left, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *in =
        configuration != NULL ? &d->implementations[configuration->implementation] : NULL;
    struct rendering rendering = {.backend = backend, .geometry = geometry};
    struct tw_text templates = {0};
    struct tw_words *words = left != NULL ? words_of(d, in) : NULL;
    tw_status status = left != NULL && words == NULL ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                                     : add_templates(&templates, d, launch, error);
    if (status == TW_OK) {
        rendering.words = words;
        define_attributes(&rendering.rest, problem);
        define_optional(&rendering.rest, problem, values);
        if (in == NULL)
            define_lets(&rendering.rest, d, values, tw_text_or(&templates, ""));
        else
            define_configuration(&rendering.rest, in, configuration, values);
        tw_text_add(&rendering.rest, tw_text_or(&templates, ""), templates.length);
        static const struct tw_text none;
        if (left != NULL || tw_prelude_named(tw_text_or(&rendering.rest, "")))
            status = extend(&rendering, source, left, error);
        else
            status = assemble(&rendering, &none, source, NULL, error);
    }
    tw_text_free(&rendering.rest);
    tw_text_free(&templates);
    tw_words_free(words);
    return status;
}
