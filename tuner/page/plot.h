/* Charts as SVG: a frame with two axes, into which whoever draws puts marks by their values.
 *
 * A chart is drawn for a width of about 360 pixels, so that its words can be read on a phone, and
 * grows with the page. Colours are classes, which the page's style gives a value for light and for
 * dark. */
#ifndef TUNER_PAGE_PLOT_H
#define TUNER_PAGE_PLOT_H

#include <stdbool.h>

#include "runtime/base/text.h"

struct plot_axis {
    double low, high; /* low < high; both > 0 when `log` */
    bool log;
    const char *label;
    void (*tick)(double value, char out[32]); /* NULL: a plain number */
};

struct plot {
    struct tw_text *out;
    double width, height;
    double left, right, top, bottom; /* of what the axes enclose */
    struct plot_axis x, y;
};

/* Begins a figure with its caption and an SVG that tells what it shows to those who do not see it.
 * Both are ours to write, and escaped all the same. `height` is of the whole, in units of which the
 * width is 360. */
void plot_begin(struct plot *plot, struct tw_text *out, const char *caption, const char *shows,
                double height);
/* The frame, the grid and the words of both axes. */
void plot_axes(const struct plot *plot);
void plot_end(const struct plot *plot);

/* Where a value is, within the frame also for values beyond it. */
double plot_x(const struct plot *plot, double value);
double plot_y(const struct plot *plot, double value);

/* A dot with the class `kind`; `title` (may be NULL) is told by a browser that hovers over it. */
void plot_dot(const struct plot *plot, double x, double y, double radius, const char *kind,
              const char *title);
/* A line from side to side at y, or from top to bottom at x, with words at its end. */
void plot_level(const struct plot *plot, double y, const char *kind, const char *words);
void plot_moment(const struct plot *plot, double x, const char *kind, const char *words);
/* Words at a place of the picture, in its units; `anchor` is start, middle or end. */
void plot_words(struct tw_text *out, double x, double y, const char *anchor, const char *kind,
                const char *words);

/* An axis that has room for values from `low` to `high` and some more. */
struct plot_axis plot_axis_of(double low, double high, bool log, const char *label);

/* Ticks for an axis: at most `most`, in rising order; returns how many. */
int plot_ticks(const struct plot_axis *axis, double *ticks, int most);

void plot_time_tick(double microseconds, char out[32]);

#endif
