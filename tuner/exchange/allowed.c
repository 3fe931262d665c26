#include "tuner/exchange/allowed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Some device, for expressions that have to have one; what depends on it is not judged. */
static const int64_t some_device[TW_DEVICE_SLOTS] = {
    [TW_SLOT_MAX_SHARED] = 49152, [TW_SLOT_MAX_THREADS] = 1024, [TW_SLOT_WARP] = 32,
    [TW_SLOT_SM_COUNT] = 1,       [TW_SLOT_L2_BYTES] = 1 << 20, [TW_SLOT_ARCH] = 90};

static const struct tw_db_dimension *find_dimension(const struct tw_db_problem *row,
                                                    const char *name) {
    for (size_t i = 0; i < row->dimension_count; i++)
        if (strcmp(row->dimensions[i].name, name) == 0)
            return &row->dimensions[i];
    return NULL;
}

static tw_status read_shape(const struct tw_description *d, const struct tw_db_problem *row,
                            struct tw_problem *problem, struct tw_error *error) {
    struct tw_text shape = {0};
    for (int i = 0; i < d->dimension_count; i++) {
        const struct tw_db_dimension *dimension = find_dimension(row, d->dimensions[i].name);
        if (dimension == NULL) {
            tw_text_free(&shape);
            return tw_fail(error, TW_INVALID, "dimension %s is missing", d->dimensions[i].name);
        }
        tw_text_print(&shape, "%s%" PRId64, i > 0 ? "x" : "", dimension->value);
    }
    tw_status status =
        shape.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                     : tw_problem_parse(problem, d, shape.data != NULL ? shape.data : "", error);
    tw_text_free(&shape);
    if (status == TW_OK && row->dimension_count != (size_t)d->dimension_count)
        status = tw_fail(error, TW_INVALID, "%zu dimensions, but %s has %d", row->dimension_count,
                         d->kernel, d->dimension_count);
    return status;
}

/* Keys of older databases and exports have attributes at their defaults as well. */
static tw_status check_key(const struct tw_problem *problem, const char *key,
                           struct tw_error *error) {
    struct tw_problem said;
    char right[TW_PROBLEM_KEY_SIZE];
    if (tw_problem_read(&said, problem->description, key, NULL) == TW_OK &&
        memcmp(said.dimensions, problem->dimensions, sizeof said.dimensions) == 0 &&
        memcmp(said.words, problem->words, sizeof said.words) == 0)
        return TW_OK;
    tw_problem_key(problem, right);
    return tw_fail(error, TW_INVALID, "its key should be %.300s", right);
}

tw_status allowed_problem(const struct tw_description *d, const struct tw_db_problem *row,
                          struct tw_problem *problem, struct tw_error *error) {
    tw_status status = read_shape(d, row, problem, error);
    for (size_t i = 0; i < row->attribute_count && status == TW_OK; i++)
        status = tw_problem_set(problem, row->attributes[i].name, row->attributes[i].value, error);
    return status == TW_OK ? check_key(problem, row->key, error) : status;
}

void allowed_problem_row(const struct tw_problem *problem, struct allowed_parts *parts,
                         struct tw_db_problem *row) {
    const struct tw_description *d = problem->description;
    tw_problem_key(problem, parts->key);
    tw_problem_text(problem, parts->text);
    for (int i = 0; i < d->dimension_count; i++)
        parts->dimensions[i] =
            (struct tw_db_dimension){d->dimensions[i].name, problem->dimensions[i]};
    for (int i = 0; i < d->attribute_count; i++)
        parts->attributes[i] = (struct tw_db_attribute){
            d->attributes[i].name, tw_problem_attribute(problem, i, parts->numbers[i])};
    *row = (struct tw_db_problem){.kernel = d->kernel,
                                  .key = parts->key,
                                  .text = parts->text,
                                  .dimensions = parts->dimensions,
                                  .dimension_count = (size_t)d->dimension_count,
                                  .attributes = parts->attributes,
                                  .attribute_count = (size_t)d->attribute_count};
}

/* ---- What depends on the device ---- */

static bool depends(const struct tw_expression *expression, const bool *tainted) {
    for (int slot = 0; slot < TW_MAX_SYMBOLS; slot++)
        if (tainted[slot] && tw_expression_uses(expression, slot))
            return true;
    return false;
}

/* Lets and defines are in an order where each uses only earlier ones. */
static void find_tainted(const struct tw_description *d,
                         const struct tw_implementation *implementation,
                         bool tainted[TW_MAX_SYMBOLS]) {
    memset(tainted, 0, TW_MAX_SYMBOLS * sizeof *tainted);
    for (int slot = 0; slot < TW_DEVICE_SLOTS; slot++)
        tainted[slot] = true;
    for (int i = 0; i < d->let_count; i++)
        tainted[d->lets[i].slot] = depends(d->lets[i].expression, tainted);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_STRIDE)
            tainted[d->arguments[i].slot] = depends(d->arguments[i].default_stride, tainted);
    for (int i = 0; implementation != NULL && i < implementation->define_count; i++)
        tainted[implementation->defines[i].slot] =
            depends(implementation->defines[i].expression, tainted);
}

static tw_status check_constraints(const struct tw_problem *problem,
                                   const struct tw_configuration *configuration,
                                   struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *implementation =
        &d->implementations[configuration->implementation];
    int64_t values[TW_MAX_SYMBOLS];
    bool tainted[TW_MAX_SYMBOLS];
    tw_status status = tw_problem_bind(problem, some_device, NULL, values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, values, error);
    if (status != TW_OK)
        return status;
    find_tainted(d, implementation, tainted);
    for (int i = 0; i < implementation->constraint_count; i++) {
        const struct tw_expression *constraint = implementation->constraints[i];
        int64_t holds = 0;
        if (!depends(constraint, tainted) &&
            (tw_expression_evaluate(constraint, values, &holds) != TW_EVALUATED || holds == 0))
            return tw_fail(error, TW_INVALID, "the constraint \"%.300s\" of %s does not hold",
                           tw_expression_text(constraint), implementation->name);
    }
    return TW_OK;
}

tw_status allowed_configuration(const struct tw_problem *problem, const char *implementation,
                                const char *configuration, struct tw_configuration *out,
                                struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int index = tw_description_implementation(d, implementation);
    if (index < 0)
        return tw_fail(error, TW_INVALID, "%s has no implementation \"%.80s\"", d->kernel,
                       implementation);
    tw_status status = tw_configuration_parse(out, d, index, configuration, error);
    return status == TW_OK ? check_constraints(problem, out, error) : status;
}

tw_status allowed_rate(const struct tw_problem *problem, const struct tw_db_best *best,
                       struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    bool tainted[TW_MAX_SYMBOLS];
    struct tw_work work;
    const char *unit;
    find_tainted(d, NULL, tainted);
    if (best->rate_unit == NULL || depends(d->flops, tainted) || depends(d->bytes, tainted) ||
        tw_problem_bind(problem, some_device, NULL, values, NULL) != TW_OK ||
        tw_problem_work(problem, values, &work, NULL) != TW_OK)
        return TW_OK;
    double rate = tw_work_rate(&work, best->time_us * 1e-6, &unit);
    if (strcmp(unit, best->rate_unit) == 0 && fabs(rate - best->rate) <= 1e-6 * rate)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "its rate is %.6g %.20s, but its time makes %.6g %s",
                   best->rate, best->rate_unit, rate, unit);
}
