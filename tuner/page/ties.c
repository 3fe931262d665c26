/* The winner, what cannot be told from it, and the intervals of their times. */
#include <stdio.h>
#include <string.h>

#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/page/values.h"
#include "tuner/report/report.h"

enum { MOST_TIES = 24 };

struct tie {
    const char *implementation;
    const cJSON *configuration; /* NULL: unreadable */
    double time_us;
    bool has_interval;
    double low, high;
};

/* Whether two configurations say the same; a database may write them in another order. */
static bool same_configuration(const char *text, const cJSON *json) {
    cJSON *other = cJSON_Parse(text);
    bool same = other != NULL && cJSON_Compare(other, json, true);
    cJSON_Delete(other);
    return same;
}

/* The interval of its trial, in proportion: the playoff keeps times alone. */
static void find_interval(struct tie *tie, const struct page_trials *trials) {
    for (int i = 0; i < trials->count; i++) {
        const struct page_trial *t = &trials->trials[i];
        if (!t->has_interval || strcmp(t->implementation, tie->implementation) != 0 ||
            !same_configuration(t->configuration, tie->configuration))
            continue;
        tie->has_interval = true;
        tie->low = tie->time_us * t->ci_low_us / t->time_us;
        tie->high = tie->time_us * t->ci_high_us / t->time_us;
        return;
    }
}

static int read_ties(const cJSON *json, const struct page_trials *trials, struct tie *ties,
                     int count) {
    const cJSON *item;
    cJSON_ArrayForEach(item, json) {
        const cJSON *implementation = cJSON_GetObjectItemCaseSensitive(item, "implementation");
        cJSON *configuration = cJSON_GetObjectItemCaseSensitive(item, "configuration");
        const cJSON *time = cJSON_GetObjectItemCaseSensitive(item, "time_us");
        if (count == MOST_TIES || !cJSON_IsString(implementation) ||
            !cJSON_IsObject(configuration) || !cJSON_IsNumber(time) || !(time->valuedouble > 0))
            continue;
        struct tie *tie = &ties[count++];
        *tie = (struct tie){.implementation = implementation->valuestring,
                            .time_us = time->valuedouble};
        tie->configuration = configuration;
        find_interval(tie, trials);
    }
    return count;
}

static void draw(const struct tie *ties, int count, struct tw_text *out) {
    struct plot p;
    double low = ties[0].low, high = ties[0].high;
    for (int i = 0; i < count; i++) {
        double from = ties[i].has_interval ? ties[i].low : ties[i].time_us;
        double to = ties[i].has_interval ? ties[i].high : ties[i].time_us;
        low = from < low ? from : low;
        high = to > high ? to : high;
    }
    plot_begin(&p, out, "Times and their 95% intervals",
               "The winner's time and those that tie with it, each with its interval",
               50 + 16 * count);
    p.left = 30;
    p.x = plot_axis_of(low, high, false, "time");
    p.x.tick = plot_time_tick;
    p.y = (struct plot_axis){.low = 0, .high = count, .label = NULL};
    double ticks[8];
    int tick_count = plot_ticks(&p.x, ticks, 6);
    for (int i = 0; i < tick_count; i++) {
        char text[32];
        double x = plot_x(&p, ticks[i]);
        plot_time_tick(ticks[i], text);
        tw_text_print(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid\"/>", x, p.top, p.bottom);
        plot_words(out, x, p.bottom + 14, "middle", "tick", text);
    }
    for (int i = 0; i < count; i++) {
        char number[16];
        double y = p.top + 16 * i + 8;
        snprintf(number, sizeof number, "%d", i + 1);
        plot_words(out, 22, y + 3.5, "end", i == 0 ? "tick strong" : "tick", number);
        if (ties[i].has_interval)
            tw_text_print(out, "<path d=\"M%.1f %.1fH%.1f\" class=\"interval\"/>",
                          plot_x(&p, ties[i].low), y, plot_x(&p, ties[i].high));
        tw_text_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" class=\"%s\"/>",
                      plot_x(&p, ties[i].time_us), y, i == 0 ? "point own" : "point");
    }
    plot_end(&p);
}

static void list(const struct tie *ties, int count, struct tw_text *out) {
    tw_text_print(out,
                  "<div class=\"wide\"><table><thead><tr><th class=n>#<th class=n>time"
                  "<th>implementation<th>%s</tr></thead><tbody>\n",
                  count > 1 ? "configuration; of the others what is not the winner's"
                            : "configuration");
    for (int i = 0; i < count; i++) {
        char time[32];
        bool same = strcmp(ties[i].implementation, ties[0].implementation) == 0;
        report_time(ties[i].time_us, time);
        tw_text_print(out, "<tr>");
        html_print(out, "td class=n", "%d", i + 1);
        html_element(out, "td class=n", time);
        html_element(out, "td", ties[i].implementation);
        tw_text_print(out, "<td class=values>");
        values_print(ties[i].configuration, i > 0 && same ? ties[0].configuration : NULL, out);
        tw_text_print(out, "</td></tr>\n");
    }
    tw_text_print(out, "</tbody></table></div>\n");
}

void figure_ties(const struct page_subject *subject, const struct page_trials *trials,
                 struct tw_text *out) {
    const struct page_best *best = &subject->bests[0];
    if (subject->best_count == 0 || best->provisional)
        return;
    cJSON *configuration = cJSON_Parse(best->configuration), *json = cJSON_Parse(best->ties);
    struct tie ties[MOST_TIES] = {{.implementation = best->implementation,
                                   .configuration = configuration,
                                   .time_us = best->time_us,
                                   .has_interval = true,
                                   .low = best->ci_low_us,
                                   .high = best->ci_high_us}};
    int count = read_ties(json, trials, ties, 1);
    html_print(out, "h3", count > 1 ? "The winner and what ties with it" : "The winner");
    if (count > 1) {
        tw_text_print(out,
                      "<p class=\"hint\">After %lld rounds of the playoff nobody can say that "
                      "these are slower. The winner's interval is the playoff's; those of the "
                      "others are of their trials, in proportion.</p>\n",
                      (long long)best->rounds);
        tw_text_print(out, "<div class=\"figures two\">\n");
        draw(ties, count, out);
        tw_text_print(out, "</div>\n");
    }
    list(ties, count, out);
    cJSON_Delete(configuration);
    cJSON_Delete(json);
}
