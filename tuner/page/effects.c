/* What parameters do, by the analysis of variance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/page/samples.h"

enum { CELLS = SAMPLES_LEVELS * SAMPLES_LEVELS, SWEEPS = 30 };

/* Numbers in groups: how many each has, and their mean. */
struct groups {
    int used; /* that have any */
    double count[CELLS], mean[CELLS];
};

/* The trials that were timed, with the logarithms of their times, and room to work. */
struct work {
    int count;
    const struct sample **samples;
    double *logs, *values;
    int *cells;
    struct groups groups;
};

static void work_free(struct work *w) {
    if (w == NULL)
        return;
    free(w->samples);
    free(w->logs);
    free(w->values);
    free(w->cells);
    free(w);
}

static struct work *work_begin(const struct samples *s) {
    struct work *w = calloc(1, sizeof *w);
    size_t room = (size_t)s->timed + 1;
    if (w == NULL) {
        json_note_lack();
        return NULL;
    }
    w->samples = calloc(room, sizeof *w->samples);
    w->logs = calloc(room, sizeof *w->logs);
    w->values = calloc(room, sizeof *w->values);
    w->cells = calloc(room, sizeof *w->cells);
    if (w->samples == NULL || w->logs == NULL || w->values == NULL || w->cells == NULL) {
        work_free(w);
        json_note_lack();
        return NULL;
    }
    for (int i = 0; i < s->count; i++)
        if (s->samples[i].time_us > 0) {
            w->samples[w->count] = &s->samples[i];
            w->logs[w->count++] = log(s->samples[i].time_us);
        }
    memcpy(w->values, w->logs, room * sizeof *w->values);
    return w;
}

static void group(struct work *w) {
    struct groups *g = &w->groups;
    memset(g, 0, sizeof *g);
    for (int i = 0; i < w->count; i++) {
        g->count[w->cells[i]]++;
        g->mean[w->cells[i]] += w->values[i];
    }
    for (int c = 0; c < CELLS; c++)
        if (g->count[c] > 0) {
            g->used++;
            g->mean[c] /= g->count[c];
        }
}

static void group_by(struct work *w, int factor) {
    for (int i = 0; i < w->count; i++)
        w->cells[i] = w->samples[i]->levels[factor];
    group(w);
}

static void group_by_both(struct work *w, int a, int b) {
    for (int i = 0; i < w->count; i++)
        w->cells[i] = w->samples[i]->levels[a] * SAMPLES_LEVELS + w->samples[i]->levels[b];
    group(w);
}

/* Sum of squares about the mean. */
static double scatter(const double *values, int count) {
    double mean = 0, sum = 0;
    for (int i = 0; i < count; i++)
        mean += values[i] / count;
    for (int i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

/* What the groups account for of the variance of the logarithms. `taken` degrees of freedom were
 * used up before. */
static double accounted(const struct work *w, int taken) {
    const struct groups *g = &w->groups;
    double inside = 0, all = scatter(w->logs, w->count);
    for (int i = 0; i < w->count; i++) {
        double off = w->values[i] - g->mean[w->cells[i]];
        inside += off * off;
    }
    int freedom = g->used - taken, left = w->count - g->used;
    if (freedom <= 0 || left <= 0 || !(all > 0))
        return 0;
    double share = (scatter(w->values, w->count) - inside - freedom * inside / left) / all;
    return !(share > 0) ? 0 : share < 1 ? share : 1;
}

double samples_effect(const struct samples *s, int factor) {
    struct work *w = work_begin(s);
    if (w == NULL)
        return 0;
    group_by(w, factor);
    double share = accounted(w, 1);
    work_free(w);
    return share;
}

/* Takes away each group's mean. */
static int sweep(struct work *w, int factor) {
    group_by(w, factor);
    for (int i = 0; i < w->count; i++)
        w->values[i] -= w->groups.mean[w->cells[i]];
    return w->groups.used;
}

double samples_interaction(const struct samples *s, int a, int b) {
    struct work *w = work_begin(s);
    int levels = 0;
    if (w == NULL)
        return 0;
    /* A search does not try all pairs equally often, so one sweep each would not do. */
    for (int turn = 0; turn < SWEEPS; turn++)
        levels = sweep(w, a) + sweep(w, b);
    group_by_both(w, a, b);
    double share = accounted(w, levels - 1);
    work_free(w);
    return share;
}
