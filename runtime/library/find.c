/* Finding a problem's plan, or having it made as the policy for misses says. */
#include "runtime/library/plan.h"
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

tw_status tw_plan_create(const tw_plan **out, tw_library *library, const tw_request *request,
                         tw_error *error) {
    *out = request->kernel != NULL ? tw_plans_find(library->plans, request) : NULL;
    if (*out != NULL)
        return TW_OK;
    tw_plan *plan;
    bool tuned = true;
    tw_status status = library->on_miss != TW_MISS_NEAREST
                           ? tw_plan_is_tuned(library, request, &tuned, error)
                           : TW_OK;
    if (status == TW_OK && !tuned)
        status = before_miss(library, request, error);
    if (status == TW_OK)
        status = tw_plan_make(&plan, library, request, error);
    if (status == TW_OK)
        status = tw_plans_add(library->plans, request, plan, 0, out, error);
    if (status == TW_OK && !tuned)
        status = after_miss(library, request, error);
    if (status != TW_OK)
        *out = NULL;
    return status;
}
