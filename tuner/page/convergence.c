/* How a search came to its best: over its trials, and over its seconds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/report/report.h"

/* More dots than this say no more, and make the page heavy. */
enum { MOST_DOTS = 1500 };
/* Nor do times of so many times the best, which would leave no room for those that count. */
static const double MOST_TIMES = 10;

struct curve {
    const struct page_subject *subject;
    const struct page_trials *trials;
    const char *winner; /* implementation */
    bool by_seconds;
    double low, high, end;
    int best_at; /* trial */
    int beyond;  /* trials that took longer than `high` */
    bool failed; /* some did */
};

static double moment(const struct curve *c, int trial) {
    return c->by_seconds ? c->trials->trials[trial].second : trial + 1;
}

static bool timed(const struct page_trial *t) {
    return t->status == TW_DB_TRIAL_OK && t->time_us > 0;
}

static bool measure(struct curve *c) {
    double first = 0, last = 0;
    c->low = 0;
    c->beyond = 0;
    c->failed = false;
    for (int i = 0; i < c->trials->count; i++) {
        const struct page_trial *t = &c->trials->trials[i];
        c->failed |= !timed(t);
        if (!timed(t))
            continue;
        first = first == 0 ? t->time_us : first;
        last = fmax(last, t->time_us);
        if (c->low == 0 || t->time_us < c->low) {
            c->low = t->time_us;
            c->best_at = i;
        }
    }
    c->high = fmin(last, fmax(first, MOST_TIMES * c->low));
    for (int i = 0; i < c->trials->count; i++)
        c->beyond += timed(&c->trials->trials[i]) && c->trials->trials[i].time_us > c->high;
    c->end = c->trials->count > 0 ? moment(c, c->trials->count - 1) : 0;
    return c->low > 0;
}

static void draw_dots(const struct curve *c, const struct plot *p) {
    int every = c->trials->count / MOST_DOTS + 1;
    double best = 0;
    for (int i = 0; i < c->trials->count; i++) {
        const struct page_trial *t = &c->trials->trials[i];
        bool better = timed(t) && (best == 0 || t->time_us < best);
        best = better ? t->time_us : best;
        if (i % every != 0 && !better)
            continue;
        if (!timed(t)) {
            double x = plot_x(p, moment(c, i));
            tw_text_print(p->out, "<path d=\"M%.1f %.1fv6\" class=\"failed\"/>", x, p->top - 4);
            continue;
        }
        bool same = c->winner != NULL && strcmp(t->implementation, c->winner) == 0;
        plot_dot(p, moment(c, i), t->time_us, 1.6, same ? "dot own" : "dot", NULL);
    }
}

static void draw_best(const struct curve *c, const struct plot *p) {
    double best = 0;
    const char *command = "M";
    tw_text_print(p->out, "<path class=\"best\" d=\"");
    for (int i = 0; i < c->trials->count; i++) {
        const struct page_trial *t = &c->trials->trials[i];
        if (!timed(t) || (best > 0 && t->time_us >= best))
            continue;
        double x = plot_x(p, moment(c, i));
        if (best > 0)
            tw_text_print(p->out, "H%.1f", x);
        best = t->time_us;
        if (command[0] == 'M')
            tw_text_print(p->out, "M%.1f %.1f", x, plot_y(p, best));
        else
            tw_text_print(p->out, "V%.1f", plot_y(p, best));
        command = "V";
    }
    tw_text_print(p->out, "H%.1f\"/>", p->right);
}

static void draw_runs(const struct curve *c, const struct plot *p) {
    for (int i = 1; i < c->trials->count; i++) {
        int run = c->trials->trials[i].run;
        if (run == c->trials->trials[i - 1].run)
            continue;
        char words[48];
        snprintf(words, sizeof words, "run %lld", (long long)c->subject->runs[run].id);
        plot_moment(p, moment(c, i), "between", words);
    }
}

static void draw(struct curve *c, struct tw_text *out, const char *label, const char *caption) {
    struct plot p;
    char time[32], shows[160];
    report_time(c->low, time);
    snprintf(shows, sizeof shows, "Times of %d trials and the best so far, which comes to %s",
             c->trials->count, time);
    plot_begin(&p, out, caption, shows, 230);
    p.y = plot_axis_of(c->low, c->high, true, NULL);
    p.x = plot_axis_of(0, c->end, false, label);
    p.y.tick = plot_time_tick;
    plot_axes(&p);
    draw_runs(c, &p);
    draw_dots(c, &p);
    draw_best(c, &p);
    plot_end(&p);
}

static void add_legend(const struct curve *c, struct tw_text *out) {
    char time[32];
    report_time(c->low, time);
    tw_text_print(out, "<p class=\"key\"><span class=\"k own\"></span>&nbsp;");
    html_text(out, c->winner != NULL ? c->winner : "the best one's implementation");
    tw_text_print(out, " <span class=\"k dot\"></span>&nbsp;other implementations "
                       "<span class=\"k best\"></span>&nbsp;best so far");
    if (c->failed)
        tw_text_print(out, " <span class=\"k failed\"></span>&nbsp;failed");
    tw_text_print(out, ". The search's best, ");
    html_text(out, time);
    tw_text_print(out, ", was trial %d of %d, after %.0f s.", c->best_at + 1, c->trials->count,
                  c->trials->trials[c->best_at].second);
    if (c->beyond > 0)
        tw_text_print(out, " At the upper edge: %d that took longer.", c->beyond);
    tw_text_print(out, "</p>\n");
}

void figure_convergence(const struct page_subject *subject, const struct page_trials *trials,
                        struct tw_text *out) {
    struct curve c = {.subject = subject,
                      .trials = trials,
                      .winner = subject->best_count > 0 ? subject->bests[0].implementation : NULL};
    if (!measure(&c))
        return;
    tw_text_print(out, "<h3>How the search went</h3>\n<div class=\"figures two\">\n");
    draw(&c, out, "trials", "Time of each trial, over trials");
    c.by_seconds = true;
    measure(&c);
    draw(&c, out, "seconds", "The same over seconds");
    tw_text_print(out, "</div>\n");
    add_legend(&c, out);
}
