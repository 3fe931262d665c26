#include "tuner/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"
#include "tuner/json/json.h"
#include "tuner/session/state.h"
#include "runtime/base/clock.h"

/* ---- Setting up ---- */

/* Whether a preset can be run here; the reason why not goes to its message. */
static bool preset_fits(struct session *s, struct session_preset *preset) {
    const struct tw_description *d = s->problem->description;
    struct tw_error reason;
    if (!session_allows(s, &preset->configuration)) {
        snprintf(preset->trial.message, sizeof preset->trial.message, "--fix asks for others");
        return false;
    }
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, s->values, sizeof values);
    bool fits = tw_configuration_bind(d, &preset->configuration, values, &reason) == TW_OK &&
                tw_configuration_check(d, &preset->configuration, values, &reason) == TW_OK &&
                tw_implementation_fits(&d->implementations[preset->configuration.implementation],
                                       values, s->device, &reason) == TW_OK;
    if (!fits)
        snprintf(preset->trial.message, sizeof preset->trial.message, "%.500s", reason.message);
    return fits;
}

/* A default that breaks a constraint is the description's fault, and told before anything is tried.
 * One that is too large for the device is not here, as any preset may be. */
static tw_status check_default(const struct session *s) {
    const struct tw_description *d = s->problem->description;
    struct tw_configuration configuration;
    const struct tw_preset *preset;
    int64_t values[TW_MAX_SYMBOLS];
    char key[TW_PROBLEM_KEY_SIZE];
    /* Reading the description checked that there is one. */
    tw_description_preset(d, "default", &configuration.implementation, &preset);
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    memcpy(values, s->values, sizeof values);
    tw_status status = tw_configuration_bind(d, &configuration, values, s->error);
    if (status == TW_OK)
        status = tw_configuration_check(d, &configuration, values, s->error);
    if (status == TW_OK)
        return TW_OK;
    tw_problem_text(s->problem, key);
    return tw_fail_within(s->error, status,
                          "%s: the preset default must be valid for every problem, and is not for "
                          "%.200s (tune lint tries many)",
                          d->origin, key);
}

static void list_presets(struct session *s) {
    const struct tw_description *d = s->problem->description;
    struct session_result *result = s->result;
    for (int i = 0; i < d->implementation_count; i++) {
        for (int p = 0; p < d->implementations[i].preset_count; p++) {
            if (result->preset_count == SESSION_MAX_PRESETS)
                return;
            struct session_preset *preset = &result->presets[result->preset_count++];
            strcpy(preset->name, d->implementations[i].presets[p].name);
            preset->configuration.implementation = i;
            memcpy(preset->configuration.values, d->implementations[i].presets[p].values,
                   sizeof preset->configuration.values);
            preset->fits = preset_fits(s, preset);
            if (preset->fits)
                s->regulars[s->regular_count++].configuration = preset->configuration;
        }
    }
}

/* What won before stays in the database until a playoff has compared it with today's best. */
static void add_winner(void *context, const struct tw_configuration *configuration) {
    struct session *s = context;
    if (s->regular_count < REGULARS && session_allows(s, configuration))
        s->regulars[s->regular_count++] =
            (struct regular){.configuration = *configuration, .stored = true};
}

static bool queued_already(const struct session *s, const struct tw_configuration *configuration) {
    for (const struct candidate *c = s->first.first; c != NULL; c = c->next)
        if (tw_configuration_equal(s->problem->description, &c->configuration, configuration))
            return true;
    return false;
}

/* `default` comes first: it is the first answer a user gets, and what others are compared with. */
static tw_status queue_presets(struct session *s) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->result->preset_count; i++) {
            const struct session_preset *preset = &s->result->presets[i];
            bool is_default = strcmp(preset->name, "default") == 0;
            if (is_default != (pass == 0) || preset->tried || !preset->fits ||
                queued_already(s, &preset->configuration))
                continue;
            struct candidate *candidate = calloc(1, sizeof *candidate);
            if (candidate == NULL)
                return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
            candidate->configuration = preset->configuration;
            candidate->point = space_nearest(s->space, &preset->configuration);
            queue_add(&s->first, candidate);
        }
    }
    return TW_OK;
}

static tw_status queue_hints(struct session *s) {
    if (s->options->hints != NULL)
        s->hint_count = hints_find(s->options->hints, s->problem, s->device, s->space, s->hints);
    for (int i = 0; i < s->hint_count; i++) {
        struct candidate *candidate = calloc(1, sizeof *candidate);
        if (candidate == NULL)
            return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
        candidate->point = s->hints[i];
        space_configuration(s->space, candidate->point, &candidate->configuration);
        if (strategy_seen(s->strategy, candidate->point) || session_queued(s, candidate->point))
            free(candidate);
        else {
            queue_add(&s->first, candidate);
            s->result->hints++;
        }
    }
    return TW_OK;
}

/* What is pinned belongs to how it was searched: a run goes on only with the same pins. */
static tw_status search_words(const struct session_options *o, struct tw_text *words,
                              struct tw_error *error) {
    strategy_words(&o->strategy, words);
    if (o->pins != NULL && o->pins->implementation[0] != '\0')
        tw_text_print(words, " of %s", o->pins->implementation);
    if (o->pins != NULL && o->pins->count > 0) {
        tw_text_print(words, " with ");
        pins_text(o->pins, words);
    }
    return words->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

static tw_status begin_run(struct session *s) {
    const struct session_options *o = s->options;
    char protocol[] = "2"; /* "1" timed short kernels launch by launch */
    struct tw_text words = {0};
    tw_status status = search_words(o, &words, s->error);
    struct tw_db_run run = {.strategy = words.data,
                            .seed = o->seed,
                            .budget_kind = o->budget_trials > 0 ? "trials" : "seconds",
                            .budget_value =
                                o->budget_trials > 0 ? (double)o->budget_trials : o->budget_seconds,
                            .tilewise_version = TW_VERSION,
                            .driver = s->device->driver,
                            .compiler = s->device->compiler,
                            .protocol = protocol};
    if (status == TW_OK)
        status = recorder_begin_run(&s->recorder, &run, &s->elapsed_before, &s->trials_before,
                                    &s->result->resumed, s->error);
    tw_text_free(&words);
    return status;
}

static tw_status start_workers(struct session *s) {
    const struct session_options *o = s->options;
    tw_status status = devices_open(s);
    if (status != TW_OK)
        return status;
    return o->pool != NULL
               ? compile_pool_share(o->pool, &s->pool, s->error)
               : compile_pool_create(&s->pool, s->device, o->jobs, o->compile_limit_s, s->error);
}

static tw_status set_up(struct session *s, tw_db *db, const char *db_path) {
    const struct session_options *o = s->options;
    int64_t device[TW_DEVICE_SLOTS];
    tw_device_values(s->device, device);
    tw_status status = tw_problem_bind(s->problem, device, NULL, s->values, s->error);
    if (status == TW_OK)
        status = tw_problem_work(s->problem, s->values, &s->work, s->error);
    if (status == TW_OK)
        status = check_default(s);
    /* Workers take a second or two to get ready, and so do large spaces. */
    if (status == TW_OK)
        status = start_workers(s);
    if (status == TW_OK)
        status = space_create(&s->space, s->problem, s->device, o->pins, s->error);
    if (status == TW_OK)
        status =
            recorder_open(&s->recorder, db, db_path, s->problem, s->device, o->cache, s->error);
    s->recorder.sources = &s->builds.sources;
    /* Before the run is taken up: its trials count for the budget. */
    if (status == TW_OK)
        status = retry_forget(s);
    if (status == TW_OK)
        status = begin_run(s);
    if (status == TW_OK)
        status = others_count(s);
    /* The same command twice at once is not to search in the same order. */
    if (status == TW_OK)
        status = strategy_create(&s->strategy, &o->strategy, s->space,
                                 o->seed + (uint64_t)s->other_runs, s->error);
    if (status != TW_OK)
        return status;
    s->result->pins = o->pins;
    s->result->retried = o->retry != 0;
    s->result->space_size = space_size(s->space);
    list_presets(s);
    status = recorder_winners(&s->recorder, add_winner, s, s->error);
    if (status == TW_OK)
        status = recorder_known(&s->recorder, outcome_known, s, s->error);
    if (status == TW_OK)
        status = outcome_store_leader(s);
    if (status == TW_OK)
        status = queue_presets(s);
    if (status == TW_OK)
        status = retry_queue(s);
    if (status == TW_OK)
        status = queue_hints(s);
    if (status == TW_OK)
        status = predictions_begin(s);
    return status;
}

static void tear_down(struct session *s) {
    compile_pool_free(s->pool);
    struct queue *queues[] = {&s->first, &s->compiling, &s->ready};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        for (struct candidate *c = queue_take(queues[i]); c != NULL; c = queue_take(queues[i]))
            candidate_free(s, c);
    devices_close(s);
    builds_free(&s->builds);
    strategy_free(s->strategy);
    space_free(s->space);
    free(s->again);
    predictions_end(s);
}

/* ---- The loop ---- */

/* The playoff's share of a time budget. */
static double reserved(const struct session *s) {
    if (s->options->trials_only)
        return 0;
    double share = s->options->budget_seconds * 0.1;
    return share < 10 ? share : 10;
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

/* Even the smallest budget is for something: the default is always measured. */
static bool default_pending(const struct session *s) {
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
        if (room == 0 && default_pending(s) && pipeline_empty(s))
            room = 1;
        bool accept = room > 0 || default_pending(s);
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
    json_add(json, "wall_s", session_wall_json(&s->result->wall));
    char *text = json_text(json);
    tw_status status = text != NULL
                           ? recorder_update(&s->recorder, session_elapsed(s), text, s->error)
                           : tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    cJSON_free(text);
    return status;
}

cJSON *session_wall_json(const struct wall_parts *parts) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "compiling", parts->compiling);
    cJSON_AddNumberToObject(json, "waiting", parts->waiting);
    cJSON_AddNumberToObject(json, "verifying", parts->verifying);
    cJSON_AddNumberToObject(json, "measuring", parts->measuring);
    cJSON_AddNumberToObject(json, "playoff", parts->playoff);
    cJSON_AddNumberToObject(json, "rest", parts->rest);
    cJSON_AddNumberToObject(json, "total", parts->total);
    cJSON_AddNumberToObject(json, "device_busy", parts->busy);
    return json;
}

static tw_status finish(struct session *s) {
    struct session_result *result = s->result;
    result->wall = wall_parts(&s->wall, tw_clock_now());
    tw_status status = predictions_sum_up(s);
    if (status == TW_OK)
        status = store_wall(s);
    if (status != TW_OK)
        return status;
    result->interrupted = session_interrupted(s);
    result->rendered = s->builds.sources.rendered;
    result->replaced = devices_replaced(s);
    if (result->compiled > 0)
        result->compile_wall_s = s->last_compiled_at - s->first_submit_at;
    result->elapsed_s = session_elapsed(s);
    return recorder_finish(&s->recorder,
                           result->interrupted ? TW_DB_RUN_INTERRUPTED : TW_DB_RUN_DONE,
                           result->elapsed_s, s->error);
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
    tw_status status = set_up(s, db, db_path);
    if (status == TW_OK)
        status = search(s, progress, context);
    if (status == TW_OK && s->contender_count > 0 && !options->trials_only) {
        if (!session_interrupted(s))
            report(s, "playoff", progress, context);
        status = finals_run(s, playoff_seconds(s));
    }
    /* A run that failed stays unfinished, so that the same command goes on with it. */
    if (status == TW_OK)
        status = finish(s);
    else if (s->recorder.run_id != 0)
        recorder_finish(&s->recorder, TW_DB_RUN_INTERRUPTED, session_elapsed(s), NULL);
    tear_down(s);
    free(s);
    return status;
}
