/* The three ways to write down what was measured. */
#ifndef TOOLS_BENCH_REPORT_H
#define TOOLS_BENCH_REPORT_H

#include <stdio.h>

#include "tools/bench/contest.h"

struct report {
    const struct stage *stage;
    const char *cache;
    const char *conditions; /* the device's clocks and power after the last contest, as JSON */
    int count;
    const struct contest *contests;
};

void report_as_table(const struct report *report, FILE *file);
void report_as_csv(const struct report *report, FILE *file);
tw_status report_as_json(const struct report *report, FILE *file, tw_error *error);

/* Whether ours runs what was tuned for exactly this problem on this device. */
bool match_is_tuned(const struct contest *contest);

#endif
