/* What many contests say together: geometric means of ratios, by kernel and opponent. */
#ifndef TOOLS_BENCH_SUMMARY_H
#define TOOLS_BENCH_SUMMARY_H

#include "tools/bench/contest.h"

enum { SUMMARY_MAX_LINES = 64 };

struct summary_line {
    const char *kernel;
    const char *opponent; /* a contender's name, or "vendor": the fastest of them at each shape */
    enum role role;
    int count; /* of ratios */
    double geometric_mean, least;
};

struct summary {
    int count;
    struct summary_line lines[SUMMARY_MAX_LINES];
};

void summary_make(struct summary *summary, const struct contest *contests, int count);

#endif
