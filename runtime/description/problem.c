#include "runtime/description/problem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

static void expected_shape(const struct tw_description *d, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; i < d->dimension_count; i++) {
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s", i > 0 ? "x" : "", d->dimensions[i].name);
    }
}

tw_status tw_problem_parse(struct tw_problem *problem, const struct tw_description *d,
                           const char *shape, struct tw_error *error) {
    char form[TW_MAX_DIMENSIONS * TW_NAME_SIZE];
    expected_shape(d, form, sizeof form);
    *problem = (struct tw_problem){.description = d};
    for (int i = 0; i < d->attribute_count; i++)
        problem->words[i] = d->attributes[i].default_word;
    const char *at = shape;
    for (int i = 0; i < d->dimension_count; i++) {
        if (i > 0 && *at++ != 'x')
            return tw_fail(error, TW_INVALID, "shape \"%s\": %s wants %d sizes, %s, as in 64x32...",
                           shape, d->kernel, d->dimension_count, form);
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
                           d->dimensions[i].name, d->kernel, form);
        if (size < 1 || size > INT32_MAX)
            return tw_fail(error, TW_INVALID, "shape \"%s\": %s must be from 1 to 2147483647",
                           shape, d->dimensions[i].name);
        problem->dimensions[i] = size;
    }
    if (*at != '\0')
        return tw_fail(error, TW_INVALID,
                       "shape \"%s\": unexpected \"%s\" at its end; %s wants %d sizes, %s", shape,
                       at, d->kernel, d->dimension_count, form);
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

tw_status tw_problem_set(struct tw_problem *problem, const char *name, const char *word,
                         struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const char *known[TW_MAX_ATTRIBUTES + TW_MAX_CHOICES];
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        known[i] = attribute->name;
        if (strcmp(attribute->name, name) != 0)
            continue;
        if (attribute->is_number)
            return set_number(problem, i, word, error);
        struct tw_text words = {0};
        for (int j = 0; j < attribute->word_count; j++) {
            known[j] = d->symbols.words[attribute->words[j]];
            if (strcmp(known[j], word) == 0) {
                problem->words[i] = attribute->words[j];
                tw_text_free(&words);
                return TW_OK;
            }
            tw_text_print(&words, "%s%s", j > 0 ? ", " : "", known[j]);
        }
        tw_status status = tw_fail(error, TW_INVALID, "%s has no %s \"%s\"; there are %s",
                                   d->kernel, name, word, tw_text_or(&words, "none"));
        tw_text_free(&words);
        return status;
    }
    const char *nearest = tw_nearest(name, known, (size_t)d->attribute_count);
    return tw_fail(error, TW_INVALID, "%s has no attribute \"%s\"%s%s%s", d->kernel, name,
                   nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "?" : "");
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
    char parts[TW_PROBLEM_KEY_SIZE], shape[TW_PROBLEM_KEY_SIZE], *rest = parts;
    size_t length = strcspn(key, ";"), used = 0;
    shape[0] = '\0';
    snprintf(parts, sizeof parts, "%.*s", (int)(length < sizeof parts ? length : 0), key);
    for (int i = 0; rest != NULL; i++) {
        const char *part = strsep(&rest, ","), *size = strchr(part, '=');
        if (i >= d->dimension_count || size == NULL ||
            (size_t)(size - part) != strlen(d->dimensions[i].name) ||
            strncmp(part, d->dimensions[i].name, (size_t)(size - part)) != 0)
            return tw_fail(error, TW_INVALID, "\"%.80s\" is no problem of %s", key, d->kernel);
        used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%s%s", i > 0 ? "x" : "", size + 1);
    }
    tw_status status = tw_problem_parse(problem, d, shape, error);
    return status == TW_OK ? set_attributes(problem, key + length, error) : status;
}

bool tw_problem_has_attributes(const struct tw_problem *problem, const char *attributes) {
    const struct tw_description *d = problem->description;
    struct tw_problem said = {.description = d};
    for (int i = 0; i < d->attribute_count; i++)
        said.words[i] = d->attributes[i].default_word;
    if (set_attributes(&said, attributes, NULL) != TW_OK)
        return false;
    return memcmp(said.words, problem->words, (size_t)d->attribute_count * sizeof *said.words) == 0;
}

void tw_problem_shape(const struct tw_problem *problem, char shape[TW_PROBLEM_KEY_SIZE]) {
    size_t length = 0;
    shape[0] = '\0';
    for (int i = 0; i < problem->description->dimension_count; i++)
        length += (size_t)snprintf(shape + length, TW_PROBLEM_KEY_SIZE - length, "%s%" PRId64,
                                   i > 0 ? "x" : "", problem->dimensions[i]);
}

/* Which of its attribute's words the problem has. */
static int place_of_word(const struct tw_problem *problem, int index) {
    const struct tw_attribute *attribute = &problem->description->attributes[index];
    int place = 0;
    while (place + 1 < attribute->word_count && attribute->words[place] != problem->words[index])
        place++;
    return place;
}

int tw_problem_type_attribute(const struct tw_problem *problem, int argument) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    bool is_left = a->type_attribute >= 0 && a->left[place_of_word(problem, a->type_attribute)];
    return is_left ? a->second_attribute : a->type_attribute;
}

enum tw_type tw_problem_type(const struct tw_problem *problem, int argument) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int by = tw_problem_type_attribute(problem, argument);
    if (by < 0)
        return a->type;
    const enum tw_type *types = by == a->type_attribute ? a->types : a->second_types;
    return types[place_of_word(problem, by)];
}

const char *tw_problem_refusal(const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS] = {0};
    for (int i = 0; i < d->dimension_count; i++)
        values[d->dimensions[i].slot] = problem->dimensions[i];
    for (int i = 0; i < d->attribute_count; i++)
        values[d->attributes[i].slot] = problem->words[i];
    for (int i = 0; i < d->refusal_count; i++) {
        int64_t refused = 1;
        tw_expression_evaluate(d->refusals[i].when, values, &refused);
        if (refused != 0)
            return d->refusals[i].because;
    }
    return NULL;
}

static tw_status evaluate(const struct tw_problem *problem, const char *what, const char *name,
                          const struct tw_expression *expression, const int64_t *values,
                          int64_t *result, struct tw_error *error) {
    enum tw_evaluation outcome = tw_expression_evaluate(expression, values, result);
    if (outcome == TW_EVALUATED)
        return TW_OK;
    char shape[TW_PROBLEM_KEY_SIZE];
    tw_problem_shape(problem, shape);
    return tw_fail(error, TW_INVALID, "%s: %s %s, \"%s\", %s for %s", problem->description->origin,
                   what, name, tw_expression_text(expression), tw_evaluation_text(outcome), shape);
}

static tw_status check_presence(const struct tw_problem *problem, int argument,
                                const int64_t *values, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t there = 1;
    if (a->when == NULL)
        return TW_OK;
    return evaluate(problem, "when of", a->name, a->when, values, &there, error);
}

static bool is_there(const struct tw_argument *a, const int64_t *values) {
    int64_t there = 1;
    return a->when == NULL ||
           (tw_expression_evaluate(a->when, values, &there) == TW_EVALUATED && there != 0);
}

bool tw_problem_has(const struct tw_problem *problem, int argument, const int64_t *values) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    return a->kind == TW_ARGUMENT_BUFFER && is_there(a, values);
}

bool tw_problem_passes(const struct tw_problem *problem, const struct tw_passed *passed,
                       const int64_t *values) {
    return !passed->optional || is_there(&problem->description->arguments[passed->index], values);
}

int64_t tw_problem_stride(const struct tw_problem *problem, int argument, const int64_t *values) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t stride = 0;
    if (a->kind != TW_ARGUMENT_STRIDE || !is_there(a, values) ||
        tw_expression_evaluate(a->default_stride, values, &stride) != TW_EVALUATED)
        return 0;
    return stride;
}

tw_status tw_problem_fill(const struct tw_problem *problem, int argument, const int64_t *values,
                          double *low, double *high, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t least = 0, most = 0;
    tw_status status = TW_OK;
    if (a->fill_parts_of != NULL) {
        status =
            evaluate(problem, "fill parts_of", a->name, a->fill_parts_of, values, &most, error);
        *low = 0;
        *high = (double)most;
        return status == TW_OK && (most < 1 || most > INT32_MAX)
                   ? tw_fail(error, TW_INVALID,
                             "%s: fill of %s: parts_of is %g, not from 1 to 2^31-1",
                             problem->description->origin, a->name, *high)
                   : status;
    }
    if (a->fill_low_of != NULL)
        status = evaluate(problem, "fill low of", a->name, a->fill_low_of, values, &least, error);
    if (status == TW_OK && a->fill_high_of != NULL)
        status = evaluate(problem, "fill high of", a->name, a->fill_high_of, values, &most, error);
    *low = a->fill_low_of != NULL ? (double)least : a->fill_low;
    *high = a->fill_high_of != NULL ? (double)most : a->fill_high;
    if (status == TW_OK && !(*low < *high))
        status =
            tw_fail(error, TW_INVALID, "%s: fill of %s: low is %g, not below high, which is %g",
                    problem->description->origin, a->name, *low, *high);
    return status;
}

static tw_status check_stride(const struct tw_problem *problem, int buffer, const int64_t *values,
                              struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[buffer];
    if (a->kind != TW_ARGUMENT_BUFFER || a->stride < 0)
        return TW_OK;
    const struct tw_argument *stride = &problem->description->arguments[a->stride];
    int64_t columns;
    tw_status status =
        evaluate(problem, "the columns of", a->name, a->columns, values, &columns, error);
    if (status == TW_OK && values[stride->slot] < columns)
        status = tw_fail(error, TW_INVALID,
                         "%s is %" PRId64 " but the rows of %s have %" PRId64 " elements",
                         stride->name, values[stride->slot], a->name, columns);
    if (status == TW_OK && values[stride->slot] > INT32_MAX)
        status = tw_fail(error, TW_INVALID, "%s must be below 2^31", stride->name);
    return status;
}

/* Layers must not overlap, and their stride is passed as an int. */
static tw_status check_layers(const struct tw_problem *problem, int buffer, const int64_t *values,
                              struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[buffer];
    struct tw_extent extent;
    if (a->layers == NULL)
        return TW_OK;
    tw_status status = tw_problem_extent(problem, buffer, values, &extent, error);
    if (status != TW_OK || extent.layers == 1)
        return status;
    const char *name = problem->description->arguments[a->layer_stride].name;
    const int64_t least = (extent.rows - 1) * extent.stride + extent.columns;
    if (extent.layer_stride < least)
        return tw_fail(error, TW_INVALID,
                       "%s is %" PRId64 " but each of the %" PRId64 " matrices of %s takes %" PRId64
                       " elements",
                       name, extent.layer_stride, extent.layers, a->name, least);
    if (extent.layer_stride > INT32_MAX)
        return tw_fail(error, TW_INVALID, "%s must be below 2^31", name);
    return TW_OK;
}

static tw_status bind_stride(const struct tw_problem *problem, int argument, int64_t given,
                             int64_t *values, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    if (given == 0)
        return evaluate(problem, "the default of", a->name, a->default_stride, values,
                        &values[a->slot], error);
    if (!is_there(a, values))
        return tw_fail(error, TW_INVALID, "this problem of %s has no stride %s",
                       problem->description->kernel, a->name);
    values[a->slot] = given;
    return TW_OK;
}

tw_status tw_problem_bind(const struct tw_problem *problem, const int64_t *device,
                          const int64_t *strides, int64_t values[TW_MAX_SYMBOLS],
                          struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const char *refusal = tw_problem_refusal(problem);
    if (refusal != NULL) {
        char text[TW_PROBLEM_KEY_SIZE];
        tw_problem_text(problem, text);
        return tw_fail(error, TW_INVALID, "%s %s: %s", d->kernel, text, refusal);
    }
    memset(values, 0, TW_MAX_SYMBOLS * sizeof *values);
    memcpy(values, device, TW_DEVICE_SLOTS * sizeof *values);
    values[TW_SLOT_ALIGNMENT] = problem->alignment > 0 ? problem->alignment : TW_FULL_ALIGNMENT;
    for (int i = 0; i < d->dimension_count; i++)
        values[d->dimensions[i].slot] = problem->dimensions[i];
    for (int i = 0; i < d->attribute_count; i++)
        values[d->attributes[i].slot] = problem->words[i];
    for (int i = 0; i < d->let_count; i++) {
        tw_status status = evaluate(problem, "let", d->lets[i].name, d->lets[i].expression, values,
                                    &values[d->lets[i].slot], error);
        if (status != TW_OK)
            return status;
    }
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        if (a->kind != TW_ARGUMENT_STRIDE)
            continue;
        tw_status status = check_presence(problem, i, values, error);
        if (status == TW_OK)
            status = bind_stride(problem, i, strides != NULL ? strides[i] : 0, values, error);
        if (status != TW_OK)
            return status;
    }
    for (int i = 0; i < d->argument_count; i++) {
        tw_status status = check_presence(problem, i, values, error);
        if (status == TW_OK && tw_problem_has(problem, i, values))
            status = check_stride(problem, i, values, error);
        if (status == TW_OK && tw_problem_has(problem, i, values))
            status = check_layers(problem, i, values, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

/* The elements from the first of a matrix to its last; false when they are too many to count. */
static bool count_elements(int64_t rows, int64_t columns, int64_t stride, int64_t *elements) {
    return !__builtin_mul_overflow(rows - 1, stride, elements) &&
           !__builtin_add_overflow(*elements, columns, elements);
}

struct tw_place tw_extent_place(const struct tw_extent *extent, uint64_t element) {
    struct tw_place place = {0};
    if (extent->layers > 1) {
        place.layer = element / (uint64_t)extent->layer_stride;
        element %= (uint64_t)extent->layer_stride;
    }
    place.row = element / (uint64_t)extent->stride;
    place.column = element % (uint64_t)extent->stride;
    return place;
}

tw_status tw_problem_extent(const struct tw_problem *problem, int argument, const int64_t *values,
                            struct tw_extent *extent, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    extent->type = tw_problem_type(problem, argument);
    tw_status status =
        evaluate(problem, "the rows of", a->name, a->rows, values, &extent->rows, error);
    if (status == TW_OK)
        status = evaluate(problem, "the columns of", a->name, a->columns, values, &extent->columns,
                          error);
    extent->layers = 1;
    if (status == TW_OK && a->layers != NULL)
        status =
            evaluate(problem, "the layers of", a->name, a->layers, values, &extent->layers, error);
    if (status != TW_OK)
        return status;
    const struct tw_argument *all = problem->description->arguments;
    extent->stride = a->stride >= 0 ? values[all[a->stride].slot] : extent->columns;
    extent->layer_stride = extent->layers > 1 ? values[all[a->layer_stride].slot] : 0;
    int64_t elements = 0, bytes = 0;
    bool overflow =
        extent->layers < 1 || extent->rows < 1 || extent->columns < 1 ||
        /* Kernels take all three as int. */
        extent->layers > INT32_MAX || extent->rows > INT32_MAX || extent->columns > INT32_MAX ||
        !count_elements(extent->rows, extent->columns, extent->stride, &elements) ||
        !count_elements(extent->layers, elements, extent->layer_stride, &elements) ||
        __builtin_mul_overflow(elements, (int64_t)tw_type_info(extent->type)->bytes, &bytes);
    if (overflow)
        return tw_fail(error, TW_INVALID,
                       "%s would have %" PRId64 " rows of %" PRId64
                       " elements, which is no size a buffer can have",
                       a->name, extent->rows, extent->columns);
    extent->bytes = (uint64_t)bytes;
    return TW_OK;
}

tw_status tw_problem_work(const struct tw_problem *problem, const int64_t *values,
                          struct tw_work *work, struct tw_error *error) {
    int64_t flops = 0, bytes = 0;
    tw_status status =
        evaluate(problem, "work", "flops", problem->description->flops, values, &flops, error);
    if (status == TW_OK)
        status =
            evaluate(problem, "work", "bytes", problem->description->bytes, values, &bytes, error);
    *work = (struct tw_work){.flops = (double)flops, .bytes = (double)bytes};
    return status;
}

double tw_work_rate(const struct tw_work *work, double seconds, const char **unit) {
    *unit = work->flops > 0 ? "TFLOP/s" : "GB/s";
    return work->flops > 0 ? work->flops / seconds * 1e-12 : work->bytes / seconds * 1e-9;
}
