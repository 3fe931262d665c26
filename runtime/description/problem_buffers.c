/* Of a problem with bound values: the types and extents of its buffers, what they are filled with,
 * and how much work it is. */
#include <inttypes.h>
#include <string.h>

#include "runtime/description/problem_parts.h"

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

/* Whether an attribute's word is the name of the type that every argument of it has by default,
 * where the default leaves it to another attribute. */
static bool names_default(const struct tw_problem *problem, int attribute) {
    const struct tw_description *d = problem->description;
    struct tw_problem usual = *problem;
    bool found = false;
    usual.words[attribute] = d->attributes[attribute].default_word;
    for (int i = 0; i < d->argument_count; i++) {
        if (d->arguments[i].type_attribute != attribute)
            continue;
        const enum tw_type type = tw_problem_type(&usual, i);
        const char *word = d->symbols.words[problem->words[attribute]];
        if (tw_problem_type_attribute(&usual, i) == attribute ||
            type != tw_problem_type(problem, i) || strcmp(tw_type_info(type)->word, word) != 0)
            return false;
        found = true;
    }
    return found;
}

void tw_problem_settle_types(struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++)
        if (!d->attributes[i].is_number && problem->words[i] != d->attributes[i].default_word &&
            names_default(problem, i))
            problem->words[i] = d->attributes[i].default_word;
}

/* It is one by the description, not because a matrix happens to be so small: kernels may move that
 * in larger pieces all the same. */
static bool is_single_number(const struct tw_argument *a) {
    return a->kind == TW_ARGUMENT_BUFFER && strcmp(tw_expression_text(a->rows), "1") == 0 &&
           strcmp(tw_expression_text(a->columns), "1") == 0;
}

int tw_problem_alignment(const struct tw_problem *problem, int argument, int alignment) {
    const int own = (int)tw_type_info(tw_problem_type(problem, argument))->bytes;
    return is_single_number(&problem->description->arguments[argument]) || alignment < own
               ? own
               : alignment;
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
        tw_problem_evaluate(problem, "the rows of", a->name, a->rows, values, &extent->rows, error);
    if (status == TW_OK)
        status = tw_problem_evaluate(problem, "the columns of", a->name, a->columns, values,
                                     &extent->columns, error);
    extent->layers = 1;
    if (status == TW_OK && a->layers != NULL)
        status = tw_problem_evaluate(problem, "the layers of", a->name, a->layers, values,
                                     &extent->layers, error);
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

tw_status tw_problem_fill(const struct tw_problem *problem, int argument, const int64_t *values,
                          double *low, double *high, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t least = 0, most = 0;
    tw_status status = TW_OK;
    if (a->fill_parts_of != NULL) {
        status = tw_problem_evaluate(problem, "fill parts_of", a->name, a->fill_parts_of, values,
                                     &most, error);
        *low = 0;
        *high = (double)most;
        return status == TW_OK && (most < 1 || most > INT32_MAX)
                   ? tw_fail(error, TW_INVALID,
                             "%s: fill of %s: parts_of is %g, not from 1 to 2^31-1",
                             problem->description->origin, a->name, *high)
                   : status;
    }
    if (a->fill_low_of != NULL)
        status = tw_problem_evaluate(problem, "fill low of", a->name, a->fill_low_of, values,
                                     &least, error);
    if (status == TW_OK && a->fill_high_of != NULL)
        status = tw_problem_evaluate(problem, "fill high of", a->name, a->fill_high_of, values,
                                     &most, error);
    *low = a->fill_low_of != NULL ? (double)least : a->fill_low;
    *high = a->fill_high_of != NULL ? (double)most : a->fill_high;
    if (status == TW_OK && !(*low < *high))
        status =
            tw_fail(error, TW_INVALID, "%s: fill of %s: low is %g, not below high, which is %g",
                    problem->description->origin, a->name, *low, *high);
    return status;
}

tw_status tw_problem_work(const struct tw_problem *problem, const int64_t *values,
                          struct tw_work *work, struct tw_error *error) {
    int64_t flops = 0, bytes = 0;
    tw_status status = tw_problem_evaluate(problem, "work", "flops", problem->description->flops,
                                           values, &flops, error);
    if (status == TW_OK)
        status = tw_problem_evaluate(problem, "work", "bytes", problem->description->bytes, values,
                                     &bytes, error);
    *work = (struct tw_work){.flops = (double)flops, .bytes = (double)bytes};
    return status;
}

double tw_work_rate(const struct tw_work *work, double seconds, const char **unit) {
    *unit = work->flops > 0 ? "TFLOP/s" : "GB/s";
    return work->flops > 0 ? work->flops / seconds * 1e-12 : work->bytes / seconds * 1e-9;
}
