/* One task, all contenders: their answers checked, their times taken in interleaved rounds.
 *
 * A round times every contender once, one batch each, and every round starts with another one, so
 * that clocks, temperature and what a predecessor left behind fall on all alike. */
#ifndef TOOLS_BENCH_CONTEST_H
#define TOOLS_BENCH_CONTEST_H

#include "tools/bench/contender.h"
#include "tools/bench/errors.h"

enum { CONTEST_LEAST_ROUNDS = 11, CONTEST_MOST_ROUNDS = 101 };

struct outcome {
    const struct entry *entry;
    tw_error failure; /* its status is TW_OK for those that were timed */
    struct tw_text detail;
    bool compared;
    struct error_sizes errors;
    int calls;       /* in a batch */
    int late;        /* batches that the device could not wait for until they were queued */
    double queueing; /* seconds that the host takes to queue a call, the median */
    /* Seconds of one call: the median over the rounds and its interval. */
    double median, low, high;
    /* Its time over ours, and the interval of the rounds' own ratios; 0 where ours has none. */
    double ratio, ratio_low, ratio_high;
};

struct contest {
    struct task task;
    const tw_explanation *plan; /* why ours is what it is, the library's; NULL: it failed */
    double checked;             /* the share of the output's rows that errors are of */
    int set_count, rounds;
    double confidence; /* of the intervals */
    int count;
    struct outcome outcomes[CONTENDERS_MAX];
    const struct outcome *ours;   /* NULL: it failed */
    const struct outcome *vendor; /* the fastest vendor; NULL: there was none */
};

/* Runs contest->task. `rounds` 0: as many as the times need. A contender that cannot play is an
 * outcome with a reason; a failure here means that nobody can go on. Free with contest_free also
 * after one. */
tw_status contest_run(struct contest *contest, struct stage *stage, bool cold, int rounds,
                      tw_error *error);
/* The task, too. */
void contest_free(struct contest *contest);

bool outcome_timed(const struct outcome *outcome);
bool outcome_is_wrong(const struct outcome *outcome);
/* Ours for any reason, a vendor for another than not being there. */
bool outcome_failed(const struct outcome *outcome);
/* One of the outcomes is wrong or failed. */
bool contest_failed(const struct contest *contest);

#endif
