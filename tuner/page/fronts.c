#include "tuner/page/fronts.h"

#include <stdio.h>
#include <string.h>

#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/report/front.h"
#include "tuner/report/report.h"

static const char attribute[] = "compute=";

/* A subject's key without the attribute, whose word goes to `word`: "default" where it has none. */
static void part_key(const char *key, char rest[512], char word[FRONT_WORD_SIZE]) {
    const char *at = strstr(key, attribute);
    while (at != NULL && at > key && at[-1] != ',' && at[-1] != ';')
        at = strstr(at + 1, attribute);
    snprintf(word, FRONT_WORD_SIZE, "default");
    if (at == NULL) {
        snprintf(rest, 512, "%s", key);
        return;
    }
    const char *value = at + strlen(attribute);
    const size_t length = strcspn(value, ",");
    snprintf(word, FRONT_WORD_SIZE, "%.*s", (int)length, value);
    /* With the comma behind it, or where there is none what stands before it. */
    const bool last = value[length] == '\0';
    snprintf(rest, 512, "%.*s%s", (int)(at - key) - (last && at > key), key,
             last ? "" : value + length + 1);
}

static bool is_like(const struct page_subject *a, const struct page_subject *b) {
    char one[512], other[512], word[FRONT_WORD_SIZE];
    part_key(a->key, one, word);
    part_key(b->key, other, word);
    return a->device == b->device && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->cache, b->cache) == 0 && strcmp(one, other) == 0;
}

/* The subjects that are like the one numbered `first` but for the attribute, which none before it
 * is. */
static void collect(const struct page_material *m, int first, struct front *front) {
    *front = (struct front){0};
    for (int i = 0; i < first; i++)
        if (is_like(&m->subjects[i], &m->subjects[first]))
            return;
    for (int i = first; i < m->subject_count; i++) {
        const struct page_subject *s = &m->subjects[i];
        char rest[512], word[FRONT_WORD_SIZE];
        if (s->best_count == 0 || !is_like(s, &m->subjects[first]))
            continue;
        part_key(s->key, rest, word);
        struct front_entry *entry = front_add(front, word);
        if (entry == NULL)
            break;
        entry->time_us = s->bests[0].time_us;
        entry->has_error = s->bests[0].has_error;
        entry->max = s->bests[0].max_rel_error;
        entry->rms = s->bests[0].rms_rel_error;
        entry->has_hard = s->bests[0].has_hard;
        entry->hard_max = s->bests[0].hard_max_error;
        entry->hard_rms = s->bests[0].hard_rms_error;
    }
    front_find(front);
}

static double shown_error(const struct front_entry *e, bool hard) {
    return hard ? (e->has_hard ? e->hard_rms : 0) : (e->has_error ? e->rms : 0);
}

static void error_tick(double value, char out[32]) {
    snprintf(out, 32, "%.0e", value);
}

static void draw(const struct front *front, bool hard, const char *caption, struct tw_text *out) {
    struct plot p;
    double low[2] = {0, 0}, high[2] = {0, 0};
    int shown = 0;
    for (int i = 0; i < front->count; i++) {
        const double at[] = {front->entries[i].time_us, shown_error(&front->entries[i], hard)};
        for (int k = 0; k < 2 && at[1] > 0; k++) {
            low[k] = shown == 0 || at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
        shown += at[1] > 0;
    }
    if (shown < 2)
        return;
    plot_begin(&p, out, caption, "The time and the error of each result", 230);
    p.x = plot_axis_of(low[0], high[0], true, "time");
    p.y = plot_axis_of(low[1], high[1], true, NULL);
    p.x.tick = plot_time_tick;
    p.y.tick = error_tick;
    plot_axes(&p);
    for (int i = 0; i < front->count; i++) {
        const struct front_entry *e = &front->entries[i];
        const double error = shown_error(e, hard);
        if (error <= 0)
            continue;
        plot_dot(&p, e->time_us, error, 3.4, e->on_front ? "point own" : "point", e->word);
        plot_words(out, plot_x(&p, e->time_us) + 6, plot_y(&p, error) - 4, "start", "tick",
                   e->word);
    }
    plot_end(&p);
}

static void add_cell(bool is_known, double error, struct tw_text *out) {
    if (is_known)
        html_print(out, "td class=n", "%.2g", error);
    else
        tw_text_print(out, "<td>");
}

static void list(const struct front *front, struct tw_text *out) {
    tw_text_print(out, "<div class=\"wide\"><table><thead><tr><th>compute<th class=n>time"
                       "<th class=n>max error<th class=n>rms<th class=n>on hard inputs, max"
                       "<th class=n>rms<th>on the front</tr></thead><tbody>\n");
    for (int i = 0; i < front->count; i++) {
        const struct front_entry *e = &front->entries[i];
        char time[32];
        report_time(e->time_us, time);
        tw_text_print(out, "<tr>");
        html_element(out, "td", e->word);
        html_element(out, "td class=n", time);
        add_cell(e->has_error, e->max, out);
        add_cell(e->has_error, e->rms, out);
        add_cell(e->has_hard, e->hard_max, out);
        add_cell(e->has_hard, e->hard_rms, out);
        html_element(out, "td", e->on_front ? "yes" : "no");
        tw_text_print(out, "</tr>\n");
    }
    tw_text_print(out, "</tbody></table></div>\n");
}

void fronts_add(const struct page_material *m, struct tw_text *out) {
    for (int i = 0; i < m->subject_count; i++) {
        const struct page_subject *s = &m->subjects[i];
        struct front front;
        char rest[512], word[FRONT_WORD_SIZE];
        collect(m, i, &front);
        if (front.count < 2)
            continue;
        part_key(s->key, rest, word);
        tw_text_print(out, "<section><h2>Time against error <span>");
        html_text(out, s->kernel);
        tw_text_print(out, " ");
        html_code(out, rest);
        tw_text_print(out, "</span></h2>\n");
        html_print(out, "p",
                   "On %s, %s cache: the same product under several promises of errors. Errors are "
                   "relative to the answer's root mean square, on hard inputs to the sizes summed.",
                   s->device->name, s->cache);
        tw_text_print(out, "<div class=\"figures two\">\n");
        draw(&front, false, "Rms error on uniform inputs over time", out);
        draw(&front, true, "Rms error on hard inputs over time", out);
        tw_text_print(out, "</div>\n");
        list(&front, out);
        tw_text_print(out, "</section>\n");
    }
}
