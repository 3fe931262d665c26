/* One problem of the command line, tuned by a team of like devices, and told of. */
#ifndef TUNER_COMMANDS_TUNE_PROBLEM_H
#define TUNER_COMMANDS_TUNE_PROBLEM_H

#include <signal.h>

#include <cjson/cJSON.h>

#include "db/store.h"
#include "tuner/commands/arguments.h"
#include "tuner/report/report.h"
#include "tuner/session/session.h"
#include "tuner/space/pins.h"

/* What all problems of a command have in common. */
struct task {
    struct arguments arguments;
    struct tw_description *description;
    struct strategy_choice strategy;
    struct pins pins;
    /* --compute any: so many shapes in a row are one, under each promise of errors; else 0. */
    int front_size;
    unsigned retry; /* statuses of trials to be tried again, a bit each */
    char *db_path;
    const volatile sig_atomic_t *interrupted;
};

/* Devices of one kind, that measure one problem at a time. */
struct team {
    const struct tw_device_info *devices;
    int count;
    struct compile_pool *pool; /* that its sessions share; NULL: each has --jobs of its own */
    struct progress_printer printer;
};

struct tuned {
    int code;      /* an exit status */
    bool lost;     /* no device of the team is left: another may go on. Nothing has been told. */
    bool before;   /* the same search was through with it before: it was not tuned */
    cJSON *report; /* with --json, where there is one; the caller's to delete */
    struct tw_error error; /* where it is lost */
};

/* Tunes the shape numbered `index`; what came of it is printed, or is in `tuned`. The team's
 * printer has begun; the database is the calling thread's. */
void tune_problem(const struct task *task, struct team *team, tw_db *db, int index,
                  struct tuned *tuned);
/* Says why there is no result, and returns the exit status. */
int tune_failed(struct team *team, tw_status status, const struct tw_error *error);

#endif
