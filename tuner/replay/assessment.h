/* What a strategy is worth on a recording, over many seeds. */
#ifndef TUNER_REPLAY_ASSESSMENT_H
#define TUNER_REPLAY_ASSESSMENT_H

#include "tuner/replay/baseline.h"
#include "tuner/replay/replay.h"

enum { ASSESSMENT_TARGETS = 4, ASSESSMENT_EARLY = 100 };
/* How far above the best time is near enough: 0.1, 0.05, 0.02, 0.01. */
extern const double assessment_targets[ASSESSMENT_TARGETS];

/* INFINITY: not within the trials that were allowed. */
struct quartiles {
    double low, median, high;
};

struct assessment {
    struct quartiles trials[ASSESSMENT_TARGETS];  /* until a target is reached */
    struct quartiles seconds[ASSESSMENT_TARGETS]; /* by the replay's clock, likewise */
    struct quartiles early;          /* after ASSESSMENT_EARLY trials: 0.02 is 2% above the best */
    struct quartiles late;           /* after all of them */
    double worst;                    /* of any seed, after all of them */
    double near[ASSESSMENT_TARGETS]; /* share of the seeds that reach a target */
    struct quartiles count;          /* trials in all */
    double score; /* 1: finds the best at once; 0: as random search; see assessment.c */
};

/* Seeds 1 to `seeds`. TW_NO_MEMORY is the only failure. */
tw_status assess(struct assessment *assessment, const struct recording *recording,
                 const struct baseline *baseline, const struct strategy_choice *choice,
                 size_t seeds, const struct replay_options *options, struct tw_error *error);

#endif
