/* Sides to be held against each other: of each a configuration a problem, from the best rows of a
 * database, from one run, or given. */
#ifndef TUNER_COMPARE_SIDES_H
#define TUNER_COMPARE_SIDES_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tuner/exchange/known_kernels.h"

/* As many as there are letters to call them by. */
enum { COMPARE_MAX_SIDES = 26 };

/* What a side has for a problem. */
struct compare_entry {
    bool has;
    struct tw_configuration configuration;
    char why_not[256]; /* it has a result that cannot be used; "" when it has none */
};

struct compare_problem {
    struct tw_problem problem;
    char key[TW_PROBLEM_KEY_SIZE]; /* with the kernel unique */
    struct compare_entry entries[COMPARE_MAX_SIDES];
};

struct compare_sides {
    const struct known_kernels *kernels; /* set by the caller, with all to `fixed` */
    const struct tw_device_info *device;
    const char *cache;  /* "cold" or "warm" */
    const char *kernel; /* results of this one alone; NULL: of any */
    bool fixed;         /* only the problems that were added before the sides */
    int count;          /* of sides */
    int problem_count, room;
    struct compare_problem *problems;
};

void compare_sides_free(struct compare_sides *sides);

/* Adds a problem that no side has yet, whose description is one of `kernels`. */
tw_status compare_add_problem(struct compare_sides *sides, const struct tw_problem *problem,
                              struct tw_error *error);

/* One more side: for each problem what an application would find for it in the database, on this
 * device and under this cache policy. A result of other code than today's is none. */
tw_status compare_add_database(struct compare_sides *sides, tw_db *db, struct tw_error *error);
/* One more side: what one run of a database found, which is its best row, or the fastest of its
 * trials where a later run has taken that place. TW_INVALID when there is no such run, or none of
 * this device and cache policy. */
tw_status compare_add_run(struct compare_sides *sides, tw_db *db, int64_t run,
                          struct tw_error *error);
/* One more side: a configuration for all problems, which are of its description. */
tw_status compare_add_given(struct compare_sides *sides,
                            const struct tw_configuration *configuration, struct tw_error *error);

/* How many sides have a configuration for the problem; `which` is the last of them, or -1. */
int compare_entries(const struct compare_sides *sides, int problem, int *which);

#endif
