/* The playoff: the best contenders, measured again in interleaved rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/state.h"
#include "tuner/statistics/playoff.h"
#include "tuner/workers/assignment.h"
#include "runtime/base/clock.h"

enum { MAX_ROUNDS = 60 };

/* A contender that a device worker has loaded. */
struct finals {
    struct session *s;
    int count;
    int contender[FINALISTS]; /* index into the session's contenders */
    int rounds;
    struct playoff *playoff;
};

/* ---- Binaries of contenders known from an earlier run ---- */

static tw_status submit_missing(struct session *s) {
    for (int i = 0; i < s->contender_count; i++) {
        struct contender *c = &s->contenders[i];
        if (c->build != NULL)
            continue;
        c->build = builds_get(&s->builds, s->device, s->problem, &c->trial.configuration, s->values,
                              s->error);
        if (c->build == NULL)
            return s->error->status;
        if (c->build->state != BUILD_NEW)
            continue;
        while (compile_pool_busy(s->pool) == compile_pool_size(s->pool)) {
            pipeline_collect_builds(s);
            pipeline_wait(s, 0.1);
        }
        c->build->state = BUILD_COMPILING;
        tw_status status =
            compile_pool_submit(s->pool, c->build->id, &c->trial.configuration, s->error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

static bool all_built(const struct session *s) {
    for (int i = 0; i < s->contender_count; i++)
        if (s->contenders[i].build->state != BUILD_DONE)
            return false;
    return true;
}

static tw_status build_contenders(struct session *s) {
    tw_status status = submit_missing(s);
    while (status == TW_OK && !all_built(s) && !session_interrupted(s)) {
        pipeline_collect_builds(s);
        pipeline_wait(s, 0.1);
    }
    return status;
}

/* ---- One request to the device worker, and its answer ---- */

/* TW_DEVICE when the worker was lost over it; a new one is starting then. */
static tw_status ask(struct session *s, struct message *request, struct message *answer) {
    tw_status status = TW_OK, fatal = TW_OK;
    *answer = (struct message){0};
    while (device_link_state(s->link) != DEVICE_IDLE) {
        device_link_take(s->link, answer, &fatal, s->error);
        message_free(answer);
        if (fatal != TW_OK)
            return fatal;
        pipeline_wait(s, 0.1);
    }
    status = device_link_send(s->link, request, 60 + 30 * s->reference_s, s->error);
    while (status == TW_OK) {
        enum device_event event = device_link_take(s->link, answer, &fatal, s->error);
        if (fatal != TW_OK)
            return fatal;
        if (event == DEVICE_ANSWER)
            return strcmp(message_text(answer, "status", "ok"), "ok") == 0
                       ? TW_OK
                       : tw_fail(s->error, TW_LAUNCH, "%s", message_text(answer, "message", ""));
        if (event != DEVICE_NOTHING)
            return tw_fail(s->error, TW_DEVICE,
                           "the device worker was lost in the playoff; run the same command again");
        pipeline_wait(s, 0.1);
    }
    return status;
}

static tw_status load_finalist(struct finals *f, int contender) {
    struct session *s = f->s;
    const struct compiled *compiled = &s->contenders[contender].build->compiled;
    if (compiled->status != TW_DB_TRIAL_OK)
        return TW_OK; /* it compiled once and does not now: out, as its record is of another day */
    struct message request = message_new("finalist"), answer;
    assignment_add_variant(&request, s->problem->description,
                           &s->contenders[contender].trial.configuration);
    cJSON_AddItemToObject(
        request.json, "sizes",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(compiled->binaries.json, "sizes"), 1));
    request.bytes = compiled->binaries.bytes;
    request.size = compiled->binaries.size;
    tw_status status = ask(s, &request, &answer);
    request.bytes = NULL;
    message_free(&request);
    message_free(&answer);
    if (status == TW_OK)
        f->contender[f->count++] = contender;
    return status;
}

/* ---- The rounds ---- */

/* Live finalists, a different one first each round, so that none always follows the same neighbour.
 */
static tw_status play_round(struct finals *f, enum playoff_end *end) {
    struct message request = message_new("round"), answer;
    cJSON *order = cJSON_AddArrayToObject(request.json, "order");
    int asked[FINALISTS], count = 0;
    for (int i = 0; i < f->count; i++) {
        int candidate = (i + f->rounds) % f->count;
        if (!playoff_live(f->playoff, (size_t)candidate))
            continue;
        asked[count++] = candidate;
        cJSON_AddItemToArray(order, cJSON_CreateNumber(candidate));
    }
    tw_status status = ask(f->s, &request, &answer);
    double times[FINALISTS] = {0};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer.json, "times_us");
    if (status == TW_OK && cJSON_GetArraySize(list) != count)
        status = tw_fail(f->s->error, TW_DEVICE, "the device worker measured something else");
    for (int i = 0; i < count && status == TW_OK; i++)
        times[asked[i]] = cJSON_GetArrayItem(list, i)->valuedouble * 1e-6;
    if (status == TW_OK) {
        *end = playoff_add(f->playoff, times);
        f->rounds++;
    }
    message_free(&request);
    message_free(&answer);
    return status;
}

/* However soon it is decided, the winner's time is to have an interval. */
static bool winner_is_measured(const struct finals *f) {
    size_t winner = playoff_winner(f->playoff);
    return winner != PLAYOFF_NONE && playoff_standing(f->playoff, winner).rounds >=
                                         statistics_least_count(STATISTICS_CONFIDENCE);
}

static tw_status play(struct finals *f, double seconds) {
    const struct playoff_options options = {.rounds = MAX_ROUNDS};
    double deadline = tw_clock_now() + seconds;
    tw_status status = playoff_create(&f->playoff, (size_t)f->count, &options, f->s->error);
    enum playoff_end end = PLAYOFF_RUNNING;
    while (status == TW_OK && !session_interrupted(f->s)) {
        status = play_round(f, &end);
        bool over = end != PLAYOFF_RUNNING || tw_clock_now() > deadline;
        if (status == TW_OK && over && (winner_is_measured(f) || end != PLAYOFF_RUNNING))
            break;
    }
    return status;
}

/* ---- The winner ---- */

static char *tie_set(const struct finals *f, size_t winner, int *count) {
    const struct session *s = f->s;
    const struct tw_description *d = s->problem->description;
    cJSON *ties = cJSON_CreateArray();
    *count = 1;
    for (int i = 0; i < f->count; i++) {
        if (!playoff_live(f->playoff, (size_t)i) || (size_t)i == winner)
            continue;
        const struct tw_configuration *configuration =
            &s->contenders[f->contender[i]].trial.configuration;
        struct tw_text text = {0};
        tw_configuration_text(d, configuration, &text);
        cJSON *tie = cJSON_CreateObject();
        cJSON_AddStringToObject(tie, "implementation",
                                d->implementations[configuration->implementation].name);
        cJSON_AddItemToObject(tie, "configuration",
                              cJSON_Parse(text.data != NULL ? text.data : "null"));
        cJSON_AddNumberToObject(tie, "time_us",
                                playoff_standing(f->playoff, (size_t)i).median * 1e6);
        cJSON_AddItemToArray(ties, tie);
        tw_text_free(&text);
        ++*count;
    }
    char *text = cJSON_PrintUnformatted(ties);
    cJSON_Delete(ties);
    return text;
}

static char *baselines(const struct session *s) {
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < s->result->preset_count; i++) {
        const struct session_preset *preset = &s->result->presets[i];
        if (preset->tried && preset->trial.status == TW_DB_TRIAL_OK)
            cJSON_AddNumberToObject(json, preset->name, preset->trial.time_us);
    }
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    return text;
}

static tw_status store(struct finals *f, size_t winner) {
    struct session *s = f->s;
    struct session_result *r = s->result;
    char *ties = tie_set(f, winner, &r->tie_count);
    char *presets = baselines(s);
    struct tw_db_best best = {.time_us = r->best.time_us,
                              .ci_low_us = r->ci_low_us,
                              .ci_high_us = r->ci_high_us,
                              .repeats = (int64_t)playoff_standing(f->playoff, winner).rounds,
                              .rate_unit = r->rate_unit,
                              .rate = r->rate,
                              .has_error = r->best.has_error,
                              .max_rel_error = r->best.max_rel_error,
                              .rms_rel_error = r->best.rms_rel_error,
                              .tie_set = ties,
                              .baselines = presets};
    tw_status status = ties != NULL && presets != NULL
                           ? recorder_best(&s->recorder, &best, &r->best.configuration, s->error)
                           : tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    cJSON_free(ties);
    cJSON_free(presets);
    return status;
}

static void take_winner(struct finals *f, size_t winner) {
    struct session_result *r = f->s->result;
    struct playoff_standing standing = playoff_standing(f->playoff, winner);
    r->has_best = true;
    r->best = f->s->contenders[f->contender[winner]].trial;
    r->best.time_us = standing.median * 1e6;
    r->ci_low_us = standing.interval.low * 1e6;
    r->ci_high_us = standing.interval.high * 1e6;
    r->rounds = f->rounds;
    r->rate = tw_work_rate(&f->s->work, r->best.time_us * 1e-6, &r->rate_unit);
    /* A preset that won must not look faster or slower than itself. */
    outcome_update_presets(f->s, &r->best);
}

/* Without a playoff the best is only the best so far, and is not stored as the winner. */
static void take_leader(struct session *s) {
    struct session_result *r = s->result;
    r->has_best = true;
    r->best = s->contenders[0].trial;
    r->ci_low_us = r->best.ci_low_us;
    r->ci_high_us = r->best.ci_high_us;
    r->tie_count = 1;
    r->rate = tw_work_rate(&s->work, r->best.time_us * 1e-6, &r->rate_unit);
}

tw_status finals_run(struct session *s, double seconds) {
    if (session_interrupted(s)) {
        take_leader(s);
        return TW_OK;
    }
    struct finals *f = calloc(1, sizeof *f);
    if (f == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    f->s = s;
    tw_status status = build_contenders(s);
    for (int i = 0; i < s->contender_count && status == TW_OK && !session_interrupted(s); i++)
        status = load_finalist(f, i);
    if (status == TW_OK && f->count == 0 && !session_interrupted(s))
        status = tw_fail(s->error, TW_COMPILE,
                         "none of the best variants of the earlier run compiles now");
    if (status == TW_OK && f->count > 0)
        status = play(f, seconds);
    if (status == TW_OK && session_interrupted(s)) {
        take_leader(s);
    } else if (status == TW_OK) {
        size_t winner = playoff_winner(f->playoff);
        take_winner(f, winner);
        status = store(f, winner);
    }
    playoff_free(f->playoff);
    free(f);
    return status;
}
