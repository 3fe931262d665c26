/* The hash of all that an implementation's sources are made from, for any problem. */
#include <math.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/variant/identity.h"
#include "runtime/variant/identity_parts.h"
#include "runtime/variant/preprocess.h"
#include "runtime/variant/source.h"

tw_status tw_identity_finish(struct tw_hash *state, tw_status status, char hash[TW_HASH_SIZE],
                             struct tw_error *error) {
    tw_hash_finish(state, hash);
    if (status == TW_OK && hash[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

static void add_expressions(struct tw_hash *hash, struct tw_expression *const *expressions,
                            int count, const struct tw_symbols *symbols) {
    for (int i = 0; i < count; i++)
        tw_expression_hash(expressions[i], symbols, hash);
}

static void add_named(struct tw_hash *hash, const struct tw_named_expression *named, int count,
                      const struct tw_symbols *symbols) {
    tw_hash_add_number(hash, count);
    for (int i = 0; i < count; i++) {
        tw_hash_add_text(hash, named[i].name);
        tw_expression_hash(named[i].expression, symbols, hash);
    }
}

/* What a launch passes, by name: slots move when a description gets another. */
static void add_passed(struct tw_hash *hash, const struct tw_description *d,
                       const struct tw_symbols *symbols,
                       const struct tw_launch_description *launch) {
    tw_hash_add_number(hash, launch->passed_count);
    for (int i = 0; i < launch->passed_count; i++) {
        const struct tw_passed *passed = &launch->passed[i];
        tw_hash_add_number(hash, passed->kind + (passed->optional ? 16 : 0));
        if (passed->kind == TW_PASS_SLOT)
            tw_hash_add_text(hash, symbols->names[passed->index]);
        else if (passed->kind == TW_PASS_TENSOR_MAP)
            tw_hash_add_text(hash, launch->tensor_maps[passed->index].name);
        else if (passed->kind != TW_PASS_WORKSPACE && passed->kind != TW_PASS_COUNTERS)
            tw_hash_add_text(hash, d->arguments[passed->index].name);
    }
}

static void add_tensor_maps(struct tw_hash *hash, const struct tw_description *d,
                            const struct tw_symbols *symbols,
                            const struct tw_launch_description *launch) {
    for (int i = 0; i < launch->tensor_map_count; i++) {
        const struct tw_tensor_map_description *map = &launch->tensor_maps[i];
        tw_hash_add_text(hash, map->name);
        tw_hash_add_text(hash, map->buffer >= 0 ? d->arguments[map->buffer].name : "");
        tw_hash_add_number(hash, map->type);
        tw_hash_add_number(hash, map->rank);
        add_expressions(hash, map->dims, map->rank, symbols);
        add_expressions(hash, map->strides, map->rank - 1, symbols);
        add_expressions(hash, map->box, map->rank, symbols);
        add_expressions(hash, &map->swizzle, 1, symbols);
        add_expressions(hash, &map->offset, 1, symbols);
        /* Only where they are, as of arguments. */
        if (map->layers != NULL) {
            tw_expression_hash(map->layers, symbols, hash);
            tw_expression_hash(map->layer_stride, symbols, hash);
        }
        if (map->im2col) {
            add_expressions(hash, map->lower, map->rank - 2, symbols);
            add_expressions(hash, map->upper, map->rank - 2, symbols);
            add_expressions(hash, map->steps, map->rank - 2, symbols);
        }
    }
}

static tw_status add_launch(struct tw_hash *hash, const struct tw_description *d,
                            const struct tw_symbols *symbols,
                            const struct tw_launch_description *launch, const char *backend,
                            struct tw_error *error) {
    struct tw_text fixed = {0}, bare = {0};
    tw_status status = tw_source_fixed(d, launch, backend, &fixed, error);
    if (status == TW_OK)
        status = tw_strip_comments(fixed.data, &bare, error);
    if (status == TW_OK)
        tw_hash_add(hash, bare.data != NULL ? bare.data : "", bare.length);
    tw_text_free(&fixed);
    tw_text_free(&bare);
    tw_hash_add_text(hash, launch->function);
    add_expressions(hash, launch->block, 3, symbols);
    add_expressions(hash, launch->grid, 3, symbols);
    add_expressions(hash, &launch->shared, 1, symbols);
    add_expressions(hash, &launch->min_blocks, 1, symbols);
    add_expressions(hash, launch->cluster, 3, symbols);
    if (launch->early != NULL) /* only where it is, as layers of tensor maps */
        tw_expression_hash(launch->early, symbols, hash);
    add_passed(hash, d, symbols, launch);
    add_tensor_maps(hash, d, symbols, launch);
    return status;
}

void tw_identity_add_messages(struct tw_hash *hash, const struct tw_implementation *in) {
    for (int i = 0; i < in->message_count; i++)
        tw_hash_add_text(hash, in->disqualified_by[i]);
}

/* What words of an attribute mean, where they are not types themselves. */
static void add_types(struct tw_hash *hash, const struct tw_description *d,
                      const struct tw_argument *a) {
    if (a->kind == TW_ARGUMENT_STRIDE || a->type_attribute < 0)
        return;
    const struct tw_attribute *attribute = &d->attributes[a->type_attribute];
    for (int i = 0; i < attribute->word_count; i++) {
        const char *word = d->symbols.words[attribute->words[i]];
        const char *type = a->left[i] ? "" : tw_type_info(a->types[i])->word;
        if (strcmp(word, type) == 0)
            continue;
        tw_hash_add_text(hash, word);
        tw_hash_add_text(hash, type);
    }
    if (a->second_attribute < 0)
        return;
    attribute = &d->attributes[a->second_attribute];
    tw_hash_add_text(hash, attribute->name);
    for (int i = 0; i < attribute->word_count; i++) {
        tw_hash_add_text(hash, d->symbols.words[attribute->words[i]]);
        tw_hash_add_text(hash, tw_type_info(a->second_types[i])->word);
    }
}

/* Defaults of attributes count, because keys leave them out. */
static void add_problem(struct tw_hash *hash, const struct tw_description *d) {
    for (int i = 0; i < d->attribute_count; i++) {
        tw_hash_add_text(hash, d->attributes[i].name);
        if (d->attributes[i].is_number)
            tw_hash_add_number(hash, d->attributes[i].default_word);
        else
            tw_hash_add_text(hash, d->symbols.words[d->attributes[i].default_word]);
    }
    add_named(hash, d->lets, d->let_count, &d->symbols);
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        tw_hash_add_text(hash, a->name);
        tw_hash_add_number(hash, a->kind);
        tw_hash_add_text(hash, a->type_attribute >= 0 ? d->attributes[a->type_attribute].name
                                                      : tw_type_info(a->type)->word);
        add_types(hash, d, a);
        tw_hash_add_number(hash, a->access);
        add_expressions(hash, &a->rows, 1, &d->symbols);
        add_expressions(hash, &a->columns, 1, &d->symbols);
        tw_hash_add_text(hash, a->stride >= 0 ? d->arguments[a->stride].name : "");
        tw_hash_add_text(hash, a->read_when >= 0 ? d->arguments[a->read_when].name : "");
        add_expressions(hash, &a->default_stride, 1, &d->symbols);
        tw_hash_add_real(hash, a->default_number);
        tw_hash_add_real(hash, a->fill_low);
        tw_hash_add_real(hash, a->fill_high);
        tw_hash_add_number(hash, a->fill_seed);
        /* Only where they are: what has none keeps the hash that it had before there were any. */
        struct tw_expression *const later[] = {a->when, a->fill_low_of, a->fill_high_of, a->layers,
                                               a->fill_parts_of};
        for (int k = 0; k < 5; k++)
            if (later[k] != NULL) {
                tw_hash_add_number(hash, k);
                tw_expression_hash(later[k], &d->symbols, hash);
            }
    }
}

void tw_identity_add_cases(struct tw_hash *hash, const struct tw_description *d) {
    tw_hash_add_number(hash, d->case_count);
    for (int c = 0; c < d->case_count; c++)
        for (int i = 0; i < d->argument_count; i++)
            if (d->arguments[i].kind == TW_ARGUMENT_SCALAR) {
                tw_hash_add_text(hash, d->arguments[i].name);
                tw_hash_add_real(hash, d->cases[c].scalars[i]);
            }
}

void tw_identity_add_families(struct tw_hash *hash, const struct tw_description *d) {
    for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
        if (d->accuracy->terms[i] != NULL) {
            tw_hash_add_text(hash, d->arguments[i].name);
            tw_expression_hash(d->accuracy->terms[i], &d->symbols, hash);
        }
    tw_hash_add_number(hash, d->accuracy->family_count);
    for (int i = 0; i < d->accuracy->family_count; i++) {
        const struct tw_input_family *family = &d->accuracy->families[i];
        tw_hash_add_text(hash, family->name);
        tw_expression_hash(family->when, &d->symbols, hash);
        tw_hash_add_number(hash, family->fill_count);
        for (int f = 0; f < family->fill_count; f++) {
            const struct tw_hard_fill *fill = &family->fills[f];
            tw_hash_add_text(hash, d->arguments[fill->argument].name);
            tw_hash_add_real(hash, fill->low);
            tw_hash_add_real(hash, fill->high);
            tw_hash_add_number(hash, fill->least_exponent);
            tw_hash_add_number(hash, fill->most_exponent);
            tw_hash_add_number(hash, fill->exponents_of);
            tw_hash_add_number(hash, fill->second_half);
            for (int s = 0; s < fill->spot_count; s++) {
                tw_expression_hash(fill->spots[s].line, &d->symbols, hash);
                tw_expression_hash(fill->spots[s].term, &d->symbols, hash);
                tw_hash_add_text(hash, isnan(fill->spots[s].value) ? "nan"
                                       : fill->spots[s].value > 0  ? "inf"
                                                                   : "-inf");
            }
        }
    }
}

void tw_identity_add_bound(struct tw_hash *hash, const struct tw_error_bound *bound) {
    tw_hash_add_real(hash, bound->times_plain);
    tw_hash_add_real(hash, bound->max);
    tw_hash_add_real(hash, bound->rms);
}

static tw_status add_accuracy(struct tw_hash *hash, const struct tw_description *d,
                              const char *backend, struct tw_error *error) {
    if (d->accuracy == NULL)
        return TW_OK;
    tw_identity_add_families(hash, d);
    for (int i = 0; i < d->accuracy->bound_count; i++) {
        tw_expression_hash(d->accuracy->bounds[i].when, &d->symbols, hash);
        tw_identity_add_bound(hash, &d->accuracy->bounds[i]);
    }
    return add_launch(hash, d, &d->symbols, &d->accuracy->plain, backend, error);
}

tw_status tw_identity_code(const struct tw_description *d, int implementation, const char *backend,
                           char out[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_implementation *in = &d->implementations[implementation];
    struct tw_hash *hash = tw_hash_begin();
    tw_status status = TW_OK;
    tw_hash_add_text(hash, backend);
    tw_hash_add_text(hash, TW_JUDGE_VERSION);
    tw_hash_add_text(hash, in->name);
    add_problem(hash, d);
    for (int i = 0; i < in->parameter_count; i++) {
        tw_hash_add_text(hash, in->parameters[i].name);
        tw_hash_add_number(hash, in->parameters[i].is_word + 2 * in->parameters[i].launch);
    }
    add_named(hash, in->defines, in->define_count, in->symbols);
    tw_expression_hash(in->workspace, in->symbols, hash);
    if (in->counters != NULL)
        tw_expression_hash(in->counters, in->symbols, hash);
    tw_identity_add_messages(hash, in);
    for (int i = 0; i < in->launch_count && status == TW_OK; i++)
        status = add_launch(hash, d, in->symbols, &in->launches[i], backend, error);
    if (status == TW_OK)
        status = add_launch(hash, d, &d->symbols, &d->reference, backend, error);
    if (status == TW_OK)
        status = add_accuracy(hash, d, backend, error);
    tw_identity_add_cases(hash, d);
    for (int type = 0; type < TW_TYPE_COUNT; type++)
        if (d->tolerance[type] > 0) {
            tw_hash_add_text(hash, tw_type_info((enum tw_type)type)->word);
            tw_hash_add_real(hash, d->tolerance[type]);
        }
    tw_expression_hash(d->growth, &d->symbols, hash);
    return tw_identity_finish(hash, status, out, error);
}
