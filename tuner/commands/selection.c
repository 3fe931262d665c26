#include "tuner/commands/selection.h"

#include <stdio.h>

#include "tuner/report/report.h"

void selection_print(const struct tw_selection *s) {
    printf("  chosen          %s: %s\n", tw_selection_word(s->rule), tw_selection_text(s->rule));
    if (s->row != NULL) {
        char time[32];
        report_time(s->row->time_us, time);
        printf("  from            %s on %s, %s%s\n", s->row->problem, s->row->device_name, time,
               s->row->provisional ? ", provisional: from a search, without a playoff" : "");
    }
    if (s->distance > 0)
        printf("  distance        %.3g (log2, over the dimensions)\n", s->distance);
    if (s->refused != NULL)
        printf("  not used        %s on %s: %s\n", s->refused->problem, s->refused->device_name,
               s->refusal);
}
