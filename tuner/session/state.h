/* Internal to the room: what the parts of a running session share. */
#ifndef TUNER_SESSION_STATE_H
#define TUNER_SESSION_STATE_H

#include "tuner/search/prior.h"
#include "tuner/session/builds.h"
#include "tuner/session/hints.h"
#include "tuner/session/options.h"
#include "tuner/session/recorder.h"
#include "tuner/session/result.h"
#include "tuner/session/wall.h"
#include "tuner/workers/device_link.h"

/* A variant on its way: asked for, compiling, ready for the device, running. */
struct candidate {
    /* What the strategy is told of: for a preset that the space leaves out as redundant the nearest
     * point, which most likely does the same; SPACE_NONE when there is none. */
    size_t point;
    struct tw_configuration configuration;
    struct build *build;
    bool again;   /* it is a contender, and was a trial before */
    bool sibling; /* of a contender: nobody asked for it */
    int deaths;   /* of device workers, over it */
    int blame;    /* for them */
    struct candidate *next;
};

struct queue {
    struct candidate *first, *last;
    int count;
};

enum { CONTENDER_MOST = 30 /* times that one is measured: waiting for a GPU costs a core */ };
enum { FINALISTS = 8, MOST_USABLE = 64, REGULARS = MOST_USABLE + TW_MAX_IMPLEMENTATIONS };

/* The best so far, with what they need to be measured again. */
struct contender {
    struct trial trial;  /* its time is the median of the next; repeats and measure_s are of all */
    struct build *build; /* NULL: known from an earlier run, to be compiled again */
    int sent;            /* how many times it has been, or is being, measured */
    int measured;
    double medians_us[CONTENDER_MOST]; /* one for each time, ascending */
};

/* A device, with the worker that measures on it. */
struct session_device {
    const struct tw_device_info *info;
    struct device_link *link;           /* NULL: given up */
    struct candidate *running;          /* NULL: none */
    struct tw_text conditions;          /* that its worker told of when it was ready, as JSON */
    struct session_device_result *told; /* where what becomes of it is noted */
};

/* A variant that is in the playoff however the search saw it: a preset, or what won before. */
struct regular {
    struct tw_configuration configuration;
    bool stored; /* it won before */
    bool known;  /* it is right, and its time is in `trial` */
    struct trial trial;
    struct build *build; /* NULL: known from an earlier run, to be compiled again */
};

/* What came of a point that the strategy has not asked for, and was not told of. */
struct sibling {
    size_t point;
    struct strategy_outcome outcome;
};

/* A good one whose binary others share. */
struct host {
    struct tw_configuration configuration;
    double time_us;
    struct build *build;
    bool alone; /* no sibling is left to be tried */
};

enum { SIBLING_HOSTS = 64 };

struct session {
    const struct session_options *options;
    const struct tw_problem *problem;
    const struct tw_device_info *device; /* what all of its devices are */
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_work work;
    struct space *space;
    struct strategy *strategy;
    struct compile_pool *pool;
    int device_count;
    struct session_device devices[SESSION_MAX_DEVICES];
    struct session_device *playing; /* the one that the playoff is on; NULL: no playoff yet */
    struct recorder recorder;
    struct builds builds;

    struct queue first;     /* presets and hints, tried before the strategy is asked; not yet out */
    struct queue compiling; /* waiting for their build */
    struct queue ready;
    bool exhausted;

    struct {
        bool has, tried;
        struct tw_configuration configuration;
    } untuned; /* what an application would get without this run */

    int hint_count;
    size_t hints[HINTS_MOST + PRIOR_FIRST + 1]; /* and what the prior begins with, and the above */
    struct prior *prior;                        /* NULL: none */
    struct strategy_expectation expectation;    /* of the prior */
    size_t later_count;                         /* points that were put off */
    size_t *later;
    size_t pair_count; /* of trials: what was predicted, and what was measured */
    double *pairs;
    size_t again_count; /* forgotten, to be tried again */
    size_t *again;

    int contender_count;
    struct contender contenders[FINALISTS]; /* fastest first */
    bool leader_changed;                    /* or its time has, and that is not stored yet */
    int host_count;
    struct host hosts[SIBLING_HOSTS];
    int siblings_in_a_row;
    size_t sibling_count;
    struct sibling *siblings;
    int regular_count;
    struct regular regulars[REGULARS];

    int other_runs; /* of the same problem and device, under way now */
    double others_seen_at;

    struct wall wall;
    double started_at;
    double elapsed_before; /* of the run that is resumed */
    int64_t trials_before;
    double first_submit_at, last_compiled_at;
    double reference_s; /* what the reference takes here; 0: not yet told */
    struct session_result *result;
    struct tw_error *error;
};

void queue_add(struct queue *queue, struct candidate *candidate);
void queue_put_back(struct queue *queue, struct candidate *candidate); /* first */
struct candidate *queue_take(struct queue *queue);
void candidate_free(struct session *s, struct candidate *candidate);

double session_elapsed(const struct session *s);
bool session_interrupted(const struct session *s);
/* Notes what the session is at from now on, for where its time goes. */
void session_account(struct session *s);
/* Whether what is tried first tells of the point. */
bool session_queued(const struct session *s, size_t point);
/* Whether the pins allow the configuration. */
bool session_allows(const struct session *s, const struct tw_configuration *configuration);

/* ---- set_up.c: what there is before the first trial ---- */

/* Options, problem, device, result, error and clocks are there. Tear down in every case. */
tw_status session_set_up(struct session *s, tw_db *db, const char *db_path);
/* What a run is known by when it is to go on: `run` points into the options and into `words`, which
 * the caller frees in every case. */
tw_status session_search(const struct session_options *options, struct tw_text *words,
                         struct tw_db_run *run, struct tw_error *error);
void session_tear_down(struct session *s);

/* ---- head_start.c: what compilers do while there is no space yet ---- */

/* Once presets are listed and compilers are started. */
tw_status head_start(struct session *s, tw_db *db);

/* ---- untuned.c: what an application would get without this run ---- */

/* Finds it, before anything is tried or taken in; there may be none. */
tw_status untuned_find(struct session *s);
bool untuned_is(const struct session *s, const struct tw_configuration *configuration);
/* Whether it is still to be tried, and nothing to be stored. */
bool untuned_pending(const struct session *s);
/* Puts it before all that is queued. */
tw_status untuned_queue(struct session *s);

/* ---- retry.c: trials that are forgotten, and tried again first ---- */

tw_status retry_forget(struct session *s);
/* Whether the point is among them. */
bool retry_has(const struct session *s, size_t point);
/* Queues those that are not queued yet. */
tw_status retry_queue(struct session *s);

/* ---- predictions.c: the prior of a search ---- */

/* Makes it, unless it is not wanted: once there is the space. *expectation is what the strategy is
 * told: what a model says, as estimates are too rough; NULL: nothing. */
tw_status predictions_begin(struct session *s, const struct strategy_expectation **expectation);
/* Queues the points that should be the fastest, and orders what is queued: once presets and hints
 * are. */
tw_status predictions_queue(struct session *s);
/* Whether a proposal is put off, as it should be slow: `in_a_row` were just before it. */
tw_status predictions_put_off(struct session *s, size_t point, int in_a_row, bool *put_off);
/* A point that was put off, once the strategy has no other; SPACE_NONE: none is left. */
size_t predictions_take_later(struct session *s);
/* Keeps what was predicted and what was measured. */
tw_status predictions_note(struct session *s, const struct trial *trial);
/* Says in the result how the two agree. */
tw_status predictions_sum_up(struct session *s);
void predictions_end(struct session *s);

/* ---- outcome.c: what a finished trial means ---- */

/* Takes in a trial known from an earlier run. */
void outcome_known(void *session, const struct trial *trial);
/* A variant that was right and is not: the trial has its status and message now. */
tw_status outcome_condemn(struct session *s, const struct trial *trial);
/* Stores the leader, if it has changed, as the best of the search so far: whatever ends the run
 * now, an application gets it. */
tw_status outcome_store_leader(struct session *s);
/* Records a trial, tells the strategy, keeps the contenders. `build` may be NULL. */
tw_status outcome_record(struct session *s, size_t point, const struct trial *trial,
                         struct build *build);
/* Takes in what came of a contender that was measured again: its time, or that it is not right
 * after all. */
tw_status outcome_again(struct session *s, const struct trial *trial);

/* What the strategy is told of a trial. */
struct strategy_outcome outcome_of(const struct trial *trial);

/* ---- siblings.c: variants that share a good one's binary ---- */

/* Takes note of a trial, once it is recorded, whose binary others may share. */
void siblings_note(struct session *s, const struct trial *trial, struct build *build);
/* The next to be tried, the caller's; NULL: none, or no memory. */
struct candidate *siblings_next(struct session *s);
/* Takes in what came of one. */
tw_status siblings_take(struct session *s, const struct candidate *candidate,
                        const struct trial *trial);
/* Whether the point is on its way to a device. */
bool siblings_under_way(const struct session *s, size_t point);
/* Tells the strategy, which has asked for the point, if it was tried as a sibling. */
bool siblings_tell(struct session *s, size_t point);

/* ---- contenders.c: the best so far ---- */

/* Who takes more times as long as the leader is in no need of a better time. */
static const double CONTENDER_NEAR = 1.1;

/* Gives a trial its place among them, if it has one. `build` may be NULL. */
void contenders_add(struct session *s, const struct trial *trial, struct build *build);
/* Those behind it move up. */
void contenders_drop(struct session *s, const struct tw_configuration *configuration);
/* The one to be measured again while nothing new is ready, the caller's; NULL: none, or no memory.
 * The fastest of many was also the luckiest: so their times become such as can be compared. */
struct candidate *contenders_again(struct session *s);
/* One was measured again, and was right. It takes the place that its times give it. */
void contenders_measured(struct session *s, const struct trial *trial);

/* ---- remeasure.c: the best of a record of trials ---- */

/* Measures the fastest trials on record again, in interleaved rounds, and all that come within
 * CONTENDER_NEAR of the fastest then, and puts those times in the place of theirs. */
tw_status remeasure_best(struct session *s);

/* ---- others.c: runs of the same problem beside this one ---- */

/* Counts them. */
tw_status others_count(struct session *s);
/* Takes in what they have tried since the last time; unless it is to be `now`, that may be a moment
 * ago, and nothing is done. */
tw_status others_follow(struct session *s, bool now);

/* ---- devices.c: where trials run ---- */

/* Starts a worker on each; those are ready by and by. */
tw_status devices_open(struct session *s);
void devices_close(struct session *s);
/* How many have a trial. */
int devices_running(const struct session *s);
/* Whether none has been ready yet, or all get ready again. */
bool devices_preparing(const struct session *s);
/* One that a trial can be sent to; NULL: none now. */
struct session_device *devices_idle(struct session *s);
/* For the playoff: one that has nothing to do, else one that will be ready, as far as is known. */
struct session_device *devices_choose(struct session *s);
/* Takes in what a worker says when it is ready. */
tw_status devices_take_ready(struct session *s, struct session_device *device,
                             const struct message *answer);
/* In what condition the device of the playoff is, or one before there is that, as JSON; NULL: not
 * known. The run remembers it. */
const char *devices_conditions(struct session *s);
tw_status devices_note_conditions(struct session *s);
/* Gives up a device that no worker can be had for, as the session's error says. Its trial goes back
 * to those that are ready. Fails when it was the last. */
tw_status devices_lose(struct session *s, struct session_device *device);
/* Workers replaced, in all and in the result of each. */
int devices_replaced(const struct session *s);

/* ---- pipeline.c: from the strategy through the compilers to the device ---- */

/* Moves everything on as far as it goes without waiting. At most `room` new variants are started.
 */
tw_status pipeline_step(struct session *s, int64_t room);
/* Takes in what the compilers have finished. */
tw_status pipeline_collect_builds(struct session *s);
bool pipeline_empty(const struct session *s);
/* Waits for something to happen, at most `seconds`; of devices only to the one of the playoff, once
 * there is one. */
void pipeline_wait(struct session *s, double seconds);

/* ---- finals.c: the playoff ---- */

struct finals;

/* Seconds that a playoff of today's contenders takes if it is played to its last round, about;
 * INFINITY: not known. */
double finals_needed(const struct session *s);
/* Measures the contenders in interleaved rounds within about `seconds` and fills in the result's
 * best. *finals is what is to be stored of it, the caller's to free; NULL: nothing, as when the
 * session was interrupted. */
tw_status finals_play(struct session *s, double seconds, struct finals **finals);
/* Stores the best rows. */
tw_status finals_store(const struct finals *finals);
/* Takes NULL. */
void finals_free(struct finals *finals);

#endif
