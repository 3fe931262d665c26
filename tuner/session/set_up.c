/* From options to a session that is ready to search. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"
#include "tuner/session/recorder_best.h"
#include "tuner/session/recorder_open.h"
#include "tuner/session/recorder_trials.h"
#include "tuner/session/state.h"

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

static tw_status list_presets(struct session *s) {
    const struct tw_description *d = s->problem->description;
    struct session_result *result = s->result;
    for (int i = 0; i < d->implementation_count; i++) {
        for (int p = 0; p < d->implementations[i].preset_count; p++) {
            if (result->preset_count == SESSION_MAX_PRESETS)
                return tw_fail(s->error, TW_BAD_DESCRIPTION, "%s: more than %d presets", d->origin,
                               SESSION_MAX_PRESETS);
            struct session_preset *preset = &result->presets[result->preset_count++];
            strcpy(preset->name, d->implementations[i].presets[p].name);
            preset->configuration.implementation = i;
            memcpy(preset->configuration.values, d->implementations[i].presets[p].values,
                   sizeof preset->configuration.values);
            preset->fits = preset_fits(s, preset);
            if (preset->fits && s->regular_count == MOST_USABLE) {
                preset->fits = false;
                snprintf(preset->trial.message, sizeof preset->trial.message,
                         "%d presets that fit are tried, and this is one more", MOST_USABLE);
            }
            if (preset->fits)
                s->regulars[s->regular_count++].configuration = preset->configuration;
        }
    }
    return TW_OK;
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

/* `default` comes first: of all presets it is what others are compared with. */
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
        s->hint_count =
            hints_find(s->options->hints, s->problem, s->device, s->values, s->space, s->hints);
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
tw_status session_search(const struct session_options *o, struct tw_text *words,
                         struct tw_db_run *run, struct tw_error *error) {
    strategy_words(&o->strategy, words);
    if (o->pins != NULL && o->pins->implementation[0] != '\0')
        tw_text_print(words, " of %s", o->pins->implementation);
    if (o->pins != NULL && o->pins->count > 0) {
        tw_text_print(words, " with ");
        pins_text(o->pins, words);
    }
    *run = (struct tw_db_run){.strategy = words->data,
                              .seed = o->seed,
                              .budget_kind = o->budget_trials > 0 ? "trials" : "seconds",
                              .budget_value = o->budget_trials > 0 ? (double)o->budget_trials
                                                                   : o->budget_seconds,
                              .cache_policy = o->cache};
    return words->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

static tw_status begin_run(struct session *s) {
    char protocol[] = "2"; /* "1" timed short kernels launch by launch */
    struct tw_text words = {0};
    struct tw_db_run run;
    tw_status status = session_search(s->options, &words, &run, s->error);
    run.tilewise_version = TW_VERSION;
    run.driver = s->device->driver;
    run.compiler = s->device->compiler;
    run.protocol = protocol;
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

tw_status session_set_up(struct session *s, tw_db *db, const char *db_path) {
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
        status = list_presets(s);
    if (status == TW_OK)
        status = untuned_find(s);
    if (status == TW_OK)
        status = head_start(s, db);
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
    const struct strategy_expectation *expectation = NULL;
    if (status == TW_OK)
        status = predictions_begin(s, &expectation);
    /* The same command twice at once is not to search in the same order. */
    if (status == TW_OK)
        status = strategy_create(&s->strategy, &o->strategy, s->space, expectation,
                                 o->seed + (uint64_t)s->other_runs, s->error);
    if (status != TW_OK)
        return status;
    s->result->pins = o->pins;
    s->result->retried = o->retry != 0;
    s->result->space_size = space_size(s->space);
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
        status = predictions_queue(s);
    if (status == TW_OK)
        status = untuned_queue(s);
    return status;
}

void session_tear_down(struct session *s) {
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
    free(s->siblings);
    predictions_end(s);
}
