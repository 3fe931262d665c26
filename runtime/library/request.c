#include "runtime/library/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/library/sized.h"

static tw_status set_attributes(struct tw_problem *problem, const char *text, tw_error *error) {
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        char name[TW_NAME_SIZE], word[TW_NAME_SIZE];
        if (equals == NULL || equals - text >= TW_NAME_SIZE ||
            text + length - equals > TW_NAME_SIZE)
            return tw_fail(error, TW_INVALID,
                           "\"%.*s\" is no attribute of %s; write it as dtype=f32", (int)length,
                           text, problem->description->kernel);
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        snprintf(word, sizeof word, "%.*s", (int)(text + length - equals - 1), equals + 1);
        tw_status status = tw_problem_set(problem, name, word, error);
        if (status != TW_OK)
            return status;
        text += length + (text[length] == ',');
    }
    return TW_OK;
}

/* A request does not say how many sizes it has: those up to the last that is not 0 were given. */
static tw_status check_count(const struct tw_description *d, const int64_t *given,
                             tw_error *error) {
    char form[TW_PROBLEM_FORM_SIZE], sizes[TW_REQUEST_DIMENSIONS * 24] = "none was given";
    int count = TW_REQUEST_DIMENSIONS;
    while (count > 0 && given[count - 1] == 0)
        count--;
    if (count == d->dimension_count)
        return TW_OK;
    int length = count > 0 ? snprintf(sizes, sizeof sizes, "%d %s given, ", count,
                                      count == 1 ? "was" : "were")
                           : 0;
    for (int i = 0; i < count; i++)
        length += snprintf(sizes + length, sizeof sizes - (size_t)length, "%s%" PRId64,
                           i > 0 ? "x" : "", given[i]);
    tw_problem_form(d, form, sizeof form);
    return tw_fail(error, TW_INVALID, "%s takes %d sizes, %s, of 1 or more; %s", d->kernel,
                   d->dimension_count, form, sizes);
}

static tw_status set_dimensions(struct tw_problem *problem, const int64_t *given, tw_error *error) {
    const struct tw_description *d = problem->description;
    tw_status status = check_count(d, given, error);
    if (status != TW_OK)
        return status;
    for (int i = 0; i < d->dimension_count; i++) {
        if (given[i] < 1 || given[i] > INT32_MAX)
            return tw_fail(error, TW_INVALID,
                           "%s: dimension %s is %" PRId64
                           "; it must be from 1 to %d, for kernels count in 32 bits",
                           d->kernel, d->dimensions[i].name, given[i], INT32_MAX);
        problem->dimensions[i] = given[i];
    }
    return TW_OK;
}

/* After the attributes, which tell the sizes of elements. The smallest that every problem has need
 * so much; larger ones are as aligned as they are by themselves: in a product of 8-bit numbers that
 * begin anywhere C begins at a multiple of its elements. */
static tw_status set_alignment(struct tw_problem *problem, int64_t given, tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_argument *smallest = NULL;
    size_t least = 0;
    if (given < 0 || given > 1 << 20 || (given & (given - 1)) != 0)
        return tw_fail(error, TW_INVALID,
                       "the alignment is %" PRId64 "; it must be a power of two, or 0", given);
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        const size_t bytes = tw_type_info(tw_problem_type(problem, i))->bytes;
        if (a->kind != TW_ARGUMENT_BUFFER || a->when != NULL ||
            (smallest != NULL && bytes >= least))
            continue;
        smallest = a;
        least = bytes;
    }
    if (given != 0 && smallest != NULL && (size_t)given < least)
        return tw_fail(error, TW_INVALID,
                       "%s: the elements of %s need an alignment of %zu bytes, not %" PRId64,
                       d->kernel, smallest->name, least, given);
    problem->alignment = given < TW_FULL_ALIGNMENT ? (int)given : TW_FULL_ALIGNMENT;
    return TW_OK;
}

static tw_status set_strides(const struct tw_description *d, const int64_t *given, int64_t *strides,
                             tw_error *error) {
    int next = 0;
    memset(strides, 0, TW_MAX_ARGUMENTS * sizeof *strides);
    for (int i = 0; i < d->argument_count; i++) {
        if (d->arguments[i].kind != TW_ARGUMENT_STRIDE || next == TW_REQUEST_STRIDES)
            continue;
        if (given[next] < 0 || given[next] > INT32_MAX)
            return tw_fail(error, TW_INVALID,
                           "%s: %s is %" PRId64
                           "; it must be from 1 to %d, for kernels count in 32 bits",
                           d->kernel, d->arguments[i].name, given[next], INT32_MAX);
        strides[i] = given[next++];
    }
    for (; next < TW_REQUEST_STRIDES; next++)
        if (given[next] != 0)
            return tw_fail(error, TW_INVALID, "there are more strides than %s has", d->kernel);
    return TW_OK;
}

tw_status tw_plan_problem(tw_library *library, const tw_request *request,
                          struct tw_problem *problem, int64_t strides[TW_MAX_ARGUMENTS],
                          const char **description_file, tw_error *error) {
    if (request->kernel == NULL)
        return tw_fail(error, TW_INVALID, "a request must name a kernel");
    const struct tw_description *description;
    tw_status status = tw_descriptions_find(library->descriptions, request->kernel, &description,
                                            description_file, error);
    if (status != TW_OK)
        return status;
    *problem = (struct tw_problem){.description = description};
    for (int i = 0; i < description->attribute_count; i++)
        problem->words[i] = description->attributes[i].default_word;
    status = set_dimensions(problem, request->dimensions, error);
    if (status == TW_OK)
        status = set_attributes(problem, request->attributes, error);
    if (status == TW_OK)
        tw_problem_settle_types(problem);
    if (status == TW_OK)
        status = set_alignment(problem, request->alignment, error);
    if (status == TW_OK)
        status = set_strides(description, request->strides, strides, error);
    return status;
}

/* ---- One way to say it ---- */

void tw_request_attributes(const struct tw_problem *problem, char out[TW_PROBLEM_KEY_SIZE]) {
    char text[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(problem, text);
    const char *attributes = strchr(text, ';');
    strcpy(out, attributes != NULL ? attributes + 1 : "");
}

/* A stride that is what it would be anyway becomes 0. */
static tw_status write_strides(const tw_library *library, struct tw_canonical *out,
                               tw_error *error) {
    const struct tw_description *d = out->problem.description;
    int64_t device[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_device_values(&library->info, device);
    tw_status status = tw_problem_bind(&out->problem, device, out->strides, values, error);
    int next = 0;
    memset(out->request.strides, 0, sizeof out->request.strides);
    for (int i = 0; i < d->argument_count && status == TW_OK; i++) {
        if (d->arguments[i].kind != TW_ARGUMENT_STRIDE || next == TW_REQUEST_STRIDES)
            continue;
        if (out->strides[i] == tw_problem_stride(&out->problem, i, values))
            out->strides[i] = 0;
        out->request.strides[next++] = out->strides[i];
    }
    return status;
}

tw_status tw_request_read(tw_library *library, const tw_request *given, struct tw_canonical *out,
                          tw_error *error) {
    const char *file;
    tw_status status = tw_sized_read(&tw_sized_request, &out->request, given, error);
    if (status == TW_OK)
        status = tw_plan_problem(library, &out->request, &out->problem, out->strides, &file, error);
    if (status == TW_OK)
        status = write_strides(library, out, error);
    if (status != TW_OK)
        return status;
    tw_request_attributes(&out->problem, out->attributes);
    out->request.kernel = out->problem.description->kernel;
    out->request.attributes = out->attributes;
    if (out->problem.alignment == TW_FULL_ALIGNMENT)
        out->problem.alignment = 0;
    out->request.alignment = out->problem.alignment;
    return TW_OK;
}
