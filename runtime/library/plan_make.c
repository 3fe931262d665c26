/* Making a plan: from a request to launches that lack only their buffers. */
#include "runtime/library/plan_make.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/library/explain.h"
#include "runtime/library/making.h"
#include "runtime/library/request.h"

/* What is known while a plan is made. */
struct making {
    struct tw_making of;
    double start, read_ms;
    struct tw_selection selection;
};

static tw_status log_shape(const struct making *making, tw_plan *plan, tw_error *error) {
    const tw_explanation *e = &plan->explanation;
    const struct tw_asked_shape shape = {.problem = &making->of.problem,
                                         .strides = making->of.strides,
                                         .rule = e->rule,
                                         .expected_us = making->selection.rule == TW_SELECTED_EXACT
                                                            ? e->row_time_us
                                                            : e->predicted_us};
    if (making->of.library->shape_log == NULL)
        return TW_OK;
    plan->asked = tw_shape_log_entry(making->of.library->shape_log, &shape);
    return plan->asked != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static void prepare_arguments(const struct making *making, tw_plan *plan) {
    const struct tw_description *d = plan->description;
    const int alignment = (int)making->of.values[TW_SLOT_ALIGNMENT];
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *argument = &d->arguments[i];
        if (argument->kind == TW_ARGUMENT_STRIDE)
            continue;
        struct tw_plan_argument *out = &plan->arguments[plan->argument_count++];
        *out = (struct tw_plan_argument){.name = argument->name,
                                         .argument = (unsigned char)i,
                                         .is_buffer = argument->kind == TW_ARGUMENT_BUFFER,
                                         .is_absent = plan->executable->absent >> i & 1};
        if (out->is_buffer && making->of.library->backend->has_addresses)
            out->alignment = (unsigned char)tw_problem_alignment(&making->of.problem, i, alignment);
    }
}

static tw_status prepare(struct making *making, tw_plan **out, tw_error *error) {
    tw_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    plan->library = making->of.library;
    plan->description = making->of.problem.description;
    plan->executable = making->of.executable;
    making->of.executable = NULL;
    prepare_arguments(making, plan);
    struct tw_plan_sources sources = {.problem = &making->of.problem,
                                      .selection = &making->selection,
                                      .origin = making->of.found[0].origin,
                                      .unkept = making->of.found[0].unkept};
    for (int i = 0; i < plan->executable->launch_count; i++) {
        plan->modules[i] = making->of.found[i].module;
        sources.loading_ms += making->of.found[i].loading_ms;
    }
    sources.made_ms = making->read_ms + 1e3 * (tw_clock_now() - making->start);
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

/* What is done with a selection. */
enum use { LOOK, PROMISE, LOAD };

/* Reads the request, and fills in what is asked, but for what is there already. */
static tw_status ask(struct making *making, const tw_request *request,
                     const struct tw_catalogue *results, struct tw_query *query, tw_error *error) {
    tw_library *library = making->of.library;
    const char *file;
    tw_status status =
        tw_plan_problem(library, request, &making->of.problem, making->of.strides, &file, error);
    if (status == TW_OK)
        *query = (struct tw_query){
            .catalogue = results,
            .problem = &making->of.problem,
            .strides = making->of.strides,
            .device = &library->info,
            .cache = library->cache_policy,
            .today = tw_descriptions_today(library->descriptions, making->of.problem.description),
            .context = &making->of,
            .tolerance = library->tolerance};
    return status;
}

/* Selects and, to load, makes the plan. The selection points to rows of the results, which are held
 * for that long, but not locked: a compiler may take seconds, and others may have new ones. */
static tw_status with_selection(struct making *making, const tw_request *request, enum use use,
                                tw_plan **out, tw_error *error) {
    tw_library *library = making->of.library;
    struct tw_catalogue *results = tw_library_results(library);
    struct tw_query query;
    tw_status status = ask(making, request, results, &query, error);
    if (status != TW_OK) {
        tw_catalogue_free(results);
        return status;
    }
    if (use != LOOK)
        query.accept = use == LOAD ? tw_making_accept : tw_making_promise;
    if (use != LOOK && library->tolerance >= 0) {
        query.ready = tw_making_ready;
        const struct tw_changed changed = tw_changing_note(&library->changing, &making->of.problem);
        query.changing = changed.dimensions;
        query.settled = changed.settled;
    }
    status = tw_select(&query, &making->selection, error);
    if (status == TW_OK && use == LOAD)
        status = prepare(making, out, error);
    tw_catalogue_free(results);
    return status;
}

/* `tuned` and `out` are for looking and loading. */
static tw_status make(tw_library *library, const tw_request *request, enum use use, bool *tuned,
                      double read_ms, tw_plan **out, tw_error *error) {
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    making->of.library = library;
    making->start = tw_clock_now();
    making->read_ms = read_ms;
    tw_status status = with_selection(making, request, use, out, error);
    if (tuned != NULL)
        *tuned = making->selection.rule == TW_SELECTED_EXACT;
    tw_making_end(&making->of);
    free(making);
    return status;
}

tw_status tw_plan_make(tw_plan **out, tw_library *library, const tw_request *request,
                       double read_ms, tw_error *error) {
    *out = NULL;
    return make(library, request, LOAD, NULL, read_ms, out, error);
}

void tw_plan_promise(tw_library *library, const tw_request *request) {
    (void)make(library, request, PROMISE, NULL, 0, NULL, NULL);
}

tw_status tw_plan_is_tuned(tw_library *library, const tw_request *request, bool *tuned,
                           tw_error *error) {
    return make(library, request, LOOK, tuned, 0, NULL, error);
}

void tw_plan_note(tw_library *library, const tw_request *request, struct tw_together *together,
                  size_t index) {
    struct making *making = calloc(1, sizeof *making);
    struct tw_catalogue *results = tw_library_results(library);
    struct tw_query query;
    if (making != NULL) {
        making->of.library = library;
        if (ask(making, request, results, &query, NULL) == TW_OK) {
            query.ready = tw_making_ready;
            query.together = together;
            query.problem_index = index;
            (void)tw_select(&query, &making->selection, NULL);
        }
        tw_making_end(&making->of);
    }
    tw_catalogue_free(results);
    free(making);
}

void tw_plan_promise_build(tw_library *library, const tw_request *request,
                           const struct tw_configuration *configuration) {
    struct making *making = calloc(1, sizeof *making);
    const char *file;
    if (making == NULL)
        return;
    making->of.library = library;
    if (tw_plan_problem(library, request, &making->of.problem, making->of.strides, &file, NULL) ==
        TW_OK)
        (void)tw_making_promise(&making->of, configuration, NULL);
    tw_making_end(&making->of);
    free(making);
}
