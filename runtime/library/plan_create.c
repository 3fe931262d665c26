/* Finding a problem's plan, or having it made as the policy for misses says. */
#include "runtime/library/plan_create.h"

#include <inttypes.h>
#include <math.h>

#include "runtime/base/clock.h"
#include "runtime/library/plan_make.h"
#include "runtime/library/request.h"
#include "runtime/library/sized.h"
#include "runtime/library/tuning.h"

/* What the policy asks for before a plan is made. */
static tw_status before_miss(tw_library *library, const tw_request *request, tw_error *error) {
    if (library->on_miss == TW_MISS_FAIL)
        return tw_fail(error, TW_NOT_FOUND,
                       "no database has a result for this problem of %s on %s; tune it first",
                       request->kernel, library->info.name);
    return library->on_miss == TW_MISS_TUNE ? tw_tuning_run(library->tuning, request, error)
                                            : TW_OK;
}

/* And after. */
static tw_status after_miss(tw_library *library, const tw_request *request, tw_error *error) {
    return library->on_miss == TW_MISS_TUNE_BACKGROUND
               ? tw_tuning_queue(library->tuning, request, error)
               : TW_OK;
}

static tw_status make_plan(tw_library *library, const struct tw_plan_key *key,
                           const tw_request *request, double read_ms, const tw_plan **out,
                           tw_error *error) {
    tw_plan *plan;
    bool tuned = true;
    tw_status status = library->on_miss != TW_MISS_NEAREST
                           ? tw_plan_is_tuned(library, request, &tuned, error)
                           : TW_OK;
    if (status == TW_OK && !tuned)
        status = before_miss(library, request, error);
    if (status == TW_OK)
        status = tw_plan_make(&plan, library, request, read_ms, error);
    if (status == TW_OK)
        status = tw_plan_table_add(library->plans, key, plan, false, out, error);
    if (status == TW_OK && !tuned && (status = after_miss(library, request, error)) != TW_OK)
        tw_plan_table_release(library->plans, *out);
    return status;
}

static tw_status unprepared(const struct tw_canonical *wanted, tw_error *error) {
    const struct tw_description *d = wanted->problem.description;
    char shape[TW_PROBLEM_KEY_SIZE];
    struct tw_text more = {0};
    tw_problem_shape(&wanted->problem, shape);
    for (int i = 0; i < d->argument_count; i++)
        if (wanted->strides[i] != 0)
            tw_text_print(&more, ", %s %" PRId64, d->arguments[i].name, wanted->strides[i]);
    if (wanted->request.alignment != 0)
        tw_text_print(&more, ", alignment %" PRId64, wanted->request.alignment);
    tw_status status =
        tw_fail(error, TW_NOT_FOUND,
                "%s %s \"%s\"%s has no plan yet, and with prepared_only a call "
                "makes none; give it to tw_prepare",
                d->kernel, shape, wanted->attributes, more.data != NULL ? more.data : "");
    tw_text_free(&more);
    return status;
}

/* What gets no plan is what most wants tuning. That there is no memory to say so changes nothing.
 */
static void log_refused(tw_library *library, const struct tw_canonical *wanted) {
    const struct tw_asked_shape shape = {
        .problem = &wanted->problem, .strides = wanted->strides, .rule = "none"};
    if (library->shape_log != NULL)
        tw_asked_count(tw_shape_log_entry(library->shape_log, &shape));
}

tw_status tw_plan_create_missing(tw_library *library, const struct tw_plan_key *key,
                                 const tw_request *request, bool make, const tw_plan **out,
                                 tw_error *error) {
    struct tw_canonical wanted;
    struct tw_plan_key canonical;
    const double start = tw_clock_now();
    *out = NULL;
    tw_status status = tw_request_read(library, request, &wanted, error);
    const double read_ms = 1e3 * (tw_clock_now() - start);
    if (status != TW_OK)
        return status;
    /* What was read has no number that a key cannot have. */
    (void)tw_plan_key_of(&canonical, &wanted.request);
    *out = tw_plan_table_hold(library->plans, &canonical);
    if (*out == NULL)
        status = make ? make_plan(library, &canonical, &wanted.request, read_ms, out, error)
                      : unprepared(&wanted, error);
    if (status != TW_OK)
        log_refused(library, &wanted);
    if (status == TW_OK && key != NULL) {
        status = tw_plan_table_alias(library->plans, key, *out, error);
        if (status != TW_OK)
            tw_plan_table_release(library->plans, *out);
    }
    if (status != TW_OK)
        *out = NULL;
    return status;
}

/* Whether it is predictions that choose, and the request can be read. */
static bool is_predicted(tw_library *library, const tw_request *request,
                         struct tw_canonical *wanted) {
    return library->tolerance >= 0 && library->on_miss != TW_MISS_TUNE &&
           library->on_miss != TW_MISS_FAIL && request->kernel != NULL &&
           tw_request_read(library, request, wanted, NULL) == TW_OK;
}

void tw_plan_settle(tw_library *library, const tw_request *request) {
    struct tw_canonical wanted;
    struct tw_plan_key key;
    if (!is_predicted(library, request, &wanted))
        return;
    (void)tw_plan_key_of(&key, &wanted.request);
    const tw_plan *plan = tw_plan_table_hold(library->plans, &key);
    if (plan != NULL)
        tw_plan_table_release(library->plans, plan);
    else
        tw_plan_promise(library, &wanted.request);
}

void tw_plan_settle_together(tw_library *library, const tw_request *requests, size_t count,
                             int dimension) {
    struct tw_together_choice chosen[TW_TOGETHER_PROBLEMS];
    struct tw_canonical wanted;
    struct tw_together *together = tw_together_create();
    if (together == NULL) /* each by itself then */
        return;
    for (size_t i = 0; i < count; i++)
        if (is_predicted(library, &requests[i], &wanted))
            tw_plan_note(library, &wanted.request, together, i);
    const double most = 5, looked_at = fmin((double)count, TW_TOGETHER_PROBLEMS);
    const double worth = library->tolerance * fmax(most * looked_at / TW_TOGETHER_PROBLEMS, 2);
    const double alone = log(1 + TW_TOGETHER_TIMES * library->tolerance);
    const size_t builds = tw_together_choose(together, worth, alone, chosen, TW_TOGETHER_PROBLEMS);
    for (size_t i = 0; i < builds; i++)
        if (is_predicted(library, &requests[chosen[i].problem], &wanted)) {
            tw_plan_promise_build(library, &wanted.request, &chosen[i].configuration);
            tw_changing_settle(&library->changing, &wanted.problem, dimension);
        }
    tw_together_free(together);
}

void tw_plan_expect(tw_library *library, const tw_request *request) {
    struct tw_canonical wanted;
    if (request->kernel != NULL && tw_request_read(library, request, &wanted, NULL) == TW_OK)
        (void)tw_changing_note(&library->changing, &wanted.problem);
}

tw_status tw_plan_create(const tw_plan **out, tw_library *library, const tw_request *request,
                         tw_error *error) {
    struct tw_plan_key key;
    tw_request read;
    if (out == NULL)
        return tw_fail(error, TW_INVALID, "tw_plan_create: where the plan is to go is NULL");
    *out = NULL;
    if (library == NULL)
        return tw_library_given(library, error);
    if (request == NULL || (request->size != 0 && request->size != sizeof read)) {
        tw_status status = tw_sized_read(&tw_sized_request, &read, request, error);
        if (status != TW_OK)
            return status;
        request = &read;
    }
    if (request->kernel == NULL || !tw_plan_key_of(&key, request))
        return tw_plan_create_missing(library, NULL, request, true, out, error);
    *out = tw_plan_table_hold(library->plans, &key);
    return *out != NULL ? TW_OK : tw_plan_create_missing(library, &key, request, true, out, error);
}

void tw_plan_release(const tw_plan *plan) {
    if (plan != NULL)
        tw_plan_table_release(plan->library->plans, plan);
}
