/* The rounds of the playoff, and the device worker that plays them: it may be lost at any time, and
 * the next one takes over where it stopped. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/session/finals.h"
#include "tuner/workers/process.h"

enum { MAX_ROUNDS = 60 };
/* Of what the contenders' rounds take, for those who come to them as guests and for what a request
 * costs; and seconds for loading all of them and verifying the winners for other calls. */
static const double BESIDE = 2, BEFORE_AND_AFTER = 1;

/* A guest stays for so many rounds, fewer when guests take more than this share of the time, and
 * for good when it is no further behind than this. */
enum { GUEST_ROUNDS = 3 };
static const double GUEST_SHARE = 0.3, GUEST_STAYS = 1.2;

double finals_needed(const struct session *s) {
    const struct trial *leader = s->contender_count > 0 ? &s->contenders[0].trial : NULL;
    if (leader == NULL || leader->repeats == 0 || leader->measure_s <= 0)
        return INFINITY;
    double repeat_s = leader->measure_s / leader->repeats;
    return BEFORE_AND_AFTER + BESIDE * MAX_ROUNDS * s->contender_count * repeat_s;
}

/* ---- One request to the device worker ---- */

static enum reply read_reply(struct session *s, const struct device_answer *answer) {
    if (answer->status == TW_DB_TRIAL_OK)
        return REPLY_GIVEN;
    tw_fail(s->error, TW_LAUNCH, "%s", answer->message);
    return answer->lost ? REPLY_LOST : REPLY_REFUSED;
}

/* No worker can be had on the device any more, as the session's error says. */
static enum reply move_on(struct session *s) {
    if (devices_lose(s, s->playing) != TW_OK)
        return REPLY_FATAL;
    s->playing = devices_choose(s);
    return REPLY_MOVED;
}

static enum reply await_idle(struct session *s) {
    struct device_link *link = s->playing->link;
    while (device_link_state(link) != DEVICE_IDLE) {
        struct message answer;
        tw_status fatal, taken = TW_OK;
        enum device_event event = device_link_take(link, &answer, &fatal, s->error);
        if (event == DEVICE_READY)
            taken = devices_take_ready(s, s->playing, &answer);
        message_free(&answer);
        if (taken != TW_OK)
            return REPLY_FATAL;
        if (fatal != TW_OK)
            return move_on(s);
        if (session_interrupted(s))
            return REPLY_INTERRUPTED;
        if (device_link_state(link) != DEVICE_IDLE)
            pipeline_wait(s, 0.1);
    }
    return REPLY_GIVEN;
}

enum reply finals_ask(struct session *s, const struct device_request *request, double limit_s,
                      struct device_answer *answer) {
    *answer = (struct device_answer){.status = TW_DB_TRIAL_LAUNCH_ERROR};
    enum reply reply = await_idle(s);
    if (reply != REPLY_GIVEN)
        return reply;
    struct device_link *link = s->playing->link;
    if (device_link_send(link, request, limit_s, s->error) != TW_OK)
        return REPLY_FATAL;
    session_account(s);
    while (!session_interrupted(s)) {
        struct message message;
        tw_status fatal;
        enum device_event event = device_link_take(link, &message, &fatal, s->error);
        if (event == DEVICE_ANSWER)
            device_answer_unpack(&message, answer);
        message_free(&message);
        if (event != DEVICE_NOTHING)
            session_account(s);
        if (fatal != TW_OK)
            return move_on(s);
        if (event == DEVICE_ANSWER)
            return read_reply(s, answer);
        if (event != DEVICE_NOTHING)
            return event == DEVICE_CRASH ? REPLY_LOST : REPLY_LATE;
        pipeline_wait(s, 0.1);
    }
    return REPLY_INTERRUPTED;
}

/* A worker that is late is as good as lost here, where the request has been answered before. */
static enum reply ask(struct session *s, const struct device_request *request,
                      struct device_answer *answer) {
    enum reply reply = finals_ask(s, request, 60 + 30 * s->reference_s, answer);
    return reply == REPLY_LATE ? REPLY_LOST : reply;
}

/* ---- Entrants in the worker ---- */

static void put_out(struct finals *f, struct entrant *entrant) {
    entrant->out = true;
    snprintf(f->last_failure, sizeof f->last_failure, "%s", f->s->error->message);
}

/* What a lost worker had loaded is to be loaded again. */
static void lose_worker(struct finals *f, struct entrant *entrant) {
    for (int i = 0; i < f->count; i++)
        f->entrants[i].slot = -1;
    f->loaded = 0;
    entrant->blame += device_link_blame(f->s->playing->link);
    if (entrant->blame >= WORKER_VERDICT)
        put_out(f, entrant);
}

static enum reply load(struct finals *f, struct entrant *entrant) {
    struct session *s = f->s;
    const struct device_request request = {.asked = DEVICE_FINALIST,
                                           .first = f->loaded == 0,
                                           .configuration = entrant->trial.configuration,
                                           .binaries = &entrant->build->compiled.answer};
    struct device_answer answer;
    enum reply reply = ask(s, &request, &answer);
    if (reply == REPLY_GIVEN)
        entrant->slot = f->loaded++;
    else if (reply == REPLY_LOST)
        lose_worker(f, entrant);
    else if (reply == REPLY_REFUSED)
        put_out(f, entrant);
    return reply;
}

static struct entrant *next_to_load(struct finals *f) {
    for (int i = 0; i < f->count; i++) {
        bool live = !f->entrants[i].out && playoff_live(f->playoff, (size_t)i);
        if (live && f->entrants[i].slot < 0)
            return &f->entrants[i];
    }
    return NULL;
}

static bool goes_on(enum reply reply) {
    return reply != REPLY_FATAL && reply != REPLY_INTERRUPTED && reply != REPLY_MOVED;
}

static enum reply load_all(struct finals *f) {
    enum reply reply = REPLY_GIVEN;
    struct entrant *entrant;
    while (goes_on(reply) && (entrant = next_to_load(f)) != NULL)
        reply = load(f, entrant);
    return reply;
}

static enum reply repeat(struct finals *f, struct entrant *entrant, double *time_us) {
    const struct device_request request = {.asked = DEVICE_ROUND, .finalist = entrant->slot};
    struct device_answer answer;
    enum reply reply = ask(f->s, &request, &answer);
    if (reply == REPLY_GIVEN) {
        *time_us = answer.time_count > 0 ? answer.times_us[0] : NAN;
        entrant->blame = 0;
    } else if (reply == REPLY_LOST) {
        lose_worker(f, entrant);
    } else if (reply == REPLY_REFUSED) {
        put_out(f, entrant);
    }
    return reply;
}

/* One time of one entrant, on as many workers as it takes; NaN when the entrant is out. */
static enum reply measure(struct finals *f, struct entrant *entrant, double *time_us) {
    enum reply reply = REPLY_LOST;
    *time_us = NAN;
    while (reply == REPLY_LOST && !entrant->out) {
        reply = load_all(f);
        if (goes_on(reply) && !entrant->out)
            reply = repeat(f, entrant, time_us);
    }
    return goes_on(reply) ? REPLY_GIVEN : reply;
}

/* ---- The rounds ---- */

/* Live entrants, a different one first each round, so that none always follows the same neighbour.
 */
static enum reply play_round(struct finals *f) {
    double times_us[ENTRANTS];
    for (int i = 0; i < f->count; i++) {
        int which = (i + f->rounds) % f->count;
        struct entrant *entrant = &f->entrants[which];
        times_us[which] = NAN;
        if (!playoff_live(f->playoff, (size_t)which))
            continue;
        double before = tw_clock_now();
        enum reply reply = measure(f, entrant, &times_us[which]);
        if (reply != REPLY_GIVEN)
            return reply;
        if (entrant->guest)
            f->guest_seconds += tw_clock_now() - before;
    }
    f->end = playoff_add(f->playoff, times_us);
    f->rounds++;
    return REPLY_GIVEN;
}

static void see_guests_off(struct finals *f, double seconds) {
    size_t leader = playoff_winner(f->playoff);
    if (leader == PLAYOFF_NONE ||
        (f->rounds < GUEST_ROUNDS && f->guest_seconds < GUEST_SHARE * seconds))
        return;
    for (int i = 0; i < f->count; i++) {
        struct entrant *entrant = &f->entrants[i];
        if (!entrant->guest || !playoff_live(f->playoff, (size_t)i))
            continue;
        if (playoff_ratio(f->playoff, (size_t)i, leader) > GUEST_STAYS)
            playoff_retire(f->playoff, (size_t)i);
        entrant->guest = false;
    }
}

/* However soon it is decided, the winner's time is to have an interval. */
static bool winner_is_measured(const struct finals *f) {
    size_t winner = playoff_winner(f->playoff);
    return winner != PLAYOFF_NONE && playoff_standing(f->playoff, winner).rounds >=
                                         statistics_least_count(STATISTICS_CONFIDENCE);
}

/* Everybody who has a binary takes part, whatever became of them on another device. */
static tw_status begin(struct finals *f) {
    const struct playoff_options options = {.rounds = MAX_ROUNDS};
    for (int i = 0; i < f->count; i++) {
        struct entrant *entrant = &f->entrants[i];
        entrant->slot = -1;
        entrant->blame = 0;
        entrant->out = !entrants_compiled(entrant);
        entrant->guest = entrant->came_as_guest;
    }
    f->loaded = f->rounds = 0;
    f->guest_seconds = 0;
    f->end = PLAYOFF_RUNNING;
    playoff_free(f->playoff);
    f->playoff = NULL;
    tw_status status = playoff_create(&f->playoff, (size_t)f->count, &options, f->s->error);
    return status == TW_OK ? devices_note_conditions(f->s) : status;
}

static enum reply play(struct finals *f, double seconds) {
    enum reply reply = load_all(f);
    double deadline = tw_clock_now() + seconds;
    while (goes_on(reply) && f->end == PLAYOFF_RUNNING && !session_interrupted(f->s)) {
        reply = play_round(f);
        if (goes_on(reply))
            see_guests_off(f, seconds);
        /* What guests take is not taken from those who may win. */
        if (tw_clock_now() > deadline + f->guest_seconds && winner_is_measured(f))
            break;
    }
    return reply;
}

tw_status rounds_play(struct finals *f, double seconds) {
    enum reply reply = REPLY_MOVED;
    while (reply == REPLY_MOVED) {
        tw_status status = begin(f);
        if (status != TW_OK)
            return status;
        reply = play(f, seconds);
    }
    f->s->playing->told->played = f->rounds > 0;
    return reply == REPLY_FATAL ? f->s->error->status : TW_OK;
}
