/* Who takes part in the playoff, and their binaries. */
#include <stdio.h>

#include "runtime/base/clock.h"
#include "tuner/session/finals.h"

/* Who is this far behind the leader is a guest: noise hardly makes up for it. */
static const double GUEST_BEHIND = 1.5;
/* Calls that loading and measuring a guest once takes, and what all guests together may take of the
 * playoff's time. */
static const double GUEST_CALLS = 4, GUEST_SHARE = 0.5;

int entrants_find(const struct finals *f, const struct tw_configuration *configuration) {
    for (int i = 0; i < f->count; i++)
        if (tw_configuration_equal(f->s->problem->description, &f->entrants[i].trial.configuration,
                                   configuration))
            return i;
    return -1;
}

static bool is_behind(const struct session *s, const struct trial *trial) {
    return trial->time_us > GUEST_BEHIND * s->contenders[0].trial.time_us;
}

static void enter(struct finals *f, const struct trial *trial, struct build *build, bool guest) {
    if (entrants_find(f, &trial->configuration) >= 0)
        return;
    if (build != NULL)
        builds_retain(build);
    f->entrants[f->count++] = (struct entrant){
        .trial = *trial, .build = build, .guest = guest, .came_as_guest = guest, .slot = -1};
}

/* The cheapest guests first, until their share is spent. */
static void enter_guests(struct finals *f, double seconds) {
    const struct session *s = f->s;
    bool passed[REGULARS] = {false};
    for (double left = GUEST_SHARE * seconds;;) {
        int next = -1;
        for (int i = 0; i < s->regular_count; i++)
            if (!passed[i] && s->regulars[i].known &&
                (next < 0 || s->regulars[i].trial.time_us < s->regulars[next].trial.time_us))
                next = i;
        if (next < 0)
            return;
        const struct regular *regular = &s->regulars[next];
        passed[next] = true;
        if (entrants_find(f, &regular->trial.configuration) >= 0)
            continue;
        left -= GUEST_CALLS * regular->trial.time_us * 1e-6;
        if (left < 0)
            return;
        enter(f, &regular->trial, regular->build, true);
    }
}

static tw_status submit(struct finals *f, struct entrant *entrant) {
    struct session *s = f->s;
    if (entrant->build == NULL)
        entrant->build = builds_get(&s->builds, s->device, s->problem,
                                    &entrant->trial.configuration, s->values, s->error);
    if (entrant->build == NULL)
        return s->error->status;
    if (entrant->build->state != BUILD_NEW || compile_pool_full(s->pool))
        return TW_OK;
    return builds_submit(&s->builds, entrant->build, s->pool, s->device, s->problem,
                         &entrant->trial.configuration, s->values, s->error);
}

/* Guests are not waited for once the time is over. */
static bool waits_for(const struct finals *f, double deadline) {
    for (int i = 0; i < f->count; i++)
        if (f->entrants[i].build->state != BUILD_DONE &&
            (!f->entrants[i].guest || tw_clock_now() < deadline))
            return true;
    return false;
}

static tw_status compile(struct finals *f, double seconds) {
    struct session *s = f->s;
    double deadline = tw_clock_now() + seconds;
    tw_status status = TW_OK;
    while (status == TW_OK && !session_interrupted(s)) {
        for (int i = 0; i < f->count && status == TW_OK; i++)
            status = submit(f, &f->entrants[i]);
        if (status != TW_OK || !waits_for(f, deadline))
            break;
        pipeline_wait(s, 0.1);
        status = pipeline_collect_builds(s);
    }
    compile_pool_rest(s->pool);
    return status;
}

/* In the order that breaks ties: the fastest of the search first. */
static void enter_all(struct finals *f, double seconds) {
    const struct session *s = f->s;
    for (int i = 0; i < s->contender_count; i++)
        if (!is_behind(s, &s->contenders[i].trial))
            enter(f, &s->contenders[i].trial, s->contenders[i].build, false);
    for (int i = 0; i < s->regular_count; i++) {
        const struct regular *regular = &s->regulars[i];
        if (regular->known && (regular->stored || !is_behind(s, &regular->trial)))
            enter(f, &regular->trial, regular->build, false);
    }
    for (int i = 0; i < s->contender_count; i++)
        enter(f, &s->contenders[i].trial, s->contenders[i].build, true);
    enter_guests(f, seconds);
}

bool entrants_compiled(const struct entrant *entrant) {
    const struct build *build = entrant->build;
    return build != NULL && build->state == BUILD_DONE && build->compiled.status == TW_DB_TRIAL_OK;
}

tw_status entrants_gather(struct finals *f, double seconds) {
    enter_all(f, seconds);
    tw_status status = compile(f, seconds);
    for (int i = 0; i < f->count; i++) {
        struct entrant *entrant = &f->entrants[i];
        const struct build *build = entrant->build;
        /* One that compiled once and does not now is out: its record is of another day. */
        entrant->out = !entrants_compiled(entrant);
        if (entrant->out && build != NULL && build->state == BUILD_DONE)
            snprintf(f->last_failure, sizeof f->last_failure, "%s", build->compiled.message);
    }
    return status;
}

void entrants_release(struct finals *f) {
    for (int i = 0; i < f->count; i++)
        builds_release(&f->s->builds, f->entrants[i].build);
}
