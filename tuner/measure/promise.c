#include "tuner/measure/promise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Inputs ---- */

static bool fills(const struct tw_input_family *family, int argument) {
    for (int i = 0; i < family->fill_count; i++)
        if (family->fills[i].argument == argument)
            return true;
    return false;
}

/* Fills a family's buffers, and those as always that the family before it had filled and it does
 * not. Without a family: all of those. */
static tw_status fill_family(const struct promise *p, const struct workload *w,
                             const struct tw_input_family *before,
                             const struct tw_input_family *family, struct tw_error *error) {
    struct tw_arguments arguments;
    workload_arguments(w, 0, 0, &arguments);
    tw_status status = TW_OK;
    for (int i = 0; before != NULL && i < before->fill_count && status == TW_OK; i++) {
        const int a = before->fills[i].argument;
        if (family == NULL || !fills(family, a))
            status = workload_fill(w, a, &arguments.memory[a], error);
    }
    for (int i = 0; family != NULL && i < family->fill_count && status == TW_OK; i++)
        status = hard_inputs_fill(&p->inputs, w->testbed, &family->fills[i],
                                  &w->extents[family->fills[i].argument], w->seed,
                                  &arguments.memory[family->fills[i].argument], error);
    return status;
}

static const struct tw_input_family *family_before(const struct promise *p, int index) {
    return index > 0 ? p->families[index - 1].family : NULL;
}

/* ---- Judging ---- */

static const char *number_text(double number, char text[32]) {
    if (isnan(number))
        return "NaN";
    snprintf(text, 32, "%.9g", number);
    return text;
}

static tw_status fail_place(const struct promised_family *f, const struct tw_extent *extent,
                            int64_t i, double got, struct tw_error *error) {
    const int64_t rows = sampled_count(extent->rows, SAMPLED_ROWS);
    const int64_t columns = sampled_count(extent->columns, SAMPLED_ROWS);
    char came[32], plain[32];
    return tw_fail(error, TW_WRONG,
                   "inputs %s: row %" PRId64 ", column %" PRId64 " is %s, where plain sums give %s",
                   f->family->name, sampled(i / columns % rows, rows, extent->rows),
                   sampled(i % columns, columns, extent->columns), number_text(got, came),
                   number_text(f->plain[i], plain));
}

static tw_status judge(const struct promise *p, const struct workload *w, int index,
                       const double *got, struct accuracy *accuracy, struct tw_error *error) {
    const struct promised_family *f = &p->families[index];
    const struct sample_errors errors = promised_errors(f, got, p->elements);
    if (f->family->fill_count > 0) {
        accuracy->has_hard = true;
        accuracy->hard_max_error = fmax(accuracy->hard_max_error, errors.max);
        accuracy->hard_rms_error = fmax(accuracy->hard_rms_error, errors.rms);
    }
    if (p->bound == NULL)
        return TW_OK;
    const struct tw_extent *extent = &w->extents[p->output];
    for (int64_t i = 0; i < p->elements; i++)
        if (!promised_is_sound(f, p->type, i, got[i]))
            return fail_place(f, extent, i, got[i], error);
    const double max = promise_allowed(p->bound, f, true),
                 rms = promise_allowed(p->bound, f, false);
    if (errors.max <= max && errors.rms <= rms)
        return TW_OK;
    const bool by_rms = errors.rms > rms;
    return tw_fail(
        error, TW_WRONG,
        "inputs %s: the %s error is %.3g of the sizes summed; %.3g is allowed, and plain "
        "sums have %.3g (promised is %s)",
        f->family->name, by_rms ? "rms" : "largest", by_rms ? errors.rms : errors.max,
        by_rms ? rms : max, by_rms ? f->plain_errors.rms : f->plain_errors.max, p->bound->promises);
}

/* ---- Trying ---- */

static tw_status read_sample(const struct promise *p, const struct workload *w, int parts,
                             double *out, struct tw_error *error) {
    const struct tw_memory part =
        tw_memory_part(&p->sample, 0, (uint64_t)parts * (uint64_t)p->elements * sizeof *out);
    return w->testbed->backend->read(w->testbed->device, &part, out, error);
}

static tw_status gather(const struct promise *p, const struct workload *w, double *got,
                        struct tw_error *error) {
    struct tw_arguments arguments;
    workload_arguments(w, 0, 0, &arguments);
    tw_status status = hard_inputs_gather(&p->inputs, w->testbed, &w->extents[p->output],
                                          &arguments.memory[p->output], &p->sample, error);
    return status == TW_OK ? read_sample(p, w, 1, got, error) : status;
}

static tw_status try_family(const struct promise *p, const struct workload *w,
                            const struct tw_variant *variant, int index, double *got,
                            struct accuracy *accuracy, struct tw_error *error) {
    struct tw_arguments arguments;
    workload_arguments(w, 0, 0, &arguments);
    tw_status status = fill_family(p, w, family_before(p, index), p->families[index].family, error);
    if (status == TW_OK)
        status = workload_prepare(w, 0, error);
    if (status == TW_OK)
        status = tw_variant_launch(variant, &arguments, error);
    if (status == TW_OK)
        status = gather(p, w, got, error);
    if (status == TW_OK)
        status = judge(p, w, index, got, accuracy, error);
    return status;
}

tw_status promise_check(const struct promise *p, const struct workload *w,
                        const struct tw_variant *variant, struct accuracy *accuracy,
                        struct tw_error *error) {
    if (p->family_count == 0)
        return TW_OK;
    double *got = malloc((size_t)p->elements * sizeof *got);
    if (got == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    int tried = 0;
    while (tried < p->family_count && status == TW_OK)
        status = try_family(p, w, variant, tried++, got, accuracy, error);
    free(got);
    struct tw_error after;
    tw_status filled = fill_family(p, w, family_before(p, tried), NULL, &after);
    return status == TW_OK && filled != TW_OK ? tw_fail(error, filled, "%s", after.message)
                                              : status;
}

/* ---- Plain answers ---- */

static tw_status compute_family(struct promise *p, const struct workload *w,
                                const struct tw_executable *plain, const struct tw_module *module,
                                int index, struct tw_error *error) {
    struct promised_family *f = &p->families[index];
    struct tw_arguments arguments;
    struct tw_value values[TW_MAX_PASSED];
    struct tw_launch queued;
    workload_arguments(w, 0, 0, &arguments);
    arguments.before[p->output] = arguments.memory[p->output];
    arguments.memory[p->output] = p->sample;
    f->right = malloc(3 * (size_t)p->elements * sizeof *f->right);
    if (f->right == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    f->plain = f->right + p->elements;
    f->sizes = f->plain + p->elements;
    tw_status status = fill_family(p, w, family_before(p, index), f->family, error);
    if (status == TW_OK)
        status = workload_prepare(w, 0, error);
    tw_executable_launch(plain, 0, module, &arguments, NULL, NULL, values, &queued);
    if (status == TW_OK)
        status = w->testbed->backend->launch(w->testbed->device, &queued, error);
    if (status == TW_OK)
        status = read_sample(p, w, 3, f->right, error);
    if (status != TW_OK)
        return status;
    f->plain_errors = promised_errors(f, f->plain, p->elements);
    f->lines = p->lines;
    f->rounding = promised_rounding(f, p->type, p->elements);
    return TW_OK;
}

static tw_status compute_plain(struct promise *p, const struct workload *w,
                               struct references *compiled, struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    struct tw_executable *plain;
    struct tw_module *module = NULL;
    tw_status status = tw_executable_create_plain(&plain, &testbed->problem, testbed->values,
                                                  &testbed->info, error);
    if (status == TW_OK)
        status = references_get(compiled, testbed, plain, &module, error);
    for (int f = 0; f < p->family_count && status == TW_OK; f++)
        status = compute_family(p, w, plain, module, f, error);
    if (status == TW_OK)
        status = fill_family(p, w, family_before(p, p->family_count), NULL, error);
    tw_executable_free(plain);
    if (status != TW_OK)
        return tw_fail_within(error, status, "%s: accuracy's plain kernel",
                              testbed->problem.description->origin);
    return TW_OK;
}

/* The one output, which must be of floating numbers. */
static tw_status find_output(struct promise *p, const struct workload *w, struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    p->output = -1;
    for (int i = 0; i < d->argument_count; i++)
        if (tw_problem_has(&w->testbed->problem, i, w->testbed->values) &&
            d->arguments[i].access != TW_ACCESS_IN) {
            if (p->output >= 0 || !tw_type_info(w->extents[i].type)->floating)
                return tw_fail(error, TW_BAD_DESCRIPTION,
                               "%s: key accuracy: is for one output of a floating type", d->origin);
            p->output = i;
        }
    const struct tw_extent *extent = &w->extents[p->output];
    p->type = extent->type;
    const int64_t layers = sampled_count(extent->layers, SAMPLED_LAYERS),
                  rows = sampled_count(extent->rows, SAMPLED_ROWS),
                  columns = sampled_count(extent->columns, SAMPLED_ROWS);
    p->elements = layers * rows * columns;
    p->lines = layers * (rows < columns ? rows : columns);
    return TW_OK;
}

static tw_status need_kernels(struct promise *p, const struct workload *w, struct tw_error *error) {
    tw_status status = hard_inputs_need(&p->inputs, w->testbed, HARD_GATHER, p->type, error);
    for (int f = 0; f < p->family_count && status == TW_OK; f++) {
        const struct tw_input_family *family = p->families[f].family;
        for (int i = 0; i < family->fill_count && status == TW_OK; i++)
            status = hard_inputs_need(&p->inputs, w->testbed, HARD_FILL,
                                      w->extents[family->fills[i].argument].type, error);
    }
    return status;
}

tw_status promise_create(struct promise *p, const struct workload *w, struct references *compiled,
                         struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    const struct tw_description *d = testbed->problem.description;
    *p = (struct promise){.bound = tw_accuracy_bound(d, testbed->values)};
    if (d->accuracy == NULL || (p->bound == NULL && !testbed->measures_errors))
        return TW_OK;
    for (int i = 0; i < d->accuracy->family_count; i++)
        if (tw_accuracy_has(&d->accuracy->families[i], testbed->values))
            p->families[p->family_count++].family = &d->accuracy->families[i];
    tw_status status = find_output(p, w, error);
    if (status == TW_OK)
        status = need_kernels(p, w, error);
    if (status == TW_OK)
        status = testbed->backend->allocate(
            testbed->device, 3 * (uint64_t)p->elements * sizeof(double), &p->sample, error);
    return status == TW_OK ? compute_plain(p, w, compiled, error) : status;
}

void promise_free(struct promise *p, const struct testbed *testbed) {
    for (int f = 0; f < p->family_count; f++)
        free(p->families[f].right);
    hard_inputs_free(&p->inputs, testbed);
    testbed->backend->release(testbed->device, &p->sample);
    *p = (struct promise){0};
}
