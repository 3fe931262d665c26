#include "tuner/record/record.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/record/measure_cells.h"

/* Sources that are kept compiled, for the problems that follow. */
enum { KEPT = 8192 };

static bool same_attributes(const struct tw_problem *a, const struct tw_problem *b) {
    return memcmp(a->words, b->words, (size_t)a->description->attribute_count * sizeof *a->words) ==
           0;
}

static tw_status give_problem(struct recording *r, const struct tw_problem *before,
                              const struct tw_problem *problem) {
    if (r->link != NULL && same_attributes(before, problem))
        return device_link_assign(r->link, problem, r->error);
    device_link_free(r->link);
    r->link = NULL;
    return device_link_create(&r->link, problem, r->device, r->options->cache, r->options->seed,
                              false, r->options->compile_limit_s, r->error);
}

static tw_status record_all(struct recording *r, const struct tw_problem *problems, int count,
                            void (*progress)(void *context, const struct record_progress *progress),
                            void *context) {
    struct page page = {0}, ahead = {0};
    const struct tw_problem *given = NULL;
    tw_status status = page_open(r, &problems[0], &page);
    for (int i = 0; i < count && status == TW_OK && !record_is_over(r); i++) {
        if (i + 1 < count)
            status = page_open(r, &problems[i + 1], &ahead);
        if (status == TW_OK && page.count > 0) {
            status = give_problem(r, given, page.problem);
            given = page.problem;
        }
        if (status == TW_OK)
            status = page_measure(r, &page, &ahead);
        if (progress != NULL)
            progress(context, &(struct record_progress){tw_clock_now() - r->started_at, i + 1,
                                                        count, r->result->trials});
        page_free(r, &page);
        page = ahead;
        ahead = (struct page){0};
    }
    page_free(r, &page);
    page_free(r, &ahead);
    return status;
}

tw_status record_run(const struct record_options *options, const struct tw_problem *problems,
                     int problem_count, const struct tw_configuration *portfolio,
                     int portfolio_count, const struct tw_device_info *device, tw_db *db,
                     const char *db_path,
                     void (*progress)(void *context, const struct record_progress *progress),
                     void *context, struct record_result *result, struct tw_error *error) {
    *result = (struct record_result){0};
    struct recording r = {.options = options,
                          .portfolio = portfolio,
                          .portfolio_count = portfolio_count,
                          .device = device,
                          .db = db,
                          .db_path = db_path,
                          .builds = {.kept = KEPT},
                          .standings = calloc((size_t)portfolio_count, sizeof *r.standings),
                          .times = calloc((size_t)portfolio_count, sizeof *r.times),
                          .result = result,
                          .started_at = tw_clock_now(),
                          .error = error};
    tw_status status = TW_OK;
    if (r.standings == NULL || r.times == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status =
            compile_pool_create(&r.pool, device, options->jobs, options->compile_limit_s, error);
    if (status == TW_OK)
        status = record_all(&r, problems, problem_count, progress, context);
    result->elapsed_s = tw_clock_now() - r.started_at;
    device_link_free(r.link);
    compile_pool_free(r.pool);
    builds_free(&r.builds);
    free(r.standings);
    free(r.times);
    return status;
}
