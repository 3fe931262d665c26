/* Sides measured again together: on each problem that at least two of them have, what they have is
 * verified and then timed in interleaved rounds. */
#ifndef TUNER_COMPARE_COMPARE_H
#define TUNER_COMPARE_COMPARE_H

#include <signal.h>

#include "tuner/compare/sides.h"
#include "tuner/statistics/ratio.h"

/* A side on a problem. */
struct compared_side {
    bool measured;
    char failure[TW_ERROR_SIZE]; /* why it was not, though it has a configuration; "" */
    int same_as; /* the first side with this configuration, with whose times they are one; itself */
    const double *times_us; /* one a round; NULL unless measured */
    double time_us;         /* their median */
    struct statistics_interval interval;
    struct ratio over_best;  /* to the side with the least median */
    struct ratio over_first; /* to the first side; no rounds when that was not measured */
};

struct compared_problem {
    int problem; /* index in the sides' */
    int rounds;
    int best; /* side; -1: none was measured */
    double *times;
    struct compared_side sides[COMPARE_MAX_SIDES];
};

/* A side over all problems on which every side was measured. */
struct compared_mean {
    struct ratio over_best, over_first;
};

struct comparison_result {
    int count; /* problems that were begun, in order */
    struct compared_problem *problems;
    int common; /* problems on which all sides were measured */
    struct compared_mean means[COMPARE_MAX_SIDES];
    bool failed;      /* something that a side has could not be measured */
    bool interrupted; /* the problems after the last are not measured */
};

struct compare_options {
    int rounds;    /* of a problem; fewer than 6 give no interval */
    uint32_t seed; /* of random input */
    const volatile sig_atomic_t *interrupted;
    /* Called before each problem; may be NULL. */
    void (*progress)(void *context, int problem, int count);
    void *context;
};

/* Measures. A configuration that is wrong, or cannot be had on its problem, is told in its side and
 * the others go on. Fails when the device does, or memory is lacking. Free with compare_free in
 * every case. */
tw_status compare_measure(const struct compare_sides *sides, const struct compare_options *options,
                          struct comparison_result *result, struct tw_error *error);
void compare_free(struct comparison_result *result);

/* How many sides' median ratio to the best is at most 1 + share on a problem. */
int compare_within(const struct compare_sides *sides, const struct compared_problem *problem,
                   double share);

/* "A" for the first side. */
char compare_letter(int side);

/* For people and for programs, on standard output. `words` are what the sides were called by. */
void compare_print_table(const struct compare_sides *sides, const char *const *words,
                         const struct comparison_result *result);
tw_status compare_print_json(const struct compare_sides *sides, const char *const *words,
                             const struct comparison_result *result, struct tw_error *error);

#endif
