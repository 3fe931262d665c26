#include "tuner/model/doubling.h"

#include <math.h>
#include <stdlib.h>

/* Less for a doubling is not worth what every selection would pay for it, and more is beyond what
 * any prediction is off: then a few points lie so that they tell nothing. */
static const double LEAST = 0.02, MOST = 1;
/* Of fewer problems, or where none goes as far as this, nothing can be said. */
enum { LEAST_PROBLEMS = 20 };
static const double LEAST_DOUBLINGS = 1;

struct line {
    double x_mean, y_mean, xx, slope, most_x;
};

static struct line fit_line(const struct error_point *points, int count) {
    struct line line = {0};
    double xy = 0;
    for (int i = 0; i < count; i++) {
        line.x_mean += points[i].x / count;
        line.y_mean += points[i].y / count;
        line.most_x = fmax(line.most_x, points[i].x);
    }
    for (int i = 0; i < count; i++) {
        const double x = points[i].x - line.x_mean;
        line.xx += x * x;
        xy += x * (points[i].y - line.y_mean);
    }
    line.slope = line.xx > 0 ? xy / line.xx : 0;
    return line;
}

/* The slope's standard deviation, INFINITY of too few problems. Errors of one problem's trials are
 * alike, so that what they tell is summed up problem by problem before it is squared (Liang and
 * Zeger, Biometrika 73, 1986). */
static double deviation(const struct line *line, const struct error_point *points, int count,
                        double *scores, int problem_count) {
    double sum = 0;
    int problems = 0;
    for (int i = 0; i < problem_count; i++)
        scores[i] = NAN; /* it has no points */
    for (int i = 0; i < count; i++) {
        double *score = &scores[points[i].problem];
        const double x = points[i].x - line->x_mean;
        *score = (isnan(*score) ? 0 : *score) + x * (points[i].y - line->y_mean - line->slope * x);
    }
    for (int i = 0; i < problem_count; i++)
        if (!isnan(scores[i])) {
            sum += scores[i] * scores[i];
            problems++;
        }
    return problems < LEAST_PROBLEMS || line->xx <= 0
               ? INFINITY
               : sqrt(sum * problems / (problems - 1)) / line->xx;
}

tw_status model_doubling(const struct error_point *points, int count, int problem_count,
                         double *doubling, struct tw_error *error) {
    *doubling = 0;
    double *scores = malloc(((size_t)problem_count + 1) * sizeof *scores);
    if (scores == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const struct line line = fit_line(points, count);
    const double of_slope = deviation(&line, points, count, scores, problem_count);
    free(scores);
    if (line.most_x >= LEAST_DOUBLINGS && line.slope >= LEAST && line.slope > 2 * of_slope)
        *doubling = fmin(line.slope, MOST);
    return TW_OK;
}
