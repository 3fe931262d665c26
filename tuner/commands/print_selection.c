#include "tuner/commands/print_selection.h"

#include <stdio.h>

#include "tuner/report/report.h"

void print_selection(const struct tw_description *d, const struct tw_selection *s) {
    char problem[TW_PROBLEM_KEY_SIZE];
    printf("  chosen          %s: %s\n", tw_selection_word(s->rule), tw_selection_text(s->rule));
    if (s->row != NULL) {
        char time[32];
        report_time(s->row->time_us, time);
        tw_selection_problem(d, s->row, problem);
        printf("  from            %s on %s, %s%s\n", problem, s->row->device_name, time,
               s->row->provisional ? ", provisional: from a search, without a playoff" : "");
    }
    if (s->distance > 0)
        printf("  distance        %.3g (log2, over the dimensions)\n", s->distance);
    if (s->refused != NULL) {
        tw_selection_problem(d, s->refused, problem);
        printf("  not used        %s on %s: %s\n", problem, s->refused->device_name, s->refusal);
    }
}
