#include "tuner/statistics/playoff.h"

/* Every round looks again, and each look may err, so a look must be surer than the whole. */
static const double LOOK_CONFIDENCE = 0.99;
static const double TIE = 0.005;

void playoff_begin(struct playoff *playoff, int candidates, int max_rounds) {
    *playoff = (struct playoff){.candidates = candidates, .max_rounds = max_rounds};
    for (int c = 0; c < candidates; c++)
        playoff->live[c] = true;
}

double playoff_median(const struct playoff *playoff, int candidate) {
    return statistics_median(playoff->times[candidate], (size_t)playoff->repeats[candidate]);
}

bool playoff_interval(const struct playoff *playoff, int candidate,
                      struct statistics_interval *interval) {
    return statistics_median_interval(playoff->times[candidate],
                                      (size_t)playoff->repeats[candidate], 0.95, interval);
}

int playoff_winner(const struct playoff *playoff) {
    int winner = -1;
    double fastest = 0;
    for (int c = 0; c < playoff->candidates; c++) {
        if (!playoff->live[c])
            continue;
        double median = playoff_median(playoff, c);
        if (winner < 0 || median < fastest) {
            winner = c;
            fastest = median;
        }
    }
    return winner;
}

/* Interval of the median of this candidate's times over the leader's, round by round. */
static bool ratio_interval(const struct playoff *playoff, int candidate, int leader,
                           struct statistics_interval *interval) {
    double ratios[PLAYOFF_ROUNDS];
    for (int r = 0; r < playoff->rounds; r++)
        ratios[r] = playoff->times[candidate][r] / playoff->times[leader][r];
    return statistics_median_interval(ratios, (size_t)playoff->rounds, LOOK_CONFIDENCE, interval);
}

void playoff_add(struct playoff *playoff, const double *times) {
    for (int c = 0; c < playoff->candidates; c++)
        if (playoff->live[c])
            playoff->times[c][playoff->repeats[c]++] = times[c];
    playoff->rounds++;
    int leader = playoff_winner(playoff);
    for (int c = 0; c < playoff->candidates; c++) {
        struct statistics_interval ratio;
        if (playoff->live[c] && c != leader && ratio_interval(playoff, c, leader, &ratio) &&
            ratio.low > 1)
            playoff->live[c] = false;
    }
}

bool playoff_finished(const struct playoff *playoff) {
    if (playoff->rounds >= playoff->max_rounds)
        return true;
    if (playoff->rounds == 0)
        return false;
    int leader = playoff_winner(playoff);
    struct statistics_interval own;
    /* Also a lone candidate is measured until its own time has an interval. */
    if (!playoff_interval(playoff, leader, &own))
        return false;
    for (int c = 0; c < playoff->candidates; c++) {
        struct statistics_interval ratio;
        if (!playoff->live[c] || c == leader)
            continue;
        if (!ratio_interval(playoff, c, leader, &ratio) || ratio.low < 1 - TIE ||
            ratio.high > 1 + TIE)
            return false;
    }
    return true;
}
