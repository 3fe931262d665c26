#include "tuner/statistics/playoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 5 }; /* how much less error one look at the ratios may make */

struct candidate {
    bool live;
    size_t rounds;
    double *times; /* in the order of the rounds */
    double median;
    struct statistics_interval interval;
};

struct playoff {
    struct playoff_options options;
    enum playoff_end end;
    size_t rounds;  /* added */
    double *sorted; /* room for the values of one candidate */
    double *times;  /* of all candidates */
    size_t count;
    struct candidate candidates[];
};

tw_status playoff_create(struct playoff **out, size_t candidates,
                         const struct playoff_options *options, struct tw_error *error) {
    *out = NULL;
    struct playoff *playoff = calloc(1, sizeof *playoff + candidates * sizeof *playoff->candidates);
    if (playoff == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    playoff->options = *options;
    if (options->confidence == 0)
        playoff->options.confidence = STATISTICS_CONFIDENCE;
    if (options->tie == 0)
        playoff->options.tie = 0.005;
    playoff->count = candidates;
    playoff->sorted = calloc(options->rounds, sizeof *playoff->sorted);
    playoff->times = calloc(candidates * options->rounds + 1, sizeof *playoff->times);
    if (playoff->sorted == NULL || playoff->times == NULL) {
        playoff_free(playoff);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < candidates; i++) {
        playoff->candidates[i].live = true;
        playoff->candidates[i].times = playoff->times + i * options->rounds;
    }
    *out = playoff;
    return TW_OK;
}

void playoff_free(struct playoff *playoff) {
    if (playoff == NULL)
        return;
    free(playoff->sorted);
    free(playoff->times);
    free(playoff);
}

bool playoff_live(const struct playoff *playoff, size_t candidate) {
    return playoff->candidates[candidate].live;
}

static size_t live_count(const struct playoff *playoff) {
    size_t live = 0;
    for (size_t i = 0; i < playoff->count; i++)
        live += playoff->candidates[i].live;
    return live;
}

/* Takes the round in. Live candidates always have the same number of rounds. */
static void record(struct playoff *playoff, const double *times) {
    for (size_t i = 0; i < playoff->count; i++) {
        struct candidate *candidate = &playoff->candidates[i];
        if (!candidate->live)
            continue;
        if (isnan(times[i])) {
            candidate->live = false;
            continue;
        }
        candidate->times[candidate->rounds++] = times[i];
        memcpy(playoff->sorted, candidate->times, candidate->rounds * sizeof *playoff->sorted);
        statistics_sort(playoff->sorted, candidate->rounds);
        candidate->median = statistics_median(playoff->sorted, candidate->rounds);
        candidate->interval = statistics_median_interval(playoff->sorted, candidate->rounds,
                                                         playoff->options.confidence);
    }
}

/* Leaves the ratios of two candidates' times, round by round, in `sorted`; returns how many. */
static size_t sort_ratios(const struct playoff *playoff, const struct candidate *candidate,
                          const struct candidate *other) {
    size_t count = candidate->rounds < other->rounds ? candidate->rounds : other->rounds;
    for (size_t i = 0; i < count; i++)
        playoff->sorted[i] = candidate->times[i] / other->times[i];
    if (count > 0)
        statistics_sort(playoff->sorted, count);
    return count;
}

/* The interval of the median of a candidate's ratio to the leader. */
static struct statistics_interval ratio(const struct playoff *playoff,
                                        const struct candidate *candidate,
                                        const struct candidate *leader, double confidence) {
    size_t count = sort_ratios(playoff, candidate, leader);
    return statistics_median_interval(playoff->sorted, count, confidence);
}

double playoff_ratio(const struct playoff *playoff, size_t candidate, size_t other) {
    size_t count =
        sort_ratios(playoff, &playoff->candidates[candidate], &playoff->candidates[other]);
    return count > 0 ? statistics_median(playoff->sorted, count) : 0;
}

void playoff_retire(struct playoff *playoff, size_t candidate) {
    playoff->candidates[candidate].live = false;
}

void playoff_restore(struct playoff *playoff, size_t candidate) {
    playoff->candidates[candidate].live = true;
}

static bool slower(const struct playoff *playoff, const struct candidate *candidate,
                   const struct candidate *leader) {
    double confidence = playoff->options.confidence;
    if (candidate->interval.confidence >= confidence &&
        candidate->interval.low > leader->interval.high)
        return true;
    double strict = 1 - (1 - confidence) / LOOKS;
    struct statistics_interval interval = ratio(playoff, candidate, leader, strict);
    return interval.confidence >= strict && interval.low > 1;
}

static bool ties(const struct playoff *playoff, const struct candidate *candidate,
                 const struct candidate *leader) {
    double tie = playoff->options.tie, confidence = playoff->options.confidence;
    struct statistics_interval interval = ratio(playoff, candidate, leader, confidence);
    return interval.confidence >= confidence && interval.low >= 1 - tie && interval.high <= 1 + tie;
}

enum playoff_end playoff_add(struct playoff *playoff, const double *times) {
    if (playoff->end != PLAYOFF_RUNNING)
        return playoff->end;
    record(playoff, times);
    playoff->rounds++;
    size_t winner = playoff_winner(playoff);
    if (winner == PLAYOFF_NONE)
        return playoff->end = PLAYOFF_UNDECIDED;
    const struct candidate *leader = &playoff->candidates[winner];
    bool all_tie = true;
    for (size_t i = 0; i < playoff->count; i++) {
        struct candidate *candidate = &playoff->candidates[i];
        if (candidate == leader || !candidate->live)
            continue;
        candidate->live = !slower(playoff, candidate, leader);
        all_tie &= !candidate->live || ties(playoff, candidate, leader);
    }
    /* Even a candidate that is alone plays until its own interval is known. */
    bool measured = leader->interval.confidence >= playoff->options.confidence;
    if (measured && live_count(playoff) == 1)
        playoff->end = PLAYOFF_WON;
    else if (measured && all_tie)
        playoff->end = PLAYOFF_TIED;
    else if (playoff->rounds == playoff->options.rounds)
        playoff->end = live_count(playoff) == 1 ? PLAYOFF_WON : PLAYOFF_UNDECIDED;
    return playoff->end;
}

size_t playoff_winner(const struct playoff *playoff) {
    size_t winner = PLAYOFF_NONE;
    for (size_t i = 0; i < playoff->count; i++) {
        const struct candidate *candidate = &playoff->candidates[i];
        if (candidate->live && candidate->rounds > 0 &&
            (winner == PLAYOFF_NONE || candidate->median < playoff->candidates[winner].median))
            winner = i;
    }
    return winner;
}

struct playoff_standing playoff_standing(const struct playoff *playoff, size_t number) {
    const struct candidate *candidate = &playoff->candidates[number];
    struct playoff_standing standing = {.live = candidate->live,
                                        .rounds = candidate->rounds,
                                        .median = candidate->median,
                                        .interval = candidate->interval};
    if (candidate->rounds > 0) {
        memcpy(playoff->sorted, candidate->times, candidate->rounds * sizeof *playoff->sorted);
        statistics_sort(playoff->sorted, candidate->rounds);
        standing.spread = statistics_spread(playoff->sorted, candidate->rounds);
    }
    return standing;
}
