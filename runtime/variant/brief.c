#include "runtime/variant/brief.h"

#include <string.h>

#include "runtime/variant/prelude.h"
#include "runtime/variant/source.h"

/* Each word with the name, as the macros that tell them apart. */
static void add_words(struct tw_hash *hash, const struct tw_symbols *symbols, const char *name,
                      const int64_t *words, int count, int64_t chosen) {
    tw_hash_add_text(hash, name);
    tw_hash_add_number(hash, count);
    for (int i = 0; i < count; i++)
        tw_hash_add_text(hash, symbols->words[words[i]]);
    tw_hash_add_text(hash, symbols->words[chosen]);
}

/* What may have the same name as something of another kind: begins each kind. */
enum { ATTRIBUTES = 1, ARGUMENTS, PARAMETERS, DEFINES };

static void add_value(struct tw_hash *hash, const char *name, int64_t value) {
    tw_hash_add_text(hash, name);
    tw_hash_add_number(hash, -1); /* no words */
    tw_hash_add_number(hash, value);
}

static void add_problem(struct tw_hash *hash, const struct tw_problem *problem,
                        const int64_t *values) {
    const struct tw_description *d = problem->description;
    tw_hash_add_number(hash, ATTRIBUTES);
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        int64_t words[TW_MAX_CHOICES];
        for (int k = 0; k < attribute->word_count; k++)
            words[k] = attribute->words[k];
        if (attribute->is_number)
            add_value(hash, attribute->name, problem->words[i]);
        else
            add_words(hash, &d->symbols, attribute->name, words, attribute->word_count,
                      problem->words[i]);
    }
    tw_hash_add_number(hash, ARGUMENTS);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].when != NULL)
            add_value(hash, d->arguments[i].name, tw_problem_has(problem, i, values));
}

static void add_configuration(struct tw_hash *hash, const struct tw_implementation *in,
                              const struct tw_configuration *configuration, const int64_t *values) {
    tw_hash_add_number(hash, PARAMETERS);
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *parameter = &in->parameters[i];
        if (parameter->launch)
            continue;
        if (parameter->is_word)
            add_words(hash, in->symbols, parameter->name, parameter->values, parameter->count,
                      configuration->values[i]);
        else
            add_value(hash, parameter->name, configuration->values[i]);
    }
    tw_hash_add_number(hash, DEFINES);
    for (int i = 0; i < in->define_count; i++)
        add_value(hash, in->defines[i].name, values[in->defines[i].slot]);
}

static tw_status add_templates(struct tw_hash *hash, const struct tw_description *d,
                               const struct tw_launch_description *launch, struct tw_error *error) {
    tw_status status = TW_OK;
    tw_hash_add_number(hash, launch->template_count);
    for (int i = 0; i < launch->template_count && status == TW_OK; i++)
        status = tw_source_template_hash(d, launch->templates[i], hash, error);
    return status;
}

tw_status tw_executable_brief(const struct tw_executable *x, int launch, const char *backend,
                              char brief[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_description *d = x->problem->description;
    const struct tw_implementation *in = &d->implementations[x->configuration->implementation];
    const struct tw_geometry *geometry = &x->launches[launch].geometry;
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, tw_rendering);
    tw_prelude_hash(hash, backend);
    for (int i = 0; i < 3; i++)
        tw_hash_add_number(hash, geometry->block[i]);
    tw_hash_add_number(hash, geometry->min_blocks);
    add_problem(hash, x->problem, x->bound);
    add_configuration(hash, in, x->configuration, x->bound);
    tw_status status = add_templates(hash, d, &in->launches[launch], error);
    tw_hash_finish(hash, brief);
    return status == TW_OK && brief[0] == '\0' ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                               : status;
}
