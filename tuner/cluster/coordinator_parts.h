/* Internal to the room: what the coordinator knows. */
#ifndef TUNER_CLUSTER_COORDINATOR_PARTS_H
#define TUNER_CLUSTER_COORDINATOR_PARTS_H

#include "db/store.h"
#include "tuner/cluster/journal.h"
#include "tuner/cluster/post.h"
#include "tuner/cluster/schedule.h"
#include "tuner/commands/arguments.h"
#include "tuner/exchange/known_kernels.h"
#include "tuner/session/options.h"
#include "tuner/space/pins.h"

/* A rank as it is seen from here. */
struct seen {
    bool here, lost;
    int kind;
    double heard_at;
    char name[160];  /* "rank 2 (cuda:1 of node7)" */
    char place[128]; /* of its device, among all machines' */
};

struct problem {
    char key[TW_PROBLEM_KEY_SIZE];
    char *name; /* as it was given */
};

struct coordinator {
    const struct arguments *arguments;
    struct post *post;
    struct tw_description *description;
    struct session_options search; /* what it is known by */
    struct pins pins;
    struct known_kernels known;
    char *path;
    tw_db *db;
    struct journal *journal;
    cJSON *before; /* [fingerprint, problem] of what was done before */
    struct schedule *schedule;
    struct problem *problems;
    struct seen *seen; /* by rank */
    cJSON *reports;    /* by "kind problem" */
    double began_at, alive_next;
    int resumed; /* done before */
    bool told_of_sharing;
};

/* A line for people. */
void coordinator_say(const char *line);
/* "rank 2 (cuda:1 of node7)", then `what`. */
void coordinator_say_of(const struct seen *seen, const char *what);

/* A rank is there, with its device and what it had found before. */
tw_status coordinator_take_hello(struct coordinator *coordinator, int from, const cJSON *json,
                                 struct tw_error *error);
/* A rank is done with a problem: its results are merged. The report is taken out of `json`. */
tw_status coordinator_take_result(struct coordinator *coordinator, int from, cJSON *json,
                                  struct tw_error *error);
/* What is on record of a problem that this start of the command has not tuned; NULL: nothing. */
cJSON *coordinator_report_before(const struct coordinator *coordinator, int kind, int problem);

#endif
