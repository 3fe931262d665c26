#include "tuner/space/pins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_parameter(const struct tw_implementation *implementation, const char *name) {
    for (int i = 0; i < implementation->parameter_count; i++)
        if (strcmp(implementation->parameters[i].name, name) == 0)
            return i;
    return -1;
}

static void value_text(const struct tw_implementation *implementation, int parameter, int choice,
                       char text[TW_NAME_SIZE]) {
    const struct tw_parameter *p = &implementation->parameters[parameter];
    if (p->is_word)
        snprintf(text, TW_NAME_SIZE, "%s", implementation->symbols->words[p->values[choice]]);
    else
        snprintf(text, TW_NAME_SIZE, "%" PRId64, p->values[choice]);
}

/* The place of a value in the parameter's list, or -1. */
static int find_choice(const struct tw_implementation *implementation, int parameter,
                       const char *value) {
    char text[TW_NAME_SIZE];
    for (int i = 0; i < implementation->parameters[parameter].count; i++) {
        value_text(implementation, parameter, i, text);
        if (strcmp(text, value) == 0)
            return i;
    }
    return -1;
}

static bool has_pin(const struct tw_implementation *implementation, const struct pin *pin) {
    int parameter = find_parameter(implementation, pin->name);
    return parameter >= 0 && find_choice(implementation, parameter, pin->value) >= 0;
}

/* ---- Reading ---- */

/* Adds what is not there yet. */
static void add_name(const char **names, size_t *count, size_t room, const char *name) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return;
    if (*count < room)
        names[(*count)++] = name;
}

static tw_status unknown_parameter(const char *name, const struct tw_description *d,
                                   struct tw_error *error) {
    const char *names[TW_MAX_SYMBOLS] = {NULL};
    size_t count = 0;
    for (int i = 0; i < d->implementation_count; i++)
        for (int p = 0; p < d->implementations[i].parameter_count; p++)
            add_name(names, &count, TW_MAX_SYMBOLS, d->implementations[i].parameters[p].name);
    const char *nearest = tw_nearest(name, names, count);
    if (nearest != NULL)
        return tw_fail(error, TW_INVALID,
                       "--fix: the kernel %s has no parameter \"%s\"; did you mean %s?", d->kernel,
                       name, nearest);
    struct tw_text known = {0};
    for (size_t i = 0; i < count; i++)
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    tw_fail(error, TW_INVALID, "--fix: the kernel %s has no parameter \"%s\"; it has %s", d->kernel,
            name, tw_text_or(&known, "none"));
    tw_text_free(&known);
    return TW_INVALID;
}

static tw_status unlisted_value(const struct pin *pin, const struct tw_description *d,
                                struct tw_error *error) {
    struct tw_text known = {0};
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        int parameter = find_parameter(in, pin->name);
        for (int c = 0; parameter >= 0 && c < in->parameters[parameter].count; c++) {
            char text[TW_NAME_SIZE];
            bool told = false;
            value_text(in, parameter, c, text);
            for (int j = 0; j < i && !told; j++) {
                int same = find_parameter(&d->implementations[j], pin->name);
                told = same >= 0 && find_choice(&d->implementations[j], same, text) >= 0;
            }
            if (!told)
                tw_text_print(&known, "%s%s", known.length > 0 ? ", " : "", text);
        }
    }
    tw_fail(error, TW_INVALID, "--fix %s=%s: not a value of %s, which may be %s", pin->name,
            pin->value, pin->name, tw_text_or(&known, "nothing"));
    tw_text_free(&known);
    return TW_INVALID;
}

static tw_status check_pin(const struct pin *pin, const struct tw_description *d,
                           struct tw_error *error) {
    bool known = false;
    for (int i = 0; i < d->implementation_count; i++) {
        if (has_pin(&d->implementations[i], pin))
            return TW_OK;
        known = known || find_parameter(&d->implementations[i], pin->name) >= 0;
    }
    return known ? unlisted_value(pin, d, error) : unknown_parameter(pin->name, d, error);
}

static tw_status read_pin(struct pin *pin, const char *word, struct tw_error *error) {
    const char *equals = strchr(word, '=');
    if (equals == NULL || equals == word || equals[1] == '\0')
        return tw_fail(error, TW_INVALID,
                       "--fix %s: a parameter is held at a value by NAME=VALUE, as in BK=8", word);
    if ((size_t)(equals - word) >= sizeof pin->name || strlen(equals + 1) >= sizeof pin->value)
        return tw_fail(error, TW_INVALID, "--fix %.100s: too long for a parameter and its value",
                       word);
    memset(pin, 0, sizeof *pin);
    memcpy(pin->name, word, (size_t)(equals - word));
    strcpy(pin->value, equals + 1);
    return TW_OK;
}

static tw_status add_pin(struct pins *pins, const struct pin *pin, struct tw_error *error) {
    int at = pins->count;
    for (int i = 0; i < pins->count; i++)
        if (strcmp(pins->pins[i].name, pin->name) == 0)
            return tw_fail(error, TW_INVALID, "--fix: %s is given twice", pin->name);
    if (pins->count == TW_MAX_PARAMETERS)
        return tw_fail(error, TW_INVALID, "--fix: more than %d parameters", TW_MAX_PARAMETERS);
    for (; at > 0 && strcmp(pins->pins[at - 1].name, pin->name) > 0; at--)
        pins->pins[at] = pins->pins[at - 1];
    pins->pins[at] = *pin;
    pins->count++;
    return TW_OK;
}

static tw_status check_together(const struct pins *pins, const struct tw_description *d,
                                struct tw_error *error) {
    for (int i = 0; i < d->implementation_count; i++)
        if (pins_fit(pins, &d->implementations[i]))
            return TW_OK;
    struct tw_text text = {0};
    pins_text(pins, &text);
    tw_fail(error, TW_INVALID, "--fix: no implementation of %s has all of %s", d->kernel,
            tw_text_or(&text, "them"));
    tw_text_free(&text);
    return TW_INVALID;
}

tw_status pins_read(struct pins *pins, const char *const *words, int count,
                    const struct tw_description *d, struct tw_error *error) {
    tw_status status = TW_OK;
    *pins = (struct pins){0};
    for (int i = 0; i < count && status == TW_OK; i++) {
        struct pin pin;
        status = read_pin(&pin, words[i], error);
        if (status == TW_OK)
            status = check_pin(&pin, d, error);
        if (status == TW_OK)
            status = add_pin(pins, &pin, error);
    }
    return status == TW_OK ? check_together(pins, d, error) : status;
}

void pins_text(const struct pins *pins, struct tw_text *text) {
    for (int i = 0; i < pins->count; i++)
        tw_text_print(text, "%s%s=%s", i > 0 ? " " : "", pins->pins[i].name, pins->pins[i].value);
}

/* ---- Using ---- */

bool pins_fit(const struct pins *pins, const struct tw_implementation *implementation) {
    if (pins->implementation[0] != '\0' && strcmp(pins->implementation, implementation->name) != 0)
        return false;
    for (int i = 0; i < pins->count; i++)
        if (!has_pin(implementation, &pins->pins[i]))
            return false;
    return true;
}

bool pins_value(const struct pins *pins, const struct tw_implementation *implementation,
                int parameter, int64_t *value) {
    const struct tw_parameter *p = &implementation->parameters[parameter];
    for (int i = 0; i < pins->count; i++) {
        if (strcmp(pins->pins[i].name, p->name) != 0)
            continue;
        int choice = find_choice(implementation, parameter, pins->pins[i].value);
        if (choice >= 0)
            *value = p->values[choice];
        return choice >= 0;
    }
    return false;
}

bool pins_allow(const struct pins *pins, const struct tw_description *d,
                const struct tw_configuration *configuration) {
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    int64_t value = 0;
    for (int i = 0; i < in->parameter_count; i++)
        if (pins_value(pins, in, i, &value) && value != configuration->values[i])
            return false;
    return pins_fit(pins, in);
}

tw_status pins_apply(const struct pins *pins, const struct tw_description *d,
                     struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    for (int i = 0; i < pins->count; i++)
        if (!has_pin(in, &pins->pins[i]))
            return tw_fail(error, TW_INVALID,
                           "--fix %s=%s: the configuration is of %s, which has no such %s",
                           pins->pins[i].name, pins->pins[i].value, in->name,
                           find_parameter(in, pins->pins[i].name) < 0 ? "parameter" : "value");
    for (int i = 0; i < in->parameter_count; i++)
        pins_value(pins, in, i, &configuration->values[i]);
    return TW_OK;
}
