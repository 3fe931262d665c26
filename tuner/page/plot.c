#include "tuner/page/plot.h"

#include <math.h>
#include <stdio.h>

#include "tuner/page/html.h"
#include "tuner/report/report.h"

enum { MOST_TICKS = 9, LEAST_APART = 12 };

/* ---- Axes ---- */

struct plot_axis plot_axis_of(double low, double high, bool log, const char *label) {
    struct plot_axis axis = {.low = low, .high = high, .log = log, .label = label};
    if (log) {
        double room = high > low ? pow(high / low, 0.06) : 1.25;
        axis.low = low / room;
        axis.high = high * room;
    } else {
        double room = high > low ? 0.04 * (high - low) : fabs(high) * 0.1 + 0.5;
        axis.low = low >= 0 && low - room < 0 ? 0 : low - room;
        axis.high = high + room;
    }
    return axis;
}

static double share(const struct plot_axis *axis, double value) {
    double at = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                          : (value - axis->low) / (axis->high - axis->low);
    return !(at > 0) ? 0 : at > 1 ? 1 : at;
}

static int linear_ticks(const struct plot_axis *axis, double *ticks, int most) {
    double step = pow(10, floor(log10((axis->high - axis->low) / 2)));
    static const double larger[] = {2, 2.5, 2}; /* 1, 2, 5, 10 */
    for (int i = 0; (axis->high - axis->low) / step > most - 1; i++)
        step *= larger[i % 3];
    int count = 0;
    double first = ceil(axis->low / step - 1e-9);
    for (double i = first; i * step <= axis->high * (1 + 1e-12) && count < most; i++)
        ticks[count++] = i * step + 0.0;
    return count;
}

/* 1, 2 and 5 times powers of ten where they are few enough, else the powers, or some of them. */
static int log_ticks(const struct plot_axis *axis, double *ticks, int most) {
    static const double factors[] = {1, 2, 5};
    int from = (int)floor(log10(axis->low)), to = (int)ceil(log10(axis->high));
    int used = 3 * log10(axis->high / axis->low) < most - 1 ? 3 : 1, count = 0;
    int every = used == 1 ? (to - from) / most + 1 : 1;
    for (int power = from; power <= to; power += every)
        for (int i = 0; i < used && count < most; i++) {
            double value = factors[i] * pow(10, power);
            if (value >= axis->low && value <= axis->high)
                ticks[count++] = value;
        }
    return count >= 2 && axis->high / axis->low > 4
               ? count
               : linear_ticks(axis, ticks, most < 6 ? most : 6);
}

int plot_ticks(const struct plot_axis *axis, double *ticks, int most) {
    return axis->log ? log_ticks(axis, ticks, most) : linear_ticks(axis, ticks, most);
}

void plot_time_tick(double microseconds, char out[32]) {
    report_time(microseconds, out);
}

static void tick_text(const struct plot_axis *axis, double value, char out[32]) {
    if (axis->tick != NULL)
        axis->tick(value, out);
    else
        snprintf(out, 32, "%.4g", value + 0.0); /* 0 for -0 */
}

double plot_x(const struct plot *p, double value) {
    return p->left + (p->right - p->left) * share(&p->x, value);
}

double plot_y(const struct plot *p, double value) {
    return p->bottom - (p->bottom - p->top) * share(&p->y, value);
}

/* ---- The frame ---- */

void plot_begin(struct plot *p, struct tw_text *out, const char *caption, const char *shows,
                double height) {
    *p = (struct plot){.out = out,
                       .width = 360,
                       .height = height,
                       .left = 58,
                       .right = 348,
                       .top = 20,
                       .bottom = height - 36};
    tw_text_print(out, "<figure>");
    html_element(out, "figcaption", caption);
    tw_text_print(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", p->width,
                  p->height);
    html_text(out, shows);
    tw_text_print(out, "\">");
}

void plot_end(const struct plot *p) {
    tw_text_print(p->out, "</svg></figure>\n");
}

void plot_words(struct tw_text *out, double x, double y, const char *anchor, const char *kind,
                const char *words) {
    tw_text_print(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor,
                  kind);
    html_text(out, words);
    tw_text_print(out, "</text>");
}

static void line(const struct plot *p, double x0, double y0, double x1, double y1,
                 const char *kind) {
    tw_text_print(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>",
                  x0, y0, x1, y1, kind);
}

void plot_axes(const struct plot *p) {
    double ticks[MOST_TICKS];
    char text[32];
    int count = plot_ticks(&p->y, ticks, MOST_TICKS);
    double before = p->height;
    for (int i = 0; i < count; i++) {
        double y = plot_y(p, ticks[i]);
        if (before - y < LEAST_APART)
            continue;
        before = y;
        line(p, p->left, y, p->right, y, "grid");
        tick_text(&p->y, ticks[i], text);
        plot_words(p->out, p->left - 5, y + 3.5, "end", "tick", text);
    }
    count = plot_ticks(&p->x, ticks, MOST_TICKS);
    for (int i = 0; i < count; i++) {
        double x = plot_x(p, ticks[i]);
        line(p, x, p->bottom, x, p->bottom + 4, "axis");
        tick_text(&p->x, ticks[i], text);
        plot_words(p->out, x, p->bottom + 15, "middle", "tick", text);
    }
    line(p, p->left, p->bottom, p->right, p->bottom, "axis");
    plot_words(p->out, (p->left + p->right) / 2, p->height - 5, "middle", "label", p->x.label);
    if (p->y.label != NULL)
        plot_words(p->out, 2, 9, "start", "label", p->y.label);
}

/* ---- Marks ---- */

void plot_dot(const struct plot *p, double x, double y, double radius, const char *kind,
              const char *title) {
    tw_text_print(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" class=\"%s\"", plot_x(p, x),
                  plot_y(p, y), radius, kind);
    if (title == NULL) {
        tw_text_print(p->out, "/>");
        return;
    }
    tw_text_print(p->out, ">");
    html_element(p->out, "title", title);
    tw_text_print(p->out, "</circle>");
}

void plot_level(const struct plot *p, double y, const char *kind, const char *words) {
    double at = plot_y(p, y);
    line(p, p->left, at, p->right, at, kind);
    plot_words(p->out, p->right, at - 3, "end", "note", words);
}

void plot_moment(const struct plot *p, double x, const char *kind, const char *words) {
    double at = plot_x(p, x);
    line(p, at, p->top, at, p->bottom, kind);
    bool late = at > (p->left + p->right) / 2;
    plot_words(p->out, late ? at - 3 : at + 3, p->top + 8, late ? "end" : "start", "note", words);
}
