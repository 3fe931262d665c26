#include "runtime/library/explain.h"

#include <inttypes.h>
#include <string.h>

enum { PROBLEM, CONFIGURATION, ROW_PROBLEM, ROW_DEVICE, PASSED_OVER, RUNNERS_UP, TEXT };

static const char *keep(tw_plan *plan, int which, const char *text) {
    tw_text_print(&plan->texts[which], "%s", text);
    return plan->texts[which].data;
}

static void print_lines(tw_plan *plan, const char *unkept) {
    const tw_explanation *e = &plan->explanation;
    struct tw_text *text = &plan->texts[TEXT];
    tw_text_print(text, "%s %s\n", e->kernel, e->problem);
    tw_text_print(text, "  chosen          %s: %s\n", e->rule, e->reason);
    if (e->row_problem != NULL)
        tw_text_print(text, "  from            %s on %s, %.4g us\n", e->row_problem, e->row_device,
                      e->row_time_us);
    if (e->distance > 0)
        tw_text_print(text, "  distance        %.3g (log2, over the dimensions)\n", e->distance);
    if (e->predicted_us > 0) {
        tw_text_print(text, "  predicted       ");
        tw_selection_prediction(e->predicted_us, e->uncertainty, text);
        tw_text_print(text, "\n");
    }
    if (e->preferred_ready)
        tw_text_print(text, "  preferred       for its binary, which %s\n",
                      e->preferred_ready == 1 ? "is there already"
                                              : "does better for the sizes that change");
    for (const char *line = e->runners_up; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        tw_text_print(text, "  rather than     %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (e->passed_over != NULL)
        tw_text_print(text, "  not used        %s\n", e->passed_over);
    tw_text_print(text, "  configuration   %s %s\n", e->implementation, e->configuration);
    tw_text_print(text, "  binary          %s%s%s; ready in %.3g ms, of which loading %.3g\n",
                  e->binary, unkept[0] != '\0' ? ", not kept: " : "", unkept, e->made_ms,
                  e->loading_ms);
    if (e->workspace_bytes > 0)
        tw_text_print(text, "  workspace       %" PRIu64 " bytes\n", e->workspace_bytes);
}

tw_status tw_plan_explain_fill(tw_plan *plan, const struct tw_plan_sources *sources,
                               tw_error *error) {
    const struct tw_description *d = plan->description;
    const struct tw_selection *s = sources->selection;
    tw_explanation *e = &plan->explanation;
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(sources->problem, key);
    e->kernel = d->kernel;
    e->problem = keep(plan, PROBLEM, key);
    e->rule = tw_selection_word(s->rule);
    e->reason = tw_selection_text(s->rule);
    e->implementation = d->implementations[s->configuration.implementation].name;
    tw_configuration_text(d, &s->configuration, &plan->texts[CONFIGURATION]);
    e->configuration = plan->texts[CONFIGURATION].data;
    if (s->row != NULL) {
        tw_selection_problem(d, s->row, key);
        e->row_problem = keep(plan, ROW_PROBLEM, key);
        e->row_device = keep(plan, ROW_DEVICE, s->row->device_name);
        e->row_time_us = s->row->time_us;
        e->distance = s->distance;
    }
    if (s->refused != NULL) {
        tw_selection_problem(d, s->refused, key);
        tw_text_print(&plan->texts[PASSED_OVER], "%s on %s: %s", key, s->refused->device_name,
                      s->refusal);
    }
    if (s->unread[0] != '\0')
        tw_text_print(&plan->texts[PASSED_OVER], "%s%s", s->refused != NULL ? "; " : "", s->unread);
    e->passed_over = plan->texts[PASSED_OVER].data;
    e->predicted_us = s->predicted_us;
    e->uncertainty = s->uncertainty;
    e->preferred_ready = s->ready ? 1 : s->lasting ? 2 : 0;
    for (int i = 0; i < s->other_count; i++) {
        tw_text_print(&plan->texts[RUNNERS_UP], "%s", i > 0 ? "\n" : "");
        tw_selection_other(d, &s->others[i], &plan->texts[RUNNERS_UP]);
        e->runners_up = plan->texts[RUNNERS_UP].data;
    }
    e->binary = tw_binary_origin_word(sources->origin);
    e->made_ms = sources->made_ms;
    e->loading_ms = sources->loading_ms;
    e->workspace_bytes = plan->executable->workspace;
    print_lines(plan, sources->unkept);
    e->text = plan->texts[TEXT].data;
    for (size_t i = 0; i < sizeof plan->texts / sizeof *plan->texts; i++)
        if (plan->texts[i].failed)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return TW_OK;
}
