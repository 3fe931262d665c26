#include "tuner/page/vendor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/report/report.h"

/* A problem for which both sides have a time. */
struct duel {
    const char *kernel, *problem, *vendor, *rule;
    bool tuned;
    double ours_us, vendor_us, ratio, low, high;
};

struct duels {
    int count;
    struct duel *duels;
    double mean, least; /* of the ratios */
};

static double number(const cJSON *object, const char *name) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) && isfinite(value->valuedouble) ? value->valuedouble : 0;
}

static const char *word(const cJSON *object, const char *name) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(value) ? value->valuestring : "";
}

static const cJSON *contender(const cJSON *problem, const char *key, const char *value) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(
                                 problem, "contenders")) if (strcmp(word(item, key), value) ==
                                                             0) return item;
    return NULL;
}

static bool read_duel(const cJSON *problem, struct duel *duel) {
    const char *vendor = word(problem, "vendor");
    const cJSON *ours = contender(problem, "role", "ours"),
                *theirs = contender(problem, "name", vendor);
    if (vendor[0] == '\0' || ours == NULL || theirs == NULL)
        return false;
    *duel = (struct duel){.kernel = word(problem, "kernel"),
                          .problem = word(problem, "problem"),
                          .vendor = vendor,
                          .rule = word(problem, "rule"),
                          .tuned = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(problem, "tuned")),
                          .ours_us = number(ours, "median_us"),
                          .vendor_us = number(theirs, "median_us"),
                          .ratio = number(theirs, "ratio"),
                          .low = number(theirs, "ratio_low"),
                          .high = number(theirs, "ratio_high")};
    return duel->ours_us > 0 && duel->vendor_us > 0 && duel->ratio > 0 && duel->low > 0 &&
           duel->high >= duel->low;
}

static tw_status read_duels(const cJSON *problems, struct duels *d, struct tw_error *error) {
    *d = (struct duels){.duels = calloc((size_t)cJSON_GetArraySize(problems) + 1, sizeof *d->duels),
                        .least = INFINITY};
    if (d->duels == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    double logs = 0;
    const cJSON *problem;
    cJSON_ArrayForEach(problem, problems) {
        if (!read_duel(problem, &d->duels[d->count]))
            continue;
        double ratio = d->duels[d->count++].ratio;
        logs += log(ratio);
        d->least = ratio < d->least ? ratio : d->least;
    }
    d->mean = d->count > 0 ? exp(logs / d->count) : 0;
    return TW_OK;
}

/* ---- On the page ---- */

static void ratio_tick(double ratio, char out[32]) {
    snprintf(out, 32, "%.3gx", ratio);
}

static void draw(const struct duels *d, struct tw_text *out) {
    struct plot p;
    double low = 1, high = 1, ticks[8];
    for (int i = 0; i < d->count; i++) {
        low = d->duels[i].low < low ? d->duels[i].low : low;
        high = d->duels[i].high > high ? d->duels[i].high : high;
    }
    plot_begin(&p, out, "The vendor's time over ours: to the right of 1 ours is faster",
               "For each problem the ratio of the vendor's time to ours, with its interval",
               52 + 15.0 * d->count);
    p.left = 16;
    p.x = plot_axis_of(low, high, true, "vendor's time over ours");
    int count = plot_ticks(&p.x, ticks, 7);
    for (int i = 0; i < count; i++) {
        char text[32];
        double x = plot_x(&p, ticks[i]);
        ratio_tick(ticks[i], text);
        tw_text_print(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid\"/>", x, p.top, p.bottom);
        plot_words(out, x, p.bottom + 14, "middle", "tick", text);
    }
    tw_text_print(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"even\"/>", plot_x(&p, 1), p.top,
                  p.bottom);
    plot_words(out, (p.left + p.right) / 2, p.height - 5, "middle", "label", p.x.label);
    for (int i = 0; i < d->count; i++) {
        const struct duel *duel = &d->duels[i];
        char row[16], title[200];
        double y = p.top + 15 * i + 7.5;
        snprintf(row, sizeof row, "%d", i + 1);
        plot_words(out, 12, y + 3.5, "end", "tick", row);
        tw_text_print(out, "<path d=\"M%.1f %.1fH%.1f\" class=\"interval\"/>",
                      plot_x(&p, duel->low), y, plot_x(&p, duel->high));
        tw_text_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" class=\"%s\">",
                      plot_x(&p, duel->ratio), y, duel->ratio >= 1 ? "point own" : "point slow");
        snprintf(title, sizeof title, "%.100s: %.3fx", duel->problem, duel->ratio);
        html_element(out, "title", title);
        tw_text_print(out, "</circle>");
    }
    plot_end(&p);
}

static void list(const struct duels *d, struct tw_text *out) {
    tw_text_print(out,
                  "<div class=\"wide\"><table><thead><tr><th class=n>#<th>problem<th class=n>ratio"
                  "<th class=n>ours<th class=n>vendor<th>vendor's<th>chosen by"
                  "</tr></thead><tbody>\n");
    for (int i = 0; i < d->count; i++) {
        const struct duel *duel = &d->duels[i];
        char ours[32], theirs[32];
        report_time(duel->ours_us, ours);
        report_time(duel->vendor_us, theirs);
        tw_text_print(out, "<tr>");
        html_print(out, "td class=n", "%d", i + 1);
        tw_text_print(out, "<td>");
        html_text(out, duel->kernel);
        tw_text_print(out, " ");
        html_code(out, duel->problem);
        tw_text_print(out, "</td>");
        html_print(out, duel->ratio >= 1 ? "td class=n" : "td class=\"n slow\"", "%.3f",
                   duel->ratio);
        html_element(out, "td class=n", ours);
        html_element(out, "td class=n", theirs);
        html_element(out, "td", duel->vendor);
        html_print(out, "td", "%s", duel->tuned ? "tuned" : duel->rule);
        tw_text_print(out, "</tr>\n");
    }
    tw_text_print(out, "</tbody></table></div>\n");
}

static void show(const cJSON *json, const struct duels *d, struct tw_text *out) {
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(json, "device");
    tw_text_print(out, "<section><h2>Against the vendor's libraries</h2>\n");
    html_print(out, "p",
               "On %s, caches %s, %d problems: %.3f times as fast in the geometric mean, "
               "%.3f at the least.",
               word(device, "name"), word(json, "cache"), d->count, d->mean, d->least);
    tw_text_print(out, "<div class=\"figures two\">\n");
    draw(d, out);
    tw_text_print(out, "</div>\n");
    list(d, out);
    tw_text_print(out, "</section>\n");
}

tw_status vendor_add(const char *file, const char *text, struct tw_text *out,
                     struct tw_error *error) {
    struct duels duels = {0};
    cJSON *json = cJSON_Parse(text);
    const cJSON *problems = cJSON_GetObjectItemCaseSensitive(json, "problems");
    tw_status status = TW_OK;
    if (!cJSON_IsArray(problems) ||
        !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "device")))
        status = tw_fail(error, TW_INVALID,
                         "%s: is not what bench writes with --json, or it is cut off", file);
    if (status == TW_OK)
        status = read_duels(problems, &duels, error);
    if (status == TW_OK && duels.count == 0)
        status = tw_fail(error, TW_INVALID,
                         "%s: has no problem with times of ours and of a vendor's library", file);
    if (status == TW_OK)
        show(json, &duels, out);
    free(duels.duels);
    cJSON_Delete(json);
    return status;
}
