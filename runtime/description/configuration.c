#include "runtime/description/configuration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/outline.h"
#include "runtime/description/read.h"

void tw_configuration_text(const struct tw_description *d,
                           const struct tw_configuration *configuration, struct tw_text *text) {
    const struct tw_implementation *implementation =
        &d->implementations[configuration->implementation];
    int order[TW_MAX_PARAMETERS];
    for (int i = 0; i < implementation->parameter_count; i++) {
        int at = i;
        while (at > 0 && strcmp(implementation->parameters[order[at - 1]].name,
                                implementation->parameters[i].name) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    tw_text_add(text, "{", 1);
    for (int i = 0; i < implementation->parameter_count; i++) {
        const struct tw_parameter *parameter = &implementation->parameters[order[i]];
        int64_t value = configuration->values[order[i]];
        tw_text_print(text, "%s\"%s\":", i > 0 ? "," : "", parameter->name);
        if (parameter->is_word)
            tw_text_print(text, "\"%s\"", implementation->symbols->words[value]);
        else
            tw_text_print(text, "%" PRId64, value);
    }
    tw_text_add(text, "}", 1);
}

/* ---- Reading ---- */

/* "NAME", of which *at is moved behind; false where none stands or it has an escape. */
static bool take_quoted(const char **at, const char **word, size_t *length) {
    if (**at != '"')
        return false;
    *word = *at + 1;
    *length = strcspn(*word, "\"\\");
    *at = *word + *length;
    return *(*at)++ == '"';
}

static bool is_same(const char *name, const char *word, size_t length) {
    return strncmp(name, word, length) == 0 && name[length] == '\0';
}

static bool take_number(const char **at, int64_t *number) {
    enum { MOST_DIGITS = 15 }; /* which a double of cJSON's holds as well */
    bool negative = **at == '-';
    const char *digit = *at + negative;
    *number = 0;
    *at = digit;
    while (**at >= '0' && **at <= '9' && *at - digit < MOST_DIGITS)
        *number = 10 * *number + (*(*at)++ - '0');
    *number = negative ? -*number : *number;
    return *at > digit;
}

/* One of the values that a parameter may have. */
static bool take_value(const struct tw_implementation *in, const struct tw_parameter *parameter,
                       const char **at, int64_t *value) {
    const char *word = NULL;
    size_t length = 0;
    int64_t number = 0;
    if (!(parameter->is_word ? take_quoted(at, &word, &length) : take_number(at, &number)))
        return false;
    for (int i = 0; i < parameter->count; i++) {
        *value = parameter->values[i];
        if (parameter->is_word ? is_same(in->symbols->words[*value], word, length)
                               : *value == number)
            return true;
    }
    return false;
}

/* What programs write, with every parameter once, but for what is new, and no blanks:
 * {"BM":64,"STAGING":"shared"}. A selection reads one for each candidate, where a tree of cJSON's
 * took most of the time. False: it is something else, or wrong, and for the other way to read,
 * which can say what is wrong. */
static bool read_written(struct tw_configuration *configuration, const struct tw_implementation *in,
                         const char *at) {
    bool given[TW_MAX_PARAMETERS] = {false};
    for (int count = 0; count < in->parameter_count && *at != '}'; count++) {
        const char *name;
        size_t length;
        int i = 0;
        if (*at++ != (count == 0 ? '{' : ',') || !take_quoted(&at, &name, &length) || *at++ != ':')
            return false;
        while (i < in->parameter_count &&
               (given[i] || !is_same(in->parameters[i].name, name, length)))
            i++;
        if (i == in->parameter_count ||
            !take_value(in, &in->parameters[i], &at, &configuration->values[i]))
            return false;
        given[i] = true;
    }
    for (int i = 0; i < in->parameter_count; i++) {
        if (!given[i] && !in->parameters[i].has_absent)
            return false;
        if (!given[i])
            configuration->values[i] = in->parameters[i].absent;
    }
    return in->parameter_count > 0 && strcmp(at, "}") == 0;
}

tw_status tw_configuration_parse(struct tw_configuration *configuration,
                                 const struct tw_description *d, int index, const char *text,
                                 struct tw_error *error) {
    const struct tw_implementation *implementation = &d->implementations[index];
    cJSON *json;
    tw_status status = tw_description_need(d, index, error);
    if (status != TW_OK)
        return status;
    *configuration = (struct tw_configuration){.implementation = index};
    if (read_written(configuration, implementation, text))
        return TW_OK;
    status = tw_json_parse(&json, text, "configuration", error);
    if (status != TW_OK)
        return status;
    struct tw_json_context context = {.origin = "configuration", .error = error};
    struct tw_json root = tw_json_root(&context, json);
    *configuration = (struct tw_configuration){.implementation = index};
    tw_read_values(implementation, configuration->values, &root);
    cJSON_Delete(json);
    return context.status;
}

tw_status tw_configuration_preset(struct tw_configuration *configuration,
                                  const struct tw_description *d, int implementation,
                                  const struct tw_preset *preset, struct tw_error *error) {
    *configuration = (struct tw_configuration){.implementation = implementation};
    tw_status status = tw_description_need(d, implementation, error);
    if (status == TW_OK)
        memcpy(configuration->values, preset->values, sizeof configuration->values);
    return status;
}

static void bind_parameters(const struct tw_implementation *implementation,
                            const struct tw_configuration *configuration, int64_t *values) {
    for (int i = 0; i < implementation->parameter_count; i++)
        values[implementation->parameters[i].slot] = configuration->values[i];
}

static tw_status bind_defines(const struct tw_description *d,
                              const struct tw_implementation *implementation, int64_t *values,
                              struct tw_error *error) {
    for (int i = 0; i < implementation->define_count; i++) {
        const struct tw_named_expression *define = &implementation->defines[i];
        enum tw_evaluation outcome =
            tw_expression_evaluate(define->expression, values, &values[define->slot]);
        if (outcome != TW_EVALUATED)
            return tw_fail(error, TW_INVALID, "%s: implementation %s: define %s, \"%s\", %s",
                           d->origin, implementation->name, define->name,
                           tw_expression_text(define->expression), tw_evaluation_text(outcome));
    }
    return TW_OK;
}

static tw_status check(const struct tw_implementation *implementation, uint64_t held,
                       const int64_t *values, struct tw_error *error) {
    for (int i = 0; i < implementation->constraint_count; i++) {
        int64_t holds = 0;
        if ((held >> i & 1) != 0)
            continue;
        enum tw_evaluation outcome =
            tw_expression_evaluate(implementation->constraints[i], values, &holds);
        if (outcome != TW_EVALUATED || holds == 0)
            return tw_fail(error, TW_INVALID, "%s does not allow it: the constraint \"%s\" %s",
                           implementation->name, tw_expression_text(implementation->constraints[i]),
                           outcome != TW_EVALUATED ? tw_evaluation_text(outcome) : "does not hold");
    }
    return TW_OK;
}

tw_status tw_configuration_bind(const struct tw_description *d,
                                const struct tw_configuration *configuration, int64_t *values,
                                struct tw_error *error) {
    const struct tw_implementation *implementation =
        &d->implementations[configuration->implementation];
    bind_parameters(implementation, configuration, values);
    return bind_defines(d, implementation, values, error);
}

tw_status tw_configuration_check(const struct tw_description *d,
                                 const struct tw_configuration *configuration,
                                 const int64_t *values, struct tw_error *error) {
    return check(&d->implementations[configuration->implementation], 0, values, error);
}

tw_status tw_configuration_allow(const struct tw_description *d,
                                 const struct tw_configuration *configuration, uint64_t held,
                                 int64_t *values, struct tw_error *error) {
    const struct tw_implementation *implementation =
        &d->implementations[configuration->implementation];
    bind_parameters(implementation, configuration, values);
    tw_status status = check(implementation, held, values, error);
    return status == TW_OK ? bind_defines(d, implementation, values, error) : status;
}

bool tw_parameter_has(const struct tw_parameter *parameter, int64_t value) {
    for (int i = 0; i < parameter->count; i++)
        if (parameter->values[i] == value)
            return true;
    return false;
}

bool tw_configuration_redundant(const struct tw_description *d,
                                const struct tw_configuration *configuration,
                                const int64_t *values) {
    const struct tw_implementation *implementation =
        &d->implementations[configuration->implementation];
    for (int i = 0; i < implementation->redundant_count; i++) {
        int64_t holds = 0;
        if (tw_expression_evaluate(implementation->redundant[i], values, &holds) == TW_EVALUATED &&
            holds != 0)
            return true;
    }
    return false;
}

bool tw_configuration_equal(const struct tw_description *d, const struct tw_configuration *a,
                            const struct tw_configuration *b) {
    if (a->implementation != b->implementation)
        return false;
    size_t count = (size_t)d->implementations[a->implementation].parameter_count;
    return memcmp(a->values, b->values, count * sizeof *a->values) == 0;
}

bool tw_configuration_same_binary(const struct tw_description *d, const struct tw_configuration *a,
                                  const struct tw_configuration *b) {
    const struct tw_implementation *in = &d->implementations[a->implementation];
    if (a->implementation != b->implementation)
        return false;
    for (int i = 0; i < in->parameter_count; i++)
        if (!in->parameters[i].launch && a->values[i] != b->values[i])
            return false;
    return true;
}
