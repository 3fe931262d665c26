#include "tuner/record/measure_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/session/attempt.h"
#include "tuner/session/recorder_trials.h"
#include "tuner/workers/process.h"

enum { POLL_MS = 100 };
/* What one trial's timing may take once it has its least repeats. */
static const double ENOUGH_SECONDS = 5e-3;
/* A configuration that was never nearer to the best than this, on so many problems, is left out. */
enum { TRIED_ENOUGH = 24 };
static const double FAR_FROM_BEST = 1.35;

bool record_is_over(struct recording *r) {
    if (r->options->interrupted != NULL && *r->options->interrupted)
        r->result->interrupted = true;
    if (r->options->seconds > 0 && tw_clock_now() - r->started_at > r->options->seconds)
        r->result->out_of_time = true;
    return r->result->interrupted || r->result->out_of_time;
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
        tw_status status = builds_submit(&r->builds, cell->build, r->pool, r->device, page->problem,
                                         &cell->configuration, page->values, r->error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

/* ---- Measuring ---- */

static void note_time(struct recording *r, struct page *page, const struct cell *cell,
                      const struct trial *trial) {
    if (trial->status != TW_DB_TRIAL_OK)
        return;
    if (!cell->varied)
        r->times[cell->place] = trial->time_us;
    if (page->best_us == 0 || trial->time_us < page->best_us)
        page->best_us = trial->time_us;
}

static tw_status finish_cell(struct recording *r, struct page *page, struct cell *cell,
                             const struct trial *trial) {
    bool added;
    note_time(r, page, cell, trial);
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
    struct trial trial = attempt_compiled(&cell->configuration, &cell->build->compiled);
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
                attempt_compiled(&cell->configuration, &cell->build->compiled);
            page->next++;
            tw_status status = finish_cell(r, page, cell, &trial);
            if (status != TW_OK)
                return status;
            continue;
        }
        *running = true;
        return attempt_send(r->link, &cell->configuration, &cell->build->compiled, page->best_us,
                            ENOUGH_SECONDS, limit_of(r), r->error);
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

tw_status page_measure(struct recording *r, struct page *page, struct page *ahead) {
    double before = 0, began = tw_clock_now();
    bool running = false;
    if (page->count == 0) {
        r->result->problems++;
        return TW_OK;
    }
    memset(r->times, 0, (size_t)r->portfolio_count * sizeof *r->times);
    tw_status status = begin_run(r, page, &before);
    while (status == TW_OK && page->next < page->count && !record_is_over(r)) {
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
