#include "tuner/session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/json/json.h"
#include "tuner/session/state.h"

/* What the playoff has of a time budget: a tenth, or what it needs, where that is less. The rest of
 * a long budget is the search's. */
static double reserved(const struct session *s) {
    if (s->options->trials_only)
        return 0;
    double share = fmin(s->options->budget_seconds * 0.1, 10);
    return fmin(share, finals_needed(s));
}

/* A budget of trials leaves the time open: a fifth of what the search took is in proportion. */
static double playoff_seconds(const struct session *s) {
    if (s->options->budget_seconds > 0)
        return reserved(s);
    double share = 0.2 * (tw_clock_now() - s->started_at);
    return share < 1 ? 1 : share > 10 ? 10 : share;
}

/* How many more variants the budget lets start now. */
static int64_t budget_left(const struct session *s) {
    const struct session_options *o = s->options;
    int64_t under_way = s->compiling.count + s->ready.count + devices_running(s);
    if (o->budget_trials > 0) {
        int64_t left = o->budget_trials - s->trials_before - s->result->trials_now - under_way;
        return left > 0 ? left : 0;
    }
    bool in_time = o->budget_seconds <= 0 || session_elapsed(s) < o->budget_seconds - reserved(s);
    return in_time ? INT64_MAX : 0;
}

/* Timeouts that a run past its time puts up with: one takes ten seconds or more, and what so many
 * presets are too slow for the next is most likely too. */
enum { LATE_TIMEOUTS = 3 };

/* Even the smallest budget is for something: the default is always measured, and what applications
 * would get without this run. Where neither can be here, or is right, something else is: of a
 * number of trials the first, of a time what is queued before the strategy is asked. */
static bool first_pending(const struct session *s) {
    const int64_t *counts = s->result->counts;
    if (s->result->trials == 0 || untuned_pending(s))
        return true;
    if (s->options->budget_trials <= 0 && counts[TW_DB_TRIAL_OK] == 0 && s->first.count > 0 &&
        counts[TW_DB_TRIAL_TIMEOUT] + counts[TW_DB_TRIAL_COMPILE_TIMEOUT] < LATE_TIMEOUTS)
        return true;
    for (int i = 0; i < s->result->preset_count; i++) {
        const struct session_preset *preset = &s->result->presets[i];
        if (strcmp(preset->name, "default") == 0)
            return preset->fits && !preset->tried;
    }
    return false;
}

static double time_left(const struct session *s) {
    const struct session_options *o = s->options;
    double elapsed = session_elapsed(s);
    if (o->budget_trials > 0) {
        int64_t done = s->trials_before + s->result->trials_now;
        return s->result->trials_now > 0
                   ? (tw_clock_now() - s->started_at) / (double)s->result->trials_now *
                         (double)(o->budget_trials - done)
                   : -1;
    }
    if (o->budget_seconds <= 0)
        return -1;
    return elapsed < o->budget_seconds ? o->budget_seconds - elapsed : 0;
}

static void report(const struct session *s, const char *phase,
                   void (*progress)(void *, const struct session_progress *), void *context) {
    if (progress == NULL)
        return;
    struct session_progress now = {.elapsed_s = session_elapsed(s),
                                   .trials = s->trials_before + s->result->trials_now,
                                   .failures =
                                       s->result->trials - s->result->counts[TW_DB_TRIAL_OK],
                                   .left_s = time_left(s),
                                   .devices = s->device_count,
                                   .other_runs = s->other_runs,
                                   .phase = phase};
    if (s->contender_count > 0) {
        now.best_us = s->contenders[0].trial.time_us;
        now.best_rate = tw_work_rate(&s->work, now.best_us * 1e-6, &now.best_rate_unit);
    }
    progress(context, &now);
}

static tw_status search(struct session *s,
                        void (*progress)(void *, const struct session_progress *), void *context) {
    double last_update = tw_clock_now();
    tw_status status = TW_OK;
    while (status == TW_OK && !session_interrupted(s)) {
        int64_t room = budget_left(s);
        if (room == 0 && first_pending(s) && pipeline_empty(s))
            room = 1;
        bool accept = room > 0 || first_pending(s);
        status = pipeline_step(s, room);
        report(s, devices_preparing(s) ? "preparing" : "searching", progress, context);
        bool out_of_time = s->options->budget_trials <= 0 && !accept;
        if (out_of_time && devices_running(s) == 0)
            break; /* what is compiling now would come too late */
        if (pipeline_empty(s) && (!accept || (s->exhausted && s->first.count == 0)))
            break;
        /* The sign of life that keeps others from taking the run over. */
        if (tw_clock_now() - last_update > 30) {
            last_update = tw_clock_now();
            if (status == TW_OK)
                status = recorder_update(&s->recorder, session_elapsed(s), NULL, s->error);
        }
        if (status == TW_OK)
            status = others_follow(s, false);
        if (status == TW_OK)
            pipeline_wait(s, 0.1);
    }
    return status == TW_OK ? others_follow(s, true) : status;
}

/* With the run's conditions, so that it is kept wherever its best row is taken. */
static tw_status store_wall(struct session *s) {
    const char *conditions = devices_conditions(s);
    cJSON *json = cJSON_Parse(conditions != NULL ? conditions : "{}");
    json_add(json, "wall_s", wall_json(&s->result->wall));
    char *text = json_text(json);
    tw_status status = text != NULL
                           ? recorder_update(&s->recorder, session_elapsed(s), text, s->error)
                           : tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    cJSON_free(text);
    return status;
}

static tw_status end_run(struct session *s) {
    struct session_result *result = s->result;
    result->wall = wall_parts(&s->wall, tw_clock_now());
    tw_status status = predictions_sum_up(s);
    if (status == TW_OK)
        status = store_wall(s);
    if (status == TW_OK)
        status = sources_distinct(&s->builds.sources, &result->distinct, s->error);
    if (status != TW_OK)
        return status;
    result->interrupted = session_interrupted(s);
    result->rendered = s->builds.sources.rendered;
    result->shared = compile_pool_shared(s->pool);
    result->replaced = devices_replaced(s);
    if (result->compiled > 0)
        result->compile_wall_s = s->last_compiled_at - s->first_submit_at;
    result->elapsed_s = session_elapsed(s);
    return recorder_finish(&s->recorder,
                           result->interrupted ? TW_DB_RUN_INTERRUPTED : TW_DB_RUN_DONE,
                           result->elapsed_s, s->error);
}

/* What the playoff decided and that the run is done are stored together: whoever finds the one
 * finds the other, and plays no playoff again that others may have been told of. */
static tw_status conclude(struct session *s, const struct finals *finals) {
    tw_status status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    if (finals != NULL)
        status = finals_store(finals);
    if (status == TW_OK)
        status = end_run(s);
    return recorder_end(&s->recorder, status, s->error);
}

tw_status session_run(const struct session_options *options, const struct tw_problem *problem,
                      const struct tw_device_info *device, tw_db *db, const char *db_path,
                      void (*progress)(void *context, const struct session_progress *progress),
                      void *context, struct session_result *result, struct tw_error *error) {
    *result = (struct session_result){0};
    struct session *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    s->options = options;
    s->problem = problem;
    s->device = device;
    s->result = result;
    s->error = error;
    s->started_at = tw_clock_now();
    wall_begin(&s->wall, s->started_at);
    tw_status status = session_set_up(s, db, db_path);
    if (status == TW_OK)
        status = search(s, progress, context);
    struct finals *finals = NULL;
    if (status == TW_OK && s->contender_count > 0 && !options->trials_only) {
        if (!session_interrupted(s))
            report(s, "playoff", progress, context);
        status = finals_play(s, playoff_seconds(s), &finals);
    }
    if (status == TW_OK && options->trials_only && !session_interrupted(s)) {
        report(s, "measuring the best again", progress, context);
        status = remeasure_best(s);
    }
    if (status == TW_OK)
        status = conclude(s, finals);
    finals_free(finals);
    /* A run that failed stays unfinished, so that the same command goes on with it. */
    if (status != TW_OK && s->recorder.run_id != 0)
        recorder_finish(&s->recorder, TW_DB_RUN_INTERRUPTED, session_elapsed(s), NULL);
    session_tear_down(s);
    free(s);
    return status;
}
