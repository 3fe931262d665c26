/* Making a plan: from a request to launches that lack only their buffers. */
#include "runtime/library/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/library/explain.h"
#include "runtime/library/request.h"
#include "runtime/select/select.h"
#include "runtime/variant/compile.h"

/* What is known while a plan is made. */
struct making {
    tw_library *library;
    double start;
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS];
    struct tw_selection selection;
    /* Of the configuration that was offered last: */
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *executable;
    struct tw_module_found found[TW_MAX_LAUNCHES];
};

static tw_status get_module(struct making *making, int launch, tw_error *error) {
    tw_library *library = making->library;
    const struct tw_executable *x = making->executable;
    const struct tw_description *d = making->problem.description;
    struct tw_text source = {0};
    char label[TW_PROBLEM_KEY_SIZE + 2 * TW_NAME_SIZE], text[TW_PROBLEM_KEY_SIZE];
    tw_status status = tw_executable_source(x, launch, library->backend->name, &source, error);
    if (status == TW_OK) {
        tw_problem_text(&making->problem, text);
        snprintf(label, sizeof label, "%s %s %s", d->kernel,
                 d->implementations[x->configuration->implementation].name, text);
        struct tw_expected expected;
        const struct tw_module_request request = {
            .compile = tw_executable_request(x, launch, source.data, &expected),
            .executable = x,
            .label = label,
            .threads = tw_geometry_threads(&x->launches[launch].geometry),
            .shared = x->launches[launch].geometry.shared};
        status = tw_modules_get(library->modules, &request, &making->found[launch], error);
        if (status == TW_BAD_DESCRIPTION)
            tw_fail_within(error, status, "%s: %s", d->origin,
                           d->implementations[x->configuration->implementation].name);
    }
    tw_text_free(&source);
    return status;
}

/* A configuration is accepted once all its launches are loaded. */
static tw_status accept(void *context, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    struct making *making = context;
    int64_t device[TW_DEVICE_SLOTS];
    tw_executable_free(making->executable);
    making->executable = NULL;
    making->configuration = *configuration;
    tw_device_values(&making->library->info, device);
    tw_status status =
        tw_problem_bind(&making->problem, device, making->strides, making->values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(making->problem.description, configuration, making->values,
                                       error);
    if (status == TW_OK)
        status = tw_executable_create(&making->executable, &making->problem, &making->configuration,
                                      making->values, &making->library->info, error);
    for (int i = 0; status == TW_OK && i < making->executable->launch_count; i++)
        status = get_module(making, i, error);
    return status;
}

static tw_status log_shape(const struct making *making, tw_plan *plan, tw_error *error) {
    const tw_explanation *e = &plan->explanation;
    const struct tw_asked_shape shape = {.problem = &making->problem,
                                         .strides = making->strides,
                                         .rule = e->rule,
                                         .expected_us = making->selection.rule == TW_SELECTED_EXACT
                                                            ? e->row_time_us
                                                            : e->predicted_us};
    if (making->library->shape_log == NULL)
        return TW_OK;
    plan->asked = tw_shape_log_entry(making->library->shape_log, &shape);
    return plan->asked != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static tw_status prepare(struct making *making, tw_plan **out, tw_error *error) {
    tw_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    plan->library = making->library;
    plan->description = making->problem.description;
    plan->executable = making->executable;
    making->executable = NULL;
    if (making->library->backend->has_addresses)
        plan->alignment = (int)making->values[TW_SLOT_ALIGNMENT];
    struct tw_plan_sources sources = {.problem = &making->problem,
                                      .selection = &making->selection,
                                      .origin = making->found[0].origin,
                                      .unkept = making->found[0].unkept};
    for (int i = 0; i < plan->executable->launch_count; i++) {
        plan->modules[i] = making->found[i].module;
        sources.loading_ms += making->found[i].loading_ms;
    }
    sources.made_ms = 1e3 * (tw_clock_now() - making->start);
    tw_status status = tw_plan_explain_fill(plan, &sources, error);
    if (status == TW_OK)
        status = log_shape(making, plan, error);
    if (status != TW_OK) {
        tw_plan_free(plan);
        return status;
    }
    *out = plan;
    return TW_OK;
}

/* Selects and, to `load`, makes the plan. The selection points to rows of the results, which are
 * held for that long, but not locked: a compiler may take seconds, and others may have new ones. */
static tw_status with_selection(struct making *making, const tw_request *request, bool load,
                                tw_plan **out, tw_error *error) {
    tw_library *library = making->library;
    const char *file;
    tw_status status =
        tw_plan_problem(library, request, &making->problem, making->strides, &file, error);
    if (status != TW_OK)
        return status;
    struct tw_catalogue *results = tw_library_results(library);
    const struct tw_query query = {.catalogue = results,
                                   .problem = &making->problem,
                                   .strides = making->strides,
                                   .device = &library->info,
                                   .cache = library->cache_policy,
                                   .accept = load ? accept : NULL,
                                   .context = making};
    status = tw_select(&query, &making->selection, error);
    if (status == TW_OK && load)
        status = prepare(making, out, error);
    tw_catalogue_free(results);
    return status;
}

tw_status tw_plan_make(tw_plan **out, tw_library *library, const tw_request *request,
                       tw_error *error) {
    *out = NULL;
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    making->library = library;
    making->start = tw_clock_now();
    tw_status status = with_selection(making, request, true, out, error);
    tw_executable_free(making->executable);
    free(making);
    return status;
}

tw_status tw_plan_is_tuned(tw_library *library, const tw_request *request, bool *tuned,
                           tw_error *error) {
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    making->library = library;
    tw_status status = with_selection(making, request, false, NULL, error);
    *tuned = making->selection.rule == TW_SELECTED_EXACT;
    free(making);
    return status;
}

void tw_plan_free(tw_plan *plan) {
    if (plan == NULL)
        return;
    for (size_t i = 0; i < sizeof plan->texts / sizeof *plan->texts; i++)
        tw_text_free(&plan->texts[i]);
    tw_executable_free(plan->executable);
    free(plan);
}
