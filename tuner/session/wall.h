/* Where the wall time of a run goes. Each moment belongs to one part, so that the parts add up,
 * whatever was compiled or computed at the same time. Nothing here looks at a clock. */
#ifndef TUNER_SESSION_WALL_H
#define TUNER_SESSION_WALL_H

#include <cjson/cJSON.h>

/* What a moment belongs to; of several devices the busiest counts. */
enum wall_state {
    WALL_REST,      /* none of the following: choosing, rendering, the database */
    WALL_COMPILING, /* no device has anything to run, and compilers are at work */
    WALL_STARTING,  /* a device worker is not ready yet */
    WALL_RUNNING,   /* a device worker has a trial */
    WALL_PLAYOFF,
    WALL_STATES
};

struct wall {
    double began_s, since_s; /* as a clock has it */
    enum wall_state state;
    double busy; /* share of the devices that have something to run */
    double seconds[WALL_STATES];
    double busy_s;
    double verify_s, measure_s; /* as workers told of their trials */
};

/* In seconds. compiling + waiting + verifying + measuring + playoff + rest are the total. */
struct wall_parts {
    double compiling; /* waited for compilers, with nothing to run */
    double waiting;   /* for workers: that start, that hang or die, and for their messages */
    double starting;  /* of that, for those that start */
    double verifying; /* loading, first launches and checking */
    double measuring;
    double playoff;
    double rest;
    double total;
    double busy; /* share of the total in which a device had something to run, the mean of all */
};

void wall_begin(struct wall *wall, double now_s);
/* From now on: the state, and the share of the devices that have something to run. */
void wall_enter(struct wall *wall, double now_s, enum wall_state state, double busy);
/* A worker has answered: so long it took for these. */
void wall_tell(struct wall *wall, double verify_s, double measure_s);
struct wall_parts wall_parts(const struct wall *wall, double now_s);
/* The parts as an object, in seconds; the caller's. */
cJSON *wall_json(const struct wall_parts *parts);

#endif
