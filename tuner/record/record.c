#include "tuner/record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/predict/estimate.h"
#include "runtime/variant/geometry.h"
#include "tuner/json/json.h"
#include "tuner/session/attempt.h"
#include "tuner/session/builds.h"
#include "tuner/session/recorder_open.h"
#include "tuner/session/recorder_trials.h"
#include "tuner/workers/process.h"

/* Sources that are kept compiled, for the problems that follow. */
enum { KEPT = 8192, POLL_MS = 100 };
/* What one trial's timing may take once it has its least repeats. */
static const double ENOUGH_SECONDS = 5e-3;
/* A configuration that was never nearer to the best than this, on so many problems, is left out. */
enum { TRIED_ENOUGH = 24 };
static const double FAR_FROM_BEST = 1.35;
/* What is redundant is measured where its estimate is so near to the least. */
static const double HARDLY_GOOD = 2.5;

/* A configuration on a problem. */
struct cell {
    int configuration; /* of the portfolio */
    struct build *build;
    double estimate_us;
    bool redundant;
    int blame;
};

/* A problem, from when its sources are asked for. */
struct page {
    const struct tw_problem *problem;
    int64_t values[TW_MAX_SYMBOLS];
    int count, next; /* cells, and the first that is not measured */
    struct cell *cells;
    double best_us;
    struct recorder recorder;
    double started_at;
};

struct standing {
    int tried;
    double nearest; /* to the best, over the problems */
    bool left_out;
};

struct recording {
    const struct record_options *options;
    const struct tw_configuration *portfolio;
    int portfolio_count;
    const struct tw_device_info *device;
    tw_db *db;
    const char *db_path;
    struct builds builds;
    struct compile_pool *pool;
    struct device_link *link;
    struct standing *standings;
    double *times; /* of the page's configurations; 0: not measured */
    struct record_result *result;
    double started_at, reference_s;
    char conditions[1024];
    struct tw_error *error;
};

static bool is_over(struct recording *r) {
    if (r->options->interrupted != NULL && *r->options->interrupted)
        r->result->interrupted = true;
    if (r->options->seconds > 0 && tw_clock_now() - r->started_at > r->options->seconds)
        r->result->out_of_time = true;
    return r->result->interrupted || r->result->out_of_time;
}

/* ---- Which cells a problem has ---- */

struct known {
    struct recording *recording;
    struct page *page;
    bool *is_known;
};

static void note_time(struct recording *r, struct page *page, int configuration,
                      const struct trial *trial) {
    if (trial->status != TW_DB_TRIAL_OK)
        return;
    r->times[configuration] = trial->time_us;
    if (page->best_us == 0 || trial->time_us < page->best_us)
        page->best_us = trial->time_us;
}

static void see_known(void *context, const struct trial *trial) {
    const struct known *known = context;
    const struct recording *r = known->recording;
    for (int i = 0; i < r->portfolio_count; i++)
        if (tw_configuration_equal(known->page->problem->description, &r->portfolio[i],
                                   &trial->configuration))
            known->is_known[i] = true;
}

static int compare_cells(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    return a->estimate_us != b->estimate_us ? (a->estimate_us < b->estimate_us ? -1 : 1)
                                            : a->configuration - b->configuration;
}

/* TW_RESOURCE and TW_INVALID: it has no place here. */
static tw_status make_cell(struct recording *r, const struct page *page, int index,
                           struct cell *cell) {
    const struct tw_description *d = page->problem->description;
    const struct tw_configuration *configuration = &r->portfolio[index];
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    *cell = (struct cell){.configuration = index};
    memcpy(values, page->values, sizeof values);
    tw_status status = tw_configuration_bind(d, configuration, values, r->error);
    if (status == TW_OK)
        status = tw_configuration_check(d, configuration, values, r->error);
    if (status == TW_OK)
        status = tw_implementation_fits(&d->implementations[configuration->implementation], values,
                                        r->device, r->error);
    if (status == TW_OK)
        status =
            tw_features_of(page->problem, configuration, values, r->device, 0, &features, r->error);
    if (status != TW_OK)
        return status;
    tw_estimate_of(&features, r->device, &estimate);
    cell->estimate_us = tw_estimate_total(&estimate);
    cell->redundant = features.redundant;
    return TW_OK;
}

/* Leaves out what can hardly be good: what the description calls redundant does as something else
 * does, which need not be in the portfolio, but where it is estimated to take long it is because it
 * suits this problem badly. */
static void thin_out(struct page *page) {
    double least = INFINITY;
    int kept = 0;
    for (int i = 0; i < page->count; i++)
        least = fmin(least, page->cells[i].estimate_us);
    for (int i = 0; i < page->count; i++)
        if (!page->cells[i].redundant || page->cells[i].estimate_us <= HARDLY_GOOD * least)
            page->cells[kept++] = page->cells[i];
    page->count = kept;
}

static tw_status lay_out(struct recording *r, struct page *page, struct tw_error *error) {
    bool *is_known = calloc((size_t)r->portfolio_count, sizeof *is_known);
    struct known known = {r, page, is_known};
    int64_t slots[TW_DEVICE_SLOTS];
    page->cells = calloc((size_t)r->portfolio_count, sizeof *page->cells);
    if (is_known == NULL || page->cells == NULL) {
        free(is_known);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    tw_device_values(r->device, slots);
    tw_status status = tw_problem_bind(page->problem, slots, NULL, page->values, error);
    if (status == TW_OK)
        status = recorder_open(&page->recorder, r->db, r->db_path, page->problem, r->device,
                               r->options->cache, error);
    if (status == TW_OK)
        status = recorder_known(&page->recorder, see_known, &known, error);
    page->recorder.sources = &r->builds.sources;
    for (int i = 0; i < r->portfolio_count && status == TW_OK; i++) {
        if (r->standings[i].left_out)
            continue;
        if (is_known[i]) {
            r->result->known++;
            continue;
        }
        status = make_cell(r, page, i, &page->cells[page->count]);
        if (status == TW_OK)
            page->count++;
        else if (status != TW_NO_MEMORY)
            status = TW_OK;
    }
    thin_out(page);
    for (int i = 0; i < page->count && status == TW_OK; i++) {
        struct cell *cell = &page->cells[i];
        cell->build = builds_get(&r->builds, r->device, page->problem,
                                 &r->portfolio[cell->configuration], page->values, error);
        if (cell->build == NULL)
            status = error->status;
    }
    qsort(page->cells, (size_t)page->count, sizeof *page->cells, compare_cells);
    free(is_known);
    return status;
}

static void page_free(struct recording *r, struct page *page) {
    for (int i = 0; i < page->count; i++)
        builds_release(&r->builds, page->cells[i].build);
    free(page->cells);
    *page = (struct page){0};
}

/* ---- Compiling ---- */

static tw_status collect_builds(struct recording *r) {
    for (bool taken = true; taken;) {
        struct compiled compiled;
        tw_status status = compile_pool_take(r->pool, &compiled, &taken, r->error);
        if (status != TW_OK || !taken)
            return status;
        struct build *build = builds_by_id(&r->builds, compiled.id);
        build->compiled = compiled;
        build->state = BUILD_DONE;
        r->result->compiled++;
        if (compiled.bad_description)
            return tw_fail(r->error, TW_BAD_DESCRIPTION, "%s", compiled.message);
    }
    return TW_OK;
}

static tw_status submit_builds(struct recording *r, struct page *page) {
    for (int i = page->next; i < page->count && !compile_pool_full(r->pool); i++) {
        struct cell *cell = &page->cells[i];
        if (cell->build->state != BUILD_NEW)
            continue;
        tw_status status =
            builds_submit(&r->builds, cell->build, r->pool, r->device, page->problem,
                          &r->portfolio[cell->configuration], page->values, r->error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

/* ---- Measuring ---- */

static tw_status finish_cell(struct recording *r, struct page *page, struct cell *cell,
                             const struct trial *trial) {
    bool added;
    note_time(r, page, cell->configuration, trial);
    r->result->trials++;
    if (trial->status != TW_DB_TRIAL_OK) {
        r->result->failures++;
        if (r->result->first_failure[0] == '\0')
            snprintf(r->result->first_failure, sizeof r->result->first_failure, "%s: %.500s",
                     tw_db_trial_status_text(trial->status), trial->message);
    }
    return recorder_add(&page->recorder, trial, &added, r->error);
}

/* The cell that is to be measured next: the first that is compiled. NULL: none is. */
static struct cell *next_cell(struct page *page) {
    for (int i = page->next; i < page->count; i++)
        if (page->cells[i].build->state == BUILD_DONE) {
            struct cell cell = page->cells[i];
            page->cells[i] = page->cells[page->next];
            page->cells[page->next] = cell;
            return &page->cells[page->next];
        }
    return NULL;
}

static double limit_of(const struct recording *r) {
    return attempt_limit(r->options->trial_limit_s, r->reference_s);
}

/* What the worker said, or did, about the cell that it was given; *again: it is to be given to the
 * next one. */
static struct trial read_answer(struct recording *r, struct cell *cell, enum device_event event,
                                const struct message *answer, bool *again) {
    struct trial trial =
        attempt_compiled(&r->portfolio[cell->configuration], &cell->build->compiled);
    *again = false;
    if (event == DEVICE_TIMEOUT || event == DEVICE_LOAD_TIMEOUT) {
        attempt_timed_out(event, r->options->compile_limit_s, limit_of(r), &trial);
        return trial;
    }
    if (event == DEVICE_ANSWER)
        attempt_read(answer, &trial);
    if (event == DEVICE_CRASH || trial.status == TW_DB_TRIAL_CRASH) {
        if (event == DEVICE_CRASH)
            snprintf(trial.message, sizeof trial.message, "%.500s", r->error->message);
        trial.status = TW_DB_TRIAL_CRASH;
        cell->blame += device_link_blame(r->link);
        *again = cell->blame < WORKER_VERDICT;
    }
    return trial;
}

/* Gives the idle worker something to do, until it has or there is nothing compiled. */
static tw_status feed(struct recording *r, struct page *page, bool *running) {
    struct cell *cell;
    bool cpu_is_taken = r->device->is_cpu && compile_pool_busy(r->pool) > 0;
    while (!*running && !cpu_is_taken && device_link_state(r->link) == DEVICE_IDLE &&
           (cell = next_cell(page)) != NULL) {
        if (cell->build->compiled.status != TW_DB_TRIAL_OK) {
            const struct trial trial =
                attempt_compiled(&r->portfolio[cell->configuration], &cell->build->compiled);
            page->next++;
            tw_status status = finish_cell(r, page, cell, &trial);
            if (status != TW_OK)
                return status;
            continue;
        }
        *running = true;
        return attempt_send(r->link, &r->portfolio[cell->configuration], &cell->build->compiled,
                            page->best_us, ENOUGH_SECONDS, limit_of(r), r->error);
    }
    return TW_OK;
}

static tw_status take(struct recording *r, struct page *page, bool *running) {
    struct message answer;
    tw_status fatal, status = TW_OK;
    enum device_event event = device_link_take(r->link, &answer, &fatal, r->error);
    struct tw_error why = *r->error;
    if (event == DEVICE_READY) {
        struct device_ready ready;
        device_ready_unpack(&answer, &ready);
        r->reference_s = ready.reference_s;
        snprintf(r->conditions, sizeof r->conditions, "%s",
                 ready.conditions != NULL ? ready.conditions : "{}");
    } else if (event != DEVICE_NOTHING && *running) {
        struct cell *cell = &page->cells[page->next];
        bool again;
        const struct trial trial = read_answer(r, cell, event, &answer, &again);
        *running = false;
        if (!again) {
            page->next++;
            status = finish_cell(r, page, cell, &trial);
        }
    }
    message_free(&answer);
    if (fatal != TW_OK)
        *r->error = why;
    return fatal != TW_OK ? fatal : status;
}

static void wait_for_workers(struct recording *r) {
    struct pollfd fds[1024];
    int count = compile_pool_size(r->pool) < 1024 ? compile_pool_fds(r->pool, fds) : 0;
    fds[count++] = (struct pollfd){.fd = device_link_fd(r->link), .events = POLLIN};
    /* An interrupted wait is a wait that is over. */
    poll(fds, (nfds_t)count, POLL_MS);
}

/* ---- A problem ---- */

/* Configurations that the problem's best leaves far behind, again. */
static void judge(struct recording *r, const struct page *page) {
    for (int i = 0; i < r->portfolio_count; i++) {
        struct standing *standing = &r->standings[i];
        double ratio = r->times[i] > 0 ? r->times[i] / page->best_us : INFINITY;
        if (r->times[i] == 0 || standing->left_out)
            continue;
        standing->nearest = standing->tried++ == 0 ? ratio : fmin(standing->nearest, ratio);
        if (standing->tried >= TRIED_ENOUGH && standing->nearest > FAR_FROM_BEST) {
            standing->left_out = true;
            r->result->left_out++;
        }
    }
}

static tw_status begin_run(struct recording *r, struct page *page, double *before) {
    struct tw_db_run run = {.strategy = "record",
                            .seed = r->options->seed,
                            .budget_kind = "portfolio",
                            .budget_value = r->portfolio_count,
                            .tilewise_version = TW_VERSION,
                            .driver = r->device->driver,
                            .compiler = r->device->compiler,
                            .protocol = "1"};
    int64_t trials;
    bool resumed;
    return recorder_begin_run(&page->recorder, &run, before, &trials, &resumed, r->error);
}

/* `ahead` is the problem after it, whose sources are compiled meanwhile; it may be empty. */
static tw_status measure_page(struct recording *r, struct page *page, struct page *ahead) {
    double before = 0, began = tw_clock_now();
    bool running = false;
    if (page->count == 0) {
        r->result->problems++;
        return TW_OK;
    }
    memset(r->times, 0, (size_t)r->portfolio_count * sizeof *r->times);
    tw_status status = begin_run(r, page, &before);
    while (status == TW_OK && page->next < page->count && !is_over(r)) {
        status = take(r, page, &running);
        if (status == TW_OK)
            status = collect_builds(r);
        if (status == TW_OK)
            status = submit_builds(r, page);
        if (status == TW_OK && !r->device->is_cpu)
            status = submit_builds(r, ahead);
        if (status == TW_OK)
            status = feed(r, page, &running);
        if (status == TW_OK && page->next < page->count)
            wait_for_workers(r);
    }
    double elapsed = before + tw_clock_now() - began;
    bool done = page->next == page->count;
    if (status == TW_OK)
        status = recorder_update(&page->recorder, elapsed, r->conditions, r->error);
    if (status == TW_OK)
        status = recorder_finish(&page->recorder, done ? TW_DB_RUN_DONE : TW_DB_RUN_INTERRUPTED,
                                 elapsed, r->error);
    if (done) {
        judge(r, page);
        r->result->problems++;
    }
    return status;
}

/* ---- All of them ---- */

static bool same_attributes(const struct tw_problem *a, const struct tw_problem *b) {
    return memcmp(a->words, b->words, (size_t)a->description->attribute_count * sizeof *a->words) ==
           0;
}

static tw_status open_page(struct recording *r, const struct tw_problem *problem,
                           struct page *page) {
    *page = (struct page){.problem = problem};
    return lay_out(r, page, r->error);
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
    tw_status status = open_page(r, &problems[0], &page);
    for (int i = 0; i < count && status == TW_OK && !is_over(r); i++) {
        if (i + 1 < count)
            status = open_page(r, &problems[i + 1], &ahead);
        if (status == TW_OK && page.count > 0) {
            status = give_problem(r, given, page.problem);
            given = page.problem;
        }
        if (status == TW_OK)
            status = measure_page(r, &page, &ahead);
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
