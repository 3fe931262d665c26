#include "runtime/description/problem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

void tw_problem_form(const struct tw_description *d, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; i < d->dimension_count; i++) {
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s", i > 0 ? "x" : "", d->dimensions[i].name);
    }
}

static const char *form_of(const struct tw_description *d, char form[TW_PROBLEM_FORM_SIZE]) {
    tw_problem_form(d, form, TW_PROBLEM_FORM_SIZE);
    return form;
}

tw_status tw_problem_parse(struct tw_problem *problem, const struct tw_description *d,
                           const char *shape, struct tw_error *error) {
    char form[TW_PROBLEM_FORM_SIZE]; /* for messages */
    *problem = (struct tw_problem){.description = d};
    for (int i = 0; i < d->attribute_count; i++)
        problem->words[i] = d->attributes[i].default_word;
    const char *at = shape;
    for (int i = 0; i < d->dimension_count; i++) {
        if (i > 0 && *at++ != 'x')
            return tw_fail(error, TW_INVALID, "shape \"%s\": %s wants %d sizes, %s", shape,
                           d->kernel, d->dimension_count, form_of(d, form));
        const char *start = at;
        int64_t size = 0;
        while (isdigit((unsigned char)*at)) {
            if (size <= INT32_MAX)
                size = size * 10 + (*at - '0');
            at++;
        }
        if (at == start)
            return tw_fail(error, TW_INVALID,
                           "shape \"%s\": %s must be a positive whole number; %s wants %s", shape,
                           d->dimensions[i].name, d->kernel, form_of(d, form));
        if (size < 1 || size > INT32_MAX)
            return tw_fail(error, TW_INVALID, "shape \"%s\": %s must be from 1 to 2147483647",
                           shape, d->dimensions[i].name);
        problem->dimensions[i] = size;
    }
    if (*at != '\0')
        return tw_fail(error, TW_INVALID,
                       "shape \"%s\": unexpected \"%s\" at its end; %s wants %d sizes, %s", shape,
                       at, d->kernel, d->dimension_count, form_of(d, form));
    return TW_OK;
}

static tw_status set_number(struct tw_problem *problem, int index, const char *text,
                            struct tw_error *error) {
    const struct tw_attribute *attribute = &problem->description->attributes[index];
    char *end;
    long number = strtol(text, &end, 10);
    /* Written as keys have it, so that one number is one problem. */
    char canonical[24];
    snprintf(canonical, sizeof canonical, "%ld", number);
    if (strcmp(canonical, text) != 0 || number < attribute->least || number > attribute->most)
        return tw_fail(error, TW_INVALID, "%s has no %s \"%s\"; it is a whole number from %d to %d",
                       problem->description->kernel, attribute->name, text, attribute->least,
                       attribute->most);
    problem->words[index] = (int)number;
    return TW_OK;
}

/* The one attribute that has a word, as only "compute" has "tf32"; NULL: none, or several have. */
static const char *attribute_with(const struct tw_description *d, const char *word) {
    const char *found = NULL;
    for (int i = 0; i < d->attribute_count; i++)
        for (int j = 0; j < d->attributes[i].word_count; j++)
            if (strcmp(d->symbols.words[d->attributes[i].words[j]], word) == 0) {
                if (found != NULL)
                    return NULL;
                found = d->attributes[i].name;
            }
    return found;
}

static tw_status refuse_word(const struct tw_description *d, const struct tw_attribute *attribute,
                             const char *word, struct tw_error *error) {
    struct tw_text words = {0};
    for (int i = 0; i < attribute->word_count; i++)
        tw_text_print(&words, "%s%s", i > 0 ? ", " : "", d->symbols.words[attribute->words[i]]);
    const char *other = attribute_with(d, word);
    tw_status status =
        tw_fail(error, TW_INVALID, "%s has no %s \"%s\"; there are %s%s%s", d->kernel,
                attribute->name, word, tw_text_or(&words, "none"),
                other != NULL ? ", and it is a word of " : "", other != NULL ? other : "");
    tw_text_free(&words);
    return status;
}

tw_status tw_problem_set(struct tw_problem *problem, const char *name, const char *word,
                         struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const char *known[TW_MAX_ATTRIBUTES];
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        known[i] = attribute->name;
        if (strcmp(attribute->name, name) != 0)
            continue;
        if (attribute->is_number)
            return set_number(problem, i, word, error);
        for (int j = 0; j < attribute->word_count; j++) {
            if (strcmp(d->symbols.words[attribute->words[j]], word) != 0)
                continue;
            problem->words[i] = attribute->words[j];
            return TW_OK;
        }
        return refuse_word(d, attribute, word, error);
    }
    const char *nearest = tw_nearest(name, known, (size_t)d->attribute_count);
    struct tw_text all = {0};
    for (int i = 0; i < d->attribute_count; i++)
        tw_text_print(&all, "%s%s", i > 0 ? ", " : "", known[i]);
    tw_status status =
        nearest != NULL ? tw_fail(error, TW_INVALID, "%s has no attribute \"%s\"; did you mean %s?",
                                  d->kernel, name, nearest)
                        : tw_fail(error, TW_INVALID, "%s has no attribute \"%s\"; there are %s",
                                  d->kernel, name, tw_text_or(&all, "none"));
    tw_text_free(&all);
    return status;
}

const char *tw_problem_attribute(const struct tw_problem *problem, int attribute,
                                 char number[TW_NUMBER_SIZE]) {
    const struct tw_description *d = problem->description;
    if (!d->attributes[attribute].is_number)
        return d->symbols.words[problem->words[attribute]];
    snprintf(number, TW_NUMBER_SIZE, "%d", problem->words[attribute]);
    return number;
}

/* The word "default" tells nobody anything, nor what is quiet. */
static bool says_nothing(const struct tw_description *d, const struct tw_attribute *attribute) {
    return attribute->quiet || (!attribute->is_number &&
                                strcmp(d->symbols.words[attribute->default_word], "default") == 0);
}

static void print_key(const struct tw_problem *problem, bool all, char key[TW_PROBLEM_KEY_SIZE]) {
    const struct tw_description *d = problem->description;
    size_t length = 0;
    const char *separator = ";";
    key[0] = '\0';
    for (int i = 0; i < d->dimension_count; i++)
        length += (size_t)snprintf(key + length, TW_PROBLEM_KEY_SIZE - length, "%s%s=%" PRId64,
                                   i > 0 ? "," : "", d->dimensions[i].name, problem->dimensions[i]);
    for (int i = 0; i < d->attribute_count && length < TW_PROBLEM_KEY_SIZE; i++) {
        if (problem->words[i] == d->attributes[i].default_word &&
            (!all || says_nothing(d, &d->attributes[i])))
            continue;
        char number[TW_NUMBER_SIZE];
        length += (size_t)snprintf(key + length, TW_PROBLEM_KEY_SIZE - length, "%s%s=%s", separator,
                                   d->attributes[i].name, tw_problem_attribute(problem, i, number));
        separator = ",";
    }
}

void tw_problem_key(const struct tw_problem *problem, char key[TW_PROBLEM_KEY_SIZE]) {
    print_key(problem, false, key);
}

void tw_problem_text(const struct tw_problem *problem, char text[TW_PROBLEM_KEY_SIZE]) {
    print_key(problem, true, text);
}

/* Sets the attributes of ";name=word,name=word". */
static tw_status set_attributes(struct tw_problem *problem, const char *text,
                                struct tw_error *error) {
    char parts[TW_PROBLEM_KEY_SIZE], *rest = parts;
    if (*text == '\0')
        return TW_OK;
    if (*text != ';' || strlen(text) >= sizeof parts)
        return tw_fail(error, TW_INVALID, "\"%.80s\" is no list of attributes", text);
    strcpy(parts, text + 1);
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        char *word = strchr(part, '=');
        if (word == NULL)
            return tw_fail(error, TW_INVALID, "\"%.80s\" is no attribute", part);
        *word++ = '\0';
        tw_status status = tw_problem_set(problem, part, word, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

tw_status tw_problem_read(struct tw_problem *problem, const struct tw_description *d,
                          const char *key, struct tw_error *error) {
    char parts[TW_PROBLEM_KEY_SIZE], shape[TW_PROBLEM_KEY_SIZE], *rest = parts, *end = shape;
    const size_t length = strcspn(key, ";"), kept = length < sizeof parts ? length : 0;
    memcpy(parts, key, kept);
    parts[kept] = '\0';
    for (int i = 0; rest != NULL; i++) {
        const char *part = strsep(&rest, ","), *size = strchr(part, '=');
        if (i >= d->dimension_count || size == NULL ||
            (size_t)(size - part) != strlen(d->dimensions[i].name) ||
            strncmp(part, d->dimensions[i].name, (size_t)(size - part)) != 0)
            return tw_fail(error, TW_INVALID, "\"%.80s\" is no problem of %s", key, d->kernel);
        if (i > 0)
            *end++ = 'x';
        end = stpcpy(end, size + 1); /* which has no more room than its part had */
    }
    tw_status status = tw_problem_parse(problem, d, shape, error);
    return status == TW_OK ? set_attributes(problem, key + length, error) : status;
}

bool tw_problem_words(const struct tw_description *d, const char *attributes,
                      int words[TW_MAX_ATTRIBUTES]) {
    struct tw_problem said = {.description = d};
    for (int i = 0; i < d->attribute_count; i++)
        said.words[i] = d->attributes[i].default_word;
    bool known = set_attributes(&said, attributes, NULL) == TW_OK;
    memcpy(words, said.words, sizeof said.words);
    return known;
}

bool tw_problem_has_attributes(const struct tw_problem *problem, const char *attributes) {
    const size_t count = (size_t)problem->description->attribute_count;
    int words[TW_MAX_ATTRIBUTES];
    return tw_problem_words(problem->description, attributes, words) &&
           memcmp(words, problem->words, count * sizeof *words) == 0;
}

/* 0: it is alike to none. */
static int group_of(const struct tw_attribute *attribute, int word) {
    for (int i = 0; i < attribute->word_count; i++)
        if (attribute->words[i] == word)
            return attribute->alike[i];
    return 0;
}

bool tw_words_alike(const struct tw_attribute *attribute, int a, int b) {
    const int group = group_of(attribute, a);
    return a == b || (group != 0 && group_of(attribute, b) == group);
}

bool tw_problem_has_alike(const struct tw_problem *problem, const char *attributes) {
    const struct tw_description *d = problem->description;
    int words[TW_MAX_ATTRIBUTES];
    if (!tw_problem_words(d, attributes, words))
        return false;
    for (int i = 0; i < d->attribute_count; i++)
        if (!tw_words_alike(&d->attributes[i], words[i], problem->words[i]))
            return false;
    return true;
}

void tw_problem_shape(const struct tw_problem *problem, char shape[TW_PROBLEM_KEY_SIZE]) {
    size_t length = 0;
    shape[0] = '\0';
    for (int i = 0; i < problem->description->dimension_count; i++)
        length += (size_t)snprintf(shape + length, TW_PROBLEM_KEY_SIZE - length, "%s%" PRId64,
                                   i > 0 ? "x" : "", problem->dimensions[i]);
}
