#include "tuner/commands/print_selection.h"

#include <stdio.h>

#include "tuner/report/report.h"

static void say(const struct tw_description *d, const struct tw_selection *s,
                struct tw_text *text) {
    char problem[TW_PROBLEM_KEY_SIZE];
    tw_text_print(text, "  chosen          %s: %s\n", tw_selection_word(s->rule),
                  tw_selection_text(s->rule));
    if (s->row != NULL) {
        char time[32];
        report_time(s->row->time_us, time);
        tw_selection_problem(d, s->row, problem);
        tw_text_print(text, "  from            %s on %s, %s%s\n", problem, s->row->device_name,
                      time,
                      s->row->provisional ? ", provisional: from a search, without a playoff" : "");
    }
    if (s->distance > 0)
        tw_text_print(text, "  distance        %.3g (log2, over the dimensions)\n", s->distance);
    if (s->predicted_us > 0) {
        tw_text_print(text, "  predicted       ");
        tw_selection_prediction(s->predicted_us, s->uncertainty, text);
        tw_text_print(text, "\n");
    }
    for (int i = 0; i < s->other_count; i++) {
        tw_text_print(text, "  rather than     ");
        tw_selection_other(d, &s->others[i], text);
        tw_text_print(text, "\n");
    }
    if (s->refused != NULL) {
        tw_selection_problem(d, s->refused, problem);
        tw_text_print(text, "  not used        %s on %s: %s\n", problem, s->refused->device_name,
                      s->refusal);
    }
    if (s->unread[0] != '\0')
        tw_text_print(text, "  not used        %s\n", s->unread);
}

tw_status print_selection(const struct tw_description *d, const struct tw_selection *s,
                          struct tw_error *error) {
    struct tw_text text = {0};
    say(d, s, &text);
    tw_status status = text.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    if (status == TW_OK)
        fputs(text.data, stdout);
    tw_text_free(&text);
    return status;
}
