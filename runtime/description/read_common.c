#include "runtime/description/read.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/lets.h"

struct tw_expression *tw_read_expression(const struct tw_symbols *symbols,
                                         const struct tw_json *json) {
    if (json->item == NULL || json->context->status != TW_OK)
        return NULL;
    struct tw_expression *expression = NULL;
    struct tw_error error;
    tw_status status = tw_expression_parse(&expression, tw_json_string(json), symbols, &error);
    if (status == TW_NO_MEMORY)
        tw_json_no_memory(json);
    if (status == TW_OK || status == TW_NO_MEMORY)
        return expression;
    const struct tw_origin *origin =
        json->context->origins != NULL ? tw_origins_find(json->context->origins, json->item) : NULL;
    if (origin == NULL || origin->lets == NULL ||
        !tw_lets_blame(origin->lets, origin->written, symbols))
        tw_json_fail(json, "%s", error.message);
    return NULL;
}

void tw_read_name(char out[TW_NAME_SIZE], const struct tw_json *json) {
    const char *name = tw_json_string(json);
    out[0] = '\0';
    if (tw_is_identifier(name))
        strcpy(out, name);
    else if (json->item != NULL)
        tw_json_fail(json, "\"%s\" is not a name (letters, digits and _, at most %d of them)", name,
                     TW_NAME_SIZE - 1);
}

int tw_read_symbol(struct tw_symbols *symbols, const char *name, const struct tw_json *json) {
    if (json->context->status != TW_OK)
        return 0;
    if (!tw_is_identifier(name))
        tw_json_fail(json, "\"%s\" is not a name (letters, digits and _, at most %d of them)", name,
                     TW_NAME_SIZE - 1);
    else if (strncmp(name, "TW_", 3) == 0)
        tw_json_fail(json, "names that begin with TW_ belong to the preludes");
    else if (tw_symbols_find(symbols, name) >= 0)
        tw_json_fail(json, "the name %s is taken", name);
    int slot = json->context->status == TW_OK ? tw_symbols_add(symbols, name) : 0;
    if (slot < 0)
        tw_json_fail(json, "more than %d names", TW_MAX_SYMBOLS);
    return slot < 0 ? 0 : slot;
}

int tw_read_word(struct tw_symbols *symbols, const struct tw_json *json) {
    int id = tw_symbols_word(symbols, tw_json_string(json));
    if (id < 0)
        tw_json_fail(json, "not a word (letters, digits and _), or more than %d words",
                     TW_MAX_WORDS);
    return id < 0 ? 0 : id;
}

char *tw_read_text(const struct tw_json *json) {
    char *copy = strdup(tw_json_string(json));
    if (copy == NULL)
        tw_json_no_memory(json);
    return copy;
}

int64_t tw_read_value(const struct tw_implementation *implementation,
                      const struct tw_parameter *parameter, const struct tw_json *json) {
    if (json->context->status != TW_OK)
        return 0;
    int64_t number = parameter->is_word
                         ? tw_symbols_find_word(implementation->symbols, tw_json_string(json))
                         : tw_json_integer(json);
    for (int i = 0; i < parameter->count; i++)
        if (parameter->values[i] == number)
            return number;
    tw_json_fail(json, "is not among the parameter's values");
    return 0;
}

void tw_read_values(const struct tw_implementation *implementation, int64_t *values,
                    const struct tw_json *json) {
    const char *keys[TW_MAX_PARAMETERS + 1] = {NULL};
    for (int i = 0; i < implementation->parameter_count; i++)
        keys[i] = implementation->parameters[i].name;
    tw_json_exact_keys(json, keys);
    for (int i = 0; i < implementation->parameter_count && json->context->status == TW_OK; i++) {
        const struct tw_parameter *parameter = &implementation->parameters[i];
        struct tw_json value = parameter->has_absent ? tw_json_optional(json, parameter->name)
                                                     : tw_json_member(json, parameter->name);
        values[i] = value.item == NULL ? parameter->absent
                                       : tw_read_value(implementation, parameter, &value);
    }
}

int tw_read_count(const struct tw_json *container, int most) {
    int count = tw_json_count(container);
    if (count <= most)
        return count;
    tw_json_fail(container, "%d entries; at most %d are allowed", count, most);
    return 0;
}

void *tw_read_list(const struct tw_json *container, int most, size_t size, int *count) {
    *count = tw_read_count(container, most);
    void *list = *count > 0 ? calloc((size_t)*count, size) : NULL;
    if (list == NULL && *count > 0) {
        *count = 0;
        tw_json_no_memory(container);
    }
    return list;
}

int tw_find_argument(const struct tw_description *description, const char *name) {
    for (int i = 0; i < description->argument_count; i++)
        if (strcmp(description->arguments[i].name, name) == 0)
            return i;
    return -1;
}
