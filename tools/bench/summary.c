#include "tools/bench/summary.h"

#include <math.h>
#include <string.h>

static void add(struct summary *summary, const char *kernel, const char *opponent, enum role role,
                double ratio) {
    struct summary_line *line = summary->lines;
    while (line < summary->lines + summary->count &&
           (strcmp(line->kernel, kernel) != 0 || strcmp(line->opponent, opponent) != 0))
        line++;
    if (line == summary->lines + SUMMARY_MAX_LINES)
        return;
    if (line == summary->lines + summary->count) {
        summary->count++;
        *line = (struct summary_line){
            .kernel = kernel, .opponent = opponent, .role = role, .least = INFINITY};
    }
    /* The sum of logarithms until all are in. */
    line->geometric_mean += log(ratio);
    line->least = fmin(line->least, ratio);
    line->count++;
}

void summary_make(struct summary *summary, const struct contest *contests, int count) {
    *summary = (struct summary){0};
    for (int i = 0; i < count; i++) {
        const struct contest *contest = &contests[i];
        const char *kernel = contest->task.description->kernel;
        if (contest->ours == NULL || outcome_is_wrong(contest->ours))
            continue;
        if (contest->vendor != NULL)
            add(summary, kernel, "vendor", ROLE_VENDOR, contest->vendor->ratio);
        for (int j = 0; j < contest->count; j++) {
            const struct outcome *o = &contest->outcomes[j];
            if (outcome_timed(o) && !outcome_is_wrong(o) && o != contest->ours)
                add(summary, kernel, o->entry->contender->name, o->entry->role, o->ratio);
        }
    }
    for (int i = 0; i < summary->count; i++)
        summary->lines[i].geometric_mean =
            exp(summary->lines[i].geometric_mean / summary->lines[i].count);
}
