#include "tuner/search/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TUNED_SAMPLES = 60, TUNING_SWEEPS = 2, TUNING_STEPS = 2 };

/* What tuning finds, in one array: variances of function and noise, then inverse lengths. */
enum { SIGNAL, NOISE, SCALES };

static const double USUAL_SCALE = 0.7;
static const double LEAST = 1e-4; /* of any of them: keeps the matrix well conditioned */

struct gaussian {
    int dimensions;
    int count;
    int factored; /* rows of `lower` that hold */
    unsigned version;
    bool tuned;
    double center; /* the mean of y, which the function returns to far from samples */
    double hyper[SCALES + GAUSSIAN_DIMENSIONS];
    double x[GAUSSIAN_SAMPLES][GAUSSIAN_DIMENSIONS];
    double y[GAUSSIAN_SAMPLES];
    double whitened[GAUSSIAN_SAMPLES];
    double weights[GAUSSIAN_SAMPLES];
    double lower[GAUSSIAN_SAMPLES][GAUSSIAN_SAMPLES]; /* Cholesky factor of the covariance */
    struct gaussian *part;                            /* some of the samples, to tune by */
};

tw_status gaussian_create(struct gaussian **out, int dimensions, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->dimensions = dimensions;
    (*out)->part = calloc(1, sizeof **out);
    if ((*out)->part == NULL) {
        free(*out);
        *out = NULL;
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    return TW_OK;
}

void gaussian_free(struct gaussian *gaussian) {
    if (gaussian != NULL)
        free(gaussian->part);
    free(gaussian);
}

void gaussian_clear(struct gaussian *gaussian) {
    gaussian->count = gaussian->factored = 0;
    gaussian->version++;
}

void gaussian_add(struct gaussian *gaussian, const double *x, double y) {
    memcpy(gaussian->x[gaussian->count], x, (size_t)gaussian->dimensions * sizeof *x);
    gaussian->y[gaussian->count++] = y;
}

void gaussian_correct(struct gaussian *gaussian, int i, double y) {
    gaussian->y[i] = y;
}

static double covariance(const struct gaussian *g, const double *a, const double *b) {
    double squares = 0;
    for (int i = 0; i < g->dimensions; i++) {
        double distance = (a[i] - b[i]) * g->hyper[SCALES + i];
        squares += distance * distance;
    }
    double d = sqrt(5 * squares);
    return g->hyper[SIGNAL] * (1 + d + d * d / 3) * exp(-d);
}

/* Solves lower * x = z for the first `count` samples; x takes the place of z. */
static void solve(const struct gaussian *g, int count, double *z) {
    for (int i = 0; i < count; i++) {
        double rest = z[i];
        for (int k = 0; k < i; k++)
            rest -= g->lower[i][k] * z[k];
        z[i] = rest / g->lower[i][i];
    }
}

/* The rows from `first` on; those before are there. */
static bool factorise(struct gaussian *g, int first, int count) {
    for (int i = first; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            double rest = covariance(g, g->x[i], g->x[j]) + (i == j ? g->hyper[NOISE] : 0);
            for (int k = 0; k < j; k++)
                rest -= g->lower[i][k] * g->lower[j][k];
            if (i == j && rest <= 0)
                return false;
            g->lower[i][j] = i == j ? sqrt(rest) : rest / g->lower[j][j];
        }
    }
    return true;
}

/* The logarithm of how likely the samples are under the current hyperparameters, which are
 * themselves the less likely the further their lengths are from the usual. */
static double evidence(struct gaussian *g) {
    int count = g->count;
    double z[GAUSSIAN_SAMPLES], sum = 0;
    if (!factorise(g, 0, count))
        return -INFINITY;
    for (int i = 0; i < count; i++)
        z[i] = g->y[i] - g->center;
    solve(g, count, z);
    for (int i = 0; i < count; i++)
        sum -= z[i] * z[i] / 2 + log(g->lower[i][i]);
    for (int i = 0; i < g->dimensions; i++) {
        double off = log(g->hyper[SCALES + i] / USUAL_SCALE);
        sum -= off * off / 5;
    }
    return sum;
}

static void find_center(struct gaussian *g) {
    g->center = 0;
    for (int i = 0; i < g->count; i++)
        g->center += g->y[i] / g->count;
}

static void begin_hyper(struct gaussian *g) {
    double variance = 0;
    for (int i = 0; i < g->count; i++)
        variance += (g->y[i] - g->center) * (g->y[i] - g->center) / g->count;
    g->hyper[SIGNAL] = variance + LEAST;
    g->hyper[NOISE] = variance / 20 + LEAST;
    for (int i = 0; i < g->dimensions; i++)
        g->hyper[SCALES + i] = USUAL_SCALE;
    g->tuned = true;
}

/* An even selection, in the order in which they came. */
static void select_part(struct gaussian *g) {
    struct gaussian *part = g->part;
    part->dimensions = g->dimensions;
    part->count = g->count < TUNED_SAMPLES ? g->count : TUNED_SAMPLES;
    part->center = g->center;
    memcpy(part->hyper, g->hyper, sizeof part->hyper);
    for (int i = 0; i < part->count; i++) {
        int from = i * g->count / part->count;
        memcpy(part->x[i], g->x[from], (size_t)g->dimensions * sizeof *part->x[i]);
        part->y[i] = g->y[from];
    }
}

/* A few steps along each coordinate: the evidence is flat enough for that to do. */
void gaussian_tune(struct gaussian *g) {
    find_center(g);
    if (!g->tuned)
        begin_hyper(g);
    select_part(g);
    struct gaussian *part = g->part;
    double best = evidence(part);
    for (int step = 0; step < TUNING_SWEEPS * (SCALES + g->dimensions) * 2; step++) {
        double *hyper = &part->hyper[step / 2 % (SCALES + g->dimensions)];
        double factor = hyper < &part->hyper[SCALES] ? 2 : 1.6;
        if (step % 2 == 0)
            factor = 1 / factor;
        for (int i = 0; i < TUNING_STEPS; i++) {
            double before = *hyper;
            *hyper = fmax(LEAST, before * factor);
            double reached = evidence(part);
            if (reached <= best) {
                *hyper = before;
                break;
            }
            best = reached;
        }
    }
    memcpy(g->hyper, part->hyper, sizeof g->hyper);
    g->factored = 0;
    g->version++;
}

bool gaussian_fit(struct gaussian *g) {
    if (g->count == 0)
        return false;
    find_center(g);
    if (!g->tuned)
        begin_hyper(g);
    bool sound = factorise(g, g->factored, g->count);
    g->factored = sound ? g->count : 0;
    g->version += !sound;
    if (!sound)
        return false;
    double *z = g->whitened;
    for (int i = 0; i < g->count; i++)
        z[i] = g->y[i] - g->center;
    solve(g, g->count, z);
    for (int i = g->count - 1; i >= 0; i--) {
        double rest = z[i];
        for (int k = i + 1; k < g->count; k++)
            rest -= g->lower[k][i] * g->weights[k];
        g->weights[i] = rest / g->lower[i][i];
    }
    return true;
}

double gaussian_mean(const struct gaussian *g, const double *x) {
    double mean = g->center;
    for (int i = 0; i < g->count; i++)
        mean += covariance(g, x, g->x[i]) * g->weights[i];
    return mean;
}

double gaussian_guess(const struct gaussian *g, const double *x, double *deviation) {
    double z[GAUSSIAN_SAMPLES], mean = g->center, variance = g->hyper[SIGNAL];
    for (int i = 0; i < g->count; i++) {
        z[i] = covariance(g, x, g->x[i]);
        mean += z[i] * g->weights[i];
    }
    solve(g, g->count, z);
    for (int i = 0; i < g->count; i++)
        variance -= z[i] * z[i];
    *deviation = sqrt(fmax(variance, 1e-12));
    return mean;
}

unsigned gaussian_version(const struct gaussian *g) {
    return g->version;
}

int gaussian_count(const struct gaussian *g) {
    return g->count;
}

double gaussian_center(const struct gaussian *g) {
    return g->center;
}

double gaussian_variance(const struct gaussian *g) {
    return g->hyper[SIGNAL];
}

double gaussian_covariance(const struct gaussian *g, const double *x, int i) {
    return covariance(g, x, g->x[i]);
}

const double *gaussian_row(const struct gaussian *g, int i) {
    return g->lower[i];
}

double gaussian_whitened(const struct gaussian *g, int i) {
    return g->whitened[i];
}
