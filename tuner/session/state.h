/* Internal to the room: what the parts of a running session share. */
#ifndef TUNER_SESSION_STATE_H
#define TUNER_SESSION_STATE_H

#include "tuner/session/builds.h"
#include "tuner/session/hints.h"
#include "tuner/session/session.h"
#include "tuner/workers/device_link.h"

/* A variant on its way: asked for, compiling, ready for the device, running. */
struct candidate {
    /* What the strategy is told of: for a preset that the space leaves out as redundant the nearest
     * point, which most likely does the same; SPACE_NONE when there is none. */
    size_t point;
    struct tw_configuration configuration;
    struct build *build;
    struct candidate *next;
};

struct queue {
    struct candidate *first, *last;
    int count;
};

enum { FINALISTS = 8 };

/* The best so far, with what they need to be measured again. */
struct contender {
    struct trial trial;
    struct build *build; /* NULL: known from an earlier run, to be compiled again */
};

struct session {
    const struct session_options *options;
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_work work;
    struct space *space;
    struct strategy *strategy;
    struct compile_pool *pool;
    struct device_link *link;
    struct recorder recorder;
    struct builds builds;

    struct queue first;     /* presets and hints, tried before the strategy is asked; not yet out */
    struct queue compiling; /* waiting for their build */
    struct queue ready;
    struct candidate *running;
    bool exhausted;

    int hint_count;
    size_t hints[HINTS_MOST];

    int contender_count;
    struct contender contenders[FINALISTS]; /* fastest first */

    double started_at;
    double elapsed_before; /* of the run that is resumed */
    int64_t trials_before;
    double first_submit_at, last_compiled_at;
    double reference_s; /* what the reference takes here; 0: not yet told */
    struct session_result *result;
    struct tw_error *error;
};

void queue_add(struct queue *queue, struct candidate *candidate);
struct candidate *queue_take(struct queue *queue);
void candidate_free(struct session *s, struct candidate *candidate);

double session_elapsed(const struct session *s);
bool session_interrupted(const struct session *s);

/* ---- outcome.c: what a finished trial means ---- */

/* Takes in a trial known from an earlier run. */
void outcome_known(void *session, const struct trial *trial);
/* Gives the presets that have the trial's configuration its figures. */
void outcome_update_presets(struct session *s, const struct trial *trial);
/* Records a trial, tells the strategy, keeps the contenders. `build` may be NULL. */
tw_status outcome_record(struct session *s, size_t point, const struct trial *trial,
                         struct build *build);

/* ---- pipeline.c: from the strategy through the compilers to the device ---- */

/* Moves everything on as far as it goes without waiting. At most `room` new variants are started.
 */
tw_status pipeline_step(struct session *s, int64_t room);
/* Takes in what the compilers have finished. */
void pipeline_collect_builds(struct session *s);
bool pipeline_empty(const struct session *s);
/* Waits for something to happen, at most `seconds`. */
void pipeline_wait(struct session *s, double seconds);

/* ---- finals.c: the playoff ---- */

/* Measures the contenders in interleaved rounds within about `seconds` and fills in the result's
 * best. */
tw_status finals_run(struct session *s, double seconds);

#endif
