#include "tuner/model/sample_features.h"

#include <stdlib.h>
#include <string.h>

static bool add_name(struct model_samples *s, const char *prefix, const char *name) {
    struct tw_text text = {0};
    tw_text_print(&text, "%s%s", prefix, name);
    s->names[s->shape.feature_count] = text.data;
    return !text.failed;
}

static struct tw_model_feature *add_feature(struct model_samples *s,
                                            enum tw_model_feature_kind kind, const char *prefix,
                                            const char *name) {
    static struct tw_model_feature none;
    for (int i = 0; i < s->shape.feature_count; i++)
        if (s->shape.features[i].kind == kind && strcmp(s->shape.features[i].name, name) == 0)
            return &s->shape.features[i];
    if (s->shape.feature_count == TW_MODEL_MAX_FEATURES || !add_name(s, prefix, name))
        return &none;
    struct tw_model_feature *feature = &s->shape.features[s->shape.feature_count++];
    *feature = (struct tw_model_feature){.kind = kind, .name = name};
    return feature;
}

static void add_word(struct tw_model_feature *feature, const char *word) {
    for (int i = 0; i < feature->word_count; i++)
        if (strcmp(feature->words[i], word) == 0)
            return;
    if (feature->word_count < TW_MODEL_MAX_WORDS)
        feature->words[feature->word_count++] = word;
}

static void add_implementation(struct model_samples *s, const struct tw_implementation *in) {
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *p = &in->parameters[i];
        struct tw_model_feature *feature =
            add_feature(s, TW_MODEL_FEATURE_PARAMETER, "parameter.", p->name);
        for (int k = 0; p->is_word && k < p->count; k++)
            add_word(feature, in->symbols->words[p->values[k]]);
    }
}

/* In the places where the earlier model's trees look for them. */
static bool take_features(struct model_samples *s) {
    static const char *const prefixes[] = {[TW_MODEL_FEATURE_GEOMETRY] = "geometry.",
                                           [TW_MODEL_FEATURE_DIMENSION] = "dimension.",
                                           [TW_MODEL_FEATURE_ATTRIBUTE] = "attribute.",
                                           [TW_MODEL_FEATURE_IMPLEMENTATION] = "implementation",
                                           [TW_MODEL_FEATURE_PARAMETER] = "parameter.",
                                           [TW_MODEL_FEATURE_WIDTH] = "width.",
                                           [TW_MODEL_FEATURE_PITCH] = "pitch.",
                                           [TW_MODEL_FEATURE_PIECES] = "pieces.",
                                           [TW_MODEL_FEATURE_FILLED] = "filled."};
    for (int i = 0; i < s->onto->feature_count; i++) {
        const struct tw_model_feature *feature = &s->onto->features[i];
        if (!add_name(s, prefixes[feature->kind], feature->name))
            return false;
        s->shape.features[s->shape.feature_count++] = *feature;
    }
    return true;
}

tw_status sample_features_choose(struct model_samples *s, struct tw_error *error) {
    static const char *const geometry[] = {
#define NAME(name, value) #name,
        TW_MODEL_GEOMETRY(NAME)
#undef NAME
    };
    const struct tw_description *d = s->description;
    s->names = calloc(TW_MODEL_MAX_FEATURES, sizeof *s->names);
    if (s->names == NULL || (s->onto != NULL && !take_features(s)))
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < (int)(sizeof geometry / sizeof *geometry); i++)
        add_feature(s, TW_MODEL_FEATURE_GEOMETRY, "geometry.", geometry[i])->geometry = i;
    for (int i = 0; i < d->dimension_count; i++)
        add_feature(s, TW_MODEL_FEATURE_DIMENSION, "dimension.", d->dimensions[i].name);
    for (int i = 0; i < d->dimension_count; i++) {
        add_feature(s, TW_MODEL_FEATURE_PIECES, "pieces.", d->dimensions[i].name);
        add_feature(s, TW_MODEL_FEATURE_FILLED, "filled.", d->dimensions[i].name);
    }
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER && d->arguments[i].when == NULL) {
            add_feature(s, TW_MODEL_FEATURE_WIDTH, "width.", d->arguments[i].name);
            add_feature(s, TW_MODEL_FEATURE_PITCH, "pitch.", d->arguments[i].name);
        }
    for (int i = 0; i < d->attribute_count; i++) {
        struct tw_model_feature *feature =
            add_feature(s, TW_MODEL_FEATURE_ATTRIBUTE, "attribute.", d->attributes[i].name);
        for (int k = 0; !d->attributes[i].is_number && k < d->attributes[i].word_count; k++)
            add_word(feature, d->symbols.words[d->attributes[i].words[k]]);
    }
    struct tw_model_feature *implementation =
        add_feature(s, TW_MODEL_FEATURE_IMPLEMENTATION, "implementation", "");
    for (int i = 0; i < s->configuration_count; i++) {
        const struct tw_implementation *in =
            &d->implementations[s->configurations[i].configuration.implementation];
        if (s->configurations[i].samples == 0)
            continue;
        add_word(implementation, in->name);
        add_implementation(s, in);
    }
    return TW_OK;
}
