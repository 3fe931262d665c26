/* Results are measured with rows side by side and whole alignment, and an application may have
 * neither: then other source is compiled. Whoever is stored is right there too. */
#include <stdio.h>
#include <string.h>

#include "runtime/variant/geometry.h"
#include "tuner/session/finals.h"
#include "tuner/workers/process.h"

/* A call of each kind. */
struct situation {
    bool exists;
    struct call call;
    struct tw_problem problem;
    int64_t values[TW_MAX_SYMBOLS];
};

struct verification {
    struct finals *f;
    struct situation situations[CALL_KINDS];
    bool chosen[ENTRANTS];
    struct build *builds[CALL_KINDS][ENTRANTS]; /* NULL: nothing to verify */
    int ready_for;                              /* which call the worker has data of; -1: none */
};

/* What keeps a kind of call from being verified is told with the result. */
static void leave_out(struct verification *v, enum call_kind kind) {
    struct session *s = v->f->s;
    v->situations[kind].exists = false;
    snprintf(s->result->unverified, sizeof s->result->unverified, "not with %s: %.900s",
             call_kind_name(kind), s->error->message);
}

static void find_situations(struct verification *v) {
    struct session *s = v->f->s;
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        struct situation *situation = &v->situations[kind];
        situation->problem = *s->problem;
        situation->exists = call_of_kind(kind, s->problem, s->values, &situation->call);
        if (situation->exists && call_bind(&situation->call, s->device, &situation->problem,
                                           situation->values, s->error) != TW_OK)
            leave_out(v, kind);
    }
}

/* ---- Who is to be verified ---- */

static bool won_before(const struct finals *f, const struct entrant *entrant) {
    const struct session *s = f->s;
    for (int i = 0; i < s->regular_count; i++)
        if (s->regulars[i].stored &&
            tw_configuration_equal(s->problem->description, &s->regulars[i].configuration,
                                   &entrant->trial.configuration))
            return true;
    return false;
}

/* When all that were left have turned out wrong, the fastest of the others. */
static void restore_next(struct finals *f) {
    int next = -1;
    for (int i = 0; i < f->count; i++) {
        struct playoff_standing standing = playoff_standing(f->playoff, (size_t)i);
        if (!f->entrants[i].out && standing.rounds > 0 &&
            (next < 0 || standing.median < playoff_standing(f->playoff, (size_t)next).median))
            next = i;
    }
    if (next < 0)
        return;
    playoff_restore(f->playoff, (size_t)next);
    f->end = PLAYOFF_UNDECIDED;
}

static bool choose(struct verification *v) {
    struct finals *f = v->f;
    bool any = false;
    if (playoff_winner(f->playoff) == PLAYOFF_NONE)
        restore_next(f);
    for (int i = 0; i < f->count; i++) {
        const struct entrant *entrant = &f->entrants[i];
        bool stored = playoff_live(f->playoff, (size_t)i) || won_before(f, entrant);
        v->chosen[i] = stored && !entrant->out && !entrant->verified;
        any |= v->chosen[i];
    }
    return any;
}

/* ---- Their sources ---- */

/* What the description or the device rules out for a call is not launched by it. */
static bool is_for(const struct verification *v, const struct situation *situation,
                   const struct tw_configuration *configuration) {
    const struct tw_description *d = situation->problem.description;
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, situation->values, sizeof values);
    return tw_configuration_bind(d, configuration, values, NULL) == TW_OK &&
           tw_configuration_check(d, configuration, values, NULL) == TW_OK &&
           tw_implementation_fits(&d->implementations[configuration->implementation], values,
                                  v->f->s->device, NULL) == TW_OK;
}

/* Builds of sources that have been compiled for another call, or for tuning, are there already. */
static tw_status get_builds(struct verification *v) {
    struct session *s = v->f->s;
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        const struct situation *situation = &v->situations[kind];
        for (int i = 0; i < v->f->count; i++) {
            const struct tw_configuration *configuration = &v->f->entrants[i].trial.configuration;
            if (!situation->exists || !v->chosen[i] || !is_for(v, situation, configuration))
                continue;
            v->builds[kind][i] = builds_get(&s->builds, s->device, &situation->problem,
                                            configuration, situation->values, s->error);
            if (v->builds[kind][i] == NULL)
                return s->error->status;
        }
    }
    return TW_OK;
}

static void release_builds(struct verification *v) {
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        for (int i = 0; i < v->f->count; i++) {
            builds_release(&v->f->s->builds, v->builds[kind][i]);
            v->builds[kind][i] = NULL;
        }
    }
}

/* Hands in what there is room for; `waiting`: whether anything is not compiled yet. */
static tw_status submit(struct verification *v, bool *waiting) {
    struct session *s = v->f->s;
    *waiting = false;
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        for (int i = 0; i < v->f->count; i++) {
            struct build *build = v->builds[kind][i];
            if (build == NULL || build->state == BUILD_DONE)
                continue;
            *waiting = true;
            if (build->state != BUILD_NEW || compile_pool_full(s->pool))
                continue;
            const struct situation *situation = &v->situations[kind];
            tw_status status =
                builds_submit(&s->builds, build, s->pool, s->device, &situation->problem,
                              &v->f->entrants[i].trial.configuration, situation->values, s->error);
            if (status != TW_OK)
                return status;
        }
    }
    return TW_OK;
}

static tw_status compile(struct verification *v) {
    struct session *s = v->f->s;
    bool waiting = true;
    tw_status status = get_builds(v);
    while (status == TW_OK && waiting && !session_interrupted(s)) {
        status = submit(v, &waiting);
        if (status != TW_OK || !waiting)
            break;
        pipeline_wait(s, 0.1);
        status = pipeline_collect_builds(s);
    }
    compile_pool_rest(s->pool);
    return status;
}

/* ---- Verdicts ---- */

static tw_status condemn(struct verification *v, int index, enum call_kind kind,
                         enum tw_db_trial_status status, const char *message) {
    struct finals *f = v->f;
    struct entrant *entrant = &f->entrants[index];
    struct trial *trial = &entrant->trial;
    entrant->out = true;
    playoff_retire(f->playoff, (size_t)index);
    trial->status = status;
    trial->time_us = 0;
    trial->repeats = 0;
    trial->has_interval = false;
    snprintf(trial->message, sizeof trial->message, "with %s: %.450s", call_kind_name(kind),
             message);
    snprintf(f->last_failure, sizeof f->last_failure, "%s", trial->message);
    return outcome_condemn(f->s, trial);
}

/* Has the worker make data for a call. */
static enum reply prepare(struct verification *v, enum call_kind kind) {
    struct session *s = v->f->s;
    const struct device_request request = {.asked = DEVICE_CALL, .call = v->situations[kind].call};
    struct device_answer answer;
    enum reply reply = REPLY_LOST;
    /* Whoever kills it, it is not the variant's fault yet. */
    for (int deaths = 0; reply == REPLY_LOST && deaths < DEVICE_STARTS; deaths++)
        reply = finals_ask(s, &request, 300 + 30 * s->reference_s, &answer);
    v->ready_for = reply == REPLY_GIVEN ? (int)kind : -1;
    return reply;
}

static enum reply ask_to_verify(struct verification *v, enum call_kind kind, int index,
                                struct device_answer *answer) {
    struct session *s = v->f->s;
    const struct device_request request = {.asked = DEVICE_VERIFY,
                                           .configuration =
                                               v->f->entrants[index].trial.configuration,
                                           .binaries = &v->builds[kind][index]->compiled.answer};
    enum reply reply = finals_ask(s, &request, 60 + 30 * s->reference_s, answer);
    if (reply == REPLY_LOST || reply == REPLY_LATE || reply == REPLY_MOVED)
        v->ready_for = -1;
    return reply;
}

/* One variant, on as many workers as it takes. */
static tw_status verify(struct verification *v, enum call_kind kind, int index, enum reply *reply) {
    struct session *s = v->f->s;
    struct entrant *entrant = &v->f->entrants[index];
    entrant->blame = 0;
    for (;;) {
        struct device_answer answer;
        *reply = v->ready_for == (int)kind ? REPLY_GIVEN : prepare(v, kind);
        if (*reply == REPLY_MOVED)
            continue;
        if (*reply != REPLY_GIVEN) {
            if (*reply != REPLY_INTERRUPTED && *reply != REPLY_FATAL)
                leave_out(v, kind);
            return TW_OK;
        }
        *reply = ask_to_verify(v, kind, index, &answer);
        if (*reply == REPLY_MOVED)
            continue;
        const enum tw_db_trial_status verdict = answer.status;
        if (verdict == TW_DB_TRIAL_WRONG && *reply != REPLY_LATE)
            return condemn(v, index, kind, verdict, s->error->message);
        if (*reply == REPLY_LATE)
            return condemn(v, index, kind, TW_DB_TRIAL_TIMEOUT, "did not finish");
        /* What has no room there is not launched there. */
        if (*reply == REPLY_REFUSED && verdict != TW_DB_TRIAL_RESOURCE)
            return condemn(v, index, kind, verdict, s->error->message);
        if (*reply != REPLY_LOST)
            return TW_OK;
        entrant->blame += device_link_blame(s->playing->link);
        if (entrant->blame >= WORKER_VERDICT &&
            device_link_verdict(s->playing->link) == TW_DB_TRIAL_RESOURCE)
            return TW_OK;
        if (entrant->blame >= WORKER_VERDICT)
            return condemn(v, index, kind, TW_DB_TRIAL_CRASH, s->error->message);
    }
}

/* A call whose source does not compile is served by another result. */
static tw_status verify_all(struct verification *v, enum reply *reply) {
    tw_status status = TW_OK;
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        for (int i = 0; i < v->f->count && status == TW_OK; i++) {
            const struct build *build = v->builds[kind][i];
            if (build == NULL || build->compiled.status != TW_DB_TRIAL_OK ||
                v->f->entrants[i].out || !v->situations[kind].exists)
                continue;
            status = verify(v, kind, i, reply);
            if (*reply == REPLY_INTERRUPTED)
                return status;
            if (*reply == REPLY_FATAL)
                return v->f->s->error->status;
        }
    }
    for (int i = 0; i < v->f->count; i++)
        v->f->entrants[i].verified |= v->chosen[i];
    return status;
}

tw_status calls_verify(struct finals *f) {
    struct verification v = {.f = f, .ready_for = -1};
    enum reply reply = REPLY_GIVEN;
    tw_status status = TW_OK;
    find_situations(&v);
    while (status == TW_OK && !session_interrupted(f->s) && choose(&v)) {
        status = compile(&v);
        if (status == TW_OK && !session_interrupted(f->s))
            status = verify_all(&v, &reply);
        release_builds(&v);
    }
    return status;
}
