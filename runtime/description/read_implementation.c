/* Reads one of `implementations`, and launches, which references have too. */
#include "runtime/description/read.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/description/languages.h"

static void read_sizes(struct tw_expression *sizes[3], const struct tw_symbols *symbols,
                       const struct tw_json *json) {
    tw_json_expect_array(json);
    int count = tw_read_count(json, 3);
    if (count == 0)
        tw_json_fail(json, "needs one to three sizes");
    for (int i = 0; i < count; i++) {
        struct tw_json size = tw_json_at(json, i);
        sizes[i] = tw_read_expression(symbols, &size);
    }
}

static bool is_compiled_in(const struct tw_implementation *implementation, int slot) {
    for (int i = 0; implementation != NULL && i < implementation->parameter_count; i++)
        if (implementation->parameters[i].slot == slot)
            return !implementation->parameters[i].launch;
    return false;
}

/* Whether a slot holds an integer that a launch may be given: a dimension, let or launch parameter.
 */
static bool is_passable(const struct tw_description *d,
                        const struct tw_implementation *implementation, int slot) {
    for (int i = 0; i < d->dimension_count; i++)
        if (d->dimensions[i].slot == slot)
            return true;
    for (int i = 0; i < d->let_count; i++)
        if (d->lets[i].slot == slot)
            return true;
    for (int i = 0; implementation != NULL && i < implementation->parameter_count; i++)
        if (implementation->parameters[i].slot == slot)
            return true;
    return false;
}

static struct tw_passed read_passed(const struct tw_description *d,
                                    const struct tw_implementation *implementation,
                                    const struct tw_launch_description *launch,
                                    const struct tw_symbols *symbols, const struct tw_json *json) {
    char name[TW_NAME_SIZE + 4] = "";
    strncpy(name, tw_json_string(json), sizeof name - 1);
    char *mark = strchr(name, '?');
    bool optional = mark != NULL && mark[1] == '\0';
    if (optional)
        *mark = '\0';
    char *dot = strchr(name, '.');
    bool before = implementation == NULL && dot != NULL && strcmp(dot, ".in") == 0;
    if (before)
        *dot = '\0';
    int argument = tw_find_argument(d, name);
    if (argument >= 0) {
        const struct tw_argument *a = &d->arguments[argument];
        bool readable =
            a->kind == TW_ARGUMENT_BUFFER && (a->access == TW_ACCESS_INOUT || a->read_when >= 0);
        if (before && !readable)
            tw_json_fail(json, "NAME.in is for buffers that are inout or have read_when");
        if (optional && a->when == NULL)
            tw_json_fail(json, "NAME? is for buffers and strides that have a \"when\"");
        return (struct tw_passed){before ? TW_PASS_BEFORE : TW_PASS_ARGUMENT, argument, optional};
    }
    if (optional)
        tw_json_fail(json, "\"%s\" is no argument, and only those are left out", name);
    if (implementation != NULL && strcmp(name, "workspace") == 0) {
        if (implementation->workspace == NULL)
            tw_json_fail(json, "the implementation has no workspace");
        return (struct tw_passed){.kind = TW_PASS_WORKSPACE};
    }
    if (implementation != NULL && strcmp(name, "counters") == 0) {
        if (implementation->counters == NULL)
            tw_json_fail(json, "the implementation has no counters");
        return (struct tw_passed){.kind = TW_PASS_COUNTERS};
    }
    for (int i = 0; i < launch->tensor_map_count; i++)
        if (strcmp(launch->tensor_maps[i].name, name) == 0)
            return (struct tw_passed){.kind = TW_PASS_TENSOR_MAP, .index = i};
    int slot = tw_symbols_find(symbols, name);
    if (is_compiled_in(implementation, slot))
        tw_json_fail(json,
                     "is a compiled-in parameter; only those with \"launch\": true are passed");
    else if (before || !is_passable(d, implementation, slot))
        tw_json_fail(json, "\"%s\" is no argument, tensor map, dimension, let or launch parameter",
                     tw_json_string(json));
    return (struct tw_passed){.kind = TW_PASS_SLOT, .index = slot};
}

void tw_read_launch(const struct tw_description *d, const struct tw_implementation *implementation,
                    struct tw_launch_description *launch, const struct tw_json *json) {
    static const char *const keys[] = {"templates",   "function", "block",      "grid",
                                       "cluster",     "shared",   "min_blocks", "early",
                                       "tensor_maps", "pass",     NULL};
    const struct tw_symbols *symbols =
        implementation != NULL ? implementation->symbols : &d->symbols;
    tw_json_only_keys(json, keys);
    struct tw_json templates = tw_json_member(json, "templates");
    tw_json_expect_array(&templates);
    launch->template_count = tw_read_count(&templates, TW_MAX_TEMPLATES);
    if (launch->template_count == 0)
        tw_json_fail(&templates, "needs at least one file");
    for (int i = 0; i < launch->template_count; i++) {
        struct tw_json template = tw_json_at(&templates, i);
        const char *path = tw_json_string(&template);
        if (path[0] == '\0' || strlen(path) >= TW_PATH_SIZE || strpbrk(path, "\"\\\n") != NULL)
            tw_json_fail(&template, "not a usable file name");
        else
            strcpy(launch->templates[i], path);
    }
    struct tw_json function = tw_json_member(json, "function");
    struct tw_json block = tw_json_member(json, "block");
    struct tw_json grid = tw_json_member(json, "grid");
    struct tw_json cluster = tw_json_optional(json, "cluster");
    struct tw_json tensor_maps = tw_json_optional(json, "tensor_maps");
    struct tw_json shared = tw_json_optional(json, "shared");
    struct tw_json min_blocks = tw_json_optional(json, "min_blocks");
    struct tw_json early = tw_json_optional(json, "early");
    struct tw_json pass = tw_json_member(json, "pass");
    tw_read_name(launch->function, &function);
    read_sizes(launch->block, symbols, &block);
    read_sizes(launch->grid, symbols, &grid);
    if (cluster.item != NULL)
        read_sizes(launch->cluster, symbols, &cluster);
    tw_read_tensor_maps(d, implementation, launch, &tensor_maps);
    launch->shared = tw_read_expression(symbols, &shared);
    launch->min_blocks = tw_read_expression(symbols, &min_blocks);
    launch->early = tw_read_expression(symbols, &early);
    tw_json_expect_array(&pass);
    launch->passed_count = tw_read_count(&pass, TW_MAX_PASSED);
    for (int i = 0; i < launch->passed_count; i++) {
        struct tw_json passed = tw_json_at(&pass, i);
        launch->passed[i] = read_passed(d, implementation, launch, symbols, &passed);
    }
}

/* A parameter or define must not be called like an argument: `pass` would not know which is meant.
 */
static int read_own_symbol(const struct tw_description *d, struct tw_implementation *implementation,
                           const struct tw_json *json) {
    if (json->context->status == TW_OK && tw_find_argument(d, tw_json_key(json)) >= 0)
        tw_json_fail(json, "the name %s is taken", tw_json_key(json));
    return tw_read_symbol(implementation->symbols, tw_json_key(json), json);
}

static void read_parameter(const struct tw_description *d, struct tw_implementation *implementation,
                           struct tw_parameter *parameter, const struct tw_json *json) {
    static const char *const keys[] = {"values", "launch", "absent", "untuned", NULL};
    struct tw_json values = *json, absent = {0};
    if (cJSON_IsObject(json->item)) {
        tw_json_only_keys(json, keys);
        struct tw_json launch = tw_json_optional(json, "launch");
        values = tw_json_member(json, "values");
        absent = tw_json_optional(json, "absent");
        parameter->launch = tw_json_boolean(&launch, false);
    }
    tw_json_expect_array(&values);
    parameter->count = tw_read_count(&values, TW_MAX_CHOICES);
    if (parameter->count == 0)
        tw_json_fail(&values, "needs at least one value");
    for (int i = 0; i < parameter->count; i++) {
        struct tw_json value = tw_json_at(&values, i);
        bool is_word = cJSON_IsString(value.item);
        if (i > 0 && is_word != parameter->is_word)
            tw_json_fail(&value, "integers and words cannot be mixed");
        parameter->is_word = is_word;
        parameter->values[i] =
            is_word ? tw_read_word(implementation->symbols, &value) : tw_json_integer(&value);
        if (!is_word && (parameter->values[i] > INT32_MAX || parameter->values[i] < -INT32_MAX))
            tw_json_fail(&value, "must fit 32 bits");
        for (int j = 0; j < i; j++)
            if (parameter->values[j] == parameter->values[i])
                tw_json_fail(&value, "given twice");
    }
    parameter->has_absent = absent.item != NULL;
    if (parameter->has_absent)
        parameter->absent = tw_read_value(implementation, parameter, &absent);
    if (parameter->is_word && parameter->launch)
        tw_json_fail(json, "a launch parameter has integers, not words");
    strncpy(parameter->name, tw_json_key(json), TW_NAME_SIZE - 1);
    parameter->slot = read_own_symbol(d, implementation, json);
    if (parameter->is_word)
        tw_symbols_hold_word(implementation->symbols, parameter->slot);
}

/* Of all parameters by then: what is worked out may depend on any of them. */
static void read_untuned(const struct tw_implementation *implementation,
                         struct tw_parameter *parameter, const struct tw_json *json) {
    struct tw_json untuned = tw_json_optional(json, "untuned");
    if (!parameter->is_word && cJSON_IsString(untuned.item)) {
        parameter->untuned_of = tw_read_expression(implementation->symbols, &untuned);
        return;
    }
    parameter->has_untuned = untuned.item != NULL;
    if (parameter->has_untuned)
        parameter->untuned = tw_read_value(implementation, parameter, &untuned);
}

static int read_rules(struct tw_expression *rules[], const struct tw_symbols *symbols,
                      const struct tw_json *json) {
    tw_json_expect_array(json);
    int count = tw_read_count(json, TW_MAX_RULES), read = 0;
    for (int i = 0; i < count; i++) {
        struct tw_json rule = tw_json_at(json, i);
        rules[read] = tw_read_expression(symbols, &rule);
        if (rules[read] == NULL)
            break;
        read++;
    }
    return read;
}

static void read_preset(struct tw_implementation *implementation, struct tw_preset *preset,
                        const struct tw_json *json) {
    if (strlen(tw_json_key(json)) >= TW_NAME_SIZE ||
        strspn(tw_json_key(json), "abcdefghijklmnopqrstuvwxyz0123456789-") !=
            strlen(tw_json_key(json)))
        tw_json_fail(json, "preset names are lower-case letters, digits and -");
    strncpy(preset->name, tw_json_key(json), TW_NAME_SIZE - 1);
    tw_read_values(implementation, preset->values, json);
}

static void read_backend(struct tw_implementation *implementation, const struct tw_json *json) {
    const struct tw_language *language = tw_languages;
    struct tw_text known = {0};
    while (language->backend != NULL && strcmp(language->backend, tw_json_string(json)) != 0) {
        tw_text_print(&known, "%s%s", language > tw_languages ? " or " : "", language->backend);
        language++;
    }
    if (language->backend != NULL)
        implementation->languages |= tw_language_bit(language);
    else
        tw_json_fail(json, "expected %s", tw_text_or(&known, "another"));
    tw_text_free(&known);
}

static void read_requires(struct tw_implementation *implementation, const struct tw_json *json) {
    static const char *const keys[] = {"backends", "min_arch", "exact_arch", NULL};
    implementation->languages = UINT32_MAX;
    if (json->item == NULL)
        return;
    tw_json_only_keys(json, keys);
    struct tw_json backends = tw_json_optional(json, "backends");
    tw_json_expect_array(&backends);
    if (backends.item != NULL)
        implementation->languages = 0;
    for (int i = 0; i < tw_json_count(&backends); i++) {
        struct tw_json backend = tw_json_at(&backends, i);
        read_backend(implementation, &backend);
    }
    struct tw_json min_arch = tw_json_optional(json, "min_arch");
    implementation->min_arch = min_arch.item != NULL ? (int)tw_json_integer(&min_arch) : 0;
    struct tw_json exact_arch = tw_json_optional(json, "exact_arch");
    implementation->exact_arch = exact_arch.item != NULL ? (int)tw_json_integer(&exact_arch) : 0;
}

static void read_messages(struct tw_implementation *implementation, const struct tw_json *json) {
    tw_json_expect_array(json);
    int count = tw_read_count(json, TW_MAX_MESSAGES);
    for (int i = 0; i < count; i++) {
        struct tw_json message = tw_json_at(json, i);
        if (tw_json_string(&message)[0] == '\0')
            tw_json_fail(&message, "needs a part of a compiler's message");
        char *text = tw_read_text(&message);
        if (text == NULL)
            return;
        implementation->disqualified_by[implementation->message_count++] = text;
    }
}

/* A bit for each of the constraints that any of the slots may change. */
static uint64_t find_constraints(const struct tw_implementation *in, const bool *slots) {
    uint64_t found = 0;
    for (int i = 0; i < in->constraint_count; i++)
        for (int slot = 0; slot < in->symbols->count; slot++)
            if (slots[slot] && tw_expression_uses(in->constraints[i], slot))
                found |= UINT64_C(1) << i;
    return found;
}

/* All that is neither of the device nor an attribute, nor a let of these. */
static void find_sized(const struct tw_description *d, bool *sized) {
    for (int slot = TW_DEVICE_SLOTS; slot < d->symbols.count; slot++)
        sized[slot] = true;
    for (int i = 0; i < d->attribute_count; i++)
        sized[d->attributes[i].slot] = false;
    for (int i = 0; i < d->let_count; i++) {
        bool uses = false;
        for (int slot = 0; slot < d->symbols.count; slot++)
            uses |= sized[slot] && tw_expression_uses(d->lets[i].expression, slot);
        sized[d->lets[i].slot] = uses;
    }
}

static void sort_constraints(const struct tw_description *d, struct tw_implementation *in) {
    bool sized[TW_MAX_SYMBOLS] = {false}, launch[TW_MAX_SYMBOLS] = {false};
    find_sized(d, sized);
    for (int i = 0; i < in->parameter_count; i++)
        launch[in->parameters[i].slot] = in->parameters[i].launch;
    in->sized_constraints = find_constraints(in, sized);
    in->launch_constraints = find_constraints(in, launch);
}

static void read_space(const struct tw_description *d, struct tw_implementation *implementation,
                       const struct tw_json *json) {
    struct tw_json parameters = tw_json_member(json, "parameters");
    tw_json_expect_object(&parameters);
    implementation->parameters =
        tw_read_list(&parameters, TW_MAX_PARAMETERS, sizeof *implementation->parameters,
                     &implementation->parameter_count);
    for (int i = 0; i < implementation->parameter_count; i++) {
        struct tw_json parameter = tw_json_at(&parameters, i);
        read_parameter(d, implementation, &implementation->parameters[i], &parameter);
    }
    for (int i = 0; i < implementation->parameter_count && json->context->status == TW_OK; i++) {
        struct tw_json parameter = tw_json_at(&parameters, i);
        read_untuned(implementation, &implementation->parameters[i], &parameter);
    }
    struct tw_json constraints = tw_json_optional(json, "constraints");
    struct tw_json redundant = tw_json_optional(json, "redundant");
    implementation->constraint_count =
        read_rules(implementation->constraints, implementation->symbols, &constraints);
    sort_constraints(d, implementation);
    implementation->redundant_count =
        read_rules(implementation->redundant, implementation->symbols, &redundant);
    struct tw_json defines = tw_json_optional(json, "defines");
    tw_json_expect_object(&defines);
    int count = tw_read_count(&defines, TW_MAX_RULES);
    for (int i = 0; i < count; i++) {
        struct tw_json define = tw_json_at(&defines, i);
        struct tw_named_expression *named = &implementation->defines[i];
        named->expression = tw_read_expression(implementation->symbols, &define);
        if (named->expression == NULL)
            break;
        implementation->define_count++;
        strncpy(named->name, tw_json_key(&define), TW_NAME_SIZE - 1);
        named->slot = read_own_symbol(d, implementation, &define);
        for (int what = 0; what < TW_VISITED_KINDS; what++)
            if (tw_expression_visits(named->expression, (enum tw_visited)what))
                implementation->telling_defines[what] |= UINT64_C(1) << i;
    }
}

void tw_read_implementation(const struct tw_description *d,
                            struct tw_implementation *implementation, const struct tw_json *json) {
    static const char *const keys[] = {
        "name",  "summary",   "requires", "parameters", "constraints", "redundant",       "defines",
        "flops", "workspace", "counters", "launches",   "presets",     "disqualified_by", NULL};
    tw_json_only_keys(json, keys);
    struct tw_json name = tw_json_member(json, "name");
    struct tw_json summary = tw_json_member(json, "summary");
    struct tw_json requirements = tw_json_optional(json, "requires");
    tw_read_name(implementation->name, &name);
    implementation->summary = tw_read_text(&summary);
    read_requires(implementation, &requirements);
    struct tw_json messages = tw_json_optional(json, "disqualified_by");
    read_messages(implementation, &messages);
    implementation->symbols = malloc(sizeof *implementation->symbols);
    if (implementation->symbols == NULL) {
        tw_json_no_memory(json);
        return;
    }
    tw_symbols_copy(implementation->symbols, &d->symbols);
    read_space(d, implementation, json);

    struct tw_json flops = tw_json_optional(json, "flops");
    implementation->flops = tw_read_expression(implementation->symbols, &flops);
    struct tw_json workspace = tw_json_optional(json, "workspace");
    implementation->workspace = tw_read_expression(implementation->symbols, &workspace);
    struct tw_json counters = tw_json_optional(json, "counters");
    implementation->counters = tw_read_expression(implementation->symbols, &counters);
    struct tw_json launches = tw_json_member(json, "launches");
    tw_json_expect_array(&launches);
    implementation->launches =
        tw_read_list(&launches, TW_MAX_LAUNCHES, sizeof *implementation->launches,
                     &implementation->launch_count);
    if (implementation->launch_count == 0)
        tw_json_fail(&launches, "needs at least one launch");
    for (int i = 0; i < implementation->launch_count; i++) {
        struct tw_json launch = tw_json_at(&launches, i);
        tw_read_launch(d, implementation, &implementation->launches[i], &launch);
    }
    struct tw_json presets = tw_json_optional(json, "presets");
    tw_json_expect_object(&presets);
    implementation->presets = tw_read_list(&presets, TW_MAX_RULES, sizeof *implementation->presets,
                                           &implementation->preset_count);
    for (int i = 0; i < implementation->preset_count && json->context->status == TW_OK; i++) {
        struct tw_json preset = tw_json_at(&presets, i);
        read_preset(implementation, &implementation->presets[i], &preset);
    }
}
