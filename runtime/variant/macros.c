#include "runtime/variant/macros.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/description/expression.h"

/* Not isalpha: these are asked of every character of every source. */
static inline bool begins_name(char c) {
    return (unsigned)((c | 32) - 'a') < 26 || c == '_';
}

static inline bool is_digit(char c) {
    return (unsigned)(c - '0') < 10;
}

static inline bool continues_name(char c) {
    return begins_name(c) || is_digit(c);
}

static const char *behind_quotes(const char *at, const char *end) {
    const char quote = *at++;
    while (at < end && *at != quote)
        at += at[0] == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

const char *tw_identifier_or_number(const char *at, const char *end, size_t *length) {
    while (at < end && !continues_name(*at))
        at = *at == '"' || *at == '\'' ? behind_quotes(at, end) : at + 1;
    if (at >= end)
        return NULL;
    const char *start = at;
    while (at < end && continues_name(*at))
        at++;
    *length = (size_t)(at - start);
    return start;
}

const char *tw_identifier(const char *at, const char *end, size_t *length) {
    const char *start = tw_identifier_or_number(at, end, length);
    while (start != NULL && !begins_name(*start))
        start = tw_identifier_or_number(start + *length, end, length);
    return start;
}

/* ---- The table ---- */

static size_t *slot_of(const struct tw_macros *macros, const char *name, size_t length) {
    size_t at = (size_t)tw_hash64(name, length) & (macros->slot_count - 1);
    while (macros->slots[at] != 0) {
        const struct tw_macro *macro = &macros->all[macros->slots[at] - 1];
        if (macro->length == length && memcmp(macro->name, name, length) == 0)
            break;
        at = (at + 1) & (macros->slot_count - 1);
    }
    return &macros->slots[at];
}

struct tw_macro *tw_macros_find(const struct tw_macros *macros, const char *name, size_t length) {
    if (macros->slot_count == 0)
        return NULL;
    size_t place = *slot_of(macros, name, length);
    return place != 0 ? &macros->all[place - 1] : NULL;
}

static bool make_room(struct tw_macros *macros) {
    if (2 * (macros->count + 1) <= macros->slot_count)
        return true;
    size_t slot_count = macros->slot_count == 0 ? 256 : 2 * macros->slot_count;
    struct tw_macro *all = realloc(macros->all, slot_count / 2 * sizeof *all);
    if (all != NULL)
        macros->all = all;
    size_t *slots = calloc(slot_count, sizeof *slots);
    if (all == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(macros->slots);
    macros->slots = slots;
    macros->slot_count = slot_count;
    for (size_t i = 0; i < macros->count; i++)
        *slot_of(macros, all[i].name, all[i].length) = i + 1;
    return true;
}

struct tw_macro *tw_macros_get(struct tw_macros *macros, const char *name, size_t length) {
    if (!make_room(macros))
        return NULL;
    size_t *slot = slot_of(macros, name, length);
    if (*slot == 0) {
        macros->all[macros->count] = (struct tw_macro){.name = name, .length = length};
        *slot = ++macros->count;
    }
    return &macros->all[*slot - 1];
}

void tw_macros_free(struct tw_macros *macros) {
    free(macros->all);
    free(macros->slots);
    *macros = (struct tw_macros){0};
}

/* ---- Conditions ---- */

enum { MOST_NESTING = 32, MOST_LENGTH = 4096 };

/* Names that a compiler may define by itself: reserved ones, and those of CUDA and OpenCL. */
static bool may_be_the_compilers(const char *name, size_t length) {
    static const char *const prefixes[] = {"_", "cl_", "CL_", "CUDA", "FP_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (length >= strlen(prefixes[i]) && strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static enum tw_condition is_defined(const struct tw_macros *macros, const char *name,
                                    size_t length) {
    const struct tw_macro *macro = tw_macros_find(macros, name, length);
    if (macro == NULL)
        return may_be_the_compilers(name, length) ? TW_CONDITION_UNKNOWN : TW_CONDITION_FALSE;
    return macro->kind == TW_MACRO_UNKNOWN     ? TW_CONDITION_UNKNOWN
           : macro->kind == TW_MACRO_UNDEFINED ? TW_CONDITION_FALSE
                                               : TW_CONDITION_TRUE;
}

/* `defined NAME` or `defined(NAME)`, of which `at` is behind the first word; NULL when it is
 * neither or not known. */
static const char *expand_defined(const struct tw_macros *macros, const char *at, const char *end,
                                  struct tw_text *out) {
    size_t length = 0;
    bool brackets;
    while (at < end && *at == ' ')
        at++;
    brackets = at < end && *at == '(';
    const char *name = tw_identifier(at, end, &length);
    if (name == NULL || is_defined(macros, name, length) == TW_CONDITION_UNKNOWN)
        return NULL;
    tw_text_print(out, "%d", is_defined(macros, name, length));
    at = name + length;
    while (brackets && at < end && *at == ' ')
        at++;
    return !brackets ? at : at < end && *at == ')' ? at + 1 : NULL;
}

/* Appends the condition with every macro replaced by what it stands for, names that are none by 0,
 * as the preprocessor does it; false when something is not known. */
static bool expand(const struct tw_macros *macros, const char *at, const char *end, int nesting,
                   struct tw_text *out) {
    while (at != NULL && at < end) {
        if (nesting > MOST_NESTING || out->length > MOST_LENGTH || *at == '"' || *at == '\'')
            return false;
        if (*at == '0' && at + 1 < end && continues_name(at[1]))
            return false; /* octal or hexadecimal */
        if (is_digit(*at)) {
            while (at < end && continues_name(*at))
                tw_text_add(out, at++, 1);
            continue;
        }
        if (!begins_name(*at)) {
            tw_text_add(out, at++, 1);
            continue;
        }
        size_t length;
        const char *name = tw_identifier(at, end, &length);
        at = name + length;
        if (length == 7 && memcmp(name, "defined", 7) == 0) {
            at = expand_defined(macros, at, end, out);
            if (at == NULL)
                return false;
            continue;
        }
        const struct tw_macro *macro = tw_macros_find(macros, name, length);
        switch (is_defined(macros, name, length)) {
        case TW_CONDITION_UNKNOWN:
            return false;
        case TW_CONDITION_FALSE:
            tw_text_add(out, "0", 1);
            break;
        case TW_CONDITION_TRUE:
            if (macro->kind == TW_MACRO_FUNCTION ||
                !expand(macros, macro->body, macro->body + macro->body_length, nesting + 1, out))
                return false;
        }
    }
    return true;
}

enum tw_condition tw_macros_condition(const struct tw_macros *macros, const char *text,
                                      size_t length, bool *no_memory) {
    static const struct tw_symbols no_names;
    enum tw_condition condition = TW_CONDITION_UNKNOWN;
    struct tw_text expanded = {0};
    struct tw_expression *expression = NULL;
    int64_t value = 0;
    tw_status status = TW_INVALID;
    /* What the language of descriptions does not have, as shifts, stays open. */
    if (expand(macros, text, text + length, 0, &expanded) && expanded.data != NULL &&
        !expanded.failed)
        status = tw_expression_parse(&expression, expanded.data, &no_names, NULL);
    if (expanded.failed || status == TW_NO_MEMORY)
        *no_memory = true;
    if (status == TW_OK && tw_expression_evaluate(expression, NULL, &value) == TW_EVALUATED)
        condition = value != 0 ? TW_CONDITION_TRUE : TW_CONDITION_FALSE;
    tw_expression_free(expression);
    tw_text_free(&expanded);
    return condition;
}
