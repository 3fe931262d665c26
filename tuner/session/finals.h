/* Internal to the playoff of a session: who takes part, and the device worker that measures them.
 */
#ifndef TUNER_SESSION_FINALS_H
#define TUNER_SESSION_FINALS_H

#include "tuner/session/state.h"
#include "tuner/statistics/playoff.h"

/* A device worker has room for 128. */
enum { ENTRANTS = FINALISTS + REGULARS };

/* A variant in the playoff. */
struct entrant {
    struct trial trial; /* as the search had it */
    struct build *build;
    /* Far behind: seen in a few rounds, in case the search was wrong, and for the table's sake. */
    bool guest;
    bool came_as_guest;
    bool out;      /* it cannot be measured */
    int slot;      /* in the device worker; -1: not loaded there */
    int blame;     /* for workers that died over it since it was last measured */
    bool verified; /* also for calls that it was not tuned for */
};

struct finals {
    struct session *s;
    int count;
    struct entrant entrants[ENTRANTS]; /* contenders first, fastest first */
    int loaded;                        /* in the device worker there is now */
    int rounds;
    double guest_seconds; /* spent on guests */
    struct playoff *playoff;
    enum playoff_end end;
    int winner;                       /* once it is over */
    double leader_us;                 /* the search's time of its best */
    char last_failure[TW_ERROR_SIZE]; /* why an entrant went out */
};

/* ---- finals.c ---- */

/* Measures the contenders in interleaved rounds within about `seconds`, and decides nothing. *out
 * is the caller's to free in every case; an interrupted session's has the rounds of before. */
tw_status finals_rounds(struct session *s, double seconds, struct finals **out);

/* ---- entrants.c ---- */

/* Enters the contenders, the stored winners and those presets whose measuring fits in `seconds`,
 * and compiles what is not compiled. Who does not get ready in time is left out if it is a guest.
 */
tw_status entrants_gather(struct finals *f, double seconds);
/* The entrant with a configuration, or -1. */
int entrants_find(const struct finals *f, const struct tw_configuration *configuration);
/* Whether an entrant has a binary. */
bool entrants_compiled(const struct entrant *entrant);
void entrants_release(struct finals *f);

/* ---- rounds.c ---- */

/* What becomes of a request to the device worker. */
enum reply {
    REPLY_GIVEN,
    REPLY_REFUSED,     /* the session's error says why */
    REPLY_LOST,        /* the worker died over it, and another is on its way */
    REPLY_LATE,        /* likewise, it was ended after `limit_s` seconds */
    REPLY_INTERRUPTED, /* nobody waited for it */
    REPLY_MOVED,       /* the device was given up: the playoff goes to another, where nothing is */
    REPLY_FATAL        /* no worker can be had */
};

/* Waits for the worker, and for its answer; a launch_error where there is none. */
enum reply finals_ask(struct session *s, const struct device_request *request, double limit_s,
                      struct device_answer *answer);

/* Plays until the playoff is over, `seconds` have passed or the session is interrupted. Workers
 * that are lost are replaced; an entrant that cannot be measured goes out. All times are of one
 * device: when that is given up, the playoff is played anew on another. */
tw_status rounds_play(struct finals *f, double seconds);

/* ---- calls.c ---- */

/* Verifies who would be stored for calls with padded and odd strides and little alignment. Who is
 * wrong there is out and its trial no more ok, and the next take its place. */
tw_status calls_verify(struct finals *f);

#endif
