/* What each parameter's values brought, and which pairs depend on each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/report/report.h"

enum { MOST_ROW_DOTS = 60, MOST_PAIRS = 4, LEAST_TRIALS = 8 };
static const double BAR = 100, BAR_LEFT = 84, ROW = 17, TOP = 6;

/* Below this share of the variance a pair is not worth a picture. */
static const double NOTEWORTHY = 0.01;

struct ranked {
    int a, b;
    double share;
};

static int by_share(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

static double fastest(const struct samples *s) {
    double best = 0;
    for (int i = 0; i < s->count; i++)
        if (s->samples[i].time_us > 0 && (best == 0 || s->samples[i].time_us < best))
            best = s->samples[i].time_us;
    return best;
}

/* A percentage that is 100 only for the best itself. */
static void percent(double share, char out[16]) {
    double value = 100 * share;
    snprintf(out, 16, value < 100 && value >= 99.5 ? "%.1f%%" : "%.0f%%",
             value < 100 && value > 99.9 ? 99.9 : value);
}

/* ---- One parameter ---- */

static int tried(const struct samples *s, int factor, int level, int *failed) {
    int count = 0;
    *failed = 0;
    for (int i = 0; i < s->count; i++)
        if (s->samples[i].levels[factor] == level) {
            count++;
            *failed += s->samples[i].time_us == 0;
        }
    return count;
}

static void row_dots(const struct samples *s, int factor, int level, double best, double y,
                     struct tw_text *out) {
    int count = 0, seen = 0, failed;
    int every = tried(s, factor, level, &failed) / MOST_ROW_DOTS + 1;
    for (int i = 0; i < s->count && count < MOST_ROW_DOTS; i++) {
        const struct sample *sample = &s->samples[i];
        if (sample->levels[factor] != level || sample->time_us == 0 || seen++ % every != 0)
            continue;
        tw_text_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.3\" class=\"dot\"/>",
                      BAR_LEFT + BAR * best / sample->time_us, y);
        count++;
    }
}

static void draw_level(const struct samples *s, int factor, int level, double best, double y,
                       struct tw_text *out) {
    char note[64], share[16];
    int failed, count = tried(s, factor, level, &failed);
    double time = samples_best(s, factor, level);
    bool winner = time == best;
    plot_words(out, BAR_LEFT - 6, y + 3.5, "end", winner ? "tick strong" : "tick",
               s->factors[factor].levels[level]);
    if (time > 0)
        tw_text_print(out,
                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"11\" class=\"%s\"/>",
                      BAR_LEFT, y - 5.5, BAR * best / time, winner ? "bar own" : "bar");
    row_dots(s, factor, level, best, y, out);
    if (time > 0)
        percent(best / time, share);
    else
        snprintf(share, sizeof share, "none");
    snprintf(note, sizeof note, failed > 0 ? "%s of %d, %d failed" : "%s of %d", share, count,
             failed);
    plot_words(out, BAR_LEFT + BAR + 6, y + 3.5, "start", winner ? "note strong" : "note", note);
}

static void draw_factor(const struct samples *s, const struct ranked *factor, double best,
                        struct tw_text *out) {
    const struct factor *f = &s->factors[factor->a];
    tw_text_print(out, "<figure class=\"small\"><figcaption>");
    html_element(out, "b", f->name);
    tw_text_print(out, " <span class=\"quiet\">%.0f%% of the variance</span></figcaption>",
                  100 * factor->share);
    tw_text_print(out, "<svg viewBox=\"0 0 320 %g\" role=\"img\" aria-label=\"",
                  2 * TOP + ROW * f->level_count);
    html_text(out, "The best speed with each value of ");
    html_text(out, f->name);
    tw_text_print(out, "\">");
    for (int level = 0; level < f->level_count; level++)
        draw_level(s, factor->a, level, best, TOP + ROW * (level + 0.5), out);
    tw_text_print(out, "</svg></figure>\n");
}

static void add_constants(const struct samples *s, struct tw_text *out) {
    const char *between = "<p class=\"quiet\">Always the same: ";
    for (int i = 0; i < s->factor_count; i++) {
        if (s->factors[i].level_count != 1)
            continue;
        tw_text_print(out, "%s", between);
        html_text(out, s->factors[i].name);
        tw_text_print(out, " = ");
        html_text(out, s->factors[i].levels[0]);
        between = ", ";
    }
    if (between[0] == ',')
        tw_text_print(out, ".</p>\n");
}

void figure_parameters(const struct page_subject *subject, const struct samples *s,
                       struct tw_text *out) {
    struct ranked ranked[SAMPLES_FACTORS];
    int count = 0;
    double best = fastest(s);
    if (s->timed < LEAST_TRIALS || best == 0)
        return;
    for (int i = 0; i < s->factor_count; i++)
        if (s->factors[i].level_count > 1)
            ranked[count++] = (struct ranked){.a = i, .b = -1, .share = samples_effect(s, i)};
    qsort(ranked, (size_t)count, sizeof *ranked, by_share);
    html_print(out, "h3", "What each parameter brought, in %s", subject->bests[0].implementation);
    tw_text_print(out,
                  "<p class=\"hint\">A bar is the best speed that any trial with this value "
                  "reached, of the best of all; dots are single trials. The share of the "
                  "variance is of the logarithm of all %d times, and a search does not try "
                  "all values equally often.</p>\n<div class=\"figures\">\n",
                  s->timed);
    for (int i = 0; i < count; i++)
        draw_factor(s, &ranked[i], best, out);
    tw_text_print(out, "</div>\n");
    add_constants(s, out);
}

/* ---- Pairs ---- */

static void draw_cell(const struct samples *s, const struct ranked *pair, int row, int column,
                      double best, double x, double y, double width, struct tw_text *out) {
    char words[16] = "";
    double time = samples_best_pair(s, pair->a, row, pair->b, column);
    double share = time > 0 ? best / time : 0;
    tw_text_print(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"21\" ", x, y,
                  width - 2);
    if (time > 0)
        tw_text_print(out, "class=\"cell\" fill-opacity=\"%.2f\"/>", 0.06 + 0.74 * share * share);
    else
        tw_text_print(out, "class=\"empty\"/>");
    if (time > 0)
        percent(share, words);
    if (time > 0 && width >= 26)
        plot_words(out, x + width / 2 - 1, y + 14, "middle",
                   share == 1 ? "note strong" : "note ink", words);
}

static void draw_pair(const struct samples *s, const struct ranked *pair, double best,
                      struct tw_text *out) {
    const struct factor *a = &s->factors[pair->a], *b = &s->factors[pair->b];
    double left = 84, width = (354 - left) / b->level_count;
    if (width > 60)
        width = 60;
    tw_text_print(out, "<figure><figcaption>");
    html_element(out, "b", a->name);
    tw_text_print(out, " and ");
    html_element(out, "b", b->name);
    tw_text_print(out, " <span class=\"quiet\">%.1f%% of the variance</span></figcaption>",
                  100 * pair->share);
    tw_text_print(out, "<svg viewBox=\"0 0 360 %d\" role=\"img\" aria-label=\"",
                  34 + 23 * a->level_count);
    html_text(out, "The best speed with each pair of values");
    tw_text_print(out, "\">");
    plot_words(out, left - 6, 26, "end", "label", a->name);
    plot_words(out, left, 10, "start", "label", b->name);
    for (int column = 0; column < b->level_count; column++)
        plot_words(out, left + width * (column + 0.5) - 1, 26, "middle", "tick", b->levels[column]);
    for (int row = 0; row < a->level_count; row++) {
        plot_words(out, left - 6, 32 + 23 * row + 14, "end", "tick", a->levels[row]);
        for (int column = 0; column < b->level_count; column++)
            draw_cell(s, pair, row, column, best, left + width * column, 32 + 23 * row, width, out);
    }
    tw_text_print(out, "</svg></figure>\n");
}

void figure_pairs(const struct samples *s, struct tw_text *out) {
    struct ranked ranked[SAMPLES_FACTORS * (SAMPLES_FACTORS - 1) / 2];
    int count = 0;
    double best = fastest(s);
    if (s->timed < LEAST_TRIALS || best == 0)
        return;
    for (int a = 0; a < s->factor_count; a++)
        for (int b = a + 1; b < s->factor_count; b++) {
            struct ranked pair = {.a = a, .b = b};
            if (s->factors[a].level_count < 2 || s->factors[b].level_count < 2)
                continue;
            pair.share = samples_interaction(s, a, b);
            if (pair.share >= NOTEWORTHY)
                ranked[count++] = pair;
        }
    if (count == 0)
        return;
    qsort(ranked, (size_t)count, sizeof *ranked, by_share);
    tw_text_print(out,
                  "<h3>Pairs that depend on each other</h3>\n<p class=\"hint\">The best speed with "
                  "both values, of the best of all. The share of the variance is what the pair "
                  "accounts for beyond what each of the two does alone; empty: not tried, or "
                  "failed.</p>\n<div class=\"figures\">\n");
    for (int i = 0; i < count && i < MOST_PAIRS; i++)
        draw_pair(s, &ranked[i], best, out);
    tw_text_print(out, "</div>\n");
}
